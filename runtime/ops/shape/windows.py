"""The geometry of windows that slide over spatial axes: what convolutions and poolings share.

Inside, tensors have their channels last, ``[batch, *spatial, channels]``, and attributes have one entry for each
spatial axis. A window of `size` elements that are `dilation` apart spans `(size - 1) * dilation + 1`. With the padding
"VALID" it stays inside of the tensor; with "SAME" the tensor is padded so that there are `ceil(length / stride)`
windows, the odd element at the end; explicit padding is a pair of numbers for each axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from autograph.errors import InvalidArgumentError

from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ..infer import Dim, require
from .shape import transpose

Padding = str | tuple[tuple[int, int], ...]


def span(size: int, dilation: int) -> int:
    """The number of elements from a window's first to its last."""
    return (size - 1) * dilation + 1


def padding_of(length: int, size: int, stride: int, dilation: int, padding: Padding, axis: int) -> tuple[int, int]:
    """How many elements are added before and after a spatial axis."""
    if not isinstance(padding, str):
        return padding[axis]
    if padding == "VALID":
        return 0, 0
    missing = max((-(-length // stride) - 1) * stride + span(size, dilation) - length, 0)
    return missing // 2, missing - missing // 2


def count_of(length: Dim, size: Dim, stride: int, dilation: int, padding: Padding, axis: int) -> Dim:
    """The number of windows along a spatial axis. Raises `InvalidArgumentError` when the window is too large."""
    if length is not None and padding == "SAME":
        return -(-length // stride)
    if length is None or size is None:
        return None
    added = 0 if isinstance(padding, str) else sum(padding[axis])
    count = (length + added - span(size, dilation) + stride) // stride
    require(count >= 0, f"a window of {span(size, dilation)} does not fit into {length + added} elements")
    return count


def counts_of(
    lengths: Sequence[Dim], sizes: Sequence[Dim], strides: Sequence[int], dilations: Sequence[int], padding: Padding
) -> tuple[Dim, ...]:
    """The numbers of windows along all spatial axes."""
    geometry = zip(lengths, sizes, strides, dilations, strict=True)
    return tuple([count_of(*entry, padding, axis) for axis, entry in enumerate(geometry)])


class Windows:
    """The windows over arrays with known spatial lengths."""

    def __init__(
        self, lengths: Sequence[int], sizes: Sequence[int], strides: Sequence[int], dilations: Sequence[int],
        padding: Padding
    ) -> None:  # fmt: skip
        self.lengths, self.sizes, self.strides, self.dilations = lengths, sizes, strides, dilations
        geometry = list(zip(lengths, sizes, strides, dilations, strict=True))
        self.pads = [padding_of(*entry, padding, axis) for axis, entry in enumerate(geometry)]
        self.counts: tuple[int, ...] = counts_of(lengths, sizes, strides, dilations, padding)  # type: ignore[assignment]

    @property
    def padded_lengths(self) -> list[int]:
        """The lengths with the padding, and at least those that the windows cover."""
        return [before + length + after for length, (before, after) in zip(self.lengths, self.pads, strict=True)]

    def inner(self) -> tuple[slice, ...]:
        """The index of what is no padding in a padded array."""
        spatial = [slice(before, before + n) for n, (before, _) in zip(self.lengths, self.pads, strict=True)]
        return (slice(None), *spatial)

    def padded(self, x: Any, fill: Any = 0) -> Any:
        """`x` with the padding around its spatial axes."""
        if not any(map(any, self.pads)):
            return x
        result = np.full((x.shape[0], *self.padded_lengths, x.shape[-1]), fill, x.dtype)
        result[self.inner()] = x
        return result

    def taps(self) -> Any:
        """For each place in a window, the index of the elements at that place in a padded array."""
        for place in np.ndindex(*self.sizes):
            starts = [k * d for k, d in zip(place, self.dilations, strict=True)]
            spatial = [
                slice(start, start + (count - 1) * stride + 1 if count else start, stride)
                for start, count, stride in zip(starts, self.counts, self.strides, strict=True)
            ]
            yield place, (slice(None), *spatial)

    def view(self, x: Any, groups: int) -> Any:
        """The windows of a padded array, `[groups, batch, *counts, *sizes, channels / groups]`, without a copy."""
        batch, *spatial, channel = x.strides
        width = x.shape[-1] // groups
        shape = (groups, x.shape[0], *self.counts, *self.sizes, width)
        steps = [n * stride for n, stride in zip(spatial, self.strides, strict=True)]
        places = [n * dilation for n, dilation in zip(spatial, self.dilations, strict=True)]
        return as_strided(x, shape, (width * channel, batch, *steps, *places, channel), writeable=False)


# What users write.


def entries(value: TensorLike, rank: int, what: str, channels_first: bool = False) -> tuple[int, ...]:
    """Sizes, strides or dilations as one integer for each of `rank` spatial axes.

    They are written as one integer, as `rank` of them, or as `rank + 2` with those of the batch and the channels,
    which must be one. Raises `InvalidArgumentError` for others.
    """
    given = [value] if isinstance(value, int | np.integer) else list(np.asarray(value).reshape(-1).tolist())
    require(all(isinstance(n, int | np.integer) and n > 0 for n in given),
            f"{what} are whole numbers above zero, not {value!r}")  # fmt: skip
    if len(given) == rank + 2:
        outer = given[:2] if channels_first else [given[0], given[-1]]
        require(outer == [1, 1], f"{what} of the batch and of the channels must be 1, not {given}")
        given = given[2:] if channels_first else given[1:-1]
    require(len(given) in (1, rank), f"{what} should be 1, {rank} or {rank + 2} numbers, not {given}")
    return tuple(map(int, given * rank if len(given) == 1 else given))


def padding_argument(padding: str | Sequence[Sequence[int]], rank: int, channels_first: bool) -> Padding:
    """The padding as "SAME", "VALID" or pairs for the spatial axes. Raises `InvalidArgumentError` for others."""
    if isinstance(padding, str):
        require(padding.upper() in ("SAME", "VALID"), f'padding is "SAME", "VALID" or a list of pairs, not {padding!r}')
        return padding.upper()
    pairs = np.asarray(padding)
    if pairs.shape == (rank + 2, 2):
        outer = pairs[:2] if channels_first else pairs[[0, -1]]
        require(not outer.any(), f"the batch and the channels can't be padded: {pairs.tolist()}")
        pairs = pairs[2:] if channels_first else pairs[1:-1]
    if pairs.shape != (rank, 2) or pairs.dtype.kind not in "iu" or (pairs < 0).any():
        message = f"explicit padding is a pair of whole numbers for each of the {rank + 2} axes, not {padding!r}"
        raise InvalidArgumentError(message)
    return tuple([(int(before), int(after)) for before, after in pairs])


def channels_first(data_format: str | None, rank: int) -> bool:
    """Whether a format such as "NHWC" or "NCHW" has the channels first. Raises `InvalidArgumentError` for others."""
    spatial = "DHW"[-rank:]
    if data_format in (None, f"N{spatial}C"):
        return False
    require(data_format == f"NC{spatial}", f'data_format is "N{spatial}C" or "NC{spatial}", not {data_format!r}')
    return True


def channels_last(x: TensorLike, first: bool, rank: int) -> Any:
    """`x` as a tensor with its channels last."""
    x = convert_to_tensor(x)
    return transpose(x, [0, *range(2, rank + 2), 1]) if first else x


def as_given(x: TensorLike, first: bool, rank: int) -> Any:
    """A result with its channels where the user wants them."""
    return transpose(x, [0, rank + 1, *range(1, rank + 1)]) if first else x
