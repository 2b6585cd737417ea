"""Tracing one staged body into a graph of its own, with what it changed collected and undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from autograph.errors import AutographError
from autograph.runtime.functions import repetitions
from autograph.runtime.functions.recursion import NeverReturns
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ops.host.host import RAISE
from autograph.runtime.tensors import undelivered
from autograph.runtime.tensors.trace import building, current_graph

from ...exceptions import StagedRaise, refuse_in_try
from ..heap import aliases, heap
from ..heap.array_forms import StagedArray
from ..heap.attributes import attribute_dicts, class_defaults
from ..heap.locations import Uncarried
from ..heap.refusals import changed_in_body
from ..heap.state import Contents, Journal, Location, stack
from ..outside import stored
from ..values.dicts import DictState, StagedDict
from ..values.join import join
from ..values.lists import ListState, StagedList, staged
from ..values.maybe import Maybe
from ..values.mismatches import of_branches
from ..values.specs import Frozen, Mismatch, Optional, Spec, parts_of, rebuild
from ..values.values import exported, freeze, frozen_in, mutables, spec_of
from .errors import keep_cause, stage_raise
from .left_generators import refuse_ended
from .refused import is_refusal, replaced

Key = tuple[Any, ...]


@dataclass
class Outcome:
    """What one staged body has done; its values are frozen, as its changes are undone."""

    graph: Graph
    body: Callable[..., Any]
    journal: Journal
    result: Any = None
    changes: dict[Key, tuple[Location, Any]] = field(default_factory=dict)
    raises: bool = False
    """Whether the body does not return because it raises."""
    noted: aliases.Body = field(default_factory=aliases.Body)
    """Which objects may be one by what it has done."""

    @property
    def returns(self) -> bool:
        return not self.graph.never_returns


def trace_body(
    run: Callable[..., Any],
    bodies: tuple[Callable[..., Any], ...],
    names: tuple[str, ...],
    graph: Graph,
    noted: aliases.Body | None = None,
) -> Outcome:
    """Runs something that calls the user's bodies, under a sub-graph of the current graph.

    All that it changed is put back, also when it raises. ``noted`` is open already, or is the body's own.
    """
    aliases.settle()  # before the journal looks at what objects hold
    journal = Journal(bodies, names)
    journal.graph = graph
    stored.variables(journal)
    outcome = Outcome(graph, bodies[0], journal)
    with nullcontext() if noted is None else noted:
        if noted is not None:
            outcome.noted = noted
        return _traced(outcome, run, is_loop=noted is None)


def _traced(outcome: Outcome, run: Callable[..., Any], is_loop: bool) -> Outcome:
    graph, journal = outcome.graph, outcome.journal
    with building(graph), journal:
        try:
            result = run()
            _update(result, journal, is_loop)
        except NeverReturns as stop:
            keep_cause(stop, graph)
            graph.never_returns = True
            outcome.raises = isinstance(stop, StagedRaise)
            refuse_ended(journal)
            journal.undo()
            return outcome
        except Exception as error:
            refusal = replaced(error)
            if refusal is not None:
                raise refusal from None
            if is_refusal(error):
                if isinstance(error, AutographError):
                    undelivered.note(error)
                raise
            if any(each.around_unconverted for each in stack()):
                raise
            # Python would raise it only where the body is run.
            undelivered.disown(error)
            refuse_in_try(error)
            _drop_raise(graph)
            stage_raise(error, error.__traceback__)
            error.__traceback__ = None
            graph.never_returns = outcome.raises = True
            refuse_ended(journal)
            journal.undo()
            return outcome
        refuse_ended(journal, (result,))
        outcome.result = freeze(result, journal.is_inside)
        del result
        found = {key: each for key, each in journal.changes().items() if not _is_gone(each[0].owner)}
        frozen = {
            key: freeze(new, journal.is_inside)
            for key, (location, _, new) in found.items()
            if not isinstance(location, Uncarried)
        }
        for key, (location, _, _) in found.items():
            if isinstance(location, Contents):
                frozen[key] = _of_contents(frozen[key])
        journal.undo()
    places = {key: location for key, (location, _, _) in found.items()}
    for key, location in places.items():
        if isinstance(location, Uncarried):
            raise changed_in_body(location.owner, journal)
        outcome.changes[key] = location, frozen[key]
    return outcome


def _drop_raise(graph: Graph) -> None:
    """Takes back a ``raise`` whose ``from`` has raised something else."""
    graph.nodes[:] = [node for node in graph.nodes if node.op is not RAISE]


def tried(run: Callable[[], Any]) -> Any:
    """What `run` gives, where it is known while tracing, with all that it does taken back; None where it raises."""
    graph = current_graph()
    assert graph is not None
    aliases.settle()  # what that adds to the graph stays
    mark, notes, seen, depth = graph.mark(), undelivered.noted(), repetitions.mark(), len(stack())
    try:
        with repetitions.trial(lambda obj: stack()[depth].is_created(obj)):
            outcome = trace_body(run, (run,), (), Graph("trial", graph), aliases.Body())
        outcome.noted.drop()
        return outcome.result
    except Exception:
        undelivered.only(notes)
        return None
    finally:
        repetitions.back(seen)
        graph.truncate(mark)


def _update(result: object, journal: Journal, is_loop: bool) -> None:
    """Brings up to date what is merged after a body: all that has been chosen after a turn, as the next begins so.

    After a branch that is also what the branch has put out of date: the other one may put a list that holds it into
    the graph, which has a copy then of what it holds at the end of each.
    """
    aliases.settle()
    if is_loop:
        aliases.update()
    elif aliases.any_known():
        aliases.update([*aliases.put_out_of_date(), *_reached([result, *_new_values(journal)])])


def _new_values(journal: Journal) -> list[Any]:
    return [new for _, _, new in journal.changes().values()]


def _reached(values: list[Any]) -> Iterator[Any]:
    """The objects that values hold, of which a graph may be about to make copies."""
    return (each for value in values for each in mutables(value))


def _is_gone(owner: object) -> bool:
    """Whether a changed place is the memory of an array that nobody has any more."""
    return isinstance(owner, StagedArray) and owner.memory is None


def old_value(location: Location) -> Any:
    """What a place holds now, frozen."""
    if class_defaults.note(location):
        attribute_dicts.note_uncertain(location)
    value = location.get()
    aliases.update(_reached([value]))
    if isinstance(location, Contents) and heap.has_form(location.owner):  # it has got one by such an update
        return _of_contents(freeze(location.owner, lambda _: False))
    return freeze(value, lambda _: False)


def _of_contents(frozen: Frozen) -> Frozen:
    """A frozen list or dict as what stands for its contents, not for the object."""
    contents = frozen.contents
    return Frozen(contents if isinstance(contents, (ListState, DictState)) else frozen.obj, contents, True)


def add_holders(outcome: Outcome, places: dict[Key, Location]) -> None:
    """Adds to the changes of a branch those of `places` that it leaves alone, but which hold an object it changes."""
    changes = list(outcome.changes.values())
    changed = {id(_object_of(location.owner)) for location, _ in changes}
    holders = {
        key: location
        for key, location in places.items()
        if key not in outcome.changes
        and any(id(aliases.identity(each.obj)) in changed for each in frozen_in([old_value(location)]))
    }
    if not holders:
        return
    before: list[Callable[[], None]] = []
    try:
        with building(outcome.graph):
            for location, frozen in changes:
                before.append(_make(location, frozen))
            for key, location in holders.items():
                outcome.changes[key] = location, freeze(location.get(), outcome.journal.is_inside)
    finally:
        for undo in reversed(before):
            undo()


def _object_of(owner: object) -> Any:
    return owner.memory if isinstance(owner, StagedArray) else heap.original(owner)


def _make(location: Location, frozen: Any) -> Callable[[], None]:
    """Makes a change again; returns what undoes it."""
    owner = location.owner
    contents = frozen.contents if isinstance(location, Contents) else None
    if isinstance(contents, (ListState, DictState)):
        before = heap.form(owner) if heap.has_form(owner) else None
        form = StagedList(contents) if isinstance(contents, ListState) else StagedDict(_thawed(contents))
        heap.stage(owner, form)
        return lambda: heap.unstage(owner) if before is None else heap.stage(owner, before)
    old = location.get()
    location.set(_thawed(frozen.contents if isinstance(location, Contents) else frozen))
    return lambda: location.set(old)


def _thawed(value: object) -> Any:
    """A frozen value with the objects themselves; what these hold are changes of their own."""
    if isinstance(value, Frozen):
        return value.obj
    if isinstance(value, Maybe):
        return Maybe(value.ag__missing, value.ag__flag, _thawed(value.ag__value), value.ag__name)
    if isinstance(value, DictState):
        return value.mapped(_thawed)
    if isinstance(value, ListState) and value.spec.kind is tuple:
        return staged(value)
    if isinstance(value, tuple) or type(value) in (list, dict):
        keys, parts = parts_of(value)
        return rebuild(type(value), keys, [_thawed(part) for part in parts])
    return value


def merged(label: str, branches: list[tuple[Outcome, Any]], kind: str) -> Spec:
    """The specification that the values of some branches have in common.

    Raises:
        BranchMismatchError: there is none; the error names the variable, what it is in each branch, and the lines.
    """
    if len(branches) == 1:
        value = branches[0][1]
        return exported(value)
    (left, one), (right, other) = branches
    try:
        spec = join(spec_of(one), spec_of(other))
    except Mismatch as error:
        raise of_branches(label, error, left.body.__code__, right.body.__code__, kind) from None
    return named(spec, label)


def named(spec: Spec, label: str) -> Spec:
    """Gives what may be missing the name of the variable."""
    if isinstance(spec, Optional):
        spec.name = spec.name or label
        named(spec.inner, label)
    return spec
