"""Shapes, and what makes tensors of nothing, joins, cuts and repeats them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....base.dtypes import DType, bool_, float64, int32, int64, string
from .....base.shapes import Shape
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import (
    axes_in,
    axis_in,
    counted,
    dim_of,
    dims_of,
    expanded,
    flat,
    reshaped,
    size_of,
    sliced,
    transposed,
    with_axes,
    without_axes,
)
from .elementwise import dtype_of

Axis = int | Sequence[int] | None


def target(here: Lowering, shape: Any, dynamic: Sequence[Value]) -> Value:
    """The shape that an op is given: by an attribute, or by an input where part of it is not known."""
    return dynamic[0].cast(int64) if dynamic else here.integers(*shape)


@lowers(ENGINE, records.reshape)
def _reshape(here: Lowering, node: Node, x: Value, *dims: Value, shape: Any) -> Value:
    return reshaped(x, target(here, shape, dims), node.outputs[0].shape)


@lowers(ENGINE, records.broadcast_to)
def _broadcast_to(here: Lowering, node: Node, x: Value, *dims: Value, shape: Any) -> Value:
    return expanded(x, target(here, shape, dims))


@lowers(ENGINE, records.broadcast_to_shape_of)
def _broadcast_like(here: Lowering, node: Node, x: Value, like: Value) -> Value:
    return expanded(x, dims_of(like))


@lowers(ENGINE, records.fill)
def _fill(here: Lowering, node: Node, value: Value, *dims: Value, shape: Any) -> Value:
    return expanded(value, target(here, shape, dims))


@lowers(ENGINE, records.expand_dims)
def _expand_dims(here: Lowering, node: Node, x: Value, axis: int) -> Value:
    return with_axes(x, axis_in(x, axis, 1))


@lowers(ENGINE, records.squeeze)
def _squeeze(here: Lowering, node: Node, x: Value, axis: Axis = None) -> Value:
    if axis is not None:
        return without_axes(x, *axes_in(x, axis))
    if x.shape is None or None in x.shape:
        raise NotExported("which dimensions are one is not known", "say which, tf.squeeze(x, axis=…)")
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    return without_axes(x, *ones) if ones else x


@lowers(ENGINE, records.transpose)
def _transpose(here: Lowering, node: Node, x: Value, perm: Any = None) -> Value:
    return transposed(x, list(range(x.rank))[::-1] if perm is None else [axis_in(x, a) for a in perm])


@lowers(ENGINE, records.ensure_shape)
def _ensure_shape(here: Lowering, node: Node, x: Value, shape: Shape) -> Value:
    """Itself; where it may have another shape the runtime makes an error of it."""
    if shape is None or x.shape is None:
        if shape is not None:
            raise NotExported("it needs a tensor of a known rank", "give the function an input_signature")
        return x
    for axis, n in enumerate(shape):
        if n is not None and x.shape[axis] is None:
            x = here.fails_where(~dim_of(x, axis).equals(n), x)
    return x


@lowers(ENGINE, records.flip)
def _flip(here: Lowering, node: Node, x: Value, axis: Any) -> Value:
    for a in axes_in(x, axis):
        x = sliced(x, -1, int(np.iinfo(np.int64).min), a, -1)
    return x


@lowers(ENGINE, records.roll)
def _roll(here: Lowering, node: Node, x: Value, shift: Value, axis: Any) -> Value:
    if axis is None:
        return reshaped(_rolled(flat(x), reshaped(shift.cast(int64), here.integers(-1)), 0), dims_of(x), x.shape)
    shifts = reshaped(shift.cast(int64), here.integers(-1))
    axes = axis if isinstance(axis, tuple) else (axis,)
    for i, a in enumerate(axes):
        x = _rolled(x, sliced(shifts, i, i + 1, 0) if len(axes) > 1 else shifts, axis_in(x, a))
    return x


def _rolled(x: Value, shift: Value, axis: int) -> Value:
    """The end in front of the beginning: cut at how far it is from the start, counted round."""
    here, n = x.here, dim_of(x, axis)
    length = here.add("Max", n, here.integers(1))
    cut = here.add("Mod", -shift, length)
    end = here.integers(np.iinfo(np.int64).max)
    return here.add("Concat", sliced(x, cut, end, axis), sliced(x, here.integers(0), cut, axis), axis=axis)


@lowers(ENGINE, records.shape)
def _shape(here: Lowering, node: Node, x: Value, dtype: DType = int32) -> Value:
    return _counts(dims_of(x), dtype)


def _counts(x: Value, dtype: DType) -> Value:
    return x.cast(dtype) if x.known is None else x.here.constant(x.known, dtype)


@lowers(ENGINE, records.size, records.rank)
def _size(here: Lowering, node: Node, x: Value, dtype: DType = int32) -> Value:
    if node.op is records.rank:
        return here.constant(x.rank, dtype)
    n = size_of(x)
    return here.constant(n.known.reshape(()), dtype) if n.known is not None else here.add("Size", x).cast(dtype)


# Joining and cutting


@lowers(ENGINE, records.concat)
def _concat(here: Lowering, node: Node, *inputs: Value, axis: int) -> Value:
    place = next(axis_in(x, axis) for x in inputs if x.shape is not None) if any(
        x.shape is not None for x in inputs) else axis  # fmt: skip
    return here.add("Concat", *inputs, axis=place) if len(inputs) > 1 else inputs[0]


@lowers(ENGINE, records.stack)
def _stack(here: Lowering, node: Node, *inputs: Value, axis: int) -> Value:
    place = axis_in(inputs[0], axis, 1)
    parts = [with_axes(x, place) for x in inputs]
    return here.add("Concat", *parts, axis=place) if len(parts) > 1 else parts[0]


@lowers(ENGINE, records.unstack)
def _unstack(here: Lowering, node: Node, x: Value, num: int, axis: int) -> Sequence[Value]:
    place = axis_in(x, axis)
    x = _of_length(x, place, num)
    return [here.add("Gather", x, here.constant(i, int64), axis=place) for i in range(num)]


def _of_length(x: Value, axis: int, n: int) -> Value:
    """A tensor, of which the runtime makes an error where a dimension that is not known is another."""
    if x.shape is not None and x.shape[axis] is not None:
        return x
    return x.here.fails_where(~dim_of(x, axis).equals(n), x)


@lowers(ENGINE, records.split)
def _split(here: Lowering, node: Node, x: Value, sizes: Any, axis: int) -> Sequence[Value]:
    place = axis_in(x, axis)
    n = x.shape[place]  # type: ignore[index]
    if isinstance(sizes, int):
        return _equal_parts(here, x, sizes, place)
    if n is not None:
        sizes = [size if size >= 0 else n - sum(s for s in sizes if s >= 0) for size in sizes]
    elif -1 not in sizes:
        x = _of_length(x, place, sum(sizes))
    elif sum(s for s in sizes if s >= 0) > 0:
        x = here.fails_where(dim_of(x, place) < sum(s for s in sizes if s >= 0), x)
    parts, start = [], 0
    for i, size in enumerate(sizes):
        if size < 0:
            after = sum(sizes[i + 1 :])
            parts.append(sliced(x, start, -after if after else int(np.iinfo(np.int64).max), place))
            start = -after
        else:
            stop = start + size
            end = int(np.iinfo(np.int64).max) if start < 0 and stop == 0 else stop
            parts.append(sliced(x, start, end, place) if size else sliced(x, 0, 0, place))
            start = stop
    return parts


def _equal_parts(here: Lowering, x: Value, count: int, axis: int) -> Sequence[Value]:
    n = dim_of(x, axis)
    if n.known is None:
        x = here.fails_where(~here.add("Mod", n, here.integers(count)).equals(0), x)
        length = here.add("Div", n, here.integers(count))
        ends = [length * i for i in range(count + 1)]
    else:
        ends = [here.integers(int(n.known[0]) // count * i) for i in range(count + 1)]

    return [sliced(x, ends[i], ends[i + 1], axis) for i in range(count)]


# Repeating


@lowers(ENGINE, records.tile)
def _tile(here: Lowering, node: Node, x: Value, *dims: Value, multiples: Any) -> Value:
    return here.add("Tile", x, target(here, multiples, dims)) if x.shape != () else x


@lowers(ENGINE, records.repeat)
def _repeat(
    here: Lowering, node: Node, x: Value, repeats: Value, axis: int | None = None, count: int | None = None,
    length: int | None = None
) -> Value:  # fmt: skip
    """Slices at the places at which the running sum of the repeats passes each number."""
    if axis is None:
        x = flat(x)
    place = 0 if axis is None else axis_in(x, axis)
    repeats = expanded(flat(repeats.cast(int64)), dim_of(x, place))
    repeats = here.fails_where(repeats < 0, repeats)
    ends = here.add("CumSum", repeats, here.constant(0, int64), shape=(None,))
    all_of = here.add("ReduceSum", repeats, here.integers(0), keepdims=1, shape=(1,))
    numbers = with_axes(counted(here, all_of), 1)
    passed = (numbers >= with_axes(ends, 0)).cast(int64)
    places = here.add("ReduceSum", passed, here.integers(1), keepdims=0, shape=(None,))
    return here.add("Gather", x, places, axis=place)


@lowers(ENGINE, records.pad)
def _pad(here: Lowering, node: Node, x: Value, fill: Value, *dims: Value, paddings: Any, mode: str) -> Value:
    if x.dtype is string:
        raise NotExported("ONNX pads no text")
    if mode == "constant":
        if dims:
            pads = flat(transposed(_ranked(dims[0]).cast(int64), (1, 0)))
        else:
            pads = here.integers(*[pair[0] for pair in paddings], *[pair[1] for pair in paddings])
        return here.add("Pad", x, pads, fill, mode="constant")
    if dims:
        raise NotExported("how much it mirrors is not known", "give the paddings as numbers")
    for axis, pair in enumerate(paddings):
        x = _mirrored(x, axis, pair[0], pair[1], mode == "symmetric")
    return x


def _ranked(x: Value) -> Value:
    return x if x.shape is not None else Value(x.here, x.name, x.dtype, (None, 2))


def _mirrored(x: Value, axis: int, before: int, after: int, edge: bool) -> Value:
    """The elements at the distances from the ends; out of range, and so an error, where there are too few."""
    if not before and not after:
        return x
    here, n = x.here, dim_of(x, axis)
    start = 0 if edge else 1
    x = here.fails_where(n < max(before, after) + start, x) if n.known is None else x
    parts = [here.constant(np.arange(before)[::-1] + start, int64), counted(here, n),
             n - here.constant(np.arange(after) + 1 + start, int64)]  # fmt: skip
    return here.add("Gather", x, here.add("Concat", *parts, axis=0, shape=(None,)), axis=axis)


# Of nothing


@lowers(ENGINE, records.range)
def _range(here: Lowering, node: Node, start: Value, limit: Value, delta: Value, length: int | None = None) -> Value:
    dtype = dtype_of(node)
    if dtype.is_floating:
        return _range_of_floats(here, dtype, start, limit, delta)
    if delta.known is None:
        start = here.fails_where(delta.equals(0), start)
    return here.add("Range", start, limit, delta)


def _range_of_floats(here: Lowering, dtype: DType, start: Value, limit: Value, delta: Value) -> Value:
    """As NumPy: so many steps as float64 says, of what the first step makes of the start."""
    wide = [x.cast(float64) for x in (start, limit, delta)]
    count = here.add("Ceil", (wide[1] - wide[0]) / wide[2])
    count = here.add("Max", count, here.constant(0, float64)).cast(int64)
    count = here.fails_where(delta.equals(0), count)
    numbers = counted(here, reshaped(count, here.integers(1), (1,))).cast(dtype)
    return start + ((start + delta) - start) * numbers


@lowers(ENGINE, records.linspace)
def _linspace(
    here: Lowering, node: Node, start: Value, stop: Value, num: int, axis: int = 0, endpoint: bool = True
) -> Value:
    """As NumPy: steps from the start, and the end itself in the last place."""
    dtype = dtype_of(node)
    start, stop = start.cast(dtype), stop.cast(dtype)
    rank = max(start.rank, stop.rank)
    place = axis if axis >= 0 else axis + rank + 1
    divisions = max(num - 1 if endpoint else num, 1)
    low, high = [with_axes(_to_rank(x, rank), place) for x in (start, stop)]
    numbers = np.arange(num, dtype=dtype.numpy).reshape(-1, *(1,) * (rank - place))
    result = low + here.constant(numbers, dtype) * ((high - low) / divisions)
    if endpoint and num > 1:
        last = here.constant(numbers == num - 1, bool_)
        result = here.where(last, high + here.constant(numbers * 0, dtype) + low * 0, result)
    return result


def _to_rank(x: Value, rank: int) -> Value:
    missing = rank - x.rank
    return with_axes(x, *range(missing)) if missing else x


@lowers(ENGINE, records.one_hot)
def _one_hot(here: Lowering, node: Node, indices: Value, on: Value, off: Value, depth: int, axis: int = -1) -> Value:
    place = axis_in(indices, axis, 1)
    classes = np.arange(depth).reshape(-1, *(1,) * (indices.rank - place))
    hits = with_axes(indices.cast(int64), place).equals(here.constant(classes, int64))
    return here.where(hits, on, off)
