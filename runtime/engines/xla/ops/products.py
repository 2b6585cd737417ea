"""Products of matrices and tensors, in the full precision of their dtype, and convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.shape.windows import Padding, Windows
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dims_of, dtype_of, refuse

EXACT = lax.Precision.HIGHEST
"""Accelerators would calculate products of floats of 32 bits with fewer bits than these have."""


@lowers(ENGINE, records.matmul)
def _matmul(here: Lowering, node: Node, x: Lowered, y: Lowered) -> Lowered:
    return jnp.matmul(array(x), array(y), precision=EXACT).astype(dtype_of(node))


@lowers(ENGINE, records.tensordot)
def _tensordot(here: Lowering, node: Node, x: Lowered, y: Lowered, axes: Any) -> Lowered:
    return jnp.tensordot(array(x), array(y), axes, precision=EXACT).astype(dtype_of(node))


@lowers(ENGINE, records.einsum)
def _einsum(here: Lowering, node: Node, *values: Lowered, equation: str) -> Lowered:
    try:
        return jnp.einsum(equation, *map(array, values), precision=EXACT).astype(dtype_of(node))
    except (TypeError, ValueError):  # axes of one element against longer ones
        refuse(f"an equation such as {equation!r} for these shapes", node)


@lowers(ENGINE, records.cross)
def _cross(here: Lowering, node: Node, x: Lowered, y: Lowered) -> Lowered:
    return jnp.cross(array(x), array(y)).astype(dtype_of(node))


# Convolutions: channels are the last axis, and filters of less depth work on groups of them


def _forward(
    lengths: Sequence[int], channels: int, filters: Sequence[int], strides: tuple[int, ...], padding: Padding,
    dilations: tuple[int, ...],
) -> Callable[[Lowered, Lowered], Lowered]:  # fmt: skip
    """The convolution of tensors with filters of given shapes."""
    spatial = "DHW"[3 - len(strides) :]
    pads = Windows(lengths, filters[:-2], strides, dilations, padding).pads

    def convolve(x: Lowered, w: Lowered) -> Lowered:
        return lax.conv_general_dilated(
            x, w, strides, pads, rhs_dilation=dilations, feature_group_count=channels // filters[-2],
            dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"), precision=EXACT,
        )  # fmt: skip

    return convolve


@lowers(ENGINE, records.convolution)
def _convolution(here: Lowering, node: Node, x: Lowered, w: Lowered, **geometry: Any) -> Lowered:
    return _forward(x.shape[1:-1], x.shape[-1], w.shape, **geometry)(array(x), array(w))


@lowers(ENGINE, records.convolution_transpose)
def _convolution_transpose(
    here: Lowering, node: Node, g: Lowered, w: Lowered, *dims: Lowered, shape: Any, **geometry: Any
) -> Lowered:  # fmt: skip
    shape = dims_of(here, dims, shape, "the shape")
    convolve = _forward(shape[1:-1], shape[-1], w.shape, **geometry)
    return _transposed(lambda x: convolve(x, array(w)), shape, g)


@lowers(ENGINE, records.convolution_filters)
def _convolution_filters(
    here: Lowering, node: Node, x: Lowered, g: Lowered, *dims: Lowered, shape: Any, **geometry: Any
) -> Lowered:  # fmt: skip
    shape = dims_of(here, dims, shape, "the shape")
    convolve = _forward(x.shape[1:-1], x.shape[-1], shape, **geometry)
    return _transposed(lambda w: convolve(array(x), w), shape, g)


def _transposed(function: Callable[[Lowered], Lowered], shape: tuple[int, ...], g: Lowered) -> Lowered:
    """The adjoint of a linear function of arrays of a shape, applied to `g`."""
    if 0 in g.shape or 0 in shape:
        return jnp.zeros(shape, g.dtype)
    return jax.linear_transpose(function, jax.ShapeDtypeStruct(shape, np.dtype(g.dtype)))(array(g))[0]
