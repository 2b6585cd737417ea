"""The value that stands for those of two branches, or for those of all turns of a loop.

A plan says of each part whether it is the same on all ways (`Same`), an array that JAX chooses (`Chosen`), or a
container of such parts (`Made`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from autograph.errors import BranchMismatchError

from ..staging.heap.locations import where
from . import internals
from .structure import NUMBERS, Parts, changeable_in, is_leaf, may_change, parts_of
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


def same_plan(one: Plan | None, other: Plan | None) -> bool:
    """Whether two plans say the same."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Same):
        return isinstance(other, Same) and is_same(one.value, other.value)
    if isinstance(one, Chosen):
        return isinstance(other, Chosen) and _key(one.type) == _key(other.type)
    if isinstance(one, Made) and isinstance(other, Made):
        return one.like.is_like(other.like) and all(map(same_plan, one.parts, other.parts))
    return True


def _key(aval: jax.ShapeDtypeStruct) -> tuple[Any, ...]:
    return aval.shape, aval.dtype, bool(getattr(aval, "weak_type", False))


def is_same(one: object, other: object) -> bool:
    """Whether two values are one object, or one Python number, text or None."""
    if one is other:
        return True
    return type(one) is type(other) and type(one) in (*NUMBERS, str, bytes) and repr(one) == repr(other)


class Merge:
    """Merges the values of one statement: ``what`` is said of the two ways in errors, ``remedy`` what to do."""

    def __init__(self, construct: str, ways: tuple[str, str], is_new: Callable[[Any], bool] = lambda _: False) -> None:
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
                for each in changeable_in(value):
                    self._pair(each, each, label)
                return plan
            if is_leaf(plan.value) and is_leaf(value):
                self._note_arrays((plan.value, value), label)
                return Chosen(self._joined(type_of_first(plan.value), type_of(value), label, plan.value, value))
            return self._join_parts(plan.value, value, type_of, type_of_first, label)
        if isinstance(plan, Chosen):
            if not is_leaf(value):
                raise self._mismatch(label, "an array", described(value))
            self._note_arrays((value,), label)
            return Chosen(self._joined(plan.type, type_of(value), label, None, value))
        found = None if is_leaf(value) else parts_of(value)
        if found is None or not found.is_like(plan.like):
            raise self._mismatch(label, _described_kind(plan.like), described(value))
        if plan.identity is not None:
            self._pair(plan.identity, value, label)
        self._note_object(value, label)
        marked = zip(plan.parts, found.parts, _labels(label, found), strict=True)
        parts = [self.join(part, each, type_of, type_of_first, name) for part, each, name in marked]
        return Made(found, parts, plan.identity)

    def _join_parts(self, first: object, value: object, type_of: TypeOf, type_of_first: TypeOf, label: str) -> Plan:
        one, other = (None if is_leaf(each) else parts_of(each) for each in (first, value))
        if one is None or other is None or not one.is_like(other):
            raise self._mismatch(label, described(first), described(value))
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

    def _pair(self, one: jax.ShapeDtypeStruct, other: jax.ShapeDtypeStruct, label: str) -> None:
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

    def _joined(
        self, one: jax.ShapeDtypeStruct, other: jax.ShapeDtypeStruct, label: str, first: object, second: object
    ) -> Any:
        if one.shape != other.shape:
            raise self._mismatch(label, f"an array of shape {one.shape}", f"one of shape {other.shape}", _PAD)
        if one.dtype == other.dtype:
            return _type(one.shape, one.dtype, _is_weak(one) and _is_weak(other))
        if not _is_weak(one) and not _is_weak(other):
            raise self._mismatch(label, f"an array of {one.dtype}", f"one of {other.dtype}", _CAST)
        dtype = jax.numpy.result_type(*(_of_python(each) if _is_weak(each) else each.dtype for each in (one, other)))
        for number in (first, second):
            if type(number) is int and not _is_exact(number, dtype):
                raise self._mismatch(
                    label, f"the number {number}", f"an array of {dtype}, which can't hold that number,", _CAST
                )
        return _type(one.shape, dtype, _is_weak(one) and _is_weak(other))

    def _mismatch(self, label: str, one: str, other: str, remedy: str = "") -> BranchMismatchError:
        return BranchMismatchError(
            f"{label} is {one} {self._ways[0]}, but {other} {self._ways[1]}: JAX can't choose between the two",
            **where(),
            construct=self._construct,
            remedy=remedy or "give it values of one structure on both ways",
        )

    def seal(self) -> None:
        """Notes that what a new object may stand for must not change any more."""
        for each, label in self.older:
            seal(each, label)


_PAD = "pad them to one shape, or begin with an array of that shape (jnp.zeros_like)"
_CAST = "convert one of them: x.astype(y.dtype)"


def _is_weak(aval: jax.ShapeDtypeStruct) -> bool:
    return bool(getattr(aval, "weak_type", False))


def _of_python(aval: jax.ShapeDtypeStruct) -> type:
    """Python's type of numbers that a weak type stands for."""
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex}[np.dtype(aval.dtype).kind]


def _is_exact(number: int, dtype: Any) -> bool:
    try:
        return bool(int(np.asarray(number).astype(dtype)) == number)
    except (OverflowError, TypeError, ValueError):
        return False


def _type(shape: tuple[int, ...], dtype: object, weak: bool) -> Any:
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak)


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


def described(value: object) -> str:
    """What a value is, in words."""
    if value is None:
        return "None"
    if is_leaf(value):
        return f"an array of shape {np.shape(value)}" if hasattr(value, "shape") else f"the number {value!r}"
    found = parts_of(value)
    if found is not None and found.tree is None:
        keys = f" with the keys {list(found.kind[1])}" if found.kind[0] is dict else f" of {len(found.parts)} parts"
        return f"a {type(value).__name__}{keys}"
    return f"another {type(value).__name__}" if found is not None else f"an object of class {type(value).__name__}"


def types_in(plan: Plan) -> Iterator[Any]:
    """The types of the arrays that a run chooses."""
    if isinstance(plan, Chosen):
        yield plan.type
    elif isinstance(plan, Made):
        for each in plan.parts:
            yield from types_in(each)


def arrays_of(plan: Plan, value: object) -> Iterator[tuple[Any, Any]]:
    """The parts of a value that stand where a plan has arrays which a run chooses, with their types."""
    if isinstance(plan, Chosen):
        yield value, plan.type
    elif isinstance(plan, Made):
        found = parts_of(value)
        assert found is not None
        for part, each in zip(plan.parts, found.parts, strict=True):
            yield from arrays_of(part, each)


def as_type(value: object, aval: jax.ShapeDtypeStruct) -> Any:
    """An array, or a number, as an array of a type that it promotes to."""
    if isinstance(value, jax.Array) and value.dtype == aval.dtype and _is_weak(jax.typeof(value)) == _is_weak(aval):
        return value
    return internals.converted(value, aval.dtype, _is_weak(aval))


def zeros(aval: jax.ShapeDtypeStruct) -> Any:
    """An array of a type that nobody looks at."""
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        return jax.numpy.broadcast_to(jax.random.key(0, impl=str(aval.dtype)[4:-1]), aval.shape)
    if aval.shape or not _is_weak(aval):
        return jax.numpy.zeros(aval.shape, aval.dtype)
    return aval.dtype.type(0).item()


def rebuilt(plan: Plan, arrays: Iterator[Any], made: dict[int, Any]) -> Any:
    """The value that a plan says, with arrays that a run has chosen; ``made`` gets the objects that are new."""
    if isinstance(plan, Same):
        return plan.value
    if isinstance(plan, Chosen):
        return uncertain(next(arrays))
    value = plan.like.with_parts([rebuilt(each, arrays, made) for each in plan.parts])
    return value if plan.identity is None else uncertain(made.setdefault(id(plan.identity), value))
