"""The windows over tensors, `[batch, *lengths, channels]`, one place of them after the other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from ....ops.shape.windows import Windows
from ..emit.arrays import Ints, Load
from ..emit.emitter import NotLowered

MOST_PLACES = 49
"""Windows of more places are NumPy's matter where each of them is an operation of its own."""


def places_of(sizes: Sequence[int]) -> Iterator[Ints]:
    """The places in a window. Raises `NotLowered` if they are many."""
    if math.prod(sizes) > MOST_PLACES:
        raise NotLowered(f"windows of more than {MOST_PLACES} places")
    return itertools.product(*map(range, sizes))


def seen(x: Load, windows: Windows, place: Ints) -> Load:
    """The elements at a place of all windows of a padded tensor."""
    geometry = zip(place, windows.dilations, windows.strides, strict=True)
    along = [(i + 1, stride, at * dilation) for i, (at, dilation, stride) in enumerate(geometry)]
    channel = len(x.shape) - 1
    return x.walk([(0, 1, 0), *along, (channel, 1, 0)], (x.shape[0], *windows.counts, x.shape[-1]))
