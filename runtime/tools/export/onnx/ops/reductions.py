"""Sums, products, extremes and what is made of them.

onnxruntime has traps here: sums of integers stop at the largest one, the mean of nothing is 0, a NaN may lose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .....base.dtypes import DType, bool_, float16, float32, float64, int32, int64, uint8
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import axes_in, axis_in, dim_of, dims_of, flat, joined, reshaped, size_of, transposed, with_axes
from .division import truncated
from .elementwise import dtype_of, is_nan, truth

Axis = int | Sequence[int] | None


def reduced(kind: str, x: Value, axes: Sequence[int], keepdims: bool = False) -> Value:
    """What an operator gives over axes."""
    if not axes:
        return x
    shape = None if x.shape is None else tuple(
        [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes])  # fmt: skip
    return x.here.add(kind, x, x.here.integers(*axes), keepdims=int(keepdims), shape=shape)


def _rows(x: Value, axes: Sequence[int]) -> tuple[Value, Value]:
    """A tensor with all elements that belong together along its last axis, and the dimensions without these."""
    here = x.here
    kept = [i for i in range(x.rank) if i not in axes]
    outer = joined(here, here.integers(), *[dim_of(x, i) for i in kept])
    shape = None if x.shape is None else (*[x.shape[i] for i in kept], None)
    rows = reshaped(transposed(x, [*kept, *axes]), joined(here, outer, size_of(x, axes)), shape)
    return rows, outer


def _with_ones(result: Value, axes: Sequence[int], keepdims: bool) -> Value:
    return with_axes(result, *axes) if keepdims and axes else result


def total(x: Value, axes: Sequence[int], keepdims: bool = False) -> Value:
    """The sum over axes; that of integers wraps around."""
    here, dtype = x.here, x.dtype
    if dtype is bool_:
        return reduced("ReduceMax", x, axes, keepdims)
    if dtype is float16:
        return reduced("ReduceSum", x.cast(float32), axes, keepdims).cast(dtype)
    if dtype.is_floating or not axes:
        return reduced("ReduceSum", x, axes, keepdims)
    if dtype.size < 8:
        return reduced("ReduceSum", x.cast(int64), axes, keepdims).cast(dtype)
    rows, outer = _rows(x.cast(int64), axes)
    ones = here.add("Expand", here.constant(1, int64), joined(here, dim_of(rows, x.rank - len(axes)), here.integers(1)))
    sums = reshaped(here.add("MatMul", rows, ones), outer, _kept(x, axes))
    return _with_ones(sums.cast(dtype), axes, keepdims)


def _kept(x: Value, axes: Sequence[int]) -> Any:
    return None if x.shape is None else tuple([n for i, n in enumerate(x.shape) if i not in axes])


def _product(x: Value, axes: Sequence[int], keepdims: bool) -> Value:
    """The product over axes; integers are multiplied into one place, as that wraps around."""
    here = x.here
    if x.dtype is bool_:
        return reduced("ReduceMin", x, axes, keepdims)
    if x.dtype.is_floating or not axes:
        return reduced("ReduceProd", x, axes, keepdims)
    rows, outer = _rows(x, axes)
    last = x.rank - len(axes)
    one = here.add("Expand", here.constant(1, x.dtype), joined(here, outer, here.integers(1)))
    places = here.add("Expand", here.constant(0, int64), dims_of(rows))
    product = here.add("ScatterElements", one, places, rows, axis=last, reduction="mul")
    return _with_ones(reshaped(product, outer, _kept(x, axes)), axes, keepdims)


@lowers(ENGINE, records.sum, records.prod)
def _sum(
    here: Lowering, node: Node, x: Value, axis: Axis = None, keepdims: bool = False, dtype: DType | None = None
) -> Value:
    axes, is_sum = axes_in(x, axis), node.op is records.sum
    wide = dtype_of(node)
    if is_sum and wide.size == 8 and wide.is_integer and x.dtype.kind in "biu" and x.dtype.size < 8:
        return reduced("ReduceSum", x.cast(int64), axes, keepdims).cast(wide)  # too few to leave the range
    return total(x.cast(wide), axes, keepdims) if is_sum else _product(x.cast(wide), axes, keepdims)


@lowers(ENGINE, records.mean)
def _mean(
    here: Lowering, node: Node, x: Value, axis: Axis = None, keepdims: bool = False, dtype: DType | None = None
) -> Value:
    return mean(x.cast(dtype_of(node)), axes_in(x, axis), keepdims)


def mean(x: Value, axes: Sequence[int], keepdims: bool = False) -> Value:
    """The mean over axes; that of integers is cut off towards zero."""
    here, dtype = x.here, x.dtype
    if dtype is float16:
        return mean(x.cast(float32), axes, keepdims).cast(dtype)
    count = _scalar(size_of(x, axes))
    if dtype.is_floating:
        return total(x, axes, keepdims) / count.cast(dtype)
    return truncated(total(x, axes, keepdims), here.add("Max", count, here.constant(1, int64)).cast(dtype))


def _scalar(x: Value) -> Value:
    if x.known is not None:
        return x.here.constant(x.known.reshape(()), x.dtype)
    return reshaped(x, x.here.integers(), ())


# Extremes


def extreme(kind: str, x: Value, axes: Sequence[int], keepdims: bool = False) -> Value:
    """The largest (``ReduceMax``) or smallest element over axes; NaN if there is one, a limit where there is none."""
    here, dtype = x.here, x.dtype
    found = reduced(kind, x.cast(int32) if dtype.name in ("int16", "uint16") else x, axes, keepdims)
    if dtype.name in ("int16", "uint16"):
        found = here.add("Max", found, here.constant(dtype.min, int32))
        return here.add("Min", found, here.constant(dtype.max, int32)).cast(dtype)
    if not dtype.is_floating or not axes:
        return found
    lost = reduced("ReduceMax", is_nan(x).cast(uint8), axes, keepdims)
    return here.where(lost.cast(bool_), math.nan, found)


@lowers(ENGINE, records.max, records.min)
def _extreme(here: Lowering, node: Node, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    return extreme("ReduceMax" if node.op is records.max else "ReduceMin", x, axes_in(x, axis), keepdims)


@lowers(ENGINE, records.all, records.any)
def _truth(here: Lowering, node: Node, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    return reduced("ReduceMax" if node.op is records.any else "ReduceMin", truth(x), axes_in(x, axis), keepdims)


@lowers(ENGINE, records.count_nonzero)
def _count(here: Lowering, node: Node, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    return reduced("ReduceSum", truth(x).cast(int64), axes_in(x, axis), keepdims)


@lowers(ENGINE, records.argmax, records.argmin)
def _place(
    here: Lowering, node: Node, x: Value, axis: int | None = None, keepdims: bool = False, dtype: DType = int64
) -> Value:
    kind = "ArgMax" if node.op is records.argmax else "ArgMin"
    rank = x.rank
    along = flat(x) if axis is None else x
    place = 0 if axis is None else axis_in(x, axis)
    found = here.add(kind, along, axis=place, keepdims=int(keepdims and axis is not None))
    if x.dtype.is_floating:
        lost = is_nan(along).cast(uint8)
        first = here.add("ArgMax", lost, axis=place, keepdims=int(keepdims and axis is not None))
        some = reduced("ReduceMax", lost, (place,), keepdims and axis is not None)
        found = here.where(some.cast(bool_), first, found)
    if axis is None and keepdims:
        found = reshaped(found, here.integers(*[1] * rank))
    length = dim_of(along, place)
    if length.known is None:
        found = here.fails_where(length.equals(0), found)
    elif length.known[0] == 0:
        raise NotExported("there is nothing along the axis")
    return found.cast(dtype)


# Made of others


@lowers(ENGINE, records.logsumexp)
def _logsumexp(here: Lowering, node: Node, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    x, axes = x.cast(dtype_of(node)), axes_in(x, axis)
    return logsumexp(x, axes, keepdims)


def logsumexp(x: Value, axes: Sequence[int], keepdims: bool = False) -> Value:
    """The logarithm of the sum of exponentials, shifted by the largest."""
    here = x.here
    top = extreme("ReduceMax", x, axes, True)
    top = here.where((top - top).equals(0), top, 0)
    result = here.add("Log", total(here.add("Exp", x - top), axes, True)) + top
    if keepdims or not axes:
        return result
    return here.add("Squeeze", result, here.integers(*axes), shape=_kept(x, axes))


@lowers(ENGINE, records.var, records.std)
def _variance(
    here: Lowering, node: Node, x: Value, axis: Axis = None, keepdims: bool = False, ddof: int = 0
) -> Value:
    dtype, axes = dtype_of(node), axes_in(x, axis)
    x = x.cast(float64 if dtype is float64 else float32)
    difference = x - mean(x, axes, True)
    count = _scalar(size_of(x, axes)).cast(x.dtype)
    degrees = count - ddof if ddof else count
    degrees = here.where(degrees < 0, 0, degrees) if ddof else degrees
    result = total(difference * difference, axes, keepdims) / degrees
    return (here.add("Sqrt", result) if node.op is records.std else result).cast(dtype)


@lowers(ENGINE, records.norm)
def _norm(
    here: Lowering, node: Node, x: Value, ord: Any = None, axis: Axis = None, keepdims: bool = False
) -> Value:
    axes = axes_in(x, axis)
    x = abs(x.cast(dtype_of(node)))
    if isinstance(axis, tuple) and len(axis) == 2 and ord not in (None, "fro"):
        raise NotExported(f"the norm of order {ord} of matrices")
    if ord in (None, "fro", 2):
        return here.add("Sqrt", total(x * x, axes, keepdims))
    if ord == 1:
        return total(x, axes, keepdims)
    if ord == 0:
        return total((~x.equals(0)).cast(x.dtype), axes, keepdims)
    if math.isinf(ord):
        return extreme("ReduceMax" if ord > 0 else "ReduceMin", x, axes, keepdims)
    powers = total(here.add("Pow", x, here.constant(ord, x.dtype)), axes, keepdims)
    return here.add("Pow", powers, here.constant(1 / ord, x.dtype))


@lowers(ENGINE, records.sum_to_shape_of)
def _sum_to(here: Lowering, node: Node, x: Value, like: Value) -> Value:
    """The sum over the axes along which a tensor was broadcast, which only the run may tell."""
    known, extra = like.shape, x.rank - like.rank
    assert known is not None and x.shape is not None
    pairs = list(enumerate(zip(known, x.shape[extra:], strict=True)))
    axes = [*range(extra), *[extra + i for i, (n, m) in pairs if n == 1 and m != 1]]
    if all(n is not None or m == 1 for _, (n, m) in pairs):
        return reshaped(total(x, axes, True), dims_of(like), known) if axes else x
    if not x.dtype.is_floating:
        raise NotExported("it sums integers to a shape that is not known", "give the function an input_signature")
    ones = dims_of(like).equals(1)
    found = here.add("NonZero", joined_truths(here, extra, ones), shape=(1, None))
    axes_found = reshaped(found, here.integers(-1), (None,))
    sums = here.add("ReduceSum", x, axes_found, keepdims=1, noop_with_empty_axes=1)
    return reshaped(sums, dims_of(like), known)


def joined_truths(here: Lowering, count: int, truths: Value) -> Value:
    """So many times true, and then a vector of truths."""
    if not count:
        return truths
    return here.add("Concat", here.constant([True] * count, bool_), truths, axis=0, shape=(None,))


# Running sums


@lowers(ENGINE, records.cumsum)
def _cumsum(
    here: Lowering, node: Node, x: Value, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Value:
    return here.add("CumSum", x, here.constant(axis_in(x, axis), int64), exclusive=int(exclusive), reverse=int(reverse))


@lowers(ENGINE, records.softmax, records.log_softmax)
def _softmax(here: Lowering, node: Node, x: Value, axis: int = -1) -> Value:
    place = axis_in(x, axis)
    if node.op is records.log_softmax:
        return log_softmax(x, place)
    return here.add("Softmax", x, axis=place)


def log_softmax(x: Value, axis: int) -> Value:
    """The logarithm of softmax; by its formula in float64, for which runtimes have one that is wrong near infinity."""
    here = x.here
    if x.dtype is not float64:
        return here.add("LogSoftmax", x, axis=axis)
    shifted = x - extreme("ReduceMax", x, (axis,), True)
    return shifted - here.add("Log", total(here.add("Exp", shifted), (axis,), True))
