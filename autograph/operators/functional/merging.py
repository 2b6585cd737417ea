"""The value that stands for those of two branches, or for those of all turns of a loop.

A plan says of each part whether it is the same on all ways (`Same`), an array that the run chooses (`Chosen`), or a
container of such parts (`Made`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.errors import BranchMismatchError

from ..staging.heap.locations import where
from .library import Library, Type
from .structure import NUMBERS, Parts, changeable_in, may_change, parts_of
from .tracing import seal, uncertain

TypeOf = Callable[[Any], Any]


@dataclass(eq=False)
class Same:
    """What is the same object, or the same Python number, on all ways."""

    value: Any


@dataclass(eq=False)
class Chosen:
    """An array of which the run knows what it holds; ``type`` has shape, dtype and whether that is weak."""

    type: Any


@dataclass(eq=False)
class Made:
    """A container, made anew, of parts of their own."""

    like: Parts
    parts: list[Plan]
    identity: object
    """The same for two places that hold the same object; None for what can't change."""


Plan = Same | Chosen | Made


def same_plan(library: Library, one: Plan | None, other: Plan | None) -> bool:
    """Whether two plans say the same."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Same):
        return isinstance(other, Same) and is_same(one.value, other.value)
    if isinstance(one, Chosen):
        return isinstance(other, Chosen) and library.is_same_type(one.type, other.type)
    if isinstance(one, Made) and isinstance(other, Made):
        pairs = zip(one.parts, other.parts, strict=False)
        return one.like.is_like(other.like) and all(same_plan(library, *pair) for pair in pairs)
    return True


def is_same(one: object, other: object) -> bool:
    """Whether two values are one object, or one Python number, text or None."""
    if one is other:
        return True
    return type(one) is type(other) and type(one) in (*NUMBERS, str, bytes) and repr(one) == repr(other)


class Merge:
    """Merges the values of one statement: ``what`` is said of the two ways in errors, ``remedy`` what to do."""

    def __init__(
        self, library: Library, construct: str, ways: tuple[str, str], is_new: Callable[[Any], bool] = lambda _: False
    ) -> None:
        self._library = library
        self._construct = construct
        self._ways = ways
        self._is_new = is_new
        self._pairs: dict[int, Any] = {}
        self._back: dict[int, Any] = {}
        self._kept: list[Any] = []
        self.older: list[tuple[Any, str]] = []
        """The objects that can be changed in place which a new one may stand for."""

    def join(self, plan: Plan, value: object, type_of: TypeOf, type_of_first: TypeOf, label: str) -> Plan:
        """The plan for a value that is what a plan says on one way, and another value on the other.

        Raises:
            BranchMismatchError: nothing can stand for both.
        """
        if isinstance(plan, Same):
            if is_same(plan.value, value):
                for each in changeable_in(self._library, value):
                    self._pair(each, each, label)
                return plan
            if self._library.is_leaf(plan.value) and self._library.is_leaf(value):
                self._note_arrays((plan.value, value), label)
                return Chosen(self._joined(type_of_first(plan.value), type_of(value), label, plan.value, value))
            return self._join_parts(plan.value, value, type_of, type_of_first, label)
        if isinstance(plan, Chosen):
            if not self._library.is_leaf(value):
                raise self._mismatch(label, "an array", described(self._library, value))
            self._note_arrays((value,), label)
            return Chosen(self._joined(plan.type, type_of(value), label, None, value))
        found = None if self._library.is_leaf(value) else parts_of(self._library, value)
        if found is None or not found.is_like(plan.like):
            raise self._mismatch(label, _described_kind(plan.like), described(self._library, value))
        if plan.identity is not None:
            self._pair(plan.identity, value, label)
        self._note_object(value, label)
        marked = zip(plan.parts, found.parts, _labels(label, found), strict=True)
        parts = [self.join(part, each, type_of, type_of_first, name) for part, each, name in marked]
        return Made(found, parts, plan.identity)

    def _join_parts(self, first: object, value: object, type_of: TypeOf, type_of_first: TypeOf, label: str) -> Plan:
        one, other = (None if self._library.is_leaf(each) else parts_of(self._library, each) for each in (first, value))
        if one is None or other is None or not one.is_like(other):
            raise self._mismatch(label, described(self._library, first), described(self._library, value))
        identity = first if may_change(first) else None
        if identity is not None:
            self._pair(first, value, label)
            self._note_object(first, label)
            self._note_object(value, label)
        parts = [
            self.join(Same(each), others, type_of, type_of_first, name)
            for each, others, name in zip(one.parts, other.parts, _labels(label, one), strict=True)
        ]
        return Made(other, parts, identity)

    def _note_object(self, value: object, label: str) -> None:
        if may_change(value) and not self._is_new(value):
            self.older.append((value, label))

    def _note_arrays(self, values: tuple[Any, ...], label: str) -> None:
        self.older += [(each, label) for each in values if isinstance(each, np.ndarray)]

    def _pair(self, one: object, other: object, label: str) -> None:
        """Notes that two objects are in one place: names that mean one object on one way mean one on the other."""
        self._kept += (one, other)
        known, back = self._pairs.setdefault(id(one), other), self._back.setdefault(id(other), one)
        if known is not other or back is not one:
            raise BranchMismatchError(
                f"{label} is the same {type(one).__name__} as another name {self._ways[0]} or {self._ways[1]}, but not "
                "on both ways",
                **where(),
                construct=self._construct,
                remedy="make a new one for each name on both ways",
            )

    def _joined(self, one: Type, other: Type, label: str, first: object, second: object) -> Type:
        library = self._library
        if library.shape(one) != library.shape(other):
            shapes = [f"of shape {library.shape(each)}" for each in (one, other)]
            raise self._mismatch(label, f"an array {shapes[0]}", f"one {shapes[1]}", library.pad)
        found = library.joined(one, other)
        if isinstance(found, tuple):
            raise self._mismatch(label, f"an array of {found[0]}", f"one of {found[1]}", library.cast)
        for number in (first, second):
            if type(number) is int and not library.can_hold(number, found):
                dtype = library.described_type(found)
                raise self._mismatch(
                    label, f"the number {number}", f"an array of {dtype}, which can't hold that number,", library.cast
                )
        return found

    def _mismatch(self, label: str, one: str, other: str, remedy: str = "") -> BranchMismatchError:
        return BranchMismatchError(
            f"{label} is {one} {self._ways[0]}, but {other} {self._ways[1]}: {self._library.name} can't choose between "
            "the two",
            **where(),
            construct=self._construct,
            remedy=remedy or "give it values of one structure on both ways",
        )

    def seal(self) -> None:
        """Notes that what a new object may stand for must not change any more."""
        for each, label in self.older:
            seal(self._library, each, label)


def _labels(label: str, found: Parts) -> list[str]:
    name = label.strip("`")
    if found.kind[0] is dict:
        return [f"`{name}[{key!r}]`" for key in found.kind[1]]
    if found.tree is not None:
        return [f"a part of `{name}`"] * len(found.parts)
    names = getattr(found.kind[0], "_fields", None)
    return [f"`{name}.{each}`" for each in names] if names else [f"`{name}[{i}]`" for i in range(len(found.parts))]


def _described_kind(found: Parts) -> str:
    return f"a {found.kind[0].__name__} of {len(found.parts)} parts"


def described(library: Library, value: object) -> str:
    """What a value is, in words."""
    if value is None:
        return "None"
    if library.is_leaf(value):
        return f"an array of shape {np.shape(value)}" if hasattr(value, "shape") else f"the number {value!r}"
    found = parts_of(library, value)
    if found is not None and found.tree is None:
        keys = f" with the keys {list(found.kind[1])}" if found.kind[0] is dict else f" of {len(found.parts)} parts"
        return f"a {type(value).__name__}{keys}"
    return f"another {type(value).__name__}" if found is not None else f"an object of class {type(value).__name__}"


def types_in(plan: Plan) -> Iterator[Type]:
    """The types of the arrays that a run chooses."""
    if isinstance(plan, Chosen):
        yield plan.type
    elif isinstance(plan, Made):
        for each in plan.parts:
            yield from types_in(each)


def arrays_of(library: Library, plan: Plan, value: object) -> Iterator[tuple[Any, Any]]:
    """The parts of a value that stand where a plan has arrays which a run chooses, with their types."""
    if isinstance(plan, Chosen):
        yield value, plan.type
    elif isinstance(plan, Made):
        found = parts_of(library, value)
        assert found is not None
        for part, each in zip(plan.parts, found.parts, strict=True):
            yield from arrays_of(library, part, each)


def rebuilt(library: Library, plan: Plan, arrays: Iterator[Any], made: dict[int, Any]) -> Any:
    """The value that a plan says, with arrays that a run has chosen; ``made`` gets the objects that are new."""
    if isinstance(plan, Same):
        return plan.value
    if isinstance(plan, Chosen):
        return uncertain(library, next(arrays))
    value = plan.like.with_parts([rebuilt(library, each, arrays, made) for each in plan.parts])
    return value if plan.identity is None else uncertain(library, made.setdefault(id(plan.identity), value))
