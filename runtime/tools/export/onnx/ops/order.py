"""Order: sorting, the largest elements, places in sorted sequences.

A NaN counts as larger than every number, and of equals the first comes first.
"""

from __future__ import annotations

import math

from .....base.dtypes import DType, int32, int64, string, uint8
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import axis_in, counted, dim_of, dims_of, expanded, flat, reshaped, with_axes
from .elementwise import is_nan


def order(x: Value, axis: int, descending: bool, count: Value | None = None) -> Value:
    """The places of elements in order, int64, all or the first ones."""
    here, n = x.here, dim_of(x, axis)
    if x.dtype is string:
        raise NotExported("ONNX sorts no text")
    if not x.dtype.is_floating:
        return _places(x, n if count is None else count, axis, descending)
    lost = is_nan(x)
    places = _places(here.where(lost, math.inf, x), n, axis, descending)
    moved = here.add("GatherElements", lost.cast(uint8), places, axis=axis, shape=x.shape)
    again = _places(moved, n if count is None else count, axis, descending)
    return here.add("GatherElements", places, again, axis=axis, shape=x.shape)


def _places(x: Value, count: Value, axis: int, largest: bool) -> Value:
    way = x.cast(uint8) if x.dtype.kind == "b" else x
    return x.here.largest(way, count, axis, largest)


@lowers(ENGINE, records.argsort)
def _argsort(
    here: Lowering, node: Node, x: Value, axis: int = -1, descending: bool = False, dtype: DType = int32
) -> Value:
    return order(x, axis_in(x, axis), descending).cast(dtype)


@lowers(ENGINE, records.sort)
def _sort(here: Lowering, node: Node, x: Value, axis: int = -1, descending: bool = False) -> Value:
    place = axis_in(x, axis)
    return here.add("GatherElements", x, order(x, place, descending), axis=place)


@lowers(ENGINE, records.top_k)
def _top_k(here: Lowering, node: Node, x: Value, k: int, dtype: DType = int32) -> list[Value]:
    place = x.rank - 1
    n = dim_of(x, place)
    if n.known is None:
        x = here.fails_where(n < k, x)
    places = order(x, place, True, here.integers(k))
    return [here.add("GatherElements", x, places, axis=place), places.cast(dtype)]


@lowers(ENGINE, records.unique)
def _unique(here: Lowering, node: Node, x: Value, dtype: DType = int32) -> list[Value]:
    if x.dtype.is_floating:
        x = here.fails_where(is_nan(x), x)  # one NaN is not another there
    way = x.cast(int64) if x.dtype.kind in "iub" else x
    values, _, places, counts = here.unique(way)
    return [values.cast(x.dtype), places.cast(dtype), counts.cast(dtype)]


@lowers(ENGINE, records.searchsorted)
def _search(
    here: Lowering, node: Node, sequence: Value, values: Value, side: str = "left", dtype: DType = int32
) -> Value:
    """How many elements of the sequence come before: all of them are compared."""
    if sequence.dtype is string:
        raise NotExported("ONNX compares no text")
    if sequence.rank > 1:
        rank = sequence.rank
        one = with_axes(sequence, rank - 1)
        if sequence.rank != values.rank:
            raise NotExported("a batch of sequences, and values of another rank")
    else:
        one = sequence
    other = with_axes(values, values.rank)
    before = one < other if side == "left" else one <= other
    if sequence.dtype.is_floating:
        lost, missing = is_nan(one), is_nan(other)
        before = before | (missing & ~lost) if side == "left" else before | missing
    hits = before.cast(int64)
    return here.add("ReduceSum", hits, here.integers(values.rank), keepdims=0).cast(dtype)


@lowers(ENGINE, records.sequence_mask)
def _sequence_mask(here: Lowering, node: Node, lengths: Value, *longest: Value, maxlen: int | None = None) -> Value:
    lengths = lengths.cast(int64)
    if longest:
        count = here.add("Max", reshaped(longest[0].cast(int64), here.integers(1), (1,)), here.integers(0))
    elif maxlen is not None:
        count = here.integers(maxlen)
    else:
        with_none = here.add("Concat", flat(lengths), here.integers(0), axis=0, shape=(None,))
        count = here.add("ReduceMax", with_none, here.integers(0), keepdims=1, shape=(1,))
    return counted(here, count) < with_axes(lengths, lengths.rank)


@lowers(ENGINE, records.invert_permutation)
def _invert(here: Lowering, node: Node, x: Value) -> Value:
    places = x.cast(int64)
    n = dim_of(x, 0)
    outside = (places < 0) | (places >= n)
    numbers = counted(here, n)
    none = expanded(here.constant(-1, int64), dims_of(x))
    safe = here.where(outside, numbers, places)
    result = here.add("ScatterElements", none, safe, numbers, axis=0)
    return here.fails_where(outside | (result < 0), result).cast(x.dtype)
