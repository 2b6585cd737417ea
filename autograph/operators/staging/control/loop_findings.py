"""What attempts at a loop have found out about its types, for the attempts to come.

A loop inside of another one is staged anew whenever the outer one is traced again. It begins with the types that it
was found to need before, so that nothing has to be found twice: they can only have become wider.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable
from typing import Any, NamedTuple

from autograph.runtime.ir.graph import Graph
from autograph.runtime.tensors.trace import building, value_of

from ...variables import UNDEFINED
from ..heap.locations import Attribute, Contents, Item, Location, StateOf
from ..heap.state import stack
from ..values.dicts import DictOf
from ..values.join import join
from ..values.specs import SCALARS, Constant, Leaf, ListOf, Optional, Reference, Spec, Tree
from ..values.values import structure_of
from .loop_graphs import stands_in
from .loop_slots import Moves

MOST_GUESSES = 10
"""How often code after an inner loop is traced with types that are not settled."""

Place = tuple[Hashable, ...]
"""Where a loop stands: for each loop around it, and for itself, its code and its number in an attempt."""


class Parts(NamedTuple):
    """What is known of some of the parts of a structure."""

    kind: Any
    keys: tuple[Hashable, ...]
    parts: tuple[Spec | Parts | None, ...]


class Types:
    """What is known of the variables of one loop, by their keys."""

    def __init__(self) -> None:
        self.specs: dict[Hashable, Spec | Parts] = {}
        """What they were found to hold besides what they hold at first."""
        self.adapting: set[Hashable] = set()
        """Those whose first value, a Python number, takes on the dtype of what it meets."""
        self.found: set[Hashable] = set()
        """What was found to change besides variables."""
        self.moves = Moves()
        """Which variables follow from others."""
        self.guesses = 0
        """How often code after the loop has been traced with types that were not settled."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.types: dict[Place, Types] = {}


_local = _Local()


def forget() -> None:
    """To be called when the outermost loop is done."""
    _local.types.clear()


class Nesting:
    """Where a loop stands among those around it, and what the present attempt at it has come to.

    An inner loop that has not settled need not be traced again at once. The code after it can go on with the types that
    are known so far, as in the first turns of a run; the loop around it is traced again anyhow, and this one in it,
    with all that both have found out.
    """

    def __init__(self, around: Nesting | None, name: Hashable) -> None:
        self._around = around
        self._inside: Counter[Hashable] = Counter()
        self.depth = 0
        self.graph: Graph | None = None
        """That of the test or body which is being traced."""
        self.is_exact = False
        """Whether the loops inside have to settle before the code after them is traced."""
        self.rests_on_guess = False
        """Whether a loop inside has not settled in this attempt."""
        self.is_all_known = True
        """Whether all that this attempt has found holds for the next one wherever the loop is staged anew."""
        self.is_too_wide = False
        """Whether the types of a loop inside, or of this one, follow from moves that the last attempt does not have."""
        self.place: Place = (name,)
        if around is not None:
            around._inside[name] += 1
            self.place = (*around.place, (name, around._inside[name]))
        self.types = _local.types.setdefault(self.place, Types())

    def begin(self) -> None:
        """To be called at the start of an attempt."""
        self.rests_on_guess, self.is_all_known, self.is_too_wide = False, True, False
        self._inside.clear()
        self.depth = len(stack())

    def note_type(self, key: Hashable, spec: Spec) -> None:
        """Notes what a part of the state was found to need."""
        known = lasting(spec)
        if known is not None:
            self.types.specs[key] = known
        else:
            self.is_all_known = False

    def note_found(self, key: Hashable, place: Location) -> None:
        """Notes that the body changes something besides variables."""
        if key in self.types.found or not self._is_older_than_turn(place):
            self.is_all_known = False
        self.types.found.add(key)

    def _is_older_than_turn(self, place: Location) -> bool:
        """Whether a place is certainly there before each turn of the loop around this one."""
        if not isinstance(place, (Attribute, Contents, Item, StateOf)):
            return True
        return self._around is not None and stack()[self._around.depth].is_early(place.owner)

    def forget_inside(self) -> None:
        """Forgets the types in the loops inside: they may follow from the dtype that a number was guessed to get."""
        self.is_all_known = False
        for types in self._inside_known():
            types.specs.clear()

    def begin_again(self) -> None:
        """Forgets what may follow from moves, here and in the loops inside."""
        for types in [self.types, *self._inside_known()]:
            types.specs.clear()
            types.adapting.clear()
            types.moves.begin_again()

    def _inside_known(self) -> list[Types]:
        depth = len(self.place)
        return [types for inner, types in _local.types.items() if len(inner) > depth and inner[:depth] == self.place]

    def is_right(self, graph: Graph) -> bool:
        """Whether the loop may be finished: if its types are too wide, the loop around is told, which begins again."""
        if not self.is_too_wide:
            return True
        if not self._is_part_of_loop(graph):
            return False
        assert self._around is not None
        self._around.is_too_wide = True
        return True

    def _is_part_of_loop(self, graph: Graph) -> bool:
        """Whether it is traced anew with the one around it; a part of a function is not, whose trace may be kept."""
        around = self._around
        if around is None or any(journal.outermost for journal in stack()[around.depth :]):
            return False
        return stands_in(graph, around.graph)

    def may_go_on(self, graph: Graph) -> bool:
        """Whether what comes after the loop may be traced with the types that are known so far."""
        around = self._around
        if not self.is_all_known or self.types.guesses >= MOST_GUESSES or not self._is_part_of_loop(graph):
            return False
        while around is not None and not around.is_exact:
            around = around._around
        return around is None

    def go_on(self) -> None:
        """To be called when it is."""
        assert self._around is not None
        self._around.rests_on_guess = True
        self.types.guesses += 1


def lasting(spec: Spec) -> Spec | Parts | None:
    """What a specification says that holds in another attempt, too; None where it names objects alone."""
    if isinstance(spec, Constant):
        is_plain = spec.value is None or spec.value is UNDEFINED or type(spec.value) in SCALARS
        return spec if is_plain else None
    if isinstance(spec, (Tree, DictOf)):
        parts = tuple(map(lasting, spec.children))
        is_whole = all(part is child for part, child in zip(parts, spec.children, strict=True))
        if is_whole or not isinstance(spec, Tree):
            return spec if is_whole else None
        return Parts(spec.kind, spec.keys, parts)
    if isinstance(spec, ListOf):
        return spec if spec.element is None or lasting(spec.element) is spec.element else None
    if isinstance(spec, Optional):
        return spec if lasting(spec.inner) is spec.inner else None
    return spec if isinstance(spec, Leaf) else None


def widened(spec: Spec, known: Spec | Parts | None) -> Spec:
    """A specification joined with what another attempt has found.

    Raises:
        Mismatch: they have nothing in common.
    """
    if not isinstance(known, Parts):
        return spec if known is None else join(spec, known)
    tree = structure_of(spec.frozen) if isinstance(spec, Reference) else spec
    if not isinstance(tree, Tree) or (tree.kind, tree.keys) != (known.kind, known.keys):
        return spec
    children = list(map(widened, tree.children, known.parts))
    if all(one is other for one, other in zip(children, tree.children, strict=True)):
        return spec
    return Tree(tree.kind, tree.keys, children, tree.factory)


def stand_in(parent: Graph, specs: list[Spec]) -> tuple[Graph, Graph]:
    """Test and body of a loop that gives values of some specifications, for a graph that is thrown away."""
    test, body = Graph("loop_test", parent), Graph("loop_body", parent)
    for spec in specs:
        for each in spec.types():
            test.parameter(each, "state")
            body.outputs.append(body.parameter(each, "state"))
    with building(test):
        test.outputs = [value_of(False)]
    return test, body
