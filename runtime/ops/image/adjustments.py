"""Brightness, contrast, hue, saturation and gamma of images; each image brought to mean 0 and deviation 1."""

from __future__ import annotations

from typing import Any

from ...base.dtypes import float32
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ...tensors.trace import static_value
from ..elementwise.elementwise import cast, clip_by_value
from ..elementwise.math import divide, floormod, maximum, multiply, rsqrt
from ..infer import require
from ..reduce.reduce import reduce_mean, reduce_prod, reduce_std
from ..shape.joining import stack
from ..shape.shape import shape
from .checks import at_least_3d, ensure
from .colors import hsv_to_rgb, of_colors, rgb_to_hsv
from .dtypes import in_floats

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "per_image_standardization",
]  # fmt: skip


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Images with `delta` added, as floats from 0 to 1; integers are clipped. Shape and dtype stay.

    Raises `InvalidArgumentError` for dtypes that are neither floating nor integers.
    """
    return in_floats(image, lambda x: x + cast(delta, x.dtype))


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Images `(..., height, width, channels)` whose distances from the mean of each channel are multiplied.

    Shape and dtype stay; integers are clipped. Raises `InvalidArgumentError` for a rank below 3, and dtypes that are
    neither floating nor integers.
    """
    x = at_least_3d(images, "adjust_contrast")
    return in_floats(x, lambda floats: _spread(floats, cast(contrast_factor, float32)))


def _spread(floats: Tensor, factor: Tensor) -> Tensor:
    wide = cast(floats, float32)
    mean = reduce_mean(wide, [-3, -2], keepdims=True)
    return cast((wide - mean) * factor + mean, floats.dtype)


def adjust_gamma(image: TensorLike, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """``gain * image ** gamma``, of floats from 0 to 1; integers are clipped. Shape and dtype stay.

    Raises `InvalidArgumentError` for a `gamma` below 0, and dtypes that are neither floating nor integers.
    """
    ensure(gamma, ">=", 0, "gamma must be at least 0")
    return in_floats(image, lambda x: gain * x ** cast(gamma, x.dtype))


def adjust_hue(image: TensorLike, delta: Any, name: str | None = None) -> Tensor:
    """Images `(..., 3)` whose hue is turned by `delta`, 1 being the whole circle. Shape and dtype stay.

    Raises `InvalidArgumentError` for a `delta` outside of [-1, 1], other than 3 channels, a rank below 3, and dtypes
    that are neither floating nor integers.
    """
    turn = static_value(delta) if isinstance(delta, Tensor) else delta
    require(turn is None or bool(-1 <= turn <= 1), f"delta must be in the interval [-1, 1], not {turn}")
    x = of_colors(at_least_3d(image, "adjust_hue"), "adjust_hue")
    return in_floats(x, lambda floats: _with_hue(floats, cast(delta, float32)), saturate=False)


def _with_hue(floats: Tensor, delta: Tensor) -> Tensor:
    hsv = rgb_to_hsv(cast(floats, float32))
    turned = stack([floormod(hsv[..., 0] + delta, 1), hsv[..., 1], hsv[..., 2]], axis=-1)
    return cast(hsv_to_rgb(turned), floats.dtype)


def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    """Images `(..., 3)` whose saturation is multiplied, and clipped to [0, 1]. Shape and dtype stay.

    Raises `InvalidArgumentError` for other than 3 channels, a rank below 3, and dtypes that are neither floating nor
    integers.
    """
    x = of_colors(at_least_3d(image, "adjust_saturation"), "adjust_saturation")
    return in_floats(x, lambda floats: _saturated(floats, cast(saturation_factor, float32)), saturate=False)


def _saturated(floats: Tensor, factor: Tensor) -> Tensor:
    hsv = rgb_to_hsv(cast(floats, float32))
    saturation = clip_by_value(multiply(hsv[..., 1], factor), 0, 1)
    return cast(hsv_to_rgb(stack([hsv[..., 0], saturation, hsv[..., 2]], axis=-1)), floats.dtype)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image `(..., height, width, channels)` with mean 0 and standard deviation 1, as float32.

    The deviation that is divided by is at least one over the root of the number of elements. Raises
    `InvalidArgumentError` for a rank below 3 and for empty images.
    """
    x = cast(at_least_3d(convert_to_tensor(image), "per_image_standardization"), float32)
    least = rsqrt(cast(reduce_prod(shape(x)[-3:]), float32))
    axes = [-1, -2, -3]
    deviation = maximum(reduce_std(x, axes, keepdims=True), least)
    return divide(x - reduce_mean(x, axes, keepdims=True), deviation)
