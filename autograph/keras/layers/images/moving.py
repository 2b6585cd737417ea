"""Layers that mirror, turn, shift and zoom images by chance."""

from __future__ import annotations

import math
from typing import Any

from autograph.runtime.base.dtypes import float32
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import cos, sin
from autograph.runtime.ops.image.checks import dims
from autograph.runtime.ops.shape.shape import expand_dims, reverse, squeeze
from autograph.runtime.tensors.tensor import Tensor

from .affine import FILL_MODES, Matrix, transformed
from .base import RandomImageLayer, factors, one_of

__all__ = ["RandomFlip", "RandomRotation", "RandomTranslation", "RandomZoom"]


class RandomFlip(RandomImageLayer):
    """While training, half of the images are mirrored: "horizontal", "vertical" or both ("horizontal_and_vertical").

    The result has the dtype of the layer. Raises `ValueError` for another mode, and for inputs that are no images.
    """

    settings = ("mode", "seed", "data_format")

    def __init__(
        self, mode: str = "horizontal_and_vertical", seed: int | None = None, data_format: str | None = None,
        **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(seed, data_format, **kwargs)
        self.mode = one_of("mode", mode, ("horizontal", "vertical", "horizontal_and_vertical"))

    def _changed(self, images: Tensor) -> Tensor:
        rank = images.ndim or 0
        axes = [rank - 2] * ("horizontal" in self.mode) + [rank - 3] * ("vertical" in self.mode)
        chosen = self._drawn(images, 0.0, 1.0, 4) <= 0.5
        return where(chosen if rank == 4 else squeeze(chosen, [0]), reverse(images, axes), images)


class _Moved(RandomImageLayer):
    """A layer that moves pixels to where an affine map says."""

    def __init__(
        self, fill_mode: str, interpolation: str, seed: int | None, fill_value: float, data_format: str | None,
        **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(seed, data_format, **kwargs)
        self.fill_mode = one_of("fill_mode", fill_mode, FILL_MODES)
        self.interpolation = one_of("interpolation", interpolation, ("bilinear", "nearest"))
        self.fill_value = fill_value

    def _changed(self, images: Tensor) -> Tensor:
        batch = images if images.ndim == 4 else expand_dims(images, 0)
        height, width = (cast(size, float32) for size in dims(batch)[1:3])
        moved = transformed(batch, self._matrix(batch, height, width), self.interpolation, self.fill_mode,
                            self.fill_value)  # fmt: skip
        return moved if images.ndim == 4 else squeeze(moved, [0])

    def _matrix(self, batch: Tensor, height: Tensor, width: Tensor) -> Matrix:
        raise NotImplementedError


class RandomRotation(_Moved):
    """While training, each image is turned about its middle.

    ``factor``: how far at most, as a part of the full circle, or a pair of the least and the most; positive ones turn
    counter-clockwise. fill_mode: what comes from beyond the border, "reflect", "wrap", "nearest" or "constant", which
    is ``fill_value``. The result has the dtype of the layer. Raises `ValueError` for other words or factors, and for
    inputs that are no images.
    """

    settings = ("factor", "fill_mode", "interpolation", "seed", "fill_value", "data_format")

    def __init__(
        self, factor: Any, fill_mode: str = "reflect", interpolation: str = "bilinear", seed: int | None = None,
        fill_value: float = 0.0, data_format: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, data_format, **kwargs)
        self.factor = factor
        self._limits = factors("factor", factor)

    def _matrix(self, batch: Tensor, height: Tensor, width: Tensor) -> Matrix:
        lower, upper = self._limits
        angle = self._drawn(batch, lower * 360, upper * 360, 3) * (math.pi / 180)
        x, y = 0.5 * (width - 1), 0.5 * (height - 1)
        across, along = cos(angle), sin(angle)
        return (across, -along, x - x * across + y * along), (along, across, y - x * along - y * across)


class RandomTranslation(_Moved):
    """While training, each image is shifted.

    ``height_factor``, ``width_factor``: how far at most, as a part of height and width, or a pair of the least and the
    most, from -1 to 1; positive ones shift down and to the right. The rest is as in `RandomRotation`.
    """

    settings = (
        "height_factor", "width_factor", "fill_mode", "interpolation", "seed", "fill_value", "data_format",
    )  # fmt: skip

    def __init__(
        self, height_factor: Any, width_factor: Any, fill_mode: str = "reflect", interpolation: str = "bilinear",
        seed: int | None = None, fill_value: float = 0.0, data_format: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, data_format, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor
        self._heights, self._widths = factors("height_factor", height_factor), factors("width_factor", width_factor)

    def _matrix(self, batch: Tensor, height: Tensor, width: Tensor) -> Matrix:
        down = self._drawn(batch, *self._heights, 3) * height
        right = self._drawn(batch, *self._widths, 3) * width
        same, none = down * 0 + 1, down * 0
        return (same, none, -right), (none, same, -down)


class RandomZoom(_Moved):
    """While training, each image is made larger or smaller about its middle.

    ``height_factor``: how much smaller (above 0) or larger (below 0) what is seen is at most, or a pair of the least
    and the most, from -1 to 1; ``width_factor``: the same across, where it is another number. The rest is as in
    `RandomRotation`.
    """

    settings = (
        "height_factor", "width_factor", "fill_mode", "interpolation", "seed", "fill_value", "data_format",
    )  # fmt: skip

    def __init__(
        self, height_factor: Any, width_factor: Any = None, fill_mode: str = "reflect",
        interpolation: str = "bilinear", seed: int | None = None, fill_value: float = 0.0,
        data_format: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, data_format, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor
        self._heights = factors("height_factor", height_factor)
        self._widths = None if width_factor is None else factors("width_factor", width_factor)

    def _matrix(self, batch: Tensor, height: Tensor, width: Tensor) -> Matrix:
        down = self._drawn(batch, 1 + self._heights[0], 1 + self._heights[1], 3)
        across = down if self._widths is None else self._drawn(batch, 1 + self._widths[0], 1 + self._widths[1], 3)
        none = down * 0
        return (across, none, (width - 1) / 2 * (1 - across)), (none, down, (height - 1) / 2 * (1 - down))
