"""Which pixels make those of a resized image, and with which weights, along one axis.

Each function takes the old and the new size, ints or tensors, and gives indices and weights `[new, taps]`. Pixel `i` is
a cell from `i` to `i + 1`, whose middle is `i + 0.5`. Kernels: Keys (1981), "Cubic convolution interpolation"; Mitchell
and Netravali (1988), "Reconstruction filters in computer graphics"; Duchon (1979), "Lanczos filtering".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.dtypes import float32, int32
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast, clip_by_value, round, where
from ..elementwise.math import absolute, ceil, exp, floor, maximum, minimum, sin
from ..reduce.reduce import reduce_sum
from ..shape.create import range as range_
from ..shape.joining import stack
from ..shape.shape import expand_dims
from .checks import Size, larger, smaller

Taps = tuple[Tensor, Tensor]

_LEAST = 1000 * float(np.finfo(np.float32).tiny)
"""Below it, a sum of weights is left as it is."""


def middles(old: Size, new: Size) -> tuple[Tensor, Any]:
    """Where the middles of the new pixels lie among the old ones, and how many old pixels one new pixel is."""
    scale = in_floats(old) / in_floats(new)
    return (cast(range_(new), float32) + 0.5) * scale, scale


def in_floats(size: Size) -> Any:
    """A size as a float32."""
    return cast(size, float32) if isinstance(size, Tensor) else np.float32(size)


def nearest(old: Size, new: Size) -> Tensor:
    """The index of the pixel under the middle of each new one."""
    return cast(minimum(floor(middles(old, new)[0]), in_floats(old) - 1), int32)


def linear(old: Size, new: Size) -> tuple[Tensor, Tensor, Tensor]:
    """The indices of the two pixels around the middle of each new one, and the weight of the second one."""
    place = middles(old, new)[0] - 0.5
    below = floor(place)
    last = in_floats(old) - 1
    return cast(maximum(below, 0), int32), cast(minimum(ceil(place), last), int32), place - below


def cubic(old: Size, new: Size) -> Taps:
    """Keys's cubic through the four nearest pixels, those beyond the border left out; places in steps of 1/1024."""
    place = middles(old, new)[0] - 0.5
    below = floor(place)
    part = round((place - below) * 1024) / 1024
    distances = stack([part + 1, part, 1 - part, 2 - part], axis=-1)
    raw = expand_dims(below, -1) + np.arange(-1, 3, dtype=np.float32)
    indices = clip_by_value(raw, 0, in_floats(old) - 1)
    return cast(indices, int32), _normalized(where(raw == indices, _keys(distances), 0))


def areas(old: Size, new: Size) -> Taps:
    """The mean of the old cells that a new one covers."""
    scale = in_floats(old) / in_floats(new)
    start = expand_dims(cast(range_(new), float32) * scale, -1)
    end = expand_dims((cast(range_(new), float32) + 1) * scale, -1)
    cells = floor(start) + cast(range_(_whole(scale) + 1), float32)
    overlaps = maximum(minimum(cells + 1, end) - maximum(cells, start), 0)
    return cast(minimum(cells, in_floats(old) - 1), int32), overlaps / scale


def _whole(number: Any) -> Size:
    """A float rounded up to an integer."""
    return cast(ceil(number), int32) if isinstance(number, Tensor) else math.ceil(number)


def filtered(old: Size, new: Size, kernel: str, antialias: bool) -> Taps:
    """A kernel around the middle of each new pixel; `antialias` widens it to what a new pixel covers."""
    radius, weigh = KERNELS[kernel]
    step = 1 / (in_floats(new) / in_floats(old))
    width = larger(step, np.float32(1)) if antialias else np.float32(1)
    place = expand_dims((cast(range_(new), float32) + 0.5) * step, -1)
    last = in_floats(old) - 1
    first = clip_by_value(ceil(place - radius * width - 0.5), 0, last)
    end = clip_by_value(floor(place + radius * width - 0.5), 0, last)
    raw = first + cast(range_(smaller(2 * _whole(radius * width) + 1, old)), float32)
    weights = where(raw <= end, weigh(absolute((raw + 0.5 - place) * (1 / width))), 0)
    return cast(minimum(raw, last), int32), _normalized(weights)


def _normalized(weights: Tensor) -> Tensor:
    total = reduce_sum(weights, -1, keepdims=True)
    return where(absolute(total) >= _LEAST, weights / where(absolute(total) >= _LEAST, total, 1), weights)


def _triangle(x: Tensor) -> Tensor:
    return maximum(1 - x, 0)


def _gaussian(x: Tensor) -> Tensor:
    return where(x < 1.5, exp(-x * x / (2 * 0.5**2)), 0)


def _keys(x: Tensor) -> Tensor:
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return where(x <= 1, near, where(x < 2, far, 0))


def _mitchell(x: Tensor) -> Tensor:
    near, far = (7 / 6 * x - 2) * x * x + 8 / 9, ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return where(x < 1, near, where(x < 2, far, 0))


def _lanczos(radius: float) -> Callable[[Tensor], Tensor]:
    def weigh(x: Tensor) -> Tensor:
        angle = math.pi * where(x <= 1e-3, 1, x)
        wave = radius * sin(angle) * sin(angle / radius) / (angle * angle)
        return where(x > radius, 0, where(x <= 1e-3, 1, wave))

    return weigh


KERNELS: dict[str, tuple[float, Callable[[Tensor], Tensor]]] = {
    "bilinear": (1.0, _triangle), "bicubic": (2.0, _keys), "gaussian": (1.5, _gaussian),
    "lanczos3": (3.0, _lanczos(3.0)), "lanczos5": (5.0, _lanczos(5.0)), "mitchellcubic": (2.0, _mitchell),
}  # fmt: skip
"""By the name of a method: the radius of its kernel, and its weight at a distance."""
