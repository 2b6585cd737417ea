"""Poolings over one, two or three spatial axes: the maximum or the mean of each window.

The mean leaves out elements of the padding, and the maximum never is one. Where several elements of a window are its
maximum, the first gets the gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.dtypes import Array, int64
from ...base.shapes import Shape, is_compatible
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Type, op, type_of
from ...ir.raising import given_shape
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..infer import exactly, product, rank_of, require, require_kind, text
from ..kernels import samples as s
from ..shape.dims import as_dims
from ..shape.gather import gather_op
from ..shape.shape import reshape
from ..shape.shape import shape as shape_of
from ..shape.windows import (
    Padding,
    Windows,
    as_given,
    channels_first,
    channels_last,
    counts_of,
    entries,
    padding_argument,
)
from .reduce import neutral

__all__ = [
    "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool", "max_pool1d", "max_pool2d", "max_pool3d", "pool",
]  # fmt: skip


# Inference.


def _infer(x: Type, sizes: tuple[int, ...], strides: tuple[int, ...], padding: Padding) -> Type:
    exactly(x.shape, len(sizes) + 2, "the tensor")
    shape = (None,) * (len(sizes) + 2) if x.shape is None else x.shape
    ones = (1,) * len(sizes)
    return Type(x.dtype, (shape[0], *counts_of(shape[1:-1], sizes, strides, ones, padding), shape[-1]))


def _infer_max(x: Type, **geometry: Any) -> Type:
    require_kind(x, "iuf", "the tensor")
    return _infer(x, **geometry)


def _infer_place(x: Type, **geometry: object) -> Type:
    return Type(int64, _infer_max(x, **geometry).shape)


def _infer_collect(g: Type, x: Type, **geometry: Any) -> Type:
    require_kind(g, "f", "the tensor")
    expected = _infer_max(x, **geometry).shape
    require(is_compatible(g.shape, expected), f"{text(g.shape)} is not the shape {text(expected)} of the pooling")
    return Type(g.dtype, x.shape)


def _infer_mean(x: Type, **geometry: Any) -> Type:
    require_kind(x, "f", "the tensor")
    return _infer(x, **geometry)


def _infer_spread(g: Type, *_: Type, shape: Shape, **geometry: Any) -> Type:
    require_kind(g, "f", "the tensor")
    rank = len(geometry["sizes"])
    exactly(shape, rank + 2, "the output")
    full = (None,) * (rank + 2) if shape is None else shape
    expected = _infer(Type(g.dtype, full), **geometry).shape
    require(
        is_compatible(g.shape, expected),
        f"{text(g.shape)} is not the shape {text(expected)} of a pooling of {text(shape)}",
    )
    return Type(g.dtype, full)


# Kernels.


def _windows(lengths: Any, sizes: Any, strides: Any, padding: Padding) -> Windows:
    return Windows(lengths, sizes, strides, (1,) * len(sizes), padding)


def _maximum(x: Array, sizes: object, strides: object, padding: Padding) -> Any:
    windows = _windows(x.shape[1:-1], sizes, strides, padding)
    return _largest(windows, windows.padded(x, neutral(x.dtype, True)))


def _largest(windows: Windows, padded: Any) -> Any:
    result = None
    for _, index in windows.taps():
        result = padded[index].copy() if result is None else np.maximum(result, padded[index], out=result)
    return result


def _place(x: Array, sizes: object, strides: object, padding: Padding) -> Any:
    """The position in the flat tensor of the first maximum of each window."""
    windows = _windows(x.shape[1:-1], sizes, strides, padding)
    padded = windows.padded(x, neutral(x.dtype, True))
    places = windows.padded(np.arange(x.size).reshape(x.shape), -1)
    best: Any = None
    for _, index in windows.taps():
        values = padded[index]
        if best is None:
            best, found = values.copy(), places[index].copy()
            continue
        # A window may begin in the padding; what is not a number is the maximum.
        better = (values > best) | (found < 0) | (np.isnan(values) & ~np.isnan(best) if x.dtype.kind == "f" else False)
        np.copyto(best, values, where=better)
        np.copyto(found, places[index], where=better)
    return found


def _collect(g: Array, x: Array, **geometry: Any) -> Any:
    _infer_collect(type_of(g), type_of(x), **geometry)
    windows = _windows(x.shape[1:-1], **geometry)
    padded, zero = windows.padded(x, neutral(x.dtype, True)), np.zeros((), g.dtype)
    inside = windows.padded(np.ones((1, *windows.lengths, 1), bool), False)
    best, result = _largest(windows, padded), np.zeros(padded.shape, g.dtype)
    has_nan = x.dtype.kind == "f" and np.isnan(best).any()
    is_left = np.ones(best.shape, bool)
    for _, index in windows.taps():
        here = padded[index] == best
        if has_nan:
            here |= np.isnan(padded[index])
        here &= is_left & inside[index]
        is_left ^= here
        result[index] += np.where(here, g, zero)
    return np.ascontiguousarray(result[windows.inner()])


def _counts(windows: Windows, dtype: DTypeLike) -> Any:
    """The number of elements in each window that are no padding, `[1, *counts, 1]`."""
    ones = windows.padded(np.ones((1, *windows.lengths, 1), dtype))
    total = np.zeros((1, *windows.counts, 1), dtype)
    for _, index in windows.taps():
        total += ones[index]
    return total


def _mean(x: Array, sizes: object, strides: object, padding: Padding) -> Any:
    windows = _windows(x.shape[1:-1], sizes, strides, padding)
    padded = windows.padded(x)
    total = np.zeros((x.shape[0], *windows.counts, x.shape[-1]), x.dtype)
    for _, index in windows.taps():
        total += padded[index]
    total /= _counts(windows, x.dtype)
    return total


def _spread(g: Array, *dims: Any, shape: Any, sizes: Array, strides: object, padding: Padding) -> Any:
    shape = tuple(dims[0].tolist()) if dims else shape
    _infer_spread(type_of(g), shape=shape, sizes=sizes, strides=strides, padding=padding)
    windows = _windows(shape[1:-1], sizes, strides, padding)
    share = g / _counts(windows, g.dtype)
    result = np.zeros((shape[0], *windows.padded_lengths, shape[-1]), g.dtype)
    for _, index in windows.taps():
        result[index] += share
    return np.ascontiguousarray(result[windows.inner()])


# The ops.


def _max_gradient(g: Tensor, out: Tensor, x: Tensor, **geometry: Any) -> tuple[Any]:
    return (collect_op(g, x, **geometry),)


def _collect_gradient(h: Tensor, out: Tensor, g: Tensor, x: Tensor, **geometry: Any) -> tuple[Any, None]:
    return gather_op(reshape(h, [-1]), place_op(x, **geometry), axis=0, batch_dims=0), None


def _mean_gradient(g: Tensor, out: Tensor, x: Tensor, **geometry: Any) -> tuple[Any]:
    hint, inputs = as_dims(shape_of(x) if x.static_shape is None or None in x.static_shape else x.static_shape)
    return (spread_op(g, *inputs, shape=hint, **geometry),)


def _spread_gradient(
    h: object, out: Tensor, g: Tensor, *dims: object, shape: Shape, **geometry: Any
) -> tuple[Any, ...]:
    return mean_op(h, **geometry), *(None for _ in dims)


_CASES: list[tuple[Any, tuple[Any, Any, Any]]] = [
    ((2, 4, 5, 2), ((2, 2), (2, 2), "VALID")), ((1, 5, 5, 2), ((3, 2), (2, 2), "SAME")),
    ((1, 4, 4, 1), ((3, 3), (1, 1), "SAME")), ((1, 3, 4, 1), ((2, 2), (2, 1), ((1, 0), (0, 1)))),
    ((2, 5, 2), ((2,), (2,), "SAME")), ((1, 2, 3, 2, 2), ((2, 2, 1), (1, 1, 1), "VALID")),
    ((0, 4, 4, 1), ((2, 2), (2, 2), "SAME")), ((1, 2, 1, 1), ((3, 1), (1, 1), "VALID")),
]  # fmt: skip


def _samples(integers: bool = False) -> Callable[[], list[Any]]:
    def samples() -> list[Any]:
        found = []
        for shape, (sizes, strides, padding) in _CASES:
            x = (np.arange(int(product(shape) or 0)) * 7 % 23 / 5 - 2).reshape(shape).astype(np.float32)
            geometry = {"sizes": sizes, "strides": strides, "padding": padding}
            found.append(s.sample(x, **geometry))
            if integers:
                found.append(s.sample((x * 5).astype(np.int32), **geometry))
        return found

    return samples


def _collections() -> list[Any]:
    return [s.sample(_maximum(*inputs, **geometry), *inputs, **geometry) for inputs, geometry in _samples()()]


def _spreads() -> list[Any]:
    found = []
    for inputs, geometry in _samples()():
        g, shape = _mean(*inputs, **geometry), inputs[0].shape
        found += [s.sample(g, shape=shape, **geometry),
                  s.sample(g, np.array(shape, np.int64), shape=(None,) * len(shape), **geometry)]  # fmt: skip
    return found


max_op = op(
    "max_pool", infer=_infer_max, numpy=_maximum, gradient=_max_gradient, fresh=True, samples=_samples(True),
    doc="The maximum of each window.", attributes=kinds("sizes strides padding"), native=True,
)  # fmt: skip
place_op = op(
    "max_pool_places", infer=_infer_place, numpy=_place, gradient=NOT_DIFFERENTIABLE, fresh=True,
    samples=_samples(True), doc="The position of the first maximum of each window in the flat tensor.",
    attributes=kinds("sizes strides padding"),
)  # fmt: skip
collect_op = op(
    "max_pool_transpose", infer=_infer_collect, numpy=_collect, gradient=_collect_gradient, fresh=True,
    samples=_collections, attributes=kinds("sizes strides padding"),
    doc="The adjoint of `max_pool` at a tensor: each element added to the first maximum of its window.", native=True,
)  # fmt: skip
mean_op = op(
    "avg_pool", infer=_infer_mean, numpy=_mean, gradient=_mean_gradient, fresh=True, samples=_samples(),
    doc="The mean of each window, without the padding.", attributes=kinds("sizes strides padding"), native=True,
)  # fmt: skip
spread_op = op(
    "avg_pool_transpose", infer=_infer_spread, numpy=_spread, gradient=_spread_gradient, fresh=True, samples=_spreads,
    raises=given_shape(1), doc="The adjoint of `avg_pool`: each element spread evenly over its window.",
    attributes=kinds("shape sizes strides padding"), native=True,
)  # fmt: skip


# What users call.


def _pool(
    record: Any, rank: int, input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None,
    name: str | None
) -> Any:  # fmt: skip
    first = channels_first(data_format, rank)
    sizes, pads = entries(ksize, rank, "sizes", first), padding_argument(padding, rank, first)
    if not isinstance(pads, str):
        inside = all(max(pair) < size for pair, size in zip(pads, sizes, strict=True))
        require(inside, f"windows of {sizes} elements may lie wholly in padding of {pads}")
    x = channels_last(input, first, rank)
    result = record(x, sizes=sizes, strides=entries(strides, rank, "strides", first), padding=pads, name=name)
    return as_given(result, first, rank)


def _rank_of(input: Tensor) -> int:
    rank = rank_of(convert_to_tensor(input), "pooling")
    require(rank in (3, 4, 5), f"pooling takes tensors of rank 3, 4 or 5, not {rank}")
    return rank - 2


def max_pool(
    input: Any, ksize: Any, strides: object, padding: object, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """The maximum of each window, over the spatial axes of a tensor of rank 3, 4 or 5; see `max_pool2d`."""
    return _pool(max_op, _rank_of(input), input, ksize, strides, padding, data_format, name)


def max_pool1d(
    input: TensorLike,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of `input[batch, width, channels]`; see `max_pool2d`."""
    return _pool(max_op, 1, input, ksize, strides, padding, data_format, name)


def max_pool2d(
    input: TensorLike,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of `input[batch, height, width, channels]`.

    Parameters
    ----------
    ksize, strides: the sizes of the windows and the distances between them: an integer, one for each spatial axis, or
        one for each of the four axes.
    padding: "SAME", "VALID", or a list of pairs for each of the four axes, less than the sizes.
    data_format: "NHWC", or "NCHW" for channels first.

    The result is `[batch, height', width', channels]` of the same dtype. Raises `InvalidArgumentError` for what does
    not fit.
    """
    return _pool(max_op, 2, input, ksize, strides, padding, data_format, name)


def max_pool3d(
    input: TensorLike,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of `input[batch, depth, height, width, channels]`; see `max_pool2d`."""
    return _pool(max_op, 3, input, ksize, strides, padding, data_format, name)


def avg_pool(
    input: Any, ksize: Any, strides: object, padding: object, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """The mean of each window, over the spatial axes of a tensor of rank 3, 4 or 5; see `avg_pool2d`."""
    return _pool(mean_op, _rank_of(input), input, ksize, strides, padding, data_format, name)


def avg_pool1d(
    input: TensorLike,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of `input[batch, width, channels]`; see `avg_pool2d`."""
    return _pool(mean_op, 1, input, ksize, strides, padding, data_format, name)


def avg_pool2d(
    input: TensorLike,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of `input[batch, height, width, channels]`, a floating tensor.

    Elements of the padding do not count. The arguments are those of `max_pool2d`.
    """
    return _pool(mean_op, 2, input, ksize, strides, padding, data_format, name)


def avg_pool3d(
    input: TensorLike,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of `input[batch, depth, height, width, channels]`; see `avg_pool2d`."""
    return _pool(mean_op, 3, input, ksize, strides, padding, data_format, name)


def pool(
    input: Any, window_shape: object, pooling_type: str, strides: object = None, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """`max_pool` or `avg_pool`, as the type "MAX" or "AVG" says; windows are 1 apart when left out.

    Raises `InvalidArgumentError` for another type, and for dilations.
    """
    record = {"MAX": max_op, "AVG": mean_op}.get(pooling_type)
    require(record is not None, f'the type of pooling is "MAX" or "AVG", not {pooling_type!r}')
    apart = [dilations] if isinstance(dilations, int) else dilations or ()
    require(all(each == 1 for each in apart), f"pooling knows no dilations, not {dilations!r}")
    strides = 1 if strides is None else strides
    return _pool(record, _rank_of(input), input, window_shape, strides, padding, data_format, name)
