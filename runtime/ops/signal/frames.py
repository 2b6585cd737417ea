"""Windows, and signals as frames that overlap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.dtypes import as_dtype
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ..elementwise.elementwise import cast
from ..elementwise.math import cos, maximum, sin
from ..infer import require
from ..shape.create import ones
from ..shape.create import range as steps
from ..shape.gather import gather
from ..shape.joining import concat, pad
from ..shape.scatter import scatter_nd
from ..shape.shape import reshape, shape, transpose

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["frame", "hamming_window", "hann_window", "overlap_and_add", "vorbis_window"]


def _cosine(length: TensorLike, periodic: bool, dtype: DTypeLike, a: float, b: float) -> Tensor:
    dtype = as_dtype(dtype)
    require(dtype.is_floating, f"a window has a floating dtype, not {dtype.name}")
    if isinstance(length, (int, np.integer)):
        if length == 1:
            return ones([1], dtype)
        last: Any = np.asarray(length + (1 - length % 2) * bool(periodic) - 1, dtype.numpy)
    else:
        length = convert_to_tensor(length)
        last = cast(length + (1 - length % 2) * int(bool(periodic)) - 1, dtype)
    count = cast(steps(length), dtype)
    return a - b * cos(2 * math.pi * count / last)


def hann_window(window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = "float32",
                name: str | None = None) -> Tensor:  # fmt: skip
    """Hann's window, (window_length,): ``0.5 - 0.5 * cos(2 * pi * i / n)``.

    ``n`` is the length where ``periodic`` and even, else one less, as in TensorFlow. Raises `InvalidArgumentError` for
    a dtype that is not floating.
    """
    return _cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = "float32",
                   name: str | None = None) -> Tensor:  # fmt: skip
    """Hamming's window, (window_length,): ``0.54 - 0.46 * cos(2 * pi * i / n)``; see `hann_window`."""
    return _cosine(window_length, periodic, dtype, 0.54, 0.46)


def vorbis_window(window_length: TensorLike, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """Vorbis's window, (window_length,): ``sin(pi / 2 * sin(pi * (i + 0.5) / n) ** 2)``."""
    dtype = as_dtype(dtype)
    length = convert_to_tensor(window_length, dtype="int32")
    inner = sin(math.pi / cast(length, dtype) * (cast(steps(length), dtype) + 0.5))
    return sin(math.pi / 2 * inner * inner)


def _dim(x: Tensor, axis: int) -> Any:
    """A dimension: a number where it is known."""
    known = x.shape[axis]
    return shape(x)[axis] if known is None else known


def frame(
    signal: TensorLike, frame_length: TensorLike, frame_step: TensorLike, pad_end: bool = False,
    pad_value: TensorLike = 0, axis: int = -1, name: str | None = None
) -> Tensor:  # fmt: skip
    """Frames that overlap: (…, n, …) to (…, frames, frame_length, …), each ``frame_step`` behind the one before.

    There are as many as have room; with ``pad_end`` as many as begin in the signal, with ``pad_value`` behind it.
    Raises `InvalidArgumentError` for lengths and steps below 1.
    """
    x = convert_to_tensor(signal)
    require(x.ndim is not None and x.ndim >= 1, "frame needs to know the rank of the signal, which is 1 or more")
    for word, value in (("frame_length", frame_length), ("frame_step", frame_step)):
        require(not isinstance(value, int) or value > 0, f"{word} is above 0, not {value!r}")
    rank = len(x.shape)
    axis %= rank
    length = _dim(x, axis)
    if pad_end:
        count = -(-length // frame_step)
        behind = frame_length + frame_step * (count - 1) - length
        behind = max(0, behind) if isinstance(behind, int) else maximum(behind, 0)
        x = pad(x, [[0, behind if i == axis else 0] for i in range(rank)], constant_values=pad_value)
    else:
        count = 1 + (length - frame_length) // frame_step
        count = max(0, count) if isinstance(count, int) else maximum(count, 0)
    places = (steps(count) * frame_step)[:, None] + steps(frame_length)[None]
    return gather(x, places, axis=axis)


def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """The sum of frames that overlap: (…, frames, length) to (…, (frames - 1) * frame_step + length).

    What undoes `frame`, but for windows. Raises `InvalidArgumentError` for a rank below 2, and steps below 1.
    """
    x = convert_to_tensor(signal)
    require(x.ndim is not None and x.ndim >= 2, "signal must have rank of at least 2, (…, frames, frame_length)")
    require(not isinstance(frame_step, int) or frame_step > 0, f"frame_step is above 0, not {frame_step!r}")
    rank = len(x.shape)
    frames, length = _dim(x, -2), _dim(x, -1)
    places = reshape((steps(frames) * frame_step)[:, None] + steps(length)[None], [-1])
    outer = shape(x)[:-2]
    first = transpose(reshape(x, concat([outer, [-1]], 0)), [rank - 2, *range(rank - 2)])
    sizes = concat([reshape((frames - 1) * frame_step + length, [1]), outer], 0)
    summed = scatter_nd(places[:, None], first, sizes)
    return transpose(summed, [*range(1, rank - 1), 0])
