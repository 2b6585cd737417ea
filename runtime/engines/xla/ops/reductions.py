"""Reductions over axes, running sums and products, norms. Order and positions are in order.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ....base.dtypes import DType
from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op, lowers
from ....ops.infer import axes_of
from ....ops.reduce.reduce import neutral
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dtype_of, quotient, refuse, working

Axis = int | tuple[int, ...] | None


def _sum(record: Op, function: Callable[..., Lowered]) -> None:
    @lowers(ENGINE, record)
    def lower(
        here: Lowering, node: Node, x: Lowered, axis: Axis = None, keepdims: bool = False, dtype: DType | None = None
    ) -> Lowered:
        wide = working(dtype_of(node))
        return function(array(x), axis=axis, keepdims=keepdims, dtype=wide).astype(dtype_of(node))


_sum(records.sum, jnp.sum)
_sum(records.prod, jnp.prod)


@lowers(ENGINE, records.mean)
def _mean(
    here: Lowering, node: Node, x: Lowered, axis: Axis = None, keepdims: bool = False, dtype: DType | None = None
) -> Lowered:  # fmt: skip
    target = dtype_of(node)
    total = jnp.sum(array(x), axis=axis, keepdims=keepdims, dtype=working(target))
    count = x.size // max(total.size, 1)
    if target.kind in "iu":
        return lax.div(total, jnp.full_like(total, max(count, 1)))
    return quotient(total, count).astype(target)


def _extreme(record: Op, function: Callable[..., Lowered], largest: bool) -> None:
    @lowers(ENGINE, record)
    def lower(here: Lowering, node: Node, x: Lowered, axis: Axis = None, keepdims: bool = False) -> Lowered:
        dtype = dtype_of(node)
        start = np.asarray(neutral(dtype, largest), dtype)  # of uint64 it is more than JAX takes a Python int for
        return function(array(x), axis=axis, keepdims=keepdims, initial=start)


_extreme(records.max, jnp.max, True)
_extreme(records.min, jnp.min, False)


def _truth(record: Op, function: Callable[..., Lowered]) -> None:
    @lowers(ENGINE, record)
    def lower(here: Lowering, node: Node, x: Lowered, axis: Axis = None, keepdims: bool = False) -> Lowered:
        return function(array(x) != 0, axis=axis, keepdims=keepdims).astype(dtype_of(node))


_truth(records.all, jnp.all)
_truth(records.any, jnp.any)
_truth(records.count_nonzero, lambda hits, **geometry: jnp.sum(hits, dtype=np.int64, **geometry))


@lowers(ENGINE, records.logsumexp)
def _logsumexp(here: Lowering, node: Node, x: Lowered, axis: Axis = None, keepdims: bool = False) -> Lowered:
    x = array(x).astype(working(dtype_of(node)))
    top = jnp.max(x, axis=axis, keepdims=True, initial=-np.inf)
    top = jnp.where(jnp.isfinite(top), top, jnp.zeros((), x.dtype))
    result = jnp.log(jnp.sum(jnp.exp(x - top), axis=axis, keepdims=True)) + top
    dropped = axes_of(axis, x.ndim)
    return (result if keepdims else jnp.squeeze(result, dropped)).astype(dtype_of(node))


def _variance(x: Lowered, axis: Axis, keepdims: bool, ddof: int) -> Lowered:
    """The mean square of the distance from the mean, of floats or complex numbers."""
    mean = jnp.mean(x, axis=axis, keepdims=True)
    away = x - mean
    squares = jnp.square(away.real) + jnp.square(away.imag) if away.dtype.kind == "c" else jnp.square(away)
    total = jnp.sum(squares, axis=axis, keepdims=keepdims)
    return quotient(total, max(x.size // max(total.size, 1) - ddof, 0))


def _spread(record: Op, function: Callable[[Lowered], Lowered]) -> None:
    @lowers(ENGINE, record)
    def lower(
        here: Lowering, node: Node, x: Lowered, axis: Axis = None, keepdims: bool = False, ddof: int = 0
    ) -> Lowered:  # fmt: skip
        wide = np.dtype(x.dtype) if x.dtype.kind == "c" else working(dtype_of(node))
        return function(_variance(array(x).astype(wide), axis, keepdims, ddof)).astype(dtype_of(node))


_spread(records.var, lambda x: x)
_spread(records.std, jnp.sqrt)


# Norms


@lowers(ENGINE, records.norm)
def _norm(
    here: Lowering, node: Node, x: Lowered, ord: Any = None, axis: Axis = None, keepdims: bool = False
) -> Lowered:  # fmt: skip
    x = array(x) if x.dtype.kind == "c" else array(x).astype(working(dtype_of(node)))
    shape = (1,) * x.ndim if keepdims else ()
    if axis is None:
        return jnp.linalg.norm(x.reshape(-1), ord=ord).reshape(shape).astype(dtype_of(node))
    return jnp.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims).astype(dtype_of(node))


# What runs along an axis


def _running(record: Op, function: Callable[..., Lowered], start: float) -> None:
    @lowers(ENGINE, record)
    def lower(
        here: Lowering, node: Node, x: Lowered, axis: int = 0, exclusive: bool = False, reverse: bool = False
    ) -> Lowered:  # fmt: skip
        x, axis = array(x), axis % x.ndim
        result = function(x, axis=axis, reverse=reverse)
        if not exclusive:
            return result
        pads = [(0, 0, 0)] * x.ndim
        pads[axis] = (-1, 1, 0) if reverse else (1, -1, 0)
        return lax.pad(result, jnp.asarray(start, x.dtype), pads) if x.shape[axis] else result


def _logaddexp_along(x: Lowered, axis: int, reverse: bool) -> Lowered:
    return lax.associative_scan(jnp.logaddexp, x, axis=axis, reverse=reverse) if x.size else x


_running(records.cumsum, lax.cumsum, 0)
_running(records.cumprod, lax.cumprod, 1)
_running(records.cumulative_logsumexp, _logaddexp_along, -np.inf)


@lowers(ENGINE, records.linear_recurrence)
def _linear_recurrence(here: Lowering, node: Node, a: Lowered, b: Lowered, axis: int) -> Lowered:
    """Pairs of a factor and a sum, which combine in any order."""

    def combine(first: tuple[Lowered, Lowered], then: tuple[Lowered, Lowered]) -> tuple[Lowered, Lowered]:
        return first[0] * then[0], first[1] * then[0] + then[1]

    a, b = array(a), array(b)
    return lax.associative_scan(combine, (a, b), axis=axis % b.ndim)[1] if b.size else b


# Counts


@lowers(ENGINE, records.bincount)
def _bincount(
    here: Lowering, node: Node, x: Lowered, *weights: Lowered, minlength: int = 0, maxlength: int | None = None,
    dtype: DType | None = None,
) -> Lowered:  # fmt: skip
    if minlength != maxlength:
        refuse("as many counts as the numbers tell", node)
    numbers = array(x).reshape(-1).astype(np.int64)
    here.fails(numbers < 0)
    added = array(weights[0]).reshape(-1) if weights else jnp.ones((), dtype_of(node))
    return jnp.zeros(minlength, dtype_of(node)).at[numbers].add(added, mode="drop")
