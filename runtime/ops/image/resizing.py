"""Images of other sizes: `tf.image.resize` and `resize_with_pad`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...base.dtypes import float32, int32
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ...tensors.trace import static_value
from ..control import identity
from ..elementwise.elementwise import cast, round
from ..elementwise.math import floor
from ..infer import rank_of, require, require_kind, text
from ..reduce.reduce import reduce_sum
from ..shape.gather import gather
from ..shape.shape import expand_dims, reshape
from .checks import Size, dims, ensure, image_of, known, larger, smaller
from .layout import pad_to_bounding_box
from .taps import KERNELS, Taps, areas, cubic, filtered, in_floats, linear, nearest

__all__ = ["ResizeMethod", "resize", "resize_with_pad"]


class ResizeMethod:
    """The methods of `resize`, by name."""

    AREA = "area"
    BICUBIC = "bicubic"
    BILINEAR = "bilinear"
    GAUSSIAN = "gaussian"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    MITCHELLCUBIC = "mitchellcubic"
    NEAREST_NEIGHBOR = "nearest"


_METHODS = ("area", "bicubic", "bilinear", "gaussian", "lanczos3", "lanczos5", "mitchellcubic", "nearest")


def resize(
    images: TensorLike, size: Any, method: str = ResizeMethod.BILINEAR, preserve_aspect_ratio: bool = False,
    antialias: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """An image `[height, width, channels]`, or a batch of them, with another height and width.

    size: the new height and width, two integers. method: one of `ResizeMethod`'s. preserve_aspect_ratio: the largest
    image of the old shape within `size`. antialias: weigh all pixels that a new one covers, which a smaller image needs
    ("area" always does, "nearest" never). The result is float32, of "nearest" it has the dtype of the images. Raises
    `InvalidArgumentError` for another rank, empty images, a size that is not above 0, and an unknown method.
    """
    x = convert_to_tensor(images)
    rank = rank_of(x, "resize")
    require(rank in (3, 4), f"resize takes images of rank 3 or 4, not of shape {text(x.static_shape)}")
    require(method in _METHODS, f"method is one of {', '.join(_METHODS)}, not {method!r}")
    require_kind(x, "iuf", "resize: images")
    height, width = _pair(size)
    if preserve_aspect_ratio:
        height, width = _within(dims(x)[-3:-1], height, width)
    for old in dims(x)[-3:-1]:
        ensure(old, ">", 0, "resize takes images with a height and width above 0")
    for new in (height, width):
        ensure(new, ">", 0, "resize needs a new height and width above 0")
    return identity(_resized(x, rank, (height, width), method, antialias), name)


def _pair(size: Any) -> tuple[Size, Size]:
    if isinstance(size, (list, tuple)):
        require(len(size) == 2, f"size is a height and a width, not {len(size)} numbers")
        return tuple(known(convert_to_tensor(each, int32)) for each in size)
    sizes = convert_to_tensor(size, int32)
    require(sizes.static_shape in (None, (2,), (None,)),
            f"size is a height and a width, not of shape {text(sizes.static_shape)}")  # fmt: skip
    values = static_value(sizes)
    return (sizes[0], sizes[1]) if values is None else (int(values[0]), int(values[1]))


def _within(old: list[Size], height: Size, width: Size) -> tuple[Size, ...]:
    """The largest size of the shape of the old one that a new one holds."""
    factor = smaller(in_floats(height) / in_floats(old[0]), in_floats(width) / in_floats(old[1]))
    scaled = [factor * in_floats(each) for each in old]
    return tuple(cast(round(each), int32) if isinstance(each, Tensor) else int(np.rint(each)) for each in scaled)


def _resized(x: Tensor, rank: int, size: tuple[Size, Size], method: str, antialias: bool) -> Tensor:
    axes = rank - 2, rank - 3
    new = dict(zip(axes, reversed(size), strict=True))
    old = {axis: dims(x)[axis] for axis in axes}
    if method == "nearest":
        for axis in axes:
            x = gather(x, nearest(old[axis], new[axis]), axis=axis)
        return x
    x = cast(x, float32)
    for axis in axes:
        if method == "bilinear" and not antialias:
            x = _between(x, axis, *linear(old[axis], new[axis]))
        else:
            x = _weighted(x, axis, *_taps(old[axis], new[axis], method, antialias))
    return x


def _taps(old: Size, new: Size, method: str, antialias: bool) -> Taps:
    if method == "area":
        return areas(old, new)
    if method == "bicubic" and not antialias:
        return cubic(old, new)
    assert method in KERNELS
    return filtered(old, new, method, antialias)


def _between(x: Tensor, axis: int, below: Tensor, above: Tensor, part: Tensor) -> Tensor:
    """Pixels between two along an axis."""
    first, second = gather(x, below, axis=axis), gather(x, above, axis=axis)
    behind = (x.ndim or 0) - axis - 1
    return first + (second - first) * reshape(part, [-1] + [1] * behind)


def _weighted(x: Tensor, axis: int, indices: Tensor, weights: Tensor) -> Tensor:
    """Sums of pixels along an axis."""
    behind = (x.ndim or 0) - axis - 1
    for _ in range(behind):
        weights = expand_dims(weights, -1)
    return reduce_sum(gather(x, indices, axis=axis) * weights, axis + 1)


def resize_with_pad(
    image: TensorLike, target_height: Any, target_width: Any, method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """An image `[height, width, channels]`, or a batch of them, made to fit a size, with zeros beside it.

    The shape of what is seen stays. Method, dtype and errors are those of `resize`.
    """
    x = image_of(image, "resize_with_pad", assumed=3)
    target = known(target_height), known(target_width)
    ensure(target[1], ">", 0, "target_width must be above 0")
    ensure(target[0], ">", 0, "target_height must be above 0")
    old = [in_floats(each) for each in dims(x)[-3:-1]]
    wanted = [in_floats(each) for each in target]
    ratio = larger(old[1] / wanted[1], old[0] / wanted[0])
    inner = [each / ratio for each in old]
    before = [larger(_floor((whole - part) / 2), 0) for whole, part in zip(wanted, inner, strict=True)]
    resized = resize(x, [_floor(each) for each in inner], method, antialias=antialias)
    return pad_to_bounding_box(resized, before[0], before[1], target[0], target[1])


def _floor(number: Any) -> Size:
    return cast(floor(number), int32) if isinstance(number, Tensor) else math.floor(number)
