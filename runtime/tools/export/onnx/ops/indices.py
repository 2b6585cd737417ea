"""Items, and elements at indices. An index that ours refuses is an error of the runtime, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....base.dtypes import bool_, int64
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import (
    axis_in,
    counted,
    dim_of,
    dims_of,
    expanded,
    joined,
    reshaped,
    sliced,
    transposed,
    with_axes,
)
from .elementwise import truth
from .keys import Key, item

OUTSIDE = int(np.iinfo(np.int64).max)
"""An index that lies in no tensor."""


def from_start(indices: Value) -> Value:
    """Indices as int64, of which negative ones lie outside."""
    here = indices.here
    if indices.known is not None:
        known = indices.known.astype(np.int64)
        return here.constant(np.where(known < 0, OUTSIDE, known), int64)
    wide = indices.cast(int64)
    return wide if indices.dtype.kind == "u" else here.where(wide < 0, OUTSIDE, wide)


@lowers(ENGINE, records.get_item)
def _get_item(here: Lowering, node: Node, x: Value, *inputs: Value, key: Key) -> Value:
    return item(x, key, inputs)


@lowers(ENGINE, records.gather)
def _gather(here: Lowering, node: Node, x: Value, indices: Value, axis: int, batch_dims: int = 0) -> Value:
    axis, places = axis_in(x, axis), from_start(indices)
    if not batch_dims:
        return here.add("Gather", x, places, axis=axis)
    inner = indices.rank - batch_dims
    order = [i for i in range(x.rank) if i != axis]
    order.insert(batch_dims, axis)
    points = with_axes(places, indices.rank)
    picked = here.add("GatherND", transposed(x, order), points, batch_dims=batch_dims)
    rank = x.rank - 1 + inner
    back = [i for i in range(rank) if not batch_dims <= i < indices.rank]
    back[axis:axis] = range(batch_dims, indices.rank)
    return transposed(picked, back)


@lowers(ENGINE, records.gather_nd)
def _gather_nd(here: Lowering, node: Node, x: Value, indices: Value, batch_dims: int = 0) -> Value:
    depth = indices.shape[-1] if indices.shape else None
    if depth is None:
        raise NotExported("how many numbers an index has is not known", "give the function an input_signature")
    if depth:
        return here.add("GatherND", x, from_start(indices), batch_dims=batch_dims)
    if batch_dims:
        raise NotExported("indices without numbers, in a batch")
    outer = [dim_of(indices, i) for i in range(indices.rank - 1)]
    return expanded(x, joined(here, here.integers(), *outer, dims_of(x)))


@lowers(ENGINE, records.take_along_axis)
def _take_along_axis(here: Lowering, node: Node, x: Value, indices: Value, axis: int) -> Value:
    place, rank = axis_in(x, axis), x.rank
    indices = indices.cast(int64)
    one, other = _shaped_around(x, place), _shaped_around(indices, place)
    dims = _maximum(here, one, other)
    return here.add("GatherElements", _with_dims(x, dims, place), _with_dims(indices, dims, place), axis=place,
                    shape=(None,) * rank)  # fmt: skip


def _shaped_around(x: Value, axis: int) -> Value:
    """The dimensions, with one for an axis."""
    here = x.here
    return joined(here, *[here.integers(1) if i == axis else dim_of(x, i) for i in range(x.rank)])


def _maximum(here: Lowering, one: Value, other: Value) -> Value:
    """The dimensions to which two shapes broadcast: where one is 1 the other one's, which may be 0."""
    if one.known is not None and other.known is not None:
        return here.integers(*np.broadcast_shapes(tuple(one.known), tuple(other.known)))
    return here.where(one.equals(1), other, one)


def _with_dims(x: Value, dims: Value, axis: int) -> Value:
    before, after = sliced(dims, 0, axis, 0), sliced(dims, axis + 1, OUTSIDE, 0)
    if dims.known is not None:
        known = [int(n) for n in dims.known]
        before, after = x.here.integers(*known[:axis]), x.here.integers(*known[axis + 1 :])
    return expanded(x, joined(x.here, before, dim_of(x, axis), after))


@lowers(ENGINE, records.dynamic_slice)
def _dynamic_slice(here: Lowering, node: Node, x: Value, begin: Value, *dims: Value, size: Any) -> Value:
    if x.rank == 0:
        return x
    begin = begin.cast(int64)
    length = dims[0].cast(int64) if dims else here.integers(*size)
    limits = dims_of(x)
    length = here.where(length.equals(-1), limits - begin, length)
    begin = here.fails_where((begin < 0) | (length < 0) | (begin + length > limits), begin)
    return here.add("Slice", x, begin, begin + length, here.integers(*range(x.rank)))


@lowers(ENGINE, records.argwhere)
def _argwhere(here: Lowering, node: Node, x: Value) -> Value:
    if x.rank == 0:
        count = reshaped(truth(x).cast(int64), here.integers(1), (1,))
        return here.add("Expand", here.constant(0, int64), joined(here, count, here.integers(0)))
    return here.add("Transpose", here.add("NonZero", truth(x)), perm=[1, 0])


# Diagonals and bands of matrices


def _rows_and_columns(x: Value) -> tuple[Value, Value]:
    """The numbers of rows, in a column, and those of columns."""
    rank = x.rank
    return with_axes(counted(x.here, dim_of(x, rank - 2)), 1), counted(x.here, dim_of(x, rank - 1))


@lowers(ENGINE, records.band_part)
def _band_part(here: Lowering, node: Node, x: Value, lower: int, upper: int) -> Value:
    rows, columns = _rows_and_columns(x)
    below = rows - columns
    kept = here.constant(True, bool_)
    if lower >= 0:
        kept = kept & (below <= lower)
    if upper >= 0:
        kept = kept & (below >= -upper)
    return here.where(kept, x, here.constant(0, x.dtype))


@lowers(ENGINE, records.diagonal)
def _diagonal(here: Lowering, node: Node, x: Value, k: int = 0) -> Value:
    rank = x.rank
    rows, columns = dim_of(x, rank - 2), dim_of(x, rank - 1)
    length = here.add("Max", here.add("Min", rows + min(k, 0), columns - max(k, 0)), here.integers(0))
    if rows.known is not None and columns.known is not None:
        length = here.integers(max(min(int(rows.known[0]) + min(k, 0), int(columns.known[0]) - max(k, 0)), 0))
    numbers = counted(here, length)
    places = (numbers + max(-k, 0)) * columns + (numbers + max(k, 0))
    outer = [dim_of(x, i) for i in range(rank - 2)]
    elements = reshaped(x, joined(here, *outer, rows * columns), (None,) * (rank - 1))
    return here.add("Gather", elements, places, axis=rank - 2)


def _by_rows(x: Value, before: Value, after: Value) -> Value:
    """The elements of diagonals, in a column, with zeros above and below."""
    here, rank = x.here, x.rank
    zeros = here.integers(*[0] * (rank - 1))
    pads = joined(here, zeros, before, zeros, after)
    return with_axes(here.add("Pad", x, pads, here.constant(0, x.dtype), shape=(None,) * rank), rank)


@lowers(ENGINE, records.diag)
def _diag(here: Lowering, node: Node, x: Value, k: int = 0) -> Value:
    above = max(-k, 0)
    column = _by_rows(x, here.integers(above), here.integers(abs(k) - above))
    numbers = counted(here, dim_of(x, x.rank - 1) + abs(k))
    on = (numbers - with_axes(numbers, 1)).equals(k)
    return here.where(on, column, here.constant(0, x.dtype))


@lowers(ENGINE, records.set_diag)
def _set_diag(here: Lowering, node: Node, x: Value, diagonal: Value, k: int = 0) -> Value:
    above = here.integers(max(-k, 0))
    rank = x.rank
    length, rows, columns = dim_of(diagonal, rank - 2), dim_of(x, rank - 2), dim_of(x, rank - 1)
    if length.known is None or rows.known is None or columns.known is None:
        wanted = here.add("Max", here.add("Min", rows + min(k, 0), columns - max(k, 0)), here.integers(0))
        diagonal = here.fails_where(~length.equals(wanted), diagonal)
    column = _by_rows(diagonal, above, rows - above - length)
    numbers_of_rows, numbers = _rows_and_columns(x)
    return here.where((numbers - numbers_of_rows).equals(k), column, x)
