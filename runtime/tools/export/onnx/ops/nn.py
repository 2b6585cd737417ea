"""Convolutions, poolings and losses. ONNX has the channels first, and filters with their numbers first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .....base.dtypes import DType, bool_, float64, uint8
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from .....ops.shape.windows import Padding, padding_of, span
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import joined, transposed, with_axes, without_axes
from .elementwise import dtype_of, is_nan
from .indices import from_start
from .reductions import log_softmax, total


def _channels_first(x: Value) -> Value:
    rank = x.rank
    return transposed(x, [0, rank - 1, *range(1, rank - 1)])


def _channels_last(x: Value, shape: Any) -> Value:
    rank = len(shape)
    x.shape = (shape[0], shape[-1], *shape[1:-1])
    return transposed(x, [0, *range(2, rank), 1])


def _geometry(
    lengths: Sequence[int | None], sizes: Sequence[int], strides: Sequence[int], dilations: Sequence[int],
    padding: Padding
) -> dict[str, Any]:  # fmt: skip
    """The attributes of windows. Where lengths are not known the runtime finds out how much SAME pads."""
    found: dict[str, Any] = {"kernel_shape": list(sizes), "strides": list(strides)}
    if any(n != 1 for n in dilations):
        found["dilations"] = list(dilations)
    is_open = any(n is None and stride > 1 for n, stride in zip(lengths, strides, strict=True))
    if padding == "SAME" and is_open:
        return {**found, "auto_pad": "SAME_UPPER"}
    pads = [padding_of(_any_length(n, size, dilation), size, stride, dilation, padding, axis)
            for axis, (n, size, stride, dilation) in enumerate(zip(lengths, sizes, strides, dilations, strict=True))]
    if any(map(any, pads)):
        found["pads"] = [before for before, _ in pads] + [after for _, after in pads]
    return found


def _any_length(length: int | None, size: int, dilation: int) -> int:
    """A length: with windows next to each other all are padded alike."""
    return span(size, dilation) if length is None else length


def _is_empty(node: Node) -> bool:
    """Whether a result has no elements, or no windows: runtimes fail there."""
    shape = node.outputs[0].shape
    return shape is not None and 0 in shape[1:]


def _empty(here: Lowering, node: Node, x: Value) -> Value:
    shape = node.outputs[0].shape
    assert shape is not None
    dims = [here.add("Shape", x, start=0, end=1, shape=(1,)) if n is None and i == 0 else here.integers(n or 0)
            for i, n in enumerate(shape)]  # fmt: skip
    return here.add("Expand", here.constant(0, node.outputs[0].dtype), joined(here, *dims))


# Convolutions


@lowers(ENGINE, records.convolution)
def _convolution(
    here: Lowering, node: Node, x: Value, w: Value, strides: tuple[int, ...], padding: Padding,
    dilations: tuple[int, ...]
) -> Value:  # fmt: skip
    if _is_empty(node):
        return _empty(here, node, x)
    shape, filters = _known(x, w)
    geometry = _geometry(shape[1:-1], filters[:-2], strides, dilations, padding)
    number_first = transposed(w, [w.rank - 1, w.rank - 2, *range(w.rank - 2)])
    result = here.add("Conv", _channels_first(x), number_first, group=shape[-1] // filters[-2], **geometry)
    return _channels_last(result, node.outputs[0].shape)


def _known(x: Value, w: Value) -> tuple[Any, Any]:
    """The shapes of a tensor and of filters, of which channels and filters have to be known."""
    if x.shape is None or w.shape is None or x.shape[-1] is None or None in w.shape:
        raise NotExported("how many channels there are is not known", "give the function an input_signature")
    return x.shape, w.shape


@lowers(ENGINE, records.convolution_transpose)
def _convolution_transpose(
    here: Lowering, node: Node, g: Value, w: Value, *dims: Value, shape: Any, strides: tuple[int, ...],
    padding: Padding, dilations: tuple[int, ...]
) -> Value:  # fmt: skip
    shape = node.outputs[0].shape
    lengths: Any = g.shape[1:-1] if g.shape is not None else (None,)
    if shape is None or w.shape is None or None in (*shape[1:], *w.shape, *lengths):
        raise NotExported("the shape of the result is not known", "give the function an input_signature with it")
    if _is_empty(node) or 0 in lengths:
        return _empty(here, node, g)
    sizes: Any = w.shape[:-2]
    geometry = _geometry(shape[1:-1], sizes, strides, dilations, padding)
    pads = geometry.get("pads", [0] * (2 * len(sizes)))
    geometry["output_padding"] = [
        n + pads[i] + pads[i + len(sizes)] - span(sizes[i], dilations[i]) - strides[i] * (lengths[i] - 1)
        for i, n in enumerate(shape[1:-1])
    ]
    number_first = transposed(w, [w.rank - 1, w.rank - 2, *range(w.rank - 2)])
    group = shape[-1] // w.shape[-2]
    result = here.add("ConvTranspose", _channels_first(g), number_first, group=group, **geometry)
    return _channels_last(result, shape)


# Poolings


def _pooled(kind: str, node: Node, x: Value, sizes: Any, strides: Any, padding: Padding, **more: Any) -> Value:
    here = x.here
    shape = x.shape if x.shape is not None else node.outputs[0].shape
    assert shape is not None
    geometry = _geometry(shape[1:-1], sizes, strides, (1,) * len(sizes), padding)
    return _channels_last(here.add(kind, _channels_first(x), **geometry, **more), node.outputs[0].shape)


@lowers(ENGINE, records.max_pool)
def _max_pool(here: Lowering, node: Node, x: Value, **geometry: Any) -> Value:
    """The largest, or NaN, which would lose there."""
    if _is_empty(node):
        return _empty(here, node, x)
    if not x.dtype.is_floating:
        return _pooled("MaxPool", node, x.cast(_exact(x.dtype)), **geometry).cast(x.dtype)
    lost = _pooled("MaxPool", node, is_nan(x).cast(uint8), **geometry)
    return here.where(lost.cast(bool_), math.nan, _pooled("MaxPool", node, x, **geometry))


def _exact(dtype: DType) -> DType:
    """A type with poolings that has all numbers of another one."""
    if dtype.size == 8:
        raise NotExported(f"onnxruntime has no MaxPool of {dtype.name}", "cast to float32 first")
    return dtype if dtype.size == 1 else float64


@lowers(ENGINE, records.avg_pool)
def _avg_pool(here: Lowering, node: Node, x: Value, **geometry: Any) -> Value:
    if _is_empty(node):
        return _empty(here, node, x)
    return _pooled("AveragePool", node, x, count_include_pad=0, **geometry)


# Losses


@lowers(ENGINE, records.sparse_softmax_cross_entropy)
def _sparse_softmax_cross_entropy(here: Lowering, node: Node, labels: Value, logits: Value) -> Value:
    rank = logits.rank
    places = with_axes(from_start(labels), rank - 1)
    picked = here.add("GatherElements", log_softmax(logits, rank - 1), places, axis=rank - 1, shape=places.shape)
    return -without_axes(picked, rank - 1)


@lowers(ENGINE, records.softmax_cross_entropy)
def _softmax_cross_entropy(here: Lowering, node: Node, labels: Value, logits: Value) -> Value:
    dtype = dtype_of(node)
    terms = labels.cast(dtype) * log_softmax(logits, logits.rank - 1).cast(dtype)
    return -total(terms, [terms.rank - 1])


@lowers(ENGINE, records.sigmoid_cross_entropy)
def _sigmoid_cross_entropy(here: Lowering, node: Node, labels: Value, logits: Value) -> Value:
    x, z = logits.cast(dtype_of(node)), labels.cast(dtype_of(node))
    rest = here.apply(records.log1p, here.add("Exp", -abs(x)))
    return here.add("Relu", x) - x * z + rest
