"""Parts of tensors in another order: blocks of images, reversed and interleaved sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast, where
from ..infer import at_least, axis_of, rank_of, require, whole
from ..reduce.reduce import reduce_max
from .create import range as range_
from .create import zeros
from .gather import take_along_axis
from .joining import concat
from .scatter import tensor_scatter_nd_update
from .shape import broadcast_to, expand_dims, reshape, shape, transpose

__all__ = ["depth_to_space", "dynamic_stitch", "reverse_sequence", "space_to_depth"]


def space_to_depth(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Images `[batch, height, width, channels]` with square blocks of pixels put into the channels.

    The result has the shape `[batch, height / block, width / block, channels * block ** 2]`. Raises
    `InvalidArgumentError` for sizes that are no multiples of the block, another rank, and a `data_format` that is
    neither NHWC nor NCHW.
    """
    block = _block(block_size)
    if _channels_first(data_format):
        return transpose(space_to_depth(transpose(input, (0, 2, 3, 1)), block, name=name), (0, 3, 1, 2))
    x, (n, height, width, depth) = _image(input)
    for size in (height, width):
        require(not isinstance(size, int) or size % block == 0, f"{size} pixels do not divide into blocks of {block}")
    parts = reshape(x, [n, height // block, block, width // block, block, depth])
    outer = [n, height // block, width // block, depth * block * block]
    return reshape(transpose(parts, (0, 1, 3, 2, 4, 5)), outer, name)


def depth_to_space(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """The inverse of `space_to_depth`: channels put into square blocks of pixels.

    Raises `InvalidArgumentError` for channels that are no multiple of the block's size, another rank, and a
    `data_format` that is neither NHWC nor NCHW.
    """
    block = _block(block_size)
    if _channels_first(data_format):
        return transpose(depth_to_space(transpose(input, (0, 2, 3, 1)), block, name=name), (0, 3, 1, 2))
    x, (n, height, width, depth) = _image(input)
    fits = not isinstance(depth, int) or depth % (block * block) == 0
    require(fits, f"{depth} channels do not make blocks of {block} times {block}")
    inner = depth // (block * block)
    parts = transpose(reshape(x, [n, height, width, block, block, inner]), (0, 1, 3, 2, 4, 5))
    return reshape(parts, [n, height * block, width * block, inner], name)


def _block(size: object) -> int:
    block = whole(size, "block_size")
    require(block >= 2, f"block_size must be at least 2, not {block}")
    return block


def _channels_first(data_format: str) -> bool:
    require(data_format in ("NHWC", "NCHW"), f"data_format is NHWC or NCHW, not {data_format!r}")
    return data_format == "NCHW"


def _image(input: Tensor) -> tuple[Any, list[Any]]:
    """The tensor, and its four dimensions: ints where they are known."""
    x = convert_to_tensor(input)
    require(x.ndim == 4, "images have rank 4: batch, height, width, channels")
    given = shape(x)
    return x, [given[i] if n is None else n for i, n in enumerate(x.static_shape or ())]


def reverse_sequence(
    input: TensorLike, seq_lengths: TensorLike, seq_axis: int | None = None, batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`input` with the first `seq_lengths[i]` elements along `seq_axis` reversed, for each `i` along `batch_axis` (0).

    Shape and dtype stay. Raises `InvalidArgumentError` for axes that are the same or don't exist, for lengths that are
    no integers, and for other than one for each part.
    """
    x, lengths = convert_to_tensor(input), convert_to_tensor(seq_lengths)
    rank = rank_of(x, "reverse_sequence")
    require(seq_axis is not None, "reverse_sequence needs seq_axis")
    along, batch = axis_of(whole(seq_axis), rank), axis_of(whole(batch_axis or 0), rank)
    require(along != batch, f"seq_axis and batch_axis are both {along}")
    require(lengths.dtype.is_integer and lengths.ndim == 1, "seq_lengths must be a vector of integers")
    sides = [1] * rank
    lengths = cast(lengths, "int64")
    counts = reshape(lengths, [*sides[:batch], -1, *sides[batch + 1 :]])
    size = shape(x, "int64")[along]
    places = reshape(range_(size), [*sides[:along], -1, *sides[along + 1 :]])
    order = where(places < counts, counts - 1 - places, places)
    return take_along_axis(x, broadcast_to(order, shape(x)), along)


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """One tensor whose row `indices[m][i]` is `data[m][i]`; of rows given twice the last one counts.

    It has as many rows as the largest index says; one that no index names is zero. Raises `InvalidArgumentError` unless
    the shape of each of the `indices` begins that of its `data`.
    """
    require(len(indices) == len(data) > 0, "dynamic_stitch needs as many tensors of data as of indices")
    places, rows = [], []
    for index, values in zip(map(convert_to_tensor, indices), map(convert_to_tensor, data), strict=True):
        rank = rank_of(index, "dynamic_stitch")
        at_least(values.static_shape, rank, "data")
        inner = shape(values)[rank:]
        places.append(reshape(index, (-1,)))
        rows.append(reshape(values, concat([shape(reshape(index, (-1,))), inner], 0)))
    place, row = concat(places, 0), concat(rows, 0)
    count = cast(reduce_max(concat([place, np.array([-1], place.dtype.numpy)], 0)) + 1, "int32")
    whole_shape = concat([expand_dims(count, 0), shape(row)[1:]], 0)
    return tensor_scatter_nd_update(zeros(whole_shape, row.dtype), expand_dims(place, 1), row, name)
