"""Dtype and shape inference that several op families share.

An inference function takes the types of the inputs and the op's attributes and returns the type of the output (or a
tuple of types). A dimension that is not known is ``None``, a shape of unknown rank is ``None``. What can't fit raises
`InvalidArgumentError`; the caller adds the op's name and the user's line.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from autograph.errors import AutographError, InvalidArgumentError, InvalidTypeError

from ..base.dtypes import DType, bool_, from_numpy
from ..base.shapes import Shape, broadcast
from ..ir.op import Type
from ..tensors.likes import TensorLike
from ..tensors.tensor import Tensor

Dim = int | None
_OF_BOOLS = (
    "cast to numbers first, tf.cast(x, tf.int32), or combine truth values with tf.logical_and, tf.logical_or and "
    "tf.logical_not (`&`, `|`, `~`)"
)
Infer = Callable[..., Any]


def text(shape: Shape) -> str:
    """A shape as TensorFlow writes it: `[2,?]`, or `<unknown>`."""
    if shape is None:
        return "<unknown>"
    return "[" + ",".join("?" if n is None else str(n) for n in shape) + "]"


def not_defined_for(dtype: DType) -> InvalidTypeError:
    """The error for a dtype that an op does not take."""
    return InvalidTypeError(f"not defined for dtype {dtype.name}", remedy=_OF_BOOLS if dtype is bool_ else None)


def require(condition: TensorLike, message: str, remedy: str | None = None) -> None:
    """Raise `InvalidArgumentError` with `message` unless `condition` holds."""
    if not condition:
        raise InvalidArgumentError(message, remedy=remedy)


# Dimensions.


def product(dims: Iterable[Dim]) -> Dim:
    """The product of dimensions; zero when one is zero, whatever the unknown ones are."""
    dims = list(dims)
    if 0 in dims:
        return 0
    return None if None in dims else math.prod(dims)  # type: ignore[arg-type]


def total(dims: Iterable[Dim]) -> Dim:
    """The sum of dimensions."""
    dims = list(dims)
    return None if None in dims else sum(dims)  # type: ignore[arg-type]


def whole(number: Any, what: str = "an axis") -> int:
    """A whole number as a Python int; raises `InvalidTypeError` for any other value."""
    try:
        return operator.index(number)
    except TypeError as error:
        if isinstance(error, AutographError):  # of a graph tensor
            raise
        raise InvalidTypeError(f"{what} is a whole number, not {number!r}") from None


def axis_of(axis: int, rank: int) -> int:
    """`axis` counted from the front; raises when there is no such axis."""
    require(-rank <= axis < rank, f"axis {axis} is out of bounds for a tensor of rank {rank}")
    return axis % rank


def axes_of(axis: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """The axes counted from the front, sorted; all of them for ``None``."""
    if axis is None:
        return tuple(range(rank))
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(sorted(axis_of(a, rank) for a in given))
    require(len(set(axes)) == len(axes), f"an axis is given twice in {given}")
    return axes


def reduced(shape: Shape, axis: int | Sequence[int] | None, keepdims: bool) -> Shape:
    """The shape after a reduction over `axis`."""
    if shape is None:
        return () if axis is None and not keepdims else None
    axes = axes_of(axis, len(shape))
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def at_least(shape: Shape, rank: int, what: str = "the input") -> None:
    """Raise unless `shape` may have `rank` or more dimensions."""
    if shape is not None and len(shape) < rank:
        error = InvalidArgumentError if shape else InvalidTypeError  # Python says it of a number's type
        raise error(f"{what} must have rank at least {rank}, but has shape {text(shape)}")


def exactly(shape: Shape, rank: int, what: str = "the input") -> None:
    """Raise unless `shape` may have just `rank` dimensions."""
    require(shape is None or len(shape) == rank, f"{what} must have rank {rank}, but has shape {text(shape)}")


# Dtypes.


@lru_cache(maxsize=4096)
def ufunc_dtype(function: Any, *dtypes: DType) -> DType:
    """The dtype that the ufunc `function` returns for arrays of `dtypes`; raises where it has no loop."""
    try:
        return from_numpy(function.resolve_dtypes((*[dtype.numpy for dtype in dtypes], None))[-1])
    except TypeError:
        names = " and ".join(dtype.name for dtype in dict.fromkeys(dtypes))
        raise InvalidTypeError(f"not defined for dtype {names}") from None


class HasDType(Protocol):
    """A type, or a tensor."""

    @property
    def dtype(self) -> DType: ...


def rank_of(tensor: Tensor, what: str) -> int:
    """The rank of a tensor. Raises unless it is known."""
    rank = tensor.ndim
    require(rank is not None, f"{what} needs a tensor whose rank is known")
    assert rank is not None
    return rank


def require_kind(type_: HasDType, kinds: str, what: str = "the input") -> None:
    """Raise unless `DType.kind` is one of `kinds` (``b i u f c``, ``S`` for strings)."""
    if type_.dtype.kind not in kinds:
        remedy = _OF_BOOLS if type_.dtype is bool_ else None
        raise InvalidArgumentError(f"{what} can't have dtype {type_.dtype.name}", remedy=remedy)


def integer_vectors(*inputs: Type) -> None:
    """Raise unless every input, such as a shape that is a tensor, may be a vector of integers."""
    for vector in inputs:
        require(vector.dtype.kind in "iu", f"a shape is made of integers, not {vector.dtype.name}")
        exactly(vector.shape, 1, "a shape")


def float_dtype(dtype: DType) -> DType:
    """The floating dtype in which NumPy computes `exp` and the like."""
    if dtype.kind not in "biufc":
        raise not_defined_for(dtype)
    return dtype if dtype.kind in "fc" else ufunc_dtype(np.exp, dtype)


# Whole rules.


def elementwise(function: Callable[..., Any], strings: bool = False, booleans: bool = True) -> Infer:
    """The rule of a NumPy ufunc: shapes broadcast, the dtype is what the ufunc returns."""
    kinds = "b" * booleans + "iufc" + "S" * strings

    @lru_cache(maxsize=1024)
    def infer(*types: Type) -> Type:
        for type_ in types:
            if type_.dtype.kind not in kinds:
                raise not_defined_for(type_.dtype)
        shape = types[0].shape if len(types) == 1 else broadcast(*[type_.shape for type_ in types])
        return Type(ufunc_dtype(function, *[type_.dtype for type_ in types]), shape)

    return infer


def to_float(*types: Type, **_: object) -> Type:
    """Shapes broadcast; the dtype is the floating one that NumPy computes `exp` in."""
    return Type(float_dtype(types[0].dtype), broadcast(*[type_.shape for type_ in types]))


def numbers_to_float(x: Type, **_: object) -> Type:
    """As `to_float`, of one input, but not for booleans."""
    require_kind(x, "iufc")
    return to_float(x)


def reals_to_float(x: Type, **_: object) -> Type:
    """As `to_float`, of one input, but neither for booleans nor for complex numbers."""
    require_kind(x, "iuf")
    return to_float(x)


def merge_dims(a: Dim, b: Dim) -> Dim:
    """The one that is known of two dimensions that are equal."""
    return b if a is None else a
