"""Storing at indices, and sums by segments.

The standard does not say which value stays where an index repeats; in ours it is the last one, and so here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .....base.dtypes import bool_, float64, int64, uint8
from .....ir import records
from .....ir.graph import Node
from .....ir.op import Op, lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import counted, dim_of, dims_of, expanded, flat, joined, reshaped, size_of, sliced, with_axes
from .division import truncated
from .elementwise import is_nan
from .indices import OUTSIDE, from_start
from .keys import Key, item
from .shapes import target


def _numbers(x: Value) -> Value:
    """The number of each element, in the shape of a tensor."""
    return reshaped(counted(x.here, size_of(x)), dims_of(x), x.shape)


def stored(x: Value, places: Value, value: Value, how: str, repeats: bool = True) -> Value:
    """`x` with values stored at places of its elements, or combined with what is there.

    ``how``: "none", or a reduction of ONNX's. ``repeats``: a place may be there several times.
    """
    here = x.here
    rows, spots = flat(x), flat(places)
    values = flat(expanded(value, dims_of(places)))
    if how == "none" and repeats:
        return reshaped(_last_stored(rows, spots, values), dims_of(x), x.shape)
    if x.dtype is bool_ and how != "none":
        result = here.add("ScatterElements", rows.cast(uint8), spots, values.cast(uint8), axis=0,
                          reduction="min" if how in ("min", "mul") else "max").cast(bool_)  # fmt: skip
    else:
        result = here.add("ScatterElements", rows, spots, values, axis=0, reduction=how)
    if how in ("min", "max") and x.dtype.is_floating:
        lost = here.add("ScatterElements", is_nan(rows).cast(uint8), spots, is_nan(values).cast(uint8), axis=0,
                        reduction="max").cast(bool_)  # fmt: skip
        result = here.where(lost, math.nan, result)
    return reshaped(result, dims_of(x), x.shape)


def _last_stored(rows: Value, spots: Value, values: Value) -> Value:
    """Each element is the last value that is stored there, or what has been there before."""
    here = rows.here
    order = counted(here, dim_of(spots, 0))
    none = expanded(here.constant(-1, int64), dims_of(rows))
    last = here.add("ScatterElements", none, spots, order, axis=0, reduction="max")
    count = dim_of(rows, 0)
    index = here.where(last < 0, counted(here, count), last + count)
    return here.add("Gather", here.add("Concat", rows, values, axis=0, shape=(None,)), index, axis=0)


def _is_simple(key: Key, inputs: tuple[Value, ...]) -> bool:
    """Whether no element can be there twice."""
    return all(part[0] != "input" or inputs[part[1]].rank == 0 or inputs[part[1]].dtype is bool_ for part in key)


@lowers(ENGINE, records.set_item, records.add_at)
def _set_item(here: Lowering, node: Node, x: Value, value: Value, *inputs: Value, key: Key) -> Value:
    how = "add" if node.op is records.add_at else "none"
    value = value.cast(x.dtype)
    if _is_row(x, value, key, inputs) and how == "none":
        index = inputs[key[0][1]].cast(int64) if key[0][0] == "input" else here.constant(key[0][1], int64)
        point = reshaped(index, here.integers(1, 1), (1, 1))
        row = expanded(value, joined(here, here.integers(), *[dim_of(x, i) for i in range(1, x.rank)]))
        return here.add("ScatterND", x, point, with_axes(row, 0))
    places = item(_numbers(x), key, inputs)
    return stored(x, places, value, how, repeats=not _is_simple(key, inputs))


def _is_row(x: Value, value: Value, key: Key, inputs: tuple[Value, ...]) -> bool:
    """Whether a single slice of the first axis is stored."""
    if not key or key[0][0] not in ("index", "input") or any(part != ("ellipsis",) for part in key[1:]):
        return False
    if value.shape is None or len(value.shape) > x.rank - 1:
        return False
    return key[0][0] == "index" or (inputs[key[0][1]].shape == () and inputs[key[0][1]].dtype is not bool_)


@lowers(ENGINE, records.dynamic_update_slice)
def _dynamic_update_slice(here: Lowering, node: Node, x: Value, update: Value, begin: Value) -> Value:
    if x.rank == 0:
        return update
    begin, size, limits = begin.cast(int64), dims_of(update), dims_of(x)
    begin = here.fails_where((begin < 0) | (begin + size > limits), begin)
    places = here.add("Slice", _numbers(x), begin, begin + size, here.integers(*range(x.rank)),
                      shape=update.shape)  # fmt: skip
    return stored(x, places, update, "none", repeats=False)


# Vectors of indices


def _scatter(record: Op, how: str) -> None:
    @lowers(ENGINE, record)
    def lower(here: Lowering, node: Node, x: Value, indices: Value, updates: Value) -> Value:
        if node.op is records.tensor_scatter_nd_sub:
            updates = here.constant(0, x.dtype) - updates
        return _at_points(x, indices, updates, how)


def _at_points(x: Value, indices: Value, updates: Value, how: str) -> Value:
    here = x.here
    depth = indices.shape[-1] if indices.shape else None
    if depth is None:
        raise NotExported("how many numbers an index has is not known", "give the function an input_signature")
    if not depth:
        raise NotExported("indices without numbers")
    rank = indices.rank - 1 + x.rank - depth
    places = here.add("GatherND", _numbers(x), from_start(indices), shape=(None,) * rank)
    if None in (updates.shape or (None,)) or None in (indices.shape or ()) or None in (x.shape or (None,)):
        updates = here.fails_where(~dims_of(updates).equals(dims_of(places)), updates)
    return stored(x, places, updates, how)


_scatter(records.tensor_scatter_nd_update, "none")
_scatter(records.tensor_scatter_nd_add, "add")
_scatter(records.tensor_scatter_nd_sub, "add")
_scatter(records.tensor_scatter_nd_min, "min")
_scatter(records.tensor_scatter_nd_max, "max")


@lowers(ENGINE, records.scatter_nd)
def _scatter_nd(here: Lowering, node: Node, indices: Value, updates: Value, *dims: Value, shape: Any) -> Value:
    static = node.outputs[0].shape
    if static is None:
        raise NotExported("it needs a shape of a known rank", "give the shape as a list")
    zeros = expanded(here.constant(0, updates.dtype), target(here, shape, dims))
    zeros.shape = static if zeros.known is None else zeros.shape
    return _at_points(zeros, indices, updates, "add")


# Segments


def _limit(x: Value, largest: bool) -> Any:
    limits: Any = np.finfo(x.dtype.numpy) if x.dtype.is_floating else np.iinfo(x.dtype.numpy)
    return limits.max if largest else limits.min


def _combined(x: Value, ids: Value, count: Value, how: str) -> tuple[Value, Value]:
    """The rows of each segment combined, and how many there are; rows of a negative number count nowhere."""
    here, rank = x.here, ids.rank
    outer = [dim_of(x, i) for i in range(rank, x.rank)]
    rows = reshaped(x, joined(here, size_of(ids), *outer), (None, *(x.shape or ())[rank:]))
    numbers = flat(ids).cast(int64)
    numbers = here.where(numbers < 0, count, here.where(numbers >= count, OUTSIDE, numbers))
    start = {"add": 0, "mul": 1, "min": _limit(x, True), "max": _limit(x, False)}[how]
    first = here.add("Expand", here.constant(start, x.dtype), joined(here, count + 1, *outer))
    result = here.add("ScatterND", first, with_axes(numbers, 1), rows, reduction=how)
    if how in ("min", "max") and x.dtype.is_floating:
        none = here.add("Expand", here.constant(0, uint8), joined(here, count + 1, *outer))
        lost = here.add("ScatterND", none, with_axes(numbers, 1), is_nan(rows).cast(uint8), reduction="max")
        result = here.where(lost.cast(bool_), math.nan, result)
    ones = here.add("Expand", here.constant(1, int64), size_of(ids))
    sizes = here.add("Expand", here.constant(0, int64), count + 1)
    sizes = here.add("ScatterND", sizes, with_axes(numbers, 1), ones, reduction="add")
    result.shape, sizes.shape = (None, *(x.shape or ())[rank:]), (None,)
    sizes = sliced(sizes, here.integers(0), count, 0)
    for _ in outer:
        sizes = with_axes(sizes, sizes.rank)
    return sliced(result, here.integers(0), count, 0), sizes


def _divided(total: Value, sizes: Value) -> Value:
    """As NumPy, by way of float64 where integers have 64 bits."""
    here, dtype = total.here, total.dtype
    count = here.add("Max", sizes, here.constant(1, int64))
    if dtype.name == "uint64":
        raise NotExported("the mean of uint64", "cast to a float first")
    if dtype is int64:
        return (total.cast(float64) / count.cast(float64)).cast(dtype)
    return total / count.cast(dtype) if dtype.is_floating else truncated(total.cast(int64), count).cast(dtype)


def _segments(ordered: Op, loose: Op, how: str, is_mean: bool = False) -> None:
    """Registers the op for ids that are sorted, which tell how many segments there are, and the one for any."""

    @lowers(ENGINE, ordered)
    def in_order(here: Lowering, node: Node, x: Value, ids: Value) -> Value:
        flat_ids = ids.cast(int64)
        falls = sliced(flat_ids, 1, OUTSIDE, 0) < sliced(flat_ids, 0, -1, 0)
        flat_ids = here.fails_where(falls, here.fails_where(flat_ids < 0, flat_ids))
        flat_ids.shape = ids.shape
        flat_ids = here.fails_where(~dim_of(ids, 0).equals(dim_of(x, 0)), flat_ids)
        with_none = here.add("Concat", flat_ids, here.integers(-1), axis=0, shape=(None,))
        count = here.add("ReduceMax", with_none, here.integers(0), keepdims=1, shape=(1,)) + 1
        result, sizes = _combined(x, flat_ids, count, how)
        result = here.where(sizes > 0, result, 0)
        return _divided(result, sizes) if is_mean else result

    @lowers(ENGINE, loose)
    def in_any_order(here: Lowering, node: Node, x: Value, ids: Value, count: int) -> Value:
        result, sizes = _combined(x, ids, here.integers(count), how)
        return _divided(result, sizes) if is_mean else result


_segments(records.segment_sum, records.unsorted_segment_sum, "add")
_segments(records.segment_mean, records.unsorted_segment_mean, "add", is_mean=True)
_segments(records.segment_prod, records.unsorted_segment_prod, "mul")
_segments(records.segment_min, records.unsorted_segment_min, "min")
_segments(records.segment_max, records.unsorted_segment_max, "max")
