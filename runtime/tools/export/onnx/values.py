"""What stands for a tensor of the graph while it is exported: a name of the model, or an array that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.dtypes import DType, from_numpy
from ....base.shapes import Shape
from ....ir.graph import Type

if TYPE_CHECKING:
    from .lowering import Lowering

__all__ = ["Number", "Value"]

Number = int | float | bool


class Value:
    """A tensor of the model. Arithmetic on it adds operators; Python numbers take its element type.

    Attributes
    ----------
    name: its name in the model; None of an array that has not been used yet.
    known: the array, where it is known.
    element: of a list of tensors (``dtype`` is `variant`), the type of its elements.
    rows: of such a list, where one tensor has all elements along its first axis, that tensor. Else it is a sequence.
    pushed: of a list to which a turn of a loop adds, what it adds.
    dims: of an input of the model, its dimensions, with names of those that vary.
    """

    __slots__ = ("dims", "dtype", "element", "here", "known", "name", "pushed", "rows", "shape")

    def __init__(self, here: Lowering, name: str | None, dtype: DType, shape: Shape = None,
                 known: np.ndarray[Any, Any] | None = None, element: Type | None = None) -> None:  # fmt: skip
        self.here = here
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.known = known
        self.element = element
        self.dims: list[int | str] | None = None
        self.rows: Value | None = None
        self.pushed: list[Value] | None = None

    @property
    def rank(self) -> int:
        """The number of dimensions, which has to be known."""
        if self.shape is None:
            raise self.here.refusal("it needs a tensor of a known rank", "give the function an input_signature")
        return len(self.shape)

    def _with(self, kind: str, other: Value | Number, swapped: bool = False) -> Value:
        there = self.here.like(other, self)
        return self.here.add(kind, *((there, self) if swapped else (self, there)))

    def __add__(self, other: Value | Number) -> Value:
        return self._with("Add", other)

    def __radd__(self, other: Number) -> Value:
        return self._with("Add", other, True)

    def __sub__(self, other: Value | Number) -> Value:
        return self._with("Sub", other)

    def __rsub__(self, other: Number) -> Value:
        return self._with("Sub", other, True)

    def __mul__(self, other: Value | Number) -> Value:
        return self._with("Mul", other)

    def __rmul__(self, other: Number) -> Value:
        return self._with("Mul", other, True)

    def __truediv__(self, other: Value | Number) -> Value:
        return self._with("Div", other)

    def __rtruediv__(self, other: Number) -> Value:
        return self._with("Div", other, True)

    def __neg__(self) -> Value:
        return self.here.add("Neg", self)

    def __abs__(self) -> Value:
        return self.here.add("Abs", self)

    def __lt__(self, other: Value | Number) -> Value:
        return self._with("Less", other)

    def __le__(self, other: Value | Number) -> Value:
        return self._with("LessOrEqual", other)

    def __gt__(self, other: Value | Number) -> Value:
        return self._with("Greater", other)

    def __ge__(self, other: Value | Number) -> Value:
        return self._with("GreaterOrEqual", other)

    def equals(self, other: Value | Number) -> Value:
        """Whether the elements are equal."""
        return self._with("Equal", other)

    def __and__(self, other: Value) -> Value:
        return self.here.add("And", self, other)

    def __or__(self, other: Value) -> Value:
        return self.here.add("Or", self, other)

    def __invert__(self) -> Value:
        return self.here.add("Not", self)

    def cast(self, dtype: DType) -> Value:
        """The elements in another type, as ONNX converts them; see `ops.elementwise` for what the op `cast` means."""
        if self.dtype is dtype:
            return self
        return self.here.add("Cast", self, dtype=dtype, to=dtype)


def known_value(here: Lowering, array: np.ndarray[Any, Any], name: str | None = None) -> Value:
    """A value that is known."""
    return Value(here, name, from_numpy(array.dtype), array.shape, array)
