"""Windows that slide over images, each as a vector: `tf.image.extract_patches`."""

from __future__ import annotations

from collections.abc import Sequence

from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..infer import exactly, rank_of, require, whole
from ..shape.create import range as range_
from ..shape.gather import gather
from ..shape.joining import pad
from ..shape.shape import expand_dims, reshape, transpose
from ..shape.windows import span
from .checks import Size, dims, ensure, larger

__all__ = ["extract_patches"]


def extract_patches(
    images: TensorLike, sizes: Sequence[int], strides: Sequence[int], rates: Sequence[int], padding: str,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Windows of images `[batch, height, width, channels]`: `[batch, rows, columns, size * size * channels]`.

    sizes, strides, rates: `[1, down, across, 1]` each: how large windows are, how far apart, and how far apart their
    pixels are. padding: "VALID", or "SAME" with zeros around the images. The dtype stays. Raises `InvalidArgumentError`
    for another rank, other lists, another padding, and windows that do not fit.
    """
    x = convert_to_tensor(images)
    rank_of(x, "extract_patches")
    exactly(x.static_shape, 4, "extract_patches: images")
    require(padding in ("VALID", "SAME"), f"padding is VALID or SAME, not {padding!r}")
    size, stride, rate = (_inner(given, what) for given, what in ((sizes, "sizes"), (strides, "strides"),
                                                                  (rates, "rates")))  # fmt: skip
    batch, *lengths, depth = dims(x)
    counts, margins = [], [(0, 0)]
    for axis in range(2):
        count, margin = _windows(lengths[axis], size[axis], stride[axis], rate[axis], padding)
        counts.append(count)
        margins.append(margin)
    if padding == "SAME":
        x = pad(x, [*margins, (0, 0)])
    rows, columns = (_places(counts[axis], size[axis], stride[axis], rate[axis]) for axis in range(2))
    parts = gather(gather(x, rows, axis=1), columns, axis=3)  # batch, rows, down, columns, across, depth
    return reshape(transpose(parts, (0, 1, 3, 2, 4, 5)), [batch, *counts, size[0] * size[1] * depth], name)


def _inner(given: Sequence[int], what: str) -> tuple[int, int]:
    numbers = [whole(each, what) for each in given]
    fits = len(numbers) == 4 and numbers[0] == numbers[3] == 1 and min(numbers) > 0
    require(fits, f"{what} is [1, down, across, 1] of numbers above 0, not {numbers}")
    return numbers[1], numbers[2]


def _windows(length: Size, size: int, stride: int, rate: int, padding: str) -> tuple[Size, tuple[Size, Size]]:
    """How many windows there are along an axis, and how many zeros come before and after."""
    wide = span(size, rate)
    if padding == "VALID":
        ensure(length, ">=", wide, "extract_patches needs images that hold a window")
        return (length - wide) // stride + 1, (0, 0)
    count = (length + stride - 1) // stride
    missing = larger((count - 1) * stride + wide - length, 0)
    return count, (missing // 2, missing - missing // 2)


def _places(count: Size, size: int, stride: int, rate: int) -> Tensor:
    """The indices of the pixels of each window, along one axis."""
    return expand_dims(range_(count) * stride, 1) + range_(size) * rate
