"""Order: sorting, positions of extremes, the largest elements, places in sorted sequences.

A NaN counts as larger than every number. All sorting is stable, so that positions are those of the plan.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....base.dtypes import DType
from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op, lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dtype_of


def _position(record: Op, function: Callable[..., Lowered]) -> None:
    @lowers(ENGINE, record)
    def lower(
        here: Lowering, node: Node, x: Lowered, axis: int | None = None, keepdims: bool = False,
        dtype: DType | None = None,
    ) -> Lowered:  # fmt: skip
        x = array(x)
        if (x.size if axis is None else x.shape[axis]) == 0:
            here.fails(True)
        x = x.astype(np.int8) if x.dtype.kind == "b" else x
        return function(x, axis=axis, keepdims=keepdims).astype(dtype_of(node))


_position(records.argmax, jnp.argmax)
_position(records.argmin, jnp.argmin)


@lowers(ENGINE, records.sort)
def _sort(here: Lowering, node: Node, x: Lowered, axis: int = -1, descending: bool = False) -> Lowered:
    result = jnp.sort(array(x), axis)
    return jnp.flip(result, axis) if descending else result


def _order(x: Lowered, axis: int, descending: bool) -> Lowered:
    if not descending:
        return jnp.argsort(x, axis, stable=True)
    backwards = jnp.flip(jnp.argsort(jnp.flip(x, axis), axis, stable=True), axis)
    return x.shape[axis] - 1 - backwards


@lowers(ENGINE, records.argsort)
def _argsort(
    here: Lowering, node: Node, x: Lowered, axis: int = -1, descending: bool = False, dtype: DType | None = None
) -> Lowered:  # fmt: skip
    return _order(array(x), axis, descending).astype(dtype_of(node))


@lowers(ENGINE, records.top_k)
def _top_k(here: Lowering, node: Node, x: Lowered, k: int, dtype: DType | None = None) -> tuple[Lowered, Lowered]:
    x = array(x)
    order = lax.top_k(_keys(x), k)[1]
    return jnp.take_along_axis(x, order, -1), order.astype(dtype_of(node, 1))


def _keys(x: Lowered) -> Lowered:
    """Numbers whose order in XLA, where 0.0 is above -0.0 and a NaN has a sign, is that of the plan."""
    if x.dtype.kind != "f":
        return x.astype(np.int8) if x.dtype.kind == "b" else x
    return jnp.where(x != x, jnp.asarray(np.nan, x.dtype), jnp.where(x == 0, jnp.zeros((), x.dtype), x))


@lowers(ENGINE, records.searchsorted)
def _searchsorted(
    here: Lowering, node: Node, sequence: Lowered, values: Lowered, side: str = "left", dtype: DType | None = None
) -> Lowered:  # fmt: skip
    def search(sequence: Lowered, values: Lowered) -> Lowered:
        return jnp.searchsorted(sequence, values, side=side)

    for _ in range(sequence.ndim - 1):
        search = jax.vmap(search)
    return search(array(sequence), array(values)).astype(dtype_of(node))


@lowers(ENGINE, records.sequence_mask)
def _sequence_mask(
    here: Lowering, node: Node, lengths: Lowered, *longest: Lowered, maxlen: int | None = None
) -> Lowered:  # fmt: skip
    if maxlen is None:
        maxlen = int(here.static(longest[0] if longest else lengths, "the length of a mask's rows").max(initial=0))
    return jnp.arange(maxlen) < jnp.expand_dims(array(lengths), -1)


@lowers(ENGINE, records.invert_permutation)
def _invert_permutation(here: Lowering, node: Node, x: Lowered) -> Lowered:
    x = array(x)
    result = jnp.full_like(x, -1).at[jnp.clip(x, 0)].set(jnp.arange(x.size, dtype=x.dtype), mode="drop")
    here.fails((result < 0) | (x < 0) | (x >= x.size))
    return result
