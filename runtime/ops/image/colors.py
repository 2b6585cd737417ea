"""Colours in other spaces."""

from __future__ import annotations

import numpy as np

from ...base.dtypes import float32
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import clip_by_value, where
from ..elementwise.math import absolute, maximum, minimum
from ..infer import rank_of, require, require_kind, text
from ..linalg.linalg import tensordot
from ..shape.joining import stack, tile
from ..shape.shape import expand_dims, reshape
from .checks import dims, ensure
from .dtypes import convert_image_dtype

__all__ = [
    "grayscale_to_rgb", "hsv_to_rgb", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb",
    "yuv_to_rgb",
]  # fmt: skip

# The matrices of NTSC's YIQ and PAL's YUV, in the digits that TensorFlow has: one row for each channel that comes in.
_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_FROM_YIQ = [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_FROM_YUV = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def of_colors(images: TensorLike, what: str) -> Tensor:
    """Images of any shape whose last axis has three channels."""
    x = convert_to_tensor(images)
    require(rank_of(x, what) >= 1, f"{what} takes images with a last axis of 3 channels, not a scalar")
    ensure(dims(x)[-1], "==", 3, f"{what} takes images with 3 channels")
    return x


def _floating(images: TensorLike, what: str) -> Tensor:
    x = of_colors(images, what)
    require_kind(x, "f", f"{what}: images")
    return x


def _mixed(images: TensorLike, matrix: list[list[float]], what: str) -> Tensor:
    x = _floating(images, what)
    return tensordot(x, np.array(matrix, x.dtype.numpy), [[rank_of(x, what) - 1], [0]])


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Colours as brightness and two differences, those of NTSC: `(..., 3)` floats to the same shape and dtype.

    Raises `InvalidArgumentError` for other than 3 channels and for dtypes that are not floating.
    """
    return _mixed(images, _YIQ, "rgb_to_yiq")


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of `rgb_to_yiq`, with the same errors."""
    return _mixed(images, _FROM_YIQ, "yiq_to_rgb")


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Colours as brightness and two differences, those of PAL: `(..., 3)` floats to the same shape and dtype.

    Raises `InvalidArgumentError` for other than 3 channels and for dtypes that are not floating.
    """
    return _mixed(images, _YUV, "rgb_to_yuv")


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of `rgb_to_yuv`, with the same errors."""
    return _mixed(images, _FROM_YUV, "yuv_to_rgb")


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The brightness of colours: `(..., 3)` to `(..., 1)` of the same dtype.

    Raises `InvalidArgumentError` for other than 3 channels, and dtypes that are neither floating nor integers.
    """
    x = of_colors(images, "rgb_to_grayscale")
    weights = np.array([0.2989, 0.5870, 0.1140], np.float32)
    gray = tensordot(convert_image_dtype(x, float32), weights, [[rank_of(x, "rgb_to_grayscale") - 1], [0]])
    return convert_image_dtype(expand_dims(gray, -1), x.dtype, name=name)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Brightness as three equal channels: `(..., 1)` to `(..., 3)` of the same dtype.

    Raises `InvalidArgumentError` for other than one channel, and for less than two axes.
    """
    x = convert_to_tensor(images)
    rank = rank_of(x, "grayscale_to_rgb")
    require(rank >= 2, f"grayscale_to_rgb takes images of rank 2 or more, not of shape {text(x.static_shape)}")
    ensure(dims(x)[-1], "==", 1, "grayscale_to_rgb takes images with one channel")
    gray = reshape(x, [*dims(x)[:-1], 1])  # so that its one channel is known
    return tile(gray, [1] * (rank - 1) + [3], name)


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Colours as hue, saturation and value, each from 0 to 1: `(..., 3)` floats to the same shape and dtype.

    Raises `InvalidArgumentError` for other than 3 channels and for dtypes that are not floating. See Smith (1978),
    "Color gamut transform pairs".
    """
    x = _floating(images, "rgb_to_hsv")
    red, green, blue = (x[..., channel] for channel in range(3))
    value = maximum(maximum(red, green), blue)
    width = value - minimum(minimum(red, green), blue)
    # What is not chosen is divided by 1: its gradient would be NaN.
    saturation = where(value > 0, width / where(value > 0, value, 1), 0)
    part = 1 / (6 * where(width > 0, width, 1))
    hue = where(
        red == value, part * (green - blue),
        where(green == value, part * (blue - red) + 2 / 6, part * (red - green) + 4 / 6),
    )  # fmt: skip
    hue = where(width > 0, hue, 0)
    return stack([where(hue < 0, hue + 1, hue), saturation, value], axis=-1, name=name or "rgb_to_hsv")


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `rgb_to_hsv`, with the same errors."""
    x = _floating(images, "hsv_to_rgb")
    hue, saturation, value = (x[..., channel] for channel in range(3))
    place = hue * 6
    parts = absolute(place - 3) - 1, 2 - absolute(place - 2), 2 - absolute(place - 4)
    pure = (clip_by_value(part, 0, 1) for part in parts)
    return stack([((1 - saturation) + saturation * part) * value for part in pure], axis=-1, name=name or "hsv_to_rgb")
