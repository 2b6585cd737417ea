"""The parts of a staged loop's state: a variable, or what an object holds, with the type that is known so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from autograph.runtime.tensors.tensor import SymbolicTensor

from ..heap import array_memory
from ..heap.locations import Location
from ..values.specs import Constant, Leaf, Optional, Reference, Spec, Tree
from ..values.values import freeze, frozen_in, references_in, spec_of, varying


class Slot:
    """One part of a loop's state."""

    def __init__(self, location: Location | None, initial: Any, spec: Spec) -> None:
        self.location = location
        self.initial = initial
        self.spec = spec
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

    def adapt(self) -> None:
        """Lets a Python number take on the dtype of what it meets; with that of a guess it may widen that instead."""
        self.is_adapting = True
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


class Moves:
    """Variables that a turn gives to others, as in ``a, b, c = b, c, a / 2``: what one needs, so do the others.

    Without this each attempt at the loop would find out the same about one more of them. An attempt shows moves whose
    types are not the last ones, and code may do something else for other types: what follows from moves that the last
    attempt does not have is wrong (`are_right`). Not ``are_followed``: nothing is made of them.
    """

    def __init__(self, are_followed: bool) -> None:
        self.are_followed = are_followed
        self._parameters: dict[int, Slot] = {}
        self._known: dict[Slot, Slot] = {}
        """By variable the one that it is given, as some attempt has shown."""
        self._last: dict[Slot, Slot] = {}
        self._used: dict[Slot, Slot] = {}

    def begin(self, slots: Sequence[Slot], parameters: Sequence[list[Any]]) -> None:
        """Notes what a turn was given."""
        self._parameters = {
            id(given[0].value): slot
            for slot, given in zip(slots, parameters, strict=False)
            if isinstance(slot.spec, Leaf) and slot.location is not None
        }

    def end(self, slots: Sequence[Slot], values: Sequence[Any]) -> None:
        """Notes what it has left."""
        self._last = {}
        for slot, value in zip(slots, values, strict=False):
            source = self._parameters.get(id(value.value)) if type(value) is SymbolicTensor else None
            if source is not None and source is not slot:
                self._last[slot] = source
        self._known.update(self._last)

    def follow(self, widen: Callable[[Slot, Spec], bool], adapt: Callable[[Slot], None]) -> None:
        """Widens variables to what those need that they are given; ``widen`` says whether one held that already."""
        pending = self.are_followed
        while pending:
            pending = False
            for slot, source in self._known.items():
                if source.is_adapting and not slot.is_adapting and type(slot.initial) in (bool, int, float):
                    adapt(slot)
                elif not isinstance(source.spec, Leaf) or widen(slot, source.spec):
                    continue
                self._used[slot] = source
                pending = True

    def are_right(self) -> bool:
        """Whether the last attempt has all moves that were followed."""
        return all(self._last.get(slot) is source for slot, source in self._used.items())
