"""Parts of images in boxes, and which boxes to keep. A box is `[y1, x1, y2, x2]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, float32, int32
from ...ir.op import NOT_DIFFERENTIABLE, Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast, clip_by_value, where
from ..elementwise.math import ceil, floor
from ..infer import exactly, require, require_kind
from ..kernels import samples as s
from ..shape.create import range as range_
from ..shape.gather import gather
from ..shape.shape import expand_dims, reshape
from .checks import Size, dims, ensure, known

__all__ = ["crop_and_resize", "non_max_suppression"]


def crop_and_resize(
    image: TensorLike, boxes: TensorLike, box_indices: TensorLike, crop_size: Sequence[Any], method: str = "bilinear",
    extrapolation_value: float = 0.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Parts of images `[batch, height, width, channels]`, brought to one size: float32 `[boxes, *crop_size, channels]`.

    boxes: `[n, 4]`, where 0 is the middle of the first row or column and 1 that of the last; one with `y1 > y2` or
    `x1 > x2` mirrors. box_indices: the image of each box. method: "bilinear" or "nearest". extrapolation_value: what
    lies outside of the image. Raises `InvalidArgumentError` for other ranks, and sizes below 1,
    `OutOfRangeError` for images that are not there.
    """
    x, corners, numbers = convert_to_tensor(image), cast(boxes, float32), convert_to_tensor(box_indices, int32)
    exactly(x.static_shape, 4, "crop_and_resize: image")
    exactly(corners.static_shape, 2, "crop_and_resize: boxes")
    exactly(numbers.static_shape, 1, "crop_and_resize: box_indices")
    require_kind(x, "iuf", "crop_and_resize: image")
    require(method in ("bilinear", "nearest"), f"method is bilinear or nearest, not {method!r}")
    require(len(crop_size) == 2, f"crop_size is a height and a width, not {len(crop_size)} numbers")
    ensure(dims(corners)[1], "==", 4, "crop_and_resize needs boxes of 4 numbers")
    ensure(dims(corners)[0], "==", dims(numbers)[0], "crop_and_resize needs one of box_indices for each box")
    batch, height, width, _ = dims(x)
    numbers = gather(range_(batch), numbers)  # raises for what is none of them
    crop_height, crop_width = (known(convert_to_tensor(each, int32)) for each in crop_size)
    for size in (height, width, crop_height, crop_width):
        ensure(size, ">", 0, "crop_and_resize needs a height and a width above 0")
    rows = expand_dims(_places(corners[:, 0], corners[:, 2], height, crop_height), 2)
    columns = expand_dims(_places(corners[:, 1], corners[:, 3], width, crop_width), 1)
    read = _Reader(cast(x, float32), numbers)
    value = read.near(rows, columns) if method == "nearest" else read.between(rows, columns)
    inside = _inside(rows, height) & _inside(columns, width)
    return where(expand_dims(inside, -1), value, cast(extrapolation_value, float32), name)


def _places(start: Tensor, end: Tensor, size: Size, count: Size) -> Tensor:
    """Where the pixels of each box lie along an axis: `[boxes, count]`."""
    last, steps = cast(size, float32) - 1, cast(count, float32) - 1
    start, end = expand_dims(start, 1), expand_dims(end, 1)
    step = (end - start) * last / where(steps > 0, steps, 1)
    along = start * last + expand_dims(cast(range_(count), float32), 0) * step
    return where(steps > 0, along, 0.5 * (start + end) * last)


def _inside(place: Tensor, size: Size) -> Tensor:
    return (place >= 0) & (place <= cast(size, float32) - 1)


class _Reader:
    """Reads pixels of a batch of images, each box from its own."""

    def __init__(self, images: Tensor, numbers: Tensor) -> None:
        batch, self.height, self.width, depth = dims(images)
        self.pixels = reshape(images, [batch * self.height * self.width, depth])
        self.first = reshape(numbers, [-1, 1, 1]) * self.height

    def at(self, row: Tensor, column: Tensor) -> Tensor:
        row = cast(clip_by_value(row, 0, cast(self.height, float32) - 1), int32)
        column = cast(clip_by_value(column, 0, cast(self.width, float32) - 1), int32)
        return gather(self.pixels, (self.first + row) * self.width + column, axis=0)

    def near(self, rows: Tensor, columns: Tensor) -> Tensor:
        return self.at(floor(rows + 0.5), floor(columns + 0.5))

    def between(self, rows: Tensor, columns: Tensor) -> Tensor:
        top, left, bottom, right = floor(rows), floor(columns), ceil(rows), ceil(columns)
        down, across = expand_dims(rows - top, -1), expand_dims(columns - left, -1)
        above, below = (
            self.at(row, left) + (self.at(row, right) - self.at(row, left)) * across for row in (top, bottom)
        )
        return above + (below - above) * down


def _overlaps(box: Array, others: Array) -> Array:
    """The intersection over the union of a box and each of others, whose corners are sorted; 0 for empty boxes."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.maximum(sides, 0).prod(axis=1)
    area, areas = (box[2:] - box[:2]).prod(), (others[:, 2:] - others[:, :2]).prod(axis=1)
    union = area + areas - shared
    return np.where((area > 0) & (areas > 0), shared / np.where(union > 0, union, 1), 0)


def _suppressed(boxes: Any, scores: Any, size: Any, iou_threshold: Any, score_threshold: Any) -> Any:
    require(0 <= iou_threshold <= 1, f"iou_threshold must be from 0 to 1, not {iou_threshold}")
    require(size >= 0, f"max_output_size must be at least 0, not {size}")
    require(len(boxes) == len(scores), f"there are {len(boxes)} boxes and {len(scores)} scores")
    pairs = np.asarray(boxes).reshape(-1, 2, 2)
    corners = np.concatenate([pairs.min(axis=1), pairs.max(axis=1)], axis=1)
    order = [number for number in np.argsort(-np.asarray(scores), kind="stable") if scores[number] > score_threshold]
    kept: list[int] = []
    for number in order:
        if len(kept) >= size:
            break
        if not (_overlaps(corners[number], corners[kept]) > iou_threshold).any():
            kept.append(number)
    return np.array(kept, np.int32)


def _infer(boxes: Type, scores: Type, size: Type, iou_threshold: Type, score_threshold: Type) -> Type:
    for each, rank, what in ((boxes, 2, "boxes"), (scores, 1, "scores"), (size, 0, "max_output_size"),
                             (iou_threshold, 0, "iou_threshold"), (score_threshold, 0, "score_threshold")):  # fmt: skip
        exactly(each.shape, rank, what)
        require_kind(each, "iu" if each is size else "f", what)
    if boxes.shape is not None:
        require(boxes.shape[1] in (None, 4), f"a box has 4 numbers, not {boxes.shape[1]}")
        count = None if scores.shape is None else scores.shape[0]
        require(None in (count, boxes.shape[0]) or count == boxes.shape[0],
                f"there are {boxes.shape[0]} boxes and {count} scores")  # fmt: skip
    return Type(int32, (None,))


_BOXES = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 1.0], [3.0, 3.0, 3.0, 4.0]]
suppression_op = op(
    "non_max_suppression", infer=_infer, numpy=_suppressed, gradient=NOT_DIFFERENTIABLE, fresh=True,
    raises=(InvalidArgumentError,),
    samples=lambda: [s.sample(_BOXES, [0.5, 0.9, 0.1, 0.7], 3, 0.5, -np.inf),
                     s.sample(_BOXES, [0.5, 0.9, 0.1, 0.7], 2, 0.99, 0.2),
                     s.sample(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), 3, 0.5, 0.0)],
    doc="The indices of the boxes to keep, the best first.", tensorflow_name="NonMaxSuppressionV3",
)  # fmt: skip


def non_max_suppression(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), name: str | None = None,
) -> Tensor:  # fmt: skip
    """The indices (int32) of boxes to keep, those of the highest scores first, at most `max_output_size`.

    boxes: `[n, 4]`, any two opposite corners; scores: `[n]`. A box is left out if it and one that is kept have more
    than `iou_threshold` of their union in common, or its score is not above `score_threshold`. Raises
    `InvalidArgumentError` for other shapes and dtypes, and for an `iou_threshold` outside of [0, 1].
    """
    limits = cast(iou_threshold, float32), cast(score_threshold, float32)
    return suppression_op(boxes, scores, convert_to_tensor(max_output_size, int32), *limits, name=name)
