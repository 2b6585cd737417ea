"""Static shapes: tuples with ``None`` for an unknown dimension, or ``None`` for an unknown rank.

Inside the runtime a shape is the plain ``Shape``; users see `TensorShape`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from autograph.errors import InvalidArgumentError, InvalidTypeError

Shape: TypeAlias = tuple[int | None, ...] | None

__all__ = [
    "Shape", "TensorShape", "as_shape", "broadcast", "concatenate", "is_compatible", "is_fully_defined", "is_subshape",
    "merge", "relax", "size",
]  # fmt: skip


def as_shape(value: Any) -> Shape:
    """A `Shape` from a TensorShape, a sequence of dimensions, one number, or None (unknown rank).

    >>> as_shape([2, None]), as_shape(3), as_shape(())
    ((2, None), (3,), ())
    """
    if value is None:
        return None
    if isinstance(value, TensorShape):
        return value._shape
    if isinstance(value, (list, tuple)):
        return tuple([_dimension(d) for d in value])
    try:
        return (_dimension(operator.index(value)),)
    except TypeError:
        pass
    try:
        return tuple([_dimension(d) for d in value])
    except TypeError:
        raise InvalidTypeError(f"a shape is a sequence of whole numbers and None, not {value!r}") from None


def _dimension(value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidTypeError(f"a dimension is a whole number or None, not {value!r}") from None
    if number < 0:
        raise InvalidArgumentError(f"a dimension must be None or at least 0, not {number}")
    return number


def is_fully_defined(shape: Shape) -> bool:
    return shape is not None and None not in shape


def size(shape: Shape) -> int | None:
    """The number of elements, None when a dimension is unknown."""
    return math.prod(shape) if shape is not None and None not in shape else None  # type: ignore[arg-type]


def broadcast(*shapes: Shape) -> Shape:
    """The shape that NumPy broadcasts these to; unknown stays unknown.

    >>> broadcast((2, 1), (3,)), broadcast((None, 1), (4,)), broadcast((None,), (1,)), broadcast((2,), None)
    ((2, 3), (None, 4), (None,), None)
    """
    result = shapes[0] if shapes else ()
    for shape in shapes[1:]:
        if shape != result:
            result = _broadcast_pair(result, shape)
        elif result is not None and None in result:
            continue  # equal unknown dimensions stay unknown
    return result


def _broadcast_pair(a: Shape, b: Shape) -> Shape:
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    result: list[int | None] = []
    for x, y in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True):
        if x == y or y == 1:
            result.append(x)
        elif x == 1:
            result.append(y)
        elif x is None or y is None:
            result.append(y if x is None else x)  # the unknown one is 1 or equal to the known one
        else:
            raise InvalidArgumentError(
                f"Incompatible shapes: {show(a)} and {show(b)} can't be broadcast together",
                remedy="give both the same shape (tf.reshape, tf.expand_dims, a slice), or 1 where they differ",
            )
    return tuple(result)


def merge(a: Shape, b: Shape) -> Shape:
    """What is known when a shape is both ``a`` and ``b``. Raises `InvalidArgumentError` when it can't be both."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if not is_compatible(a, b):
        raise InvalidArgumentError(f"Shapes {show(a)} and {show(b)} are incompatible")
    return tuple([y if x is None else x for x, y in zip(a, b, strict=True)])


def relax(a: Shape, b: Shape) -> Shape:
    """The most exact shape that allows both (the join of two branches, or of a loop's turns).

    >>> relax((2, 3), (2, 4)), relax((2,), (2, 2))
    ((2, None), None)
    """
    if a == b:
        return a
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple([x if x == y else None for x, y in zip(a, b, strict=True)])


def is_compatible(a: Shape, b: Shape) -> bool:
    """Whether one array can have both shapes."""
    if a is None or b is None or a == b:
        return True
    return len(a) == len(b) and all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def is_subshape(shape: Shape, of: Shape) -> bool:
    """Whether every array of ``shape`` also has the shape ``of`` (is at least as exact).

    >>> is_subshape((2, 3), (None, 3)), is_subshape((None, 3), (2, 3))
    (True, False)
    """
    if of is None or shape == of:
        return True
    if shape is None or len(shape) != len(of):
        return False
    return all(y is None or x == y for x, y in zip(shape, of, strict=True))


def concatenate(a: Shape, b: Shape) -> Shape:
    return None if a is None or b is None else a + b


def show(shape: Shape) -> str:
    """As TensorFlow prints shapes: ``(2, None)``, ``<unknown>``."""
    return "<unknown>" if shape is None else str(shape)


class TensorShape:
    """The shape of a tensor, as TensorFlow shows it: rank and dimensions may be unknown.

    >>> TensorShape([2, None]), TensorShape(None), TensorShape([2, 3]) == (2, 3)
    (TensorShape([2, None]), TensorShape(None), True)
    """

    __slots__ = ("_shape",)

    def __init__(self, dims: object = None) -> None:
        self._shape: Shape = as_shape(dims)

    @property
    def rank(self) -> int | None:
        return None if self._shape is None else len(self._shape)

    ndims = rank

    @property
    def dims(self) -> list[int | None] | None:
        return None if self._shape is None else list(self._shape)

    def as_list(self) -> list[int | None]:
        """The dimensions; `ValueError` when the rank is unknown."""
        return list(self._known())

    def is_fully_defined(self) -> bool:
        return is_fully_defined(self._shape)

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise InvalidArgumentError(f"Shape {self} is not fully defined")

    def num_elements(self) -> int | None:
        return size(self._shape)

    def is_compatible_with(self, other: object) -> bool:
        return is_compatible(self._shape, as_shape(other))

    def assert_is_compatible_with(self, other: object) -> None:
        merge(self._shape, as_shape(other))

    def is_subtype_of(self, other: object) -> bool:
        return is_subshape(self._shape, as_shape(other))

    def most_specific_compatible_shape(self, other: object) -> TensorShape:
        return TensorShape(relax(self._shape, as_shape(other)))

    def merge_with(self, other: object) -> TensorShape:
        return TensorShape(merge(self._shape, as_shape(other)))

    def concatenate(self, other: object) -> TensorShape:
        return TensorShape(concatenate(self._shape, as_shape(other)))

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have the rank; `ValueError` when it has another."""
        return self.merge_with([None] * rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; `ValueError` when it is known to have a lower rank."""
        if self._shape is not None and len(self._shape) < rank:
            raise InvalidArgumentError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; `ValueError` when it is known to have a higher rank."""
        if self._shape is not None and len(self._shape) > rank:
            raise InvalidArgumentError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """`ValueError` when the shape is known to have another rank."""
        if self.rank not in (None, rank):
            raise InvalidArgumentError(f"Shape {self} must have rank {rank}")

    def _known(self) -> Sequence[int | None]:
        if self._shape is None:
            raise InvalidArgumentError("a TensorShape of unknown rank has no dimensions to list")
        return self._shape

    def __len__(self) -> int:
        return len(self._known())

    def __bool__(self) -> bool:
        return self._shape is not None

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known())

    def __getitem__(self, key: Any) -> Any:
        if self._shape is None:
            return TensorShape(None) if isinstance(key, slice) else None
        return TensorShape(self._shape[key]) if isinstance(key, slice) else self._shape[key]

    def __add__(self, other: object) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: object) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (TensorShape, Iterable)) and other is not None:
            return NotImplemented
        try:
            return self._shape == as_shape(other)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self._shape)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def __str__(self) -> str:
        return show(self._shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self.dims,)
