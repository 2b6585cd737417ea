"""How images vary, and how much two of them differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.dtypes import float32
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..control import identity
from ..elementwise.elementwise import cast
from ..elementwise.math import absolute, log, square, subtract
from ..elementwise.nn import softmax
from ..infer import rank_of, require, require_kind, text
from ..linalg.convolution import depthwise_conv2d
from ..reduce.reduce import reduce_mean, reduce_sum
from ..shape.create import range as range_
from ..shape.joining import concat, pad, stack, tile
from ..shape.shape import reshape, shape
from .checks import dims, ensure
from .dtypes import convert_image_dtype

__all__ = ["image_gradients", "psnr", "sobel_edges", "ssim", "total_variation"]


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbouring pixels: of one image a scalar, of a batch a vector.

    The dtype stays. Raises `InvalidArgumentError` for another rank than 3 and 4.
    """
    x = convert_to_tensor(images)
    rank = rank_of(x, "total_variation")
    require(rank in (3, 4), f"total_variation takes images of rank 3 or 4, not of shape {text(x.static_shape)}")
    axes = [-3, -2, -1]
    down, right = x[..., 1:, :, :] - x[..., :-1, :, :], x[..., 1:, :] - x[..., :-1, :]
    return identity(reduce_sum(absolute(down), axes) + reduce_sum(absolute(right), axes), name)


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """The differences to the next row, and to the next column, of images `[batch, height, width, channels]`.

    Both have the shape and dtype of the images, with zeros in the last row or column. Raises `InvalidArgumentError`
    for another rank.
    """
    x = _batch(image, "image_gradients")
    down = pad(x[:, 1:] - x[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    right = pad(x[:, :, 1:] - x[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return down, right


def _batch(image: TensorLike, what: str) -> Tensor:
    x = convert_to_tensor(image)
    rank = rank_of(x, what)
    require(rank == 4, f"{what} takes images [batch, height, width, channels], not of shape {text(x.static_shape)}")
    return x


def sobel_edges(image: TensorLike) -> Tensor:
    """Sobel's differences of rows and of columns: floats `[batch, height, width, channels]` to `[…, channels, 2]`.

    Borders are reflected. Raises `InvalidArgumentError` for another rank, a dtype that is not floating, and less than
    two rows or columns.
    """
    x = _batch(image, "sobel_edges")
    require_kind(x, "f", "sobel_edges: images")
    padded = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    across = padded[:, :, :-2] + 2 * padded[:, :, 1:-1] + padded[:, :, 2:]
    along = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    return stack([across[:, 2:] - across[:, :-2], along[:, :, 2:] - along[:, :, :-2]], axis=-1)


def _pair(a: TensorLike, b: TensorLike, what: str) -> tuple[Tensor, Tensor]:
    """Two images whose last three axes have the same sizes."""
    one, other = convert_to_tensor(a), convert_to_tensor(b)
    for x in (one, other):
        require(rank_of(x, what) >= 3, f"{what} takes images of rank 3 or more, not of shape {text(x.static_shape)}")
    for size, wanted in zip(dims(one)[-3:], dims(other)[-3:], strict=True):
        ensure(size, "==", wanted, f"{what} takes two images of one height, width and number of channels")
    return one, other


def psnr(a: TensorLike, b: TensorLike, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of images `(..., height, width, channels)`, in decibels: float32 `(...)`.

    max_val: the range of the values, such as 255 or 1.0. It is infinite for equal images. Raises
    `InvalidArgumentError` for images of different sizes, and of a rank below 3.
    """
    one, other = _pair(a, b, "psnr")
    peak = convert_image_dtype(cast(max_val, one.dtype), float32)
    difference = convert_image_dtype(one, float32) - convert_image_dtype(other, float32)
    error = reduce_mean(square(difference), [-3, -2, -1])
    return subtract(20 * log(peak) / np.float32(np.log(10)), np.float32(10 / np.log(10)) * log(error), name)


def ssim(
    img1: TensorLike, img2: TensorLike, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5,
    k1: float = 0.01, k2: float = 0.03, return_index_map: bool = False,
) -> Tensor:  # fmt: skip
    """The structural similarity of images `(..., height, width, channels)`: float32 `(...)`, 1 for equal ones.

    max_val: the range of the values, such as 255 or 1.0. return_index_map: give it for each place of the filter
    instead of its mean, `(..., height - filter_size + 1, width - filter_size + 1)`. Raises `InvalidArgumentError` for
    images of different sizes, of a rank below 3, and smaller than the filter. See Wang et al. (2004), "Image quality
    assessment: from error visibility to structural similarity".
    """
    one, other = _pair(img1, img2, "ssim")
    for size in dims(one)[-3:-1]:
        ensure(size, ">=", filter_size, "ssim takes images that are at least as large as filter_size")
    peak = convert_image_dtype(cast(max_val, one.dtype), float32)
    x, y = convert_image_dtype(one, float32), convert_image_dtype(other, float32)
    weights = _gaussian(filter_size, filter_sigma, dims(x)[-1])
    found = _similarity(x, y, weights, square(k1 * peak), square(k2 * peak))
    return reduce_mean(found if return_index_map else reduce_mean(found, [-3, -2]), [-1])


def _gaussian(size: int, sigma: float, depth: Any) -> tuple[Tensor, Tensor]:
    """The two filters, down and across, whose product is a Gaussian bell that sums to 1."""
    places = cast(range_(size), float32) - (size - 1) / 2
    bell = softmax(square(places) * (-0.5 / sigma**2))
    filters = tile(reshape(bell, [size, 1, 1, 1]), [1, 1, depth, 1])
    return filters, reshape(filters, [1, size, depth, 1])


def _similarity(x: Tensor, y: Tensor, weights: tuple[Tensor, Tensor], c1: Tensor, c2: Tensor) -> Tensor:
    mean_x, mean_y = _smoothed(x, weights), _smoothed(y, weights)
    product, squares = mean_x * mean_y * 2, square(mean_x) + square(mean_y)
    luminance = (product + c1) / (squares + c1)
    both, each = _smoothed(x * y, weights) * 2, _smoothed(square(x) + square(y), weights)
    return luminance * ((both - product + c2) / (each - squares + c2))


def _smoothed(x: Tensor, weights: tuple[Tensor, Tensor]) -> Tensor:
    sizes = dims(x)
    images = reshape(x, [-1, *sizes[-3:]])
    for part in weights:
        images = depthwise_conv2d(images, part, [1, 1, 1, 1], "VALID")
    return reshape(images, concat([shape(x)[:-3], shape(images)[1:]], 0)) if len(sizes) != 4 else images
