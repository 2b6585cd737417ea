"""Layers that change the brightness and contrast of images by chance."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast, clip_by_value
from autograph.runtime.ops.reduce.reduce import reduce_mean
from autograph.runtime.ops.shape.shape import squeeze
from autograph.runtime.tensors.tensor import Tensor

from .base import RandomImageLayer, factors

__all__ = ["RandomBrightness", "RandomContrast"]


def _range(value_range: Any) -> tuple[float, float]:
    if not isinstance(value_range, (list, tuple)) or len(value_range) != 2:
        raise InvalidArgumentError(
            f"`value_range` is a pair of the lowest and the highest value. Received: value_range={value_range}"
        )
    lower, upper = sorted(value_range)
    return lower, upper


class _Recolored(RandomImageLayer):
    settings = ("factor", "value_range", "seed", "data_format")
    casts_always = False

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, data_format: str | None = None,
        **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(seed, data_format, **kwargs)
        self.factor, self.value_range = factor, _range(value_range)

    def _for_each(self, images: Tensor, low: float, high: float) -> Tensor:
        """A number for each image."""
        drawn = cast(self._drawn(images, low, high, 4), images.dtype)
        return drawn if images.ndim == 4 else squeeze(drawn, [0])


class RandomBrightness(_Recolored):
    """While training, a number is added to each image, and what leaves ``value_range`` clipped.

    ``factor``: how much of the range it is at most, or a pair of the least and the most, from -1 to 1. The result has
    the dtype of the layer. Raises `ValueError` for another factor or range, and for inputs that are no images.
    """

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(factor, value_range, seed, **kwargs)
        self._limits = factors("factor", factor)

    def _changed(self, images: Tensor) -> Tensor:
        lower, upper = self.value_range
        added = self._for_each(images, *self._limits) * (upper - lower)
        return clip_by_value(images + added, lower, upper)


class RandomContrast(_Recolored):
    """While training, distances from the mean of each channel are multiplied, and what leaves ``value_range`` clipped.

    ``factor``: how far from 1 the number is at most, or a pair of how far below and above, from 0 to 1. The result has
    the dtype of the layer. Raises `ValueError` for another factor or range, and for inputs that are no images.
    """

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(factor, value_range, seed, **kwargs)
        factors("factor", factor, 0.0)
        self._limits = tuple(factor) if isinstance(factor, (list, tuple)) else (factor, factor)

    def _changed(self, images: Tensor) -> Tensor:
        factor = self._for_each(images, 1 - self._limits[0], 1 + self._limits[1])
        mean = reduce_mean(images, [-3, -2], keepdims=True)
        return clip_by_value((images - mean) * factor + mean, *self.value_range)
