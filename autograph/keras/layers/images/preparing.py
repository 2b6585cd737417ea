"""Layers that bring images to one size and range."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast, saturate_cast
from autograph.runtime.ops.elementwise.elementwise import round as rounded
from autograph.runtime.ops.image.checks import Size, dims, ensure, larger, smaller
from autograph.runtime.ops.image.resizing import resize
from autograph.runtime.ops.random.random import uniform
from autograph.runtime.ops.shape.joining import pad
from autograph.runtime.ops.shape.shape import reshape
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor

from ...base.layer import Layer
from .base import ImageLayer, RandomImageLayer, one_of

__all__ = ["CenterCrop", "RandomCrop", "Rescaling", "Resizing"]

_INTERPOLATIONS = ("area", "bicubic", "bilinear", "lanczos3", "lanczos5", "nearest")


class Rescaling(Layer):
    """``inputs * scale + offset``, in the dtype of the layer. `scale` and `offset` may be lists, for the last axis."""

    settings = ("scale", "offset")

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = (each.tolist() if isinstance(each, np.ndarray) else each for each in (scale, offset))
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The rescaled inputs."""
        dtype = self.compute_dtype
        scale, offset = (cast(convert_to_tensor(each), dtype) for each in (self.scale, self.offset))
        return cast(inputs, dtype) * scale + offset


class Resizing(ImageLayer):
    """Images of another height and width, in their dtype; integers are rounded.

    With ``crop_to_aspect_ratio`` what does not fit the new shape is cut off before, with ``pad_to_aspect_ratio`` the
    images are filled up to it with ``fill_value``. Raises `ValueError` for both, for unknown words, and for inputs that
    are no images.
    """

    settings = (
        "height", "width", "interpolation", "crop_to_aspect_ratio", "pad_to_aspect_ratio", "fill_mode", "fill_value",
        "antialias", "data_format",
    )  # fmt: skip

    def __init__(
        self, height: int, width: int, interpolation: str = "bilinear", crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False, fill_mode: str = "constant", fill_value: float = 0.0,
        antialias: bool = False, data_format: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(data_format, **kwargs)
        if crop_to_aspect_ratio and pad_to_aspect_ratio:
            raise InvalidArgumentError("Only one of `pad_to_aspect_ratio` and `crop_to_aspect_ratio` can be True.")
        self.height, self.width = height, width
        self.interpolation = one_of("interpolation", interpolation, _INTERPOLATIONS)
        self.fill_mode = one_of("fill_mode", fill_mode, ("constant",))
        self.crop_to_aspect_ratio, self.pad_to_aspect_ratio = crop_to_aspect_ratio, pad_to_aspect_ratio
        self.fill_value, self.antialias = fill_value, antialias

    def call(self, inputs: Any) -> Any:
        """The resized images."""
        images = self._checked(inputs)
        if self.crop_to_aspect_ratio:
            images = cut_to_shape(images, self.height, self.width)
        elif self.pad_to_aspect_ratio:
            images = self._filled_up(images)
        found = resize(images, (self.height, self.width), self.interpolation, antialias=self.antialias)
        if found.dtype is not images.dtype:
            found = saturate_cast(rounded(found) if images.dtype.is_integer else found, images.dtype)
        return self._as_given(found)

    def _filled_up(self, images: Tensor) -> Tensor:
        height, width = dims(images)[-3:-1]
        above = _half(larger(height, _scaled(width, self.height, self.width)) - height)
        before = _half(larger(width, _scaled(height, self.width, self.height)) - width)
        batch = [(0, 0)] * ((images.ndim or 0) - 3)
        return pad(images, [*batch, (above, above), (before, before), (0, 0)], constant_values=self.fill_value)


def _scaled(size: Size, numerator: int, denominator: int) -> Size:
    """``size * numerator / denominator``, the fraction cut off, as a float32 has it."""
    if isinstance(size, Tensor):
        return cast(cast(size * numerator, "float32") / denominator, "int32")
    return int(np.float32(size * numerator) / np.float32(denominator))


def _half(size: Size) -> Size:
    return size // 2


def cut_to_shape(images: Tensor, height: int, width: int) -> Tensor:
    """The middle of images, as large a part of the shape of a size as there is."""
    old_height, old_width = dims(images)[-3:-1]
    tall = larger(smaller(old_height, _scaled(old_width, height, width)), 1)
    wide = larger(smaller(old_width, _scaled(old_height, width, height)), 1)
    return part_of(images, _half(old_height - tall), _half(old_width - wide), tall, wide)


def part_of(images: Tensor, top: Size, left: Size, height: Size, width: Size) -> Tensor:
    """A part of images."""
    return images[..., top : top + height, left : left + width, :]


def _exactly(images: Tensor, top: Size, left: Size, height: int, width: int) -> Tensor:
    """A part of images that lies inside, of known height and width."""
    *batch, _, _, depth = dims(images)
    return reshape(part_of(images, top, left, height, width), [*batch, height, width, depth])


class CenterCrop(ImageLayer):
    """The middle of images, of a height and width; smaller images are cut to that shape, and resized.

    The result has the dtype of the layer. Raises `ValueError` for inputs that are no images, and in a run for smaller
    ones whose size is not known before.
    """

    settings = ("height", "width", "data_format")

    def __init__(self, height: int, width: int, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.height, self.width = height, width

    def call(self, inputs: Any) -> Any:
        """The middle of the images."""
        images = cast(self._checked(inputs), self.compute_dtype)
        tall, wide = dims(images)[-3:-1]
        if isinstance(tall, Tensor) or isinstance(wide, Tensor):
            ensure(tall, ">=", self.height, "CenterCrop can't enlarge images whose height only a run knows")
            ensure(wide, ">=", self.width, "CenterCrop can't enlarge images whose width only a run knows")
        elif tall < self.height or wide < self.width:
            fitted = resize(cut_to_shape(images, self.height, self.width), (self.height, self.width))
            return self._as_given(cast(fitted, self.compute_dtype))
        top, left = (tall - self.height) // 2, (wide - self.width) // 2
        return self._as_given(_exactly(images, top, left, self.height, self.width))


def _known_size(layer: Layer, images: Tensor) -> list[int]:
    sizes = dims(images)[-3:-1]
    if any(isinstance(size, Tensor) for size in sizes):
        raise InvalidArgumentError(
            f"{type(layer).__name__} needs images whose height and width are known while tracing",
            remedy="resize them before, or use tf.image.random_crop",
        )
    return sizes


class RandomCrop(RandomImageLayer):
    """A part of images, of a height and width, from a place that is chosen by chance while training, for a whole batch.

    Of images that are not larger the middle is resized; not while training, images stay as they are. The result has the
    dtype of the layer. Raises `ValueError` for inputs that are no images.
    """

    settings = ("height", "width", "seed", "data_format")
    casts_always = False

    def __init__(
        self, height: int, width: int, seed: int | None = None, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.height, self.width = height, width

    def _changed(self, images: Tensor) -> Tensor:
        tall, wide = _known_size(self, images)
        if tall > self.height and wide > self.width:
            top, left = self._place(tall - self.height), self._place(wide - self.width)
            return _exactly(images, top, left, self.height, self.width)
        above = (tall - max(min(tall, int(wide * self.height / self.width)), 1)) // 2
        before = (wide - max(min(wide, int(tall * self.width / self.height)), 1)) // 2
        found = part_of(images, above, before, self.height, self.width)  # what there is of it
        return cast(resize(found, (self.height, self.width)), self.compute_dtype)

    def _place(self, room: int) -> Tensor:
        return uniform([], 0, room + 1, "int32", self.seed)
