"""Storing at indices, and sums by segments.

Where an index repeats the last value stays, as in the plan. XLA stores in order on a CPU only: elsewhere the values
that are not the last ones are left out beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op, lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered, is_known
from .arrays import array, dims_of, quotient
from .indices import Key, inside, jax_key, numbers

Place = tuple[Any, ...]


def _stored(x: Lowered, place: Place, value: Lowered) -> Lowered:
    """`x` with a value at a key; where an index repeats, the last one stays."""
    if all(isinstance(part, int | slice | None) or part is Ellipsis or part.size <= 1 for part in place):
        return x.at[place].set(value)
    return lax.platform_dependent(x, value, cpu=lambda x, value: x.at[place].set(value),
                                  default=lambda x, value: last_stored(x, place, value))  # fmt: skip


def last_stored(x: Lowered, place: Place, value: Lowered) -> Lowered:
    """As `_stored`, whatever the order is in which a machine stores."""
    targets = jnp.arange(x.size).reshape(x.shape)[place]
    value = jnp.broadcast_to(value, targets.shape).reshape(-1)
    targets = targets.reshape(-1)
    order = jnp.arange(targets.size)
    last = jnp.full(x.size, -1).at[targets].max(order)
    kept = jnp.where(last[targets] == order, targets, x.size)
    return x.reshape(-1).at[kept].set(value, mode="drop").reshape(x.shape)


def _added(x: Lowered, place: Place, value: Lowered) -> Lowered:
    """`x` with a value added at a key, as often as an index repeats; a sum of booleans is true where one of them is."""
    if x.dtype == bool:
        return x.astype(np.uint8).at[place].max(value.astype(np.uint8)).astype(bool)
    return x.at[place].add(value)


def _where(x: Lowered, value: Lowered, inputs: tuple[Lowered, ...], key: Key) -> Lowered:
    """Where a mask that only the run tells is the key, and the value is the same for all: the mask; else None."""
    whole = ("slice", None, None, None)
    before = next((i for i, part in enumerate(key) if part != whole), len(key))
    rest = key[before:]
    if len(rest) != 1 or rest[0][0] != "input" or inputs[0].dtype != bool or is_known(inputs[0]):
        return None
    mask = array(inputs[0])
    after = x.ndim - before - mask.ndim
    return mask.reshape(mask.shape + (1,) * after) if value.ndim <= after else None


def _store(record: Op, store: Callable[..., Lowered], combine: Callable[[Lowered, Lowered], Lowered]) -> None:
    @lowers(ENGINE, record)
    def lower(here: Lowering, node: Node, x: Lowered, value: Lowered, *inputs: Lowered, key: Key) -> Lowered:
        x, value = array(x), array(value).astype(x.dtype)
        mask = _where(x, value, inputs, key)
        if mask is not None:
            return jnp.where(mask, combine(x, value), x)
        place = jax_key(here, node, x, inputs, key)
        return x if x.size == 0 else store(x, place, value)


_store(records.set_item, _stored, lambda x, value: value)
_store(records.add_at, _added, lambda x, value: x | value if x.dtype == bool else x + value)


@lowers(ENGINE, records.dynamic_update_slice)
def _dynamic_update_slice(here: Lowering, node: Node, x: Lowered, update: Lowered, begin: Lowered) -> Lowered:
    begin = inside(here, begin, x.shape, update.shape)
    return lax.dynamic_update_slice(array(x), array(update), [begin[i] for i in range(x.ndim)])


# Vectors of indices


def _points(here: Lowering, shape: tuple[int, ...], indices: Lowered) -> Place:
    """The key of the elements at index vectors, the last axis."""
    indices = numbers(indices)
    here.fails((indices < 0) | (indices >= np.array(shape[: indices.shape[-1]], indices.dtype)))
    return tuple(indices[..., i] for i in range(indices.shape[-1]))


def _scatter(record: Op, store: Callable[..., Lowered], combine: Callable[[Lowered, Lowered], Lowered]) -> None:
    @lowers(ENGINE, record)
    def lower(here: Lowering, node: Node, x: Lowered, indices: Lowered, updates: Lowered) -> Lowered:
        x, updates = array(x), array(updates)
        if indices.shape[-1]:
            place = _points(here, x.shape, indices)
            return store(x, place, updates) if x.size and updates.size else x
        for update in updates.reshape((-1, *x.shape)):
            x = combine(x, update)
        return x


def _chosen(name: str) -> Callable[..., Lowered]:
    def store(x: Lowered, place: Place, value: Lowered) -> Lowered:
        if x.dtype == bool:
            return store(x.astype(np.uint8), place, value.astype(np.uint8)).astype(bool)
        return getattr(x.at[place], name)(value)

    return store


_scatter(records.tensor_scatter_nd_update, _stored, lambda x, update: update)
_scatter(records.tensor_scatter_nd_add, _added, jnp.add)
_scatter(records.tensor_scatter_nd_sub, lambda x, place, update: _added(x, place, -update), jnp.subtract)
_scatter(records.tensor_scatter_nd_min, _chosen("min"), jnp.minimum)
_scatter(records.tensor_scatter_nd_max, _chosen("max"), jnp.maximum)


@lowers(ENGINE, records.scatter_nd)
def _scatter_nd(here: Lowering, node: Node, indices: Lowered, updates: Lowered, *dims: Lowered, shape: Any) -> Lowered:
    zeros = jnp.zeros(dims_of(here, dims, shape, "the shape"), updates.dtype)
    here.fails(updates.shape != (*indices.shape[:-1], *zeros.shape[indices.shape[-1] :]))
    if not indices.shape[-1]:
        return _added(zeros[None], (np.zeros(updates.size // max(zeros.size, 1), int),),
                      array(updates).reshape((-1, *zeros.shape)))[0]  # fmt: skip
    place = _points(here, zeros.shape, indices)
    return _added(zeros, place, array(updates)) if zeros.size and updates.size else zeros


# Segments


def _limit(dtype: np.dtype[Any], largest: bool) -> Any:
    limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return limits.max if largest else limits.min


_STARTS: dict[str, Callable[[np.dtype[Any]], Any]] = {
    "add": lambda dtype: 0,
    "multiply": lambda dtype: 1,
    "min": lambda dtype: _limit(dtype, True),
    "max": lambda dtype: _limit(dtype, False),
}
"""What a segment without rows is, by how rows are combined."""


def _combined(x: Lowered, ids: Lowered, count: int, name: str) -> tuple[Lowered, Lowered]:
    """The rows of each segment combined, and how many there are; rows of a negative number count nowhere."""
    rows = array(x).reshape((ids.size, *x.shape[ids.ndim :]))
    flat = array(numbers(ids)).reshape(-1)
    flat = jnp.where(flat < 0, count, flat)
    dtype = np.dtype(x.dtype)
    start = jnp.full((count, *x.shape[ids.ndim :]), _STARTS[name](dtype), dtype)
    sizes = jnp.zeros(count, np.int64).at[flat].add(1, mode="drop").reshape((-1,) + (1,) * (start.ndim - 1))
    return getattr(start.at[flat], name)(rows, mode="drop"), sizes


def _divided(total: Lowered, sizes: Lowered) -> Lowered:
    wide = total if total.dtype.kind in "fc" else total.astype(np.float64)
    return quotient(wide, jnp.maximum(sizes, 1).astype(wide.dtype)).astype(total.dtype)


def _segments(ordered: Op, loose: Op, name: str, mean: bool = False) -> None:
    """Registers the op for ids that are sorted, which tell how many segments there are, and the one for any."""

    @lowers(ENGINE, ordered)
    def sorted_(here: Lowering, node: Node, x: Lowered, ids: Lowered, count: int | None = None) -> Lowered:
        known = here.static(ids, "the number of segments")
        here.fails(known.ndim != 1 or known.shape != x.shape[:1])
        here.fails((known[:1] < 0).any() or (np.diff(known) < 0).any())
        result, sizes = _combined(x, ids, int(known[-1]) + 1 if known.size else 0, name)
        result = jnp.where(sizes > 0, result, jnp.zeros((), result.dtype))
        return _divided(result, sizes) if mean else result

    @lowers(ENGINE, loose)
    def unsorted(here: Lowering, node: Node, x: Lowered, ids: Lowered, count: int) -> Lowered:
        here.fails(numbers(ids) >= count)
        result, sizes = _combined(x, ids, count, name)
        return _divided(result, sizes) if mean else result


_segments(records.segment_sum, records.unsorted_segment_sum, "add")
_segments(records.segment_mean, records.unsorted_segment_mean, "add", mean=True)
_segments(records.segment_prod, records.unsorted_segment_prod, "multiply")
_segments(records.segment_min, records.unsorted_segment_min, "min")
_segments(records.segment_max, records.unsorted_segment_max, "max")
