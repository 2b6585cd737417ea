"""Convolutions over one, two or three spatial axes.

What is called a convolution is the cross-correlation `y[b, i, n] = sum over k, c of x[b, s*i + d*k, c] w[k, c, n]`
with strides `s` and dilations `d`. Filters of less depth than the tensor has channels work on groups of channels.
Three ops, each of which is linear in both of its tensors, are the gradients of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.shapes import Shape, is_compatible
from ...ir import work
from ...ir.kinds import kinds
from ...ir.op import Type, op, type_of
from ...ir.raising import given_shape
from ...tensors.likes import Ints, TensorLike
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..infer import Dim, exactly, require, require_kind, text
from ..kernels import convolution_kernels as kernels
from ..kernels import samples as s
from ..shape.dims import as_dims
from ..shape.shape import reshape
from ..shape.shape import shape as shape_of
from ..shape.windows import Padding, as_given, channels_first, channels_last, counts_of, entries, padding_argument

__all__ = [
    "atrous_conv2d", "conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "conv_transpose", "convolution", "depthwise_conv2d", "separable_conv2d",
]  # fmt: skip


# Inference.


def _check(x: Type, w: Type, rank: int) -> None:
    require_kind(x, "iuf", "the tensor")
    require(x.dtype is w.dtype, f"a tensor of {x.dtype.name} does not fit filters of {w.dtype.name}")
    exactly(x.shape, rank + 2, "the tensor")
    exactly(w.shape, rank + 2, "the filters")


def _dims(shape: Shape, rank: int) -> tuple[Dim, ...]:
    return (None,) * (rank + 2) if shape is None else shape


def _check_channels(channels: Dim, w: tuple[Dim, ...], what: str = "the tensor") -> None:
    depth, number = w[-2:]
    require(depth != 0, "filters without channels")
    if channels is not None and depth is not None:
        message = f"{what} has {channels} channels, which filters of depth {depth} (shape {text(w)}) do not divide"
        require(channels % depth == 0 and channels > 0, message)
        groups = channels // depth
        require(number is None or number % groups == 0, f"{groups} groups do not share {number} filters evenly")


def _infer_result(x: Type, w: Type, strides: Any, padding: Padding, dilations: Any) -> Type:
    rank = len(strides)
    _check(x, w, rank)
    lengths, sizes = _dims(x.shape, rank), _dims(w.shape, rank)
    _check_channels(lengths[-1], sizes)
    return Type(x.dtype, (lengths[0], *counts_of(lengths[1:-1], sizes[:-2], strides, dilations, padding), sizes[-1]))


def _check_result(g: Type, x: tuple[Dim, ...], w: tuple[Dim, ...], *geometry: Any) -> None:
    """Raise unless `g` has the shape of a convolution of `x` with `w`."""
    _check_channels(x[-1], w, "the output")
    strides, padding, dilations = geometry
    expected = (x[0], *counts_of(x[1:-1], w[:-2], strides, dilations, padding), w[-1])
    fits = is_compatible(g.shape, expected)
    require(fits, f"{text(g.shape)} is not the shape {text(expected)} of a convolution of {text(x)} with {text(w)}")


def _infer_input(
    g: Type, w: Type, *_: Type, shape: Shape, strides: Any, padding: Padding, dilations: object
) -> Type:  # fmt: skip
    rank = len(strides)
    _check(g, w, rank)
    exactly(shape, rank + 2, "the output")
    _check_result(g, _dims(shape, rank), _dims(w.shape, rank), strides, padding, dilations)
    return Type(g.dtype, _dims(shape, rank))


def _infer_filters(
    x: Type, g: Type, *_: Type, shape: Shape, strides: Any, padding: Padding, dilations: object
) -> Type:  # fmt: skip
    rank = len(strides)
    _check(x, g, rank)
    _check_result(g, _dims(x.shape, rank), _dims(shape, rank), strides, padding, dilations)
    return Type(x.dtype, _dims(shape, rank))


# The ops.


def _checked(infer: Callable[..., Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that raises as inference does, with a shape that is a tensor put into the attributes."""

    def run(a: TensorLike, b: TensorLike, *dims: Any, **attributes: object) -> Any:
        if dims:
            attributes["shape"] = tuple(dims[0].tolist())
        infer(type_of(a), type_of(b), **attributes)
        return kernel(a, b, **attributes)

    return run


def _like(record: Callable[..., Any], first: object, second: object, like: Tensor, geometry: dict[str, Any]) -> Any:
    """An adjoint with the result of the shape of a tensor."""
    hint, inputs = _known(like)
    return record(first, second, *inputs, shape=hint, **geometry)


def _known(like: Tensor) -> Any:
    shape = like.static_shape
    return (shape, ()) if shape is not None and None not in shape else as_dims(shape_of(like))


def _gradient(g: Tensor, out: Tensor, x: Tensor, w: Tensor, **geometry: object) -> tuple[Any, Any]:
    return lambda: _like(input_op, g, w, x, geometry), lambda: _like(filters_op, x, g, w, geometry)


def _input_gradient(
    h: object, out: Tensor, g: Tensor, w: Tensor, *dims: object, shape: Shape, **geometry: Any
) -> tuple[Any, ...]:
    dims_gradients = (None for _ in dims)
    return lambda: convolution_op(h, w, **geometry), lambda: _like(filters_op, h, g, w, geometry), *dims_gradients


def _filters_gradient(
    h: object, out: Tensor, x: Tensor, g: Tensor, *dims: object, shape: Shape, **geometry: Any
) -> tuple[Any, ...]:
    dims_gradients = (None for _ in dims)
    return lambda: _like(input_op, g, h, x, geometry), lambda: convolution_op(x, h, **geometry), *dims_gradients


# Shapes of the tensor and of the filters, and the geometry.
_CASES: list[tuple[Any, Any, Any]] = [
    ((2, 4, 5, 2), (3, 2, 2, 3), ((1, 1), "SAME", (1, 1))),
    ((1, 5, 4, 1), (2, 2, 1, 2), ((2, 1), "VALID", (1, 1))),
    ((1, 6, 5, 1), (2, 3, 1, 1), ((1, 2), "SAME", (2, 2))),
    ((1, 3, 3, 4), (2, 2, 2, 2), ((2, 2), ((1, 0), (2, 1)), (1, 1))),
    ((1, 3, 3, 3), (2, 2, 1, 6), ((1, 1), "VALID", (1, 1))),
    ((2, 5, 2), (3, 2, 1), ((3,), "SAME", (1,))),
    ((1, 2, 3, 2, 1), (2, 1, 2, 1, 2), ((1, 1, 1), "VALID", (1, 1, 1))),
    ((0, 3, 3, 1), (2, 2, 1, 1), ((1, 1), "SAME", (1, 1))),
    ((1, 1, 2, 1), (1, 3, 1, 1), ((1, 1), "VALID", (1, 1))),
]


def _numbers(*shape: int) -> Any:
    size = int(np.prod(shape))
    return ((np.arange(size) * 5 % 11 - 4) / 5).reshape(shape).astype(np.float32)


def _samples(make: Callable[..., Any]) -> Callable[[], list[Any]]:
    def samples() -> list[Any]:
        found = []
        for x, w, (strides, padding, dilations) in _CASES:
            geometry = {"strides": strides, "padding": padding, "dilations": dilations}
            counts = counts_of(x[1:-1], w[:-2], strides, dilations, padding)
            found += make(_numbers(*x), _numbers(*w), _numbers(x[0], *counts, w[-1]), geometry)  # type: ignore[arg-type]
        return found

    return samples


def _dynamic(a: Tensor, b: Tensor, shape: Any, geometry: dict[str, Any]) -> list[Any]:
    """A sample with the shape as an attribute, and one with it as a tensor."""
    dims = np.array(shape, np.int32)
    return [s.sample(a, b, shape=shape, **geometry),
            s.sample(a, b, dims, shape=(None,) * len(shape), **geometry)]  # fmt: skip


def _both_kinds(x: Tensor, w: Tensor, g: Tensor, geometry: dict[str, Any]) -> list[Any]:
    """A sample of floats, and one of integers."""
    return [s.sample(x, w, **geometry), s.sample((x * 5).astype(np.int32), (w * 5).astype(np.int32), **geometry)]


convolution_op = op(
    "convolution", infer=_infer_result, numpy=_checked(_infer_result, kernels.forward), gradient=_gradient, promote=0,
    fresh=True, samples=_samples(_both_kinds), doc="The cross-correlation of a tensor with filters.",
    products=lambda inputs, outputs, _: work.of_windows(outputs[0], inputs[1]),
    attributes=kinds("strides padding dilations"), native=True,
)  # fmt: skip
input_op = op(
    "convolution_transpose", infer=_infer_input, numpy=_checked(_infer_input, kernels.backward_input),
    gradient=_input_gradient, fresh=True, raises=given_shape(2),
    samples=_samples(lambda x, w, g, geometry: _dynamic(g, w, x.shape, geometry)),
    doc="The adjoint of `convolution` in the tensor, of a given shape.",
    products=lambda inputs, outputs, _: work.of_windows(inputs[0], inputs[1]),
    attributes=kinds("shape strides padding dilations"), native=True,
)  # fmt: skip
filters_op = op(
    "convolution_filters", infer=_infer_filters, numpy=_checked(_infer_filters, kernels.backward_filters),
    gradient=_filters_gradient, fresh=True, raises=given_shape(2),
    samples=_samples(lambda x, w, g, geometry: _dynamic(x, g, w.shape, geometry)),
    doc="The adjoint of `convolution` in the filters, of a given shape.",
    products=lambda inputs, outputs, _: work.of_windows(inputs[1], outputs[0]),
    attributes=kinds("shape strides padding dilations"), native=True,
)  # fmt: skip


# What users call.


def convolution(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID", data_format: str | None = None,
    dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The convolution over as many spatial axes (one, two or three) as the filters have; see `conv2d`."""
    input, filters = together(input, filters)
    require(filters.ndim in (3, 4, 5), f"filters have rank 3, 4 or 5, not shape {text(filters.static_shape)}")
    return _convolve(filters.ndim - 2, input, filters, strides, padding, data_format, dilations, name)


def _convolve(
    rank: int, input: Tensor, filters: Tensor, strides: Ints, padding: str | Sequence[Sequence[int]],
    data_format: str | None, dilations: Ints | None, name: str | None,
) -> Any:  # fmt: skip
    first = channels_first(data_format, rank)
    result = convolution_op(
        channels_last(input, first, rank), filters, name=name,
        strides=entries(1 if strides is None else strides, rank, "strides", first),
        padding=padding_argument(padding, rank, first),
        dilations=entries(1 if dilations is None else dilations, rank, "dilations", first),
    )  # fmt: skip
    return as_given(result, first, rank)


def conv1d(
    input: Any, filters: Any, stride: Any, padding: Any, data_format: str | None = "NWC", dilations: Any = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The convolution of `input[batch, width, channels]` with `filters[size, depth, number]`; see `conv2d`."""
    return _convolve(1, input, filters, stride, padding, data_format, dilations, name)


def conv2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", dilations: Any = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The convolution of `input[batch, height, width, channels]` with `filters[height, width, depth, number]`.

    Parameters
    ----------
    strides, dilations: an integer, one for each spatial axis, or one for each of the four axes.
    padding: "SAME", "VALID", or a list of pairs, the numbers of zeros before and after each of the four axes.
    data_format: "NHWC", or "NCHW" for channels first.

    The result is `[batch, height', width', number]` of the common dtype. Filters of less depth than there are
    channels work on `channels / depth` groups. Raises `InvalidArgumentError` for what does not fit.
    """
    return _convolve(2, input, filters, strides, padding, data_format, dilations, name)


def conv3d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC", dilations: Any = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The convolution of `input[batch, depth, height, width, channels]` with filters of rank five; see `conv2d`."""
    return _convolve(3, input, filters, strides, padding, data_format, dilations, name)


def _transposed(
    rank: int, input: Tensor, filters: Tensor, output_shape: Any, strides: Ints,
    padding: str | Sequence[Sequence[int]], data_format: str | None, dilations: Ints, name: str | None,
) -> Any:  # fmt: skip
    first = channels_first(data_format, rank)
    input, filters = together(input, filters)
    x = channels_last(input, first, rank)
    if first:
        output_shape = [output_shape[axis] for axis in (0, *range(2, rank + 2), 1)]
    hint, inputs = as_dims(output_shape)
    result = input_op(
        x, filters, *inputs, shape=hint, name=name,
        strides=entries(strides, rank, "strides", first), padding=padding_argument(padding, rank, first),
        dilations=entries(1 if dilations is None else dilations, rank, "dilations", first),
    )  # fmt: skip
    return as_given(result, first, rank)


def conv1d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME", data_format: str | None = "NWC",
    dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The adjoint of `conv1d` in its tensor: `[batch, width, number]` gives `output_shape`; see `conv2d_transpose`."""
    return _transposed(1, input, filters, output_shape, strides, padding, data_format, dilations, name)


def conv2d_transpose(
    input: Any, filters: Any, output_shape: object, strides: Any, padding: Any = "SAME",
    data_format: str | None = "NHWC", dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The adjoint of `conv2d` in its tensor (Zeiler et al., 2010).

    The filters `[height, width, depth, number]` are those of the convolution that takes a tensor of `output_shape`,
    which ends with `depth`, to one like `input`, which has `number` channels. Raises `InvalidArgumentError` when it
    does not.
    """
    return _transposed(2, input, filters, output_shape, strides, padding, data_format, dilations, name)


def conv3d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str | None = "NDHWC", dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The adjoint of `conv3d` in its tensor; see `conv2d_transpose`."""
    return _transposed(3, input, filters, output_shape, strides, padding, data_format, dilations, name)


def depthwise_conv2d(
    input: Any, filter: Any, strides: Ints, padding: str | Sequence[Sequence[int]],
    data_format: str | None = None, dilations: Ints | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of each channel by itself with `filter[height, width, channels, multiplier]`.

    The result has `channels * multiplier` channels, those of one input channel side by side; see `conv2d`.
    """
    input, filter = together(input, filter)
    exactly(filter.static_shape, 4, "the filter")
    sizes = shape_of(filter)
    channels = input.static_shape
    if channels is not None and len(channels) == 4 and filter.static_shape is not None:
        have, want = channels[1 if channels_first(data_format, 2) else -1], filter.static_shape[2]
        require(have is None or want is None or have == want, f"a filter for {want} channels, not for {have}")
    flat = reshape(filter, [sizes[0], sizes[1], 1, sizes[2] * sizes[3]])
    return conv2d(input, flat, strides, padding, data_format, dilations, name)


def separable_conv2d(
    input: TensorLike, depthwise_filter: object, pointwise_filter: object, strides: Ints,
    padding: str | Sequence[Sequence[int]], data_format: str | None = None,
    dilations: Ints | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`depthwise_conv2d`, and a convolution of its result with `pointwise_filter[1, 1, channels, number]`."""
    middle = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(middle, pointwise_filter, 1, "VALID", data_format, name=name)


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str | Sequence[Sequence[int]],
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`conv2d` without strides, with elements of the filters `rate` apart."""
    return conv2d(value, filters, 1, padding, dilations=rate, name=name)


def conv_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME", data_format: str | None = None,
    dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The adjoint of `convolution`, over as many spatial axes (one, two or three) as the filters have."""
    input, filters = together(input, filters)
    require(filters.ndim in (3, 4, 5), f"filters have rank 3, 4 or 5, not shape {text(filters.static_shape)}")
    rank = filters.ndim - 2
    return _transposed(rank, input, filters, output_shape, strides, padding, data_format, dilations, name)
