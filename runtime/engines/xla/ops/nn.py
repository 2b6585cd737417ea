"""Softmax, losses and poolings."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.reduce.reduce import neutral
from ....ops.shape.windows import Windows
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dims_of, quotient, working
from .indices import numbers

# Softmax and losses


def _shifted(x: Lowered, axis: int) -> Lowered:
    """Logits in the dtype to calculate in, less the largest, so that nothing overflows."""
    wide = array(x).astype(working(np.dtype(x.dtype)))
    return wide - jnp.max(wide, axis=axis, keepdims=True, initial=-np.inf)


def _log_softmax(x: Lowered, axis: int) -> Lowered:
    shifted = _shifted(x, axis)
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis=axis, keepdims=True))


@lowers(ENGINE, records.softmax)
def softmax(here: Lowering, node: Node, x: Lowered, axis: int = -1) -> Lowered:
    powers = jnp.exp(_shifted(x, axis))
    return (powers / jnp.sum(powers, axis=axis, keepdims=True)).astype(x.dtype)


@lowers(ENGINE, records.log_softmax)
def log_softmax(here: Lowering, node: Node, x: Lowered, axis: int = -1) -> Lowered:
    return _log_softmax(x, axis).astype(x.dtype)


@lowers(ENGINE, records.sparse_softmax_cross_entropy)
def _sparse_softmax_cross_entropy(here: Lowering, node: Node, labels: Lowered, logits: Lowered) -> Lowered:
    labels = array(numbers(labels))
    here.fails((labels < 0) | (labels >= logits.shape[-1]))
    picked = jnp.take_along_axis(_log_softmax(logits, -1), labels[..., None], axis=-1, mode="clip")
    return (-picked[..., 0]).astype(logits.dtype)


@lowers(ENGINE, records.softmax_cross_entropy)
def _softmax_cross_entropy(here: Lowering, node: Node, labels: Lowered, logits: Lowered) -> Lowered:
    terms = _log_softmax(logits, -1)
    return (-jnp.sum(array(labels).astype(terms.dtype) * terms, axis=-1)).astype(logits.dtype)


@lowers(ENGINE, records.sigmoid_cross_entropy)
def _sigmoid_cross_entropy(here: Lowering, node: Node, labels: Lowered, logits: Lowered) -> Lowered:
    x, z = array(logits), array(labels)
    return jnp.maximum(x, jnp.zeros((), x.dtype)) - x * z + jnp.log1p(jnp.exp(-jnp.abs(x)))


# Poolings: channels are the last axis


def _windows(lengths: Any, sizes: Any, strides: Any, padding: Any) -> Windows:
    return Windows(lengths, sizes, strides, (1,) * len(sizes), padding)


def _folded(x: Lowered, windows: Windows, start: Any, combine: Any) -> Lowered:
    """All elements of each window combined."""
    first = np.asarray(start, x.dtype)  # an ndarray tells JAX which of its reductions this is
    sizes, strides, pads = (1, *windows.sizes, 1), (1, *windows.strides, 1), ((0, 0), *windows.pads, (0, 0))
    return lax.reduce_window(x, first, combine, sizes, strides, pads)


@lowers(ENGINE, records.max_pool)
def _max_pool(here: Lowering, node: Node, x: Lowered, **geometry: Any) -> Lowered:
    windows = _windows(x.shape[1:-1], **geometry)
    return _folded(array(x), windows, neutral(np.dtype(x.dtype), True), lax.max)


@lowers(ENGINE, records.max_pool_places)
def _max_pool_places(here: Lowering, node: Node, x: Lowered, **geometry: Any) -> Lowered:
    """One place of the windows after the other: a later element has to be larger, or the first that is no number."""
    windows = _windows(x.shape[1:-1], **geometry)
    pads = ((0, 0), *windows.pads, (0, 0))
    values = jnp.pad(array(x), pads, constant_values=neutral(np.dtype(x.dtype), True))
    places = jnp.pad(jnp.arange(x.size).reshape(x.shape), pads, constant_values=-1)
    best: Lowered = None
    found: Lowered = None
    for _, index in windows.taps():
        value, place = values[index], places[index]
        if best is None:
            best, found = value, place
            continue
        better = (value > best) | (found < 0)
        if x.dtype.kind == "f":
            better |= jnp.isnan(value) & ~jnp.isnan(best)
        best, found = jnp.where(better, value, best), jnp.where(better, place, found)
    return found


@lowers(ENGINE, records.max_pool_transpose)
def _max_pool_transpose(here: Lowering, node: Node, g: Lowered, x: Lowered, **geometry: Any) -> Lowered:
    """One place of the windows after the other, which unlike a scatter is done on each device for its samples."""
    g, x, windows = array(g), array(x), _windows(x.shape[1:-1], **geometry)
    if not g.size:
        return jnp.zeros(x.shape, g.dtype)
    found = _max_pool_places(here, node, x, **geometry)
    places = jnp.pad(jnp.arange(x.size).reshape(x.shape), ((0, 0), *windows.pads, (0, 0)), constant_values=-1)
    total = jnp.zeros(places.shape, g.dtype)
    for _, index in windows.taps():
        part = jnp.where(found == places[index], g, jnp.zeros((), g.dtype))
        steps = [(each.start, size - each.stop, each.step - 1)
                 for each, size in zip(index[1:], windows.padded_lengths, strict=True)]  # fmt: skip
        total = total + lax.pad(part, jnp.zeros((), g.dtype), [(0, 0, 0), *steps, (0, 0, 0)])
    return total[windows.inner()]


def _shares(windows: Windows, dtype: Any) -> Lowered:
    """How many elements of each window are no padding."""
    return _folded(jnp.ones((1, *windows.lengths, 1), dtype), windows, 0, lax.add)


@lowers(ENGINE, records.avg_pool)
def _avg_pool(here: Lowering, node: Node, x: Lowered, **geometry: Any) -> Lowered:
    windows = _windows(x.shape[1:-1], **geometry)
    wide = array(x).astype(working(np.dtype(x.dtype)))
    return quotient(_folded(wide, windows, 0, lax.add), _shares(windows, wide.dtype)).astype(x.dtype)


@lowers(ENGINE, records.avg_pool_transpose)
def _avg_pool_transpose(here: Lowering, node: Node, g: Lowered, *dims: Lowered, shape: Any, **geometry: Any) -> Lowered:
    shape = dims_of(here, dims, shape, "the shape")
    windows = _windows(shape[1:-1], **geometry)
    wide = array(g).astype(working(np.dtype(g.dtype)))
    if 0 in shape or not wide.size:
        return jnp.zeros(shape, g.dtype)
    share = quotient(wide, _shares(windows, wide.dtype))
    spread = jax.linear_transpose(lambda x: _folded(x, windows, 0, lax.add), jax.ShapeDtypeStruct(shape, wide.dtype))
    return spread(share)[0].astype(g.dtype)
