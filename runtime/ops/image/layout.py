"""Pixels in other places: mirrored, turned, cropped, padded."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..control import identity
from ..elementwise.elementwise import cast, where
from ..infer import exactly, require
from ..shape import joining
from ..shape.create import range as range_
from ..shape.gather import gather, slice
from ..shape.shape import expand_dims, reshape, reverse
from ..shape.shape import transpose as permuted
from .checks import Size, dims, ensure, image_of, known, larger, smaller

__all__ = [
    "central_crop", "crop_to_bounding_box", "flip_left_right", "flip_up_down", "pad_to_bounding_box",
    "resize_with_crop_or_pad", "rot90", "transpose",
]  # fmt: skip


def flip_left_right(image: TensorLike) -> Tensor:
    """An image `[height, width, channels]`, or a batch of them, mirrored: the first column becomes the last one.

    Shape and dtype stay. Raises `InvalidArgumentError` for another rank and for empty images.
    """
    return flipped(image_of(image, "flip_left_right"), -2)


def flip_up_down(image: TensorLike) -> Tensor:
    """An image `[height, width, channels]`, or a batch of them, upside down: the first row becomes the last one.

    Shape and dtype stay. Raises `InvalidArgumentError` for another rank and for empty images.
    """
    return flipped(image_of(image, "flip_up_down"), -3)


def flipped(images: Tensor, axis: int) -> Tensor:
    """Images mirrored along an axis that is counted from the back."""
    return reverse(images, [(images.ndim or 0) + axis])


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """An image `[height, width, channels]`, or a batch of them, with rows and columns exchanged; the dtype stays.

    Raises `InvalidArgumentError` for another rank and for empty images.
    """
    return _exchanged(image_of(image, "transpose"), name)


def _exchanged(images: Tensor, name: str | None = None) -> Tensor:
    return permuted(images, (1, 0, 2) if images.ndim == 3 else (0, 2, 1, 3), name=name or "transpose")


def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """An image `[height, width, channels]`, or a batch of them, turned `k` times by 90 degrees, counter-clockwise.

    The dtype stays; odd numbers of turns exchange height and width. Raises `InvalidArgumentError` for another rank,
    empty images and a `k` that is no scalar.
    """
    x = image_of(image, "rot90")
    turns = convert_to_tensor(k, "int32")
    exactly(turns.static_shape, 0, "k")
    count = known(turns)
    if isinstance(count, Tensor):
        return _turned(x, turns % 4, name)
    if count % 4 == 0:
        return identity(x, name)
    if count % 4 == 1:
        return _exchanged(flipped(x, -2), name)
    return flipped(flipped(x, -2), -3) if count % 4 == 2 else flipped(_exchanged(x), -2)


def _turned(x: Tensor, turns: Tensor, name: str | None) -> Tensor:
    """Images turned as often as only a run knows: which pixel goes where depends on it."""
    *batch, height, width, depth = dims(x)
    odd = turns % 2 == 1
    tall, wide = where(odd, width, height), where(odd, height, width)
    i, j = expand_dims(range_(tall), 1), expand_dims(range_(wide), 0)
    # Each is meant for its number of turns alone; others may name places that there are not.
    row = where(turns == 0, i, where(turns == 1, j, where(turns == 2, height - 1 - i, height - 1 - j)))
    column = where(turns == 0, j, where(turns == 1, width - 1 - i, where(turns == 2, width - 1 - j, i)))
    places = reshape(row * width + column, [-1])
    flat = reshape(x, [*batch, height * width, depth])
    return reshape(gather(flat, places, axis=len(batch)), [*batch, tall, wide, depth], name)


def central_crop(image: TensorLike, central_fraction: Any) -> Tensor:
    """The middle of an image `[height, width, channels]`, or of a batch of them.

    central_fraction: how much of height and width stays, above 0 up to 1; what is cut off is the same on both sides.
    The dtype stays. Raises `InvalidArgumentError` for another fraction or rank, and for empty images.
    """
    fraction = known(central_fraction)
    if isinstance(fraction, Tensor):
        ensure(fraction, ">", 0.0, "central_fraction must be within (0, 1]")
        ensure(1.0, ">=", fraction, "central_fraction must be within (0, 1]")
        fraction = cast(fraction, "float64")
    else:
        require(0 < fraction <= 1, f"central_fraction must be within (0, 1], not {fraction}")
    x = image_of(image, "central_crop")
    height, width = dims(x)[-3:-1]
    top, left = (_margin(size, fraction) for size in (height, width))
    return _region(x, top, left, height - top * 2, width - left * 2)


def _margin(size: Size, fraction: Any) -> Size:
    """Half of what is cut off."""
    if isinstance(size, Tensor) or isinstance(fraction, Tensor):
        whole = cast(size, "float64")
        return cast((whole - whole * fraction) / 2, "int32")
    return int((float(size) - float(size) * fraction) / 2)


def _region(x: Tensor, top: Size, left: Size, height: Size, width: Size) -> Tensor:
    *batch, _, _, depth = dims(x)
    return slice(x, _vector([*[0 for _ in batch], top, left, 0]), [*batch, height, width, depth])


def _vector(numbers: list[Size]) -> Any:
    if any(isinstance(number, Tensor) for number in numbers):
        return joining.stack([cast(number, "int32") for number in numbers])
    return np.array(numbers, np.int32)


def crop_to_bounding_box(
    image: TensorLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The part of an image `[height, width, channels]`, or of a batch of them, from a corner, of a size.

    offset_height, offset_width: how many rows and columns come before it. The dtype stays. Raises
    `InvalidArgumentError` for another rank, empty images, and a part that is empty or does not lie inside.
    """
    x = image_of(image, "crop_to_bounding_box", assumed=3)
    height, width = dims(x)[-3:-1]
    offset_height, offset_width, target_height, target_width = map(
        known, (offset_height, offset_width, target_height, target_width)
    )
    ensure(offset_width, ">=", 0, "offset_width must be at least 0")
    ensure(offset_height, ">=", 0, "offset_height must be at least 0")
    ensure(target_width, ">", 0, "target_width must be above 0")
    ensure(target_height, ">", 0, "target_height must be above 0")
    ensure(width, ">=", target_width + offset_width, "the width must hold target_width + offset_width")
    ensure(height, ">=", target_height + offset_height, "the height must hold target_height + offset_height")
    return _region(x, offset_height, offset_width, target_height, target_width)


def pad_to_bounding_box(
    image: TensorLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """An image `[height, width, channels]`, or a batch of them, with zeros around it, to a size.

    offset_height, offset_width: how many rows and columns of zeros come before it. The dtype stays. Raises
    `InvalidArgumentError` for another rank, empty images, and a size that does not hold the image.
    """
    x = image_of(image, "pad_to_bounding_box", assumed=3)
    height, width = dims(x)[-3:-1]
    offset_height, offset_width, target_height, target_width = map(
        known, (offset_height, offset_width, target_height, target_width)
    )
    right, below = target_width - offset_width - width, target_height - offset_height - height
    ensure(offset_height, ">=", 0, "offset_height must be at least 0")
    ensure(offset_width, ">=", 0, "offset_width must be at least 0")
    ensure(right, ">=", 0, "the width must be at most target_width - offset_width; what is left of it")
    ensure(below, ">=", 0, "the height must be at most target_height - offset_height; what is left of it")
    batch = [0, 0] if x.ndim == 4 else []
    paddings = reshape(_vector([*batch, offset_height, below, offset_width, right, 0, 0]), [-1, 2])
    padded = joining.pad(x, paddings)
    return _of_size(padded, x, target_height, target_width)


def _of_size(result: Tensor, x: Tensor, height: Size, width: Size) -> Tensor:
    """`result`, which has a size that a tensor gave where it is not known."""
    static = [*(x.static_shape or ())]
    static[-3:-1] = [None if isinstance(size, Tensor) else size for size in (height, width)]
    return result if list(result.static_shape or ()) == static else _ensured(result, static)


def _ensured(result: Tensor, static: list[Any]) -> Tensor:
    from_run = dims(result)
    return reshape(result, [known(run) if size is None else size for size, run in zip(static, from_run, strict=True)])


def resize_with_crop_or_pad(image: TensorLike, target_height: Any, target_width: Any) -> Tensor:
    """An image `[height, width, channels]`, or a batch of them, cut off or filled up with zeros to a size.

    What is cut off, or added, is the same on both sides; of an odd number one more is at the end. The dtype stays.
    Raises `InvalidArgumentError` for another rank, empty images, and a size that is not above 0.
    """
    x = image_of(image, "resize_with_crop_or_pad", assumed=3)
    target_height, target_width = known(target_height), known(target_width)
    ensure(target_width, ">", 0, "target_width must be above 0")
    ensure(target_height, ">", 0, "target_height must be above 0")
    height, width = dims(x)[-3:-1]
    missing = target_height - height, target_width - width
    top, left = (larger(-each // 2, 0) for each in missing)
    cropped = crop_to_bounding_box(x, top, left, smaller(target_height, height), smaller(target_width, width))
    above, before = (larger(each // 2, 0) for each in missing)
    return pad_to_bounding_box(cropped, above, before, target_height, target_width)
