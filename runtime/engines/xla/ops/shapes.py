"""Shapes, and what makes tensors of nothing, joins, cuts and repeats them.

Shapes that are tensors have to be known: where a graph computes them of shapes, they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from ....base.dtypes import DType
from ....base.shapes import Shape, is_compatible
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dims_of, dtype_of

Axis = int | tuple[int, ...] | None


# What a shape tells


@lowers(ENGINE, records.shape)
def _shape(here: Lowering, node: Node, x: Lowered, dtype: DType | None = None) -> Lowered:
    return np.array(np.shape(x), dtype_of(node))


@lowers(ENGINE, records.size)
def _size(here: Lowering, node: Node, x: Lowered, dtype: DType | None = None) -> Lowered:
    return dtype_of(node).type(math.prod(np.shape(x)))


@lowers(ENGINE, records.rank)
def _rank(here: Lowering, node: Node, x: Lowered, dtype: DType | None = None) -> Lowered:
    return dtype_of(node).type(np.ndim(x))


# Other shapes


@lowers(ENGINE, records.reshape)
def _reshape(here: Lowering, node: Node, x: Lowered, *dims: Lowered, shape: Any) -> Lowered:
    target = dims_of(here, dims, shape, "the shape")
    if -1 in target:  # also where there are no elements, which JAX refuses
        others = math.prod(n for n in target if n != -1)
        target = tuple(x.size // max(others, 1) if n == -1 else n for n in target)
    here.fails(math.prod(target) != x.size or any(n < 0 for n in target))
    return array(x).reshape(target)


@lowers(ENGINE, records.expand_dims)
def _expand_dims(here: Lowering, node: Node, x: Lowered, axis: int) -> Lowered:
    return jnp.expand_dims(array(x), axis)


@lowers(ENGINE, records.squeeze)
def _squeeze(here: Lowering, node: Node, x: Lowered, axis: Axis = None) -> Lowered:
    return jnp.squeeze(array(x), axis)


@lowers(ENGINE, records.transpose)
def _transpose(here: Lowering, node: Node, x: Lowered, perm: tuple[int, ...] | None = None) -> Lowered:
    return jnp.transpose(array(x), perm)


@lowers(ENGINE, records.ensure_shape)
def _ensure_shape(here: Lowering, node: Node, x: Lowered, shape: Shape) -> Lowered:
    here.fails(not is_compatible(np.shape(x), shape))
    return x


@lowers(ENGINE, records.flip)
def _flip(here: Lowering, node: Node, x: Lowered, axis: Axis) -> Lowered:
    return jnp.flip(array(x), axis)


@lowers(ENGINE, records.roll)
def _roll(here: Lowering, node: Node, x: Lowered, shift: Lowered, axis: Axis) -> Lowered:
    return jnp.roll(array(x), array(shift), axis)


# Broadcasting


@lowers(ENGINE, records.broadcast_to)
def _broadcast_to(here: Lowering, node: Node, x: Lowered, *dims: Lowered, shape: Any) -> Lowered:
    return jnp.broadcast_to(array(x), dims_of(here, dims, shape, "the shape"))


@lowers(ENGINE, records.broadcast_to_shape_of)
def _broadcast_to_shape_of(here: Lowering, node: Node, x: Lowered, like: Lowered) -> Lowered:
    return jnp.broadcast_to(array(x), np.shape(like))


@lowers(ENGINE, records.sum_to_shape_of)
def _sum_to_shape_of(here: Lowering, node: Node, x: Lowered, like: Lowered) -> Lowered:
    shape = np.shape(like)
    extra = x.ndim - len(shape)
    axes = [*range(extra), *[extra + i for i, n in enumerate(shape) if n == 1 != x.shape[extra + i]]]
    return jnp.sum(array(x), axis=tuple(axes), dtype=x.dtype).reshape(shape) if axes else x


# From nothing


@lowers(ENGINE, records.fill)
def _fill(here: Lowering, node: Node, value: Lowered, *dims: Lowered, shape: Any) -> Lowered:
    target = dims_of(here, dims, shape, "the shape")
    here.fails(any(n < 0 for n in target))
    return jnp.full(target, array(value), dtype_of(node))


@lowers(ENGINE, records.linspace)
def _linspace(
    here: Lowering, node: Node, start: Lowered, stop: Lowered, num: int, axis: int = 0, endpoint: bool = True
) -> Lowered:  # fmt: skip
    """As NumPy: the start and so many steps, of which the last one, if it counts, is the stop itself."""
    dtype = dtype_of(node)
    wide = np.promote_types(dtype, np.float64 if dtype.kind == "f" else np.complex128)
    start, stop = jnp.broadcast_arrays(array(start).astype(wide), array(stop).astype(wide))
    steps = jnp.arange(num, dtype=wide).reshape((-1,) + (1,) * start.ndim)
    result = steps * ((stop - start) / max(num - endpoint, 1)) + start
    result = result.at[-1].set(stop) if endpoint and num > 1 else result
    return jnp.moveaxis(result, 0, axis).astype(dtype)


# Joining and cutting


@lowers(ENGINE, records.concat)
def _concat(here: Lowering, node: Node, *values: Lowered, axis: int) -> Lowered:
    return jnp.concatenate([array(x) for x in values], axis)


@lowers(ENGINE, records.stack)
def _stack(here: Lowering, node: Node, *values: Lowered, axis: int) -> Lowered:
    return jnp.stack([array(x) for x in values], axis)


@lowers(ENGINE, records.unstack)
def _unstack(here: Lowering, node: Node, x: Lowered, num: int, axis: int) -> tuple[Lowered, ...]:
    here.fails(x.shape[axis] != num)
    moved = jnp.moveaxis(array(x), axis, 0)
    return tuple(moved[i] for i in range(num))


@lowers(ENGINE, records.split)
def _split(here: Lowering, node: Node, x: Lowered, sizes: int | Sequence[int], axis: int) -> tuple[Lowered, ...]:
    if isinstance(sizes, int):
        here.fails(x.shape[axis] % sizes != 0)
        return tuple(jnp.split(array(x), sizes, axis))
    left = x.shape[axis] - sum(n for n in sizes if n != -1)
    here.fails(left < 0 or (left > 0 and -1 not in sizes))
    ends = np.cumsum([left if n == -1 else n for n in sizes])[:-1]
    return tuple(jnp.split(array(x), ends.tolist(), axis))


@lowers(ENGINE, records.tile)
def _tile(here: Lowering, node: Node, x: Lowered, *dims: Lowered, multiples: Any) -> Lowered:
    counts = dims_of(here, dims, multiples, "the number of tiles")
    here.fails(len(counts) != x.ndim or any(n < 0 for n in counts))
    return jnp.tile(array(x), counts)


@lowers(ENGINE, records.repeat)
def _repeat(
    here: Lowering, node: Node, x: Lowered, repeats: Lowered, axis: int | None = None, count: int | None = None,
    length: int | None = None,
) -> Lowered:  # fmt: skip
    if count is not None:
        return jnp.repeat(array(x), count, axis)
    if length is not None:
        return jnp.repeat(array(x), array(repeats), axis, total_repeat_length=length)
    counts = here.static(repeats, "the number of repeats")
    here.fails(counts < 0)
    counts = np.broadcast_to(counts.reshape(-1), x.size if axis is None else x.shape[axis])
    return jnp.repeat(array(x), counts, axis, total_repeat_length=int(counts.sum()))


@lowers(ENGINE, records.pad)
def _pad(here: Lowering, node: Node, x: Lowered, fill: Lowered, *dims: Lowered, paddings: Any, mode: str) -> Lowered:
    pairs = here.static(dims[0], "the padding").tolist() if dims else paddings
    here.fails(len(pairs) != x.ndim or any(n < 0 for pair in pairs for n in pair))
    if mode == "constant":
        return jnp.pad(array(x), pairs, constant_values=array(fill))
    most = [n - (mode == "reflect") for n in x.shape]
    here.fails(any(max(pair) > n for pair, n in zip(pairs, most, strict=True)))
    return jnp.pad(array(x), pairs, mode)
