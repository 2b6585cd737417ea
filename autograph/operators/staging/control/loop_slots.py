"""The parts of a staged loop's state: a variable, or what an object holds, with the type that is known so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from ..heap import array_memory
from ..heap.locations import Location
from ..values.specs import Constant, Optional, Reference, Spec, Tree
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
