"""What a trace leaves in objects that outlive it, and no run could put there again: no tensor of its graph may stay.

Attributes, items and variables are written again by each run (see `tracing`). What holds a tensor in another way, or
has been changed by code that is not converted, is found here: it is put back, and refused where something outside has
it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from autograph.errors import MutationError
from autograph.runtime.base.places import Place
from autograph.runtime.ir.graph import Graph
from autograph.runtime.tensors.tensor import SymbolicTensor

from ..heap import heap, reach
from ..heap.forms import holds
from ..heap.locations import Cell, Mutable, Uncarried
from ..heap.refusals import outlives_trace
from ..heap.snapshots import Snapshot, restore
from ..values.maybe import Maybe
from ..values.specs import is_object
from .taken_back import Change

if TYPE_CHECKING:
    from ..control.tracing import TraceJournal


class Watched:
    """Lists and variables that code which is not converted may change at the top of a trace, as they were before."""

    def __init__(self) -> None:
        self._snapshots: dict[int, Snapshot] = {}
        self._cells: dict[int, tuple[Cell, Any]] = {}
        self.called_at: dict[int, Place | None] = {}
        """By identity, the calls that may have changed them last."""
        self.changed: list[tuple[Any, str]] = []
        """Lists and cells that have been put back, with their names."""
        self.left: list[Snapshot] = []
        """Lists that have changed, and have not been put back."""

    def note(self, obj: list[Any] | FunctionType, where: Place | None) -> None:
        """Keeps a copy of what a list holds, or of the variables that a function shares, for a call at `where`."""
        if isinstance(obj, FunctionType):
            for name, cell in zip(obj.__code__.co_freevars, obj.__closure__ or (), strict=True):
                location = Cell(cell, name)
                self._cells.setdefault(id(cell), (location, location.get()))
                self.called_at[id(cell)] = where
        elif id(obj) not in self._snapshots and not heap.has_form(obj):  # else `check_unseen` sees what is done to it
            self._snapshots[id(obj)] = Snapshot(obj, obj.copy(), "list", False)
        self.called_at[id(obj)] = where

    def put_back(self, graph: Graph, given: set[int]) -> None:
        """Puts back what holds tensors of a graph, but for what is given as argument; forgets all else."""
        for key, snapshot in self._snapshots.items():
            if key not in given and _holds(snapshot.obj, graph):
                restore(snapshot)
                self.changed.append((snapshot.obj, snapshot.label))
            elif not holds(snapshot.obj, snapshot.copy):
                self.left.append(snapshot)
        for location, old in self._cells.values():
            if location.get() is not old and _holds(location.get(), graph):
                location.set(old)
                self.changed.append((location.owner, location.name))
        self._snapshots.clear()
        self._cells.clear()


def _holds(value: object, graph: Graph) -> bool:
    """Whether tensors of a graph can be reached from a value: one that can't be looked through keeps them, and to use
    them is an error."""
    return any(
        isinstance(each, (Mutable, Maybe))
        or (isinstance(each, SymbolicTensor) and each.value.node.graph.encloses_me(graph))
        for each in reach.all_reachable([value]) or ()
    )


def refusal(journal: TraceJournal, graph: Graph, body: Callable[..., Any], values: list[Any]) -> MutationError | None:
    """Puts back what holds tensors of the graph of a trace, and tells what to raise, if something outside has it.

    What runs of the graph write again has been put back already.
    """
    found: list[tuple[Any, str]] = []
    for location, old, _ in _holding(journal, graph, values):
        found.append((location.owner, location.label))
        if isinstance(location, Uncarried):
            journal.restore(location.owner)
        else:
            location.set(old)
    found += journal.watched.changed
    if not found:
        return None
    outside: set[int] = set()
    for each in reach.reachable([body, *values]):
        outside.add(id(each))
        if isinstance(each, FunctionType):
            outside.update(map(id, each.__closure__ or ()))
    for owner, label in found:
        if id(owner) in outside:
            return outlives_trace(owner, label, journal, values)
    return None


def _holding(journal: TraceJournal, graph: Graph, values: list[Any]) -> list[Change]:
    """The changes by which what is not given as an argument has got tensors of a graph."""
    changes = [each for each in journal.changes().values() if not journal.has_staged(each[0].owner)]
    found = [each for each in changes if _holds(each[2], graph)]
    given = {id(each) for each in reach.reachable(values) if not is_object(each)} if found else set()
    return [each for each in found if id(each[0].owner) not in given]
