"""Images whose pixels come from other places, which an affine map of theirs gives."""

from __future__ import annotations

from autograph.runtime.base.dtypes import float32, int32
from autograph.runtime.ops.elementwise.elementwise import cast, clip_by_value, where
from autograph.runtime.ops.elementwise.math import ceil, floor
from autograph.runtime.ops.image.checks import Size, dims
from autograph.runtime.ops.shape.create import range as range_
from autograph.runtime.ops.shape.gather import gather
from autograph.runtime.ops.shape.shape import expand_dims, reshape
from autograph.runtime.tensors.tensor import Tensor

__all__ = ["FILL_MODES", "transformed"]

FILL_MODES = ("constant", "nearest", "reflect", "wrap")

Matrix = tuple[tuple[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
"""For a batch: pixel (x, y) comes from ``a0 * x + a1 * y + a2``, and from the same with the second three."""


def transformed(images: Tensor, matrix: Matrix, interpolation: str, fill_mode: str, fill_value: float) -> Tensor:
    """Images [batch, height, width, channels] moved by maps [batch, 1, 1]; the shape and dtype stay.

    fill_mode: what there is beyond the border: "constant", which is `fill_value`, the "nearest" pixel, the image
    again ("wrap"), or mirrored ("reflect").
    """
    _, height, width, _ = dims(images)
    x, y = expand_dims(cast(range_(width), float32), 0), expand_dims(cast(range_(height), float32), 1)
    column, row = (_within(a * x + b * y + c, size, fill_mode)
                   for (a, b, c), size in zip(matrix, (width, height), strict=True))  # fmt: skip
    if interpolation == "nearest":
        return _read(images, _rounded(row), _rounded(column), fill_value)
    top, left = floor(row), floor(column)
    down, right = (cast(expand_dims(part, -1), images.dtype) for part in (row - top, column - left))
    above, below = (
        _read(images, place, left, fill_value) * (1 - right) + _read(images, place, left + 1, fill_value) * right
        for place in (top, top + 1)
    )
    return above * (1 - down) + below * down


def _rounded(place: Tensor) -> Tensor:
    """Half away from zero, as in C."""
    return where(place < 0, ceil(place - 0.5), floor(place + 0.5))


def _read(images: Tensor, row: Tensor, column: Tensor, fill_value: float) -> Tensor:
    """The pixels at some places; `fill_value` where there are none."""
    batch, height, width, depth = dims(images)
    last_row, last_column = cast(height, float32) - 1, cast(width, float32) - 1
    inside = (row >= 0) & (row <= last_row) & (column >= 0) & (column <= last_column)
    place = cast(clip_by_value(row, 0, last_row), int32) * width + cast(clip_by_value(column, 0, last_column), int32)
    flat = reshape(images, [batch, height * width, depth])
    found = gather(flat, reshape(place, [batch, height * width]), axis=1, batch_dims=1)
    return where(expand_dims(inside, -1), reshape(found, [batch, height, width, depth]), fill_value)


def _within(place: Tensor, size: Size, fill_mode: str) -> Tensor:
    """Where the pixel of a place beyond the border is."""
    if fill_mode == "constant":
        return place
    length = cast(size, float32)
    if fill_mode == "reflect":
        round_trip = 2 * length
        place = place - round_trip * floor(place / round_trip)
        place = where(place >= length, round_trip - place - 1, place)
    elif fill_mode == "wrap":
        place = where(place < 0, place + length * (_cut(-place / _room(length)) + 1),
                      where(place > length - 1, place - length * _cut(place / _room(length)), place))  # fmt: skip
    return clip_by_value(place, 0, length - 1)


def _room(length: Tensor) -> Tensor:
    return where(length > 1, length - 1, 1)


def _cut(number: Tensor) -> Tensor:
    """A number without its fraction."""
    return cast(cast(number, int32), float32)
