"""What layers of images share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.dtypes import float32
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.image.checks import dims
from autograph.runtime.ops.random.random import uniform
from autograph.runtime.ops.shape.shape import transpose
from autograph.runtime.tensors.tensor import Tensor

from ...base.layer import Layer
from ..geometry import checked_format

__all__ = ["ImageLayer", "RandomImageLayer", "factors", "one_of"]


class ImageLayer(Layer):
    """Images (height, width, channels) or batches of them in, and out; with other axes for "channels_first"."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format)
        self.built = True

    def _checked(self, inputs: Any) -> Tensor:
        """The images, channels last."""
        if isinstance(inputs, dict) or inputs.ndim not in (3, 4):
            given = "a dict" if isinstance(inputs, dict) else f"shape {tuple(inputs.static_shape or ())}"
            raise InvalidArgumentError(
                f"{type(self).__name__} takes images of rank 3, or batches of them of rank 4. Received: {given}",
                remedy="give the layer the images alone, as one tensor",
            )
        if self.data_format == "channels_last":
            return inputs
        return transpose(inputs, (1, 2, 0) if inputs.ndim == 3 else (0, 2, 3, 1))

    def _as_given(self, images: Tensor) -> Tensor:
        """Images with their channels last in the layer's own order of axes."""
        if self.data_format == "channels_last":
            return images
        return transpose(images, (2, 0, 1) if images.ndim == 3 else (0, 3, 1, 2))


class RandomImageLayer(ImageLayer):
    """A layer that changes images by chance while training, and else gives them as they are."""

    casts_always = True
    """Whether images have the layer's dtype also where they are not changed."""

    def __init__(self, seed: int | None = None, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.seed = seed

    def call(self, inputs: Any, training: bool | Tensor | None = True) -> Any:
        """The images, changed while training."""
        images = self._checked(inputs)
        if training or self.casts_always:
            images = cast(images, self.compute_dtype)
        return self._as_given(self._changed(images) if training else images)

    def _changed(self, images: Tensor) -> Tensor:
        raise NotImplementedError

    def _drawn(self, images: Tensor, low: float, high: float, rank: int) -> Tensor:
        """A number for each image of a batch, with axes of size 1 up to a rank."""
        count = dims(images)[0] if images.ndim == 4 else 1
        return uniform([count, *[1] * (rank - 1)], low, high, float32, self.seed)


def factors(name: str, value: object, least: float = -1.0) -> tuple[float, float]:
    """The range that a factor means: a pair, or a number for as much to both sides. Raises `ValueError` for others."""
    numbers = value if isinstance(value, (list, tuple)) else (value,)
    fits = len(numbers) in (1, 2) and all(isinstance(each, (int, float)) and least <= each <= 1 for each in numbers)
    if not fits:
        raise InvalidArgumentError(
            f"`{name}` is a number, or a pair of a lower and an upper one, from {least} to 1. Received: {name}={value}"
        )
    if len(numbers) == 1:
        return -abs(numbers[0]), abs(numbers[0])
    lower, upper = sorted(numbers)
    return lower, upper


def one_of(name: str, value: str, known: Sequence[str]) -> str:
    """A word. Raises `ValueError` for one that is not known."""
    if value not in known:
        raise InvalidArgumentError(f"`{name}` is one of {', '.join(known)}. Received: {name}={value}")
    return value
