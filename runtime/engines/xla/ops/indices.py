"""Items, and elements at indices. An index outside makes the plan run, which raises; a slice is known, or refused."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered, is_known
from .arrays import array, dims_of, refuse

Key = tuple[tuple[Any, ...], ...]


# Keys


def numbers(i: Lowered) -> Lowered:
    """Indices of a dtype that can be compared with any dimension."""
    wide = i.dtype if i.dtype in (np.int32, np.int64) else np.dtype(np.int64)
    return i.astype(wide)


def jax_key(here: Lowering, node: Node, x: Lowered, inputs: tuple[Lowered, ...], key: Key) -> tuple[Any, ...]:
    """The key that JAX takes to index `x`, with what has to lie inside noted as what fails. Raises `NotLowered`."""
    parts: list[Any] = []
    axis = 0
    used = sum(_axes_used(part, inputs) for part in key)
    for part in key:
        if part[0] in ("newaxis", "ellipsis"):
            parts.append(None if part[0] == "newaxis" else Ellipsis)
            axis += x.ndim - used if part[0] == "ellipsis" else 0
            continue
        parts.append(_decoded(here, node, part, inputs, x.shape[axis]))
        axis += _axes_used(part, inputs)
    return tuple(parts)


def _axes_used(part: tuple[Any, ...], inputs: tuple[Lowered, ...]) -> int:
    if part[0] != "input":
        return int(part[0] in ("index", "slice"))
    index = inputs[part[1]]
    return index.ndim if index.dtype == bool else 1


def _decoded(here: Lowering, node: Node, part: tuple[Any, ...], inputs: tuple[Lowered, ...], n: int) -> Any:
    """One part of a key, for a dimension of ``n``."""
    if part[0] == "index":
        here.fails(not -n <= part[1] < n)
        return part[1]
    if part[0] == "slice":
        ends = [here.static(inputs[end[1]], "a slice") if type(end) is tuple else end for end in part[1:]]
        return slice(*[None if end is None else int(end) for end in ends])
    index = inputs[part[1]]
    if index.dtype == bool:
        return index if is_known(index) else refuse("a mask that only the run tells", node)
    index = numbers(index)
    here.fails(n == 0 and index.size > 0)
    here.fails((index < -n) | (index >= n))
    return int(index) if is_known(index) and index.ndim == 0 else index


# Items


@lowers(ENGINE, records.get_item)
def _get_item(here: Lowering, node: Node, x: Lowered, *inputs: Lowered, key: Key) -> Lowered:
    x = array(x)
    place = jax_key(here, node, x, inputs, key)
    if 0 in x.shape:  # JAX refuses to look for anything there
        return jnp.zeros(np.empty(x.shape, bool)[_as_if_inside(place)].shape, x.dtype)
    return x.at[place].get(mode="clip")


def _as_if_inside(place: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key with arrays for those that only the run tells, of which there is none, or it has no elements."""
    return tuple(part if isinstance(part, int | slice | np.ndarray | None) or part is Ellipsis
                 else np.zeros(part.shape, np.int64) for part in place)  # fmt: skip


@lowers(ENGINE, records.gather)
def _gather(here: Lowering, node: Node, x: Lowered, indices: Lowered, axis: int, batch_dims: int = 0) -> Lowered:
    x, indices = array(x), numbers(indices)
    axis %= x.ndim
    here.fails((indices < 0) | (indices >= x.shape[axis]))
    if 0 in x.shape:
        return jnp.zeros((*x.shape[:axis], *indices.shape[batch_dims:], *x.shape[axis + 1 :]), x.dtype)

    def take(x: Lowered, indices: Lowered) -> Lowered:
        return jnp.take(x, indices, axis=axis - batch_dims, mode="clip")

    for _ in range(batch_dims):
        take = jax.vmap(take)
    return take(x, array(indices))


@lowers(ENGINE, records.gather_nd)
def _gather_nd(here: Lowering, node: Node, x: Lowered, indices: Lowered, batch_dims: int = 0) -> Lowered:
    x, indices = array(x), numbers(indices)
    depth = indices.shape[-1]
    here.fails((indices < 0) | (indices >= np.array(x.shape[batch_dims : batch_dims + depth], indices.dtype)))
    shape = (*indices.shape[:-1], *x.shape[batch_dims + depth :])
    if 0 in x.shape or 0 in shape:
        return jnp.zeros(shape, x.dtype)

    def pick(x: Lowered, indices: Lowered) -> Lowered:
        if not depth:
            return jnp.broadcast_to(x, (*indices.shape[:-1], *x.shape))
        return x.at[tuple(indices[..., i] for i in range(depth))].get(mode="clip")

    for _ in range(batch_dims):
        pick = jax.vmap(pick)
    return pick(x, array(indices))


@lowers(ENGINE, records.take_along_axis)
def _take_along_axis(here: Lowering, node: Node, x: Lowered, indices: Lowered, axis: int) -> Lowered:
    x, indices = array(x), numbers(indices)
    n = x.shape[axis]
    here.fails((indices < -n) | (indices >= n))
    axis %= x.ndim
    if n == 0:
        x = jnp.zeros((*x.shape[:axis], 1, *x.shape[axis + 1 :]), x.dtype)
    return jnp.take_along_axis(x, array(indices), axis=axis, mode="clip")


@lowers(ENGINE, records.dynamic_slice)
def _dynamic_slice(here: Lowering, node: Node, x: Lowered, begin: Lowered, *dims: Lowered, size: Any) -> Lowered:
    wanted = dims_of(here, dims, size, "the size of a slice")
    if -1 in wanted:
        starts = here.static(begin, "what remains behind the start of a slice").tolist()
        wanted = tuple(n - start if m == -1 else m for n, start, m in zip(x.shape, starts, wanted, strict=True))
    here.fails(any(n < 0 for n in wanted) or any(m > n for n, m in zip(x.shape, wanted, strict=True)))
    begin = inside(here, begin, x.shape, wanted)
    return lax.dynamic_slice(array(x), [begin[i] for i in range(x.ndim)], wanted)


def inside(here: Lowering, begin: Lowered, shape: tuple[int, ...], size: tuple[int, ...]) -> Lowered:
    """The start of a region, which fails unless the region lies in a shape as a whole."""
    begin = numbers(begin)
    room = np.array(shape, begin.dtype) - np.array(size, begin.dtype)
    here.fails((begin < 0) | (begin > room))
    return begin


@lowers(ENGINE, records.one_hot)
def _one_hot(
    here: Lowering, node: Node, indices: Lowered, on: Lowered, off: Lowered, depth: int, axis: int = -1
) -> Lowered:
    after = indices.ndim - axis % (indices.ndim + 1)
    places = jnp.arange(depth).reshape((-1,) + (1,) * after)
    return jnp.where(jnp.expand_dims(array(numbers(indices)), axis) == places, array(on), array(off))


# Diagonals and bands of matrices


@lowers(ENGINE, records.diagonal)
def _diagonal(here: Lowering, node: Node, x: Lowered, k: int = 0) -> Lowered:
    return jnp.diagonal(array(x), k, -2, -1)


@lowers(ENGINE, records.diag)
def _diag(here: Lowering, node: Node, x: Lowered, k: int = 0) -> Lowered:
    n = x.shape[-1] + abs(k)
    rows = np.arange(x.shape[-1]) + max(-k, 0)
    return jnp.zeros((*x.shape[:-1], n, n), x.dtype).at[..., rows, rows + k].set(array(x))


@lowers(ENGINE, records.set_diag)
def _set_diag(here: Lowering, node: Node, x: Lowered, diagonal: Lowered, k: int = 0) -> Lowered:
    rows = np.arange(diagonal.shape[-1]) + max(-k, 0)
    return array(x).at[..., rows, rows + k].set(array(diagonal))


@lowers(ENGINE, records.band_part)
def _band_part(here: Lowering, node: Node, x: Lowered, lower: int, upper: int) -> Lowered:
    below = jnp.arange(x.shape[-2])[:, None] - jnp.arange(x.shape[-1])
    kept = ((lower < 0) | (below <= lower)) & ((upper < 0) | (-below <= upper))
    return jnp.where(kept, array(x), jnp.zeros((), x.dtype))
