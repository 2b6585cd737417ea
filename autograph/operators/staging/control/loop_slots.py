"""The parts of a staged loop's state: a variable, or what an object holds, with the type that is known so far."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from autograph.runtime.ir.graph import Graph, Type, Value
from autograph.runtime.ir.primitive import CONSTANT
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

from ..heap import array_memory, rebinding
from ..heap.locations import Contents, Location
from ..values.dicts import DictOf, DictState
from ..values.join import join
from ..values.lists import ListState
from ..values.maybe import Maybe
from ..values.specs import Attributes, Constant, Frozen, Leaf, ListOf, Optional, Reference, Spec, Tree, parts_of
from ..values.values import freeze, frozen_in, references_in, spec_of, tensor_spec, varying
from .branches import Key, old_value
from .loop_graphs import Sources, WiderTypes, wider


class Slot:
    """One part of a loop's state."""

    def __init__(self, location: Location | None, initial: Any, spec: Spec) -> None:
        self.location = location
        self.initial = initial
        self.spec = self.first = spec
        self.aim: Spec | None = None
        """What a number that adapts will be, as the present attempt has shown."""
        self.is_adapting = False
        """Whether the first value is a Python number that takes on the dtype of what it meets."""
        self.growths = 0

    @property
    def label(self) -> str:
        return self.location.label if self.location is not None else ""

    @property
    def lasting_key(self) -> Hashable:
        """What is the same for this part of the state whenever the loop is staged."""
        return type(self.location), self.label

    @property
    def is_number(self) -> bool:
        """Whether it begins with a Python number that has not taken on a dtype yet."""
        return type(self.initial) in (bool, int, float) and not self.is_adapting

    def adapt(self, aim: Spec | None = None) -> None:
        """Lets a Python number take on the dtype of what it meets; with that of a guess it may widen that instead."""
        self.is_adapting, self.aim = True, aim
        self.spec = Constant(self.initial)


def made_for_turn(slot: Slot, value: object) -> list[Any]:
    """What can be changed in a variable and is made anew for each turn, in place of what was there before the loop."""
    same = [freeze(each, lambda _: False) for each in _referenced(slot.spec)]
    known = references_in([slot.initial, *same])
    made = [each.obj for each in frozen_in([freeze(value, lambda _: False)]) if id(each.obj) not in known]
    return [*made, *[form for each in made if (form := array_memory.known_form(each)) is not None]]


def _referenced(spec: Spec) -> Iterator[Any]:
    """The objects that each turn is given themselves, not copies of them."""
    if isinstance(spec, Reference):
        yield spec.frozen.obj
    elif isinstance(spec, Optional):
        yield from _referenced(spec.inner)
    elif isinstance(spec, Tree):
        for child in spec.children:
            yield from _referenced(child)


def control_spec(control: dict[str, Any], of_flag: Callable[[Any], Spec] = spec_of) -> Spec:
    children = [of_flag(each) if isinstance(each, bool) else varying(each) for each in control.values()]
    return Tree(dict, tuple(control), children)


def parameter_name(slot: Slot) -> str:
    name = slot.label.rpartition(".")[2]
    return name if name.isidentifier() else "state"


def stage_lists(slots: dict[Key, Slot]) -> None:
    """Lists whose length changes become staged lists, under every name that is known of them."""
    for key, slot in list(slots.items()):
        location = slot.location
        if isinstance(location, Contents) and isinstance(slot.spec, (ListOf, DictOf)):
            del slots[key]
            state = rebinding.stage(location.owner, location.label)
            held = state.get()
            spec = join(slot.spec, held.spec) if isinstance(held, ListState) else slot.spec
            slots[state.key] = Slot(state, held, spec)
            for other in slots.values():
                held = other.initial.obj if isinstance(other.initial, Frozen) else None
                if other.location is not None and held is location.owner:
                    other.initial = old_value(other.location)
                    other.spec = spec_of(other.initial)


def read_views(slots: dict[Key, Slot]) -> None:
    """Computes anew what views hold before the loop: what an attempt has computed is gone with it."""
    for slot in slots.values():
        contents = [each.contents for each in frozen_in([slot.initial])]
        if slot.location is not None and any(type(each) is SymbolicTensor for each in contents):
            slot.initial = old_value(slot.location)


Place = tuple[Hashable, ...]
"""A part of a loop's state, and a path to a tensor in it."""


class Turn(NamedTuple):
    """What a turn was given and what it has left, as values of its graph, by their places."""

    graph: Graph
    given: dict[Place, Value]
    left: dict[Place, Value | None]
    """None: a tensor that is the same in each turn."""


class Moves:
    """Variables that follow from others, as in ``a, b, c = b + 1, c, c / 2``: what one needs, so do the others.

    Without this each attempt at the loop would find out the same about one more of them; the graphs of attempts tell it
    without tracing again. These have types that are not the last ones, and code may do something else for other types:
    moves that were followed and that the last attempt does not have are wrong, and all begins again without them.
    """

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._given: dict[Place, Value] = {}
        self._used: set[tuple[Place, Place]] = set()
        """Places of which the types were made wider, each with one from which this follows."""
        self._wrong: set[tuple[Place, Place]] = set()

    def begin(self, slots: Mapping[Hashable, Slot], parameters: Sequence[list[Any]]) -> None:
        """Notes what a turn was given."""
        self._given = {}
        for (key, slot), tensors in zip(slots.items(), parameters, strict=True):
            slot.aim = None
            places = zip(_places(slot.spec, (key,)), tensors, strict=True)
            self._given.update((place, tensor.value) for place, tensor in places if place)

    def end(self, graph: Graph, left: Mapping[Hashable, Any]) -> None:
        """Notes what it has left, where that is not what it was given."""
        self._turns.append(Turn(graph, self._given, dict(_tensors(dict(left), (), ()))))

    def begin_again(self) -> None:
        """Forgets all but which moves are wrong."""
        self._turns.clear()
        self._used.clear()

    def wider(self, slots: Mapping[Hashable, Slot]) -> Iterator[tuple[Slot, Spec]]:
        """What variables need because those need it from which they follow."""
        grown: dict[Place, Type] = self._taken_on([(key,) for key, slot in slots.items() if slot.aim])
        now = {**_types({key: slot.spec for key, slot in slots.items()}), **grown}
        for place, type_, moves in self._following(slots, now):
            self._used |= moves
            grown[place] = type_
        for key in dict.fromkeys(place[0] for place in grown):
            yield slots[key], _with_types(slots[key].spec, (key,), grown)

    def _taken_on(self, adapting: list[Place]) -> dict[Place, Type]:
        """The types of numbers that adapt, in the present attempt, to what another variable is already."""
        found: dict[Place, Type] = {}
        turn = self._turns[-1]
        sources = _sources(turn, turn.given) if adapting else {}
        for place in adapting:
            value = turn.left.get(place)
            if value is not None and value in sources:
                found[place] = value.type
                self._used.update((place, source) for source in sources[value])
        return found

    def adapting(self, slots: Mapping[Hashable, Slot]) -> Iterator[Slot]:
        """Python numbers that take on a dtype because those do from which they follow; to which shows later."""
        now = _types({key: slot.aim or slot.spec for key, slot in slots.items()})
        for place, type_, _ in self._following(slots, now):
            slot = slots[place[0]]
            if slot.is_number and isinstance(slot.spec, Leaf) and slot.spec.dtype is not type_.dtype:
                yield slot

    def _following(
        self, slots: Mapping[Hashable, Slot], now: dict[Place, Type]
    ) -> Iterator[tuple[Place, Type, set[tuple[Place, Place]]]]:
        """The types of the places that get others if some have the types of ``now``, and the moves that say so."""
        pending = True
        while pending:
            pending = False
            fixed: set[Place] = set()
            for turn in reversed(self._turns):
                fixed.update(place for place, value in turn.left.items() if value is None)
                for place, type_, moves in self._left_wider(turn, now):
                    wide = wider(now.get(place, type_), type_)
                    if place[0] in slots and place not in fixed and wide != now.get(place):
                        now[place] = wide
                        pending = True
                        yield place, wide, moves

    def _left_wider(self, turn: Turn, now: dict[Place, Type]) -> Iterator[tuple[Place, Type, set[tuple[Place, Place]]]]:
        """What a turn leaves with other types than in its trace, if what it is given has those of ``now``."""
        types = WiderTypes()
        changed = [place for place, value in turn.given.items() if place in now and types.note(value, now[place])]
        if not changed:
            return
        types.spread(turn.graph)
        sources = _sources(turn, changed)
        for place, value in turn.left.items():
            moves = {(place, source) for source in sources.get(value, ())} if value else set()
            if value is not None and value in types.known and not moves & self._wrong:
                yield place, types.known[value], moves

    def are_right(self, slots: Mapping[Hashable, Slot]) -> bool:
        """Whether the last attempt has all moves that were followed, or they have made nothing wider."""
        if not self._used:
            return True
        turn, places = self._turns[-1], {place for place, _ in self._used}
        sources = _sources(turn, turn.given)
        first = _types({key: slot.first for key, slot in slots.items()})
        now = _types({key: slot.spec for key, slot in slots.items()})
        for place, source in self._used:
            value = turn.left.get(place)
            is_exact = value is not None and wider(first.get(place, value.type), value.type) == now.get(place)
            follows = frozenset() if value is None else sources.get(value, frozenset())
            if not is_exact or (source not in follows and follows & places):
                self._wrong.add((place, source))
        return not self._used & self._wrong


def _sources(turn: Turn, places: Iterable[Place]) -> dict[Value, frozenset[Place]]:
    sources = Sources()
    for place in places:
        sources.note(turn.given[place], frozenset([place]))
    sources.spread(turn.graph)
    return sources.known


def _types(specs: Mapping[Hashable, Spec]) -> dict[Place, Type]:
    found: dict[Place, Type] = {}
    for key, spec in specs.items():
        found.update((place, type_) for place, type_ in zip(_places(spec, (key,)), spec.types(), strict=True) if place)
    return found


def _places(spec: Spec, place: Place) -> list[Place | None]:
    """For each tensor of a specification the place of the value that it is; None where it is another part of one."""
    if isinstance(spec, Leaf):
        return [place]
    if isinstance(spec, (Tree, DictOf)):
        children = zip(spec.keys, spec.children, strict=True)
        return [each for key, child in children for each in _places(child, (*place, key))]
    if isinstance(spec, Optional):
        return [None, *_places(spec.inner, place)]
    return [None] * len(spec.types())


def _tensors(value: Any, place: Place, around: tuple[object, ...]) -> Iterator[tuple[Place, Value | None]]:
    """The tensors in a value, by their places; ``around``: the objects that hold it."""
    if type(value) is SymbolicTensor:
        yield place, None if value.value.node.op is CONSTANT else value.value
    elif isinstance(value, EagerTensor):
        yield place, None
    elif isinstance(value, Maybe):
        yield from _tensors(value.ag__value, place, around)
    elif isinstance(value, Frozen):
        if all(each is not value.obj for each in around):
            yield from _tensors(value.contents, place, (*around, value.obj))
    elif isinstance(value, (tuple, list, dict, Attributes, DictState)):
        parts = value.values.items() if isinstance(value, DictState) else zip(*parts_of(value), strict=True)
        for key, part in parts:
            yield from _tensors(part, (*place, key), around)


def _with_types(spec: Spec, place: Place, types: Mapping[Place, Type]) -> Spec:
    """A specification with other types in some places."""
    if isinstance(spec, Optional):
        return Optional(spec.missing, _with_types(spec.inner, place, types), spec.name)
    if isinstance(spec, (Tree, DictOf)):
        wide = copy.copy(spec)
        children = zip(spec.keys, spec.children, strict=True)
        wide.children = type(spec.children)(_with_types(child, (*place, key), types) for key, child in children)
        return wide
    leaf = tensor_spec(spec.value) if isinstance(spec, Constant) else spec
    if place not in types or not isinstance(leaf, Leaf):
        return spec
    dtype, shape = types[place]
    number = _NUMBERS.get(dtype.kind, leaf.python) if leaf.python in _NUMBERS.values() else leaf.python
    return Leaf(dtype, shape, number, leaf.is_mixed)


_NUMBERS = {"b": bool, "i": int, "f": float, "c": complex}
