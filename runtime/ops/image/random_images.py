"""Images changed by chance. Each stateless function gives the same for the same seed, always: what TensorFlow gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...base.dtypes import int32
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ...tensors.trace import static_value
from ..elementwise.elementwise import where
from ..infer import require, text
from ..random.random import stateless_uniform, uniform
from ..shape.gather import slice
from ..shape.shape import reshape, shape
from .adjustments import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from .checks import dims, ensure, image_of
from .layout import flipped

__all__ = [
    "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down",
    "random_hue", "random_saturation", "stateless_random_brightness", "stateless_random_contrast",
    "stateless_random_crop", "stateless_random_flip_left_right", "stateless_random_flip_up_down",
    "stateless_random_hue", "stateless_random_saturation",
]  # fmt: skip

Draw = Callable[..., Tensor]


def _stateful(seed: int | None) -> Draw:
    return partial(uniform, seed=seed)


def _stateless(seed: TensorLike) -> Draw:
    return partial(stateless_uniform, seed=seed)


def _flip(image: TensorLike, axis: int, draw: Draw, what: str) -> Tensor:
    x = image_of(image, what)
    if x.ndim == 3:
        return where(draw([]) < 0.5, flipped(x, axis), x)
    chosen = draw([dims(x)[0]]) > 0.5
    return where(reshape(chosen, [-1, 1, 1, 1]), flipped(x, axis), x)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """`flip_left_right` by chance, of each image for itself; shape, dtype and errors are those of it."""
    return _flip(image, -2, _stateful(seed), "random_flip_left_right")


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """`flip_up_down` by chance, of each image for itself; shape, dtype and errors are those of it."""
    return _flip(image, -3, _stateful(seed), "random_flip_up_down")


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """As `random_flip_left_right`, determined by `seed`, two integers; any other raises `InvalidArgumentError`."""
    return _flip(image, -2, _stateless(seed), "stateless_random_flip_left_right")


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """As `random_flip_up_down`, determined by `seed`, two integers; any other raises `InvalidArgumentError`."""
    return _flip(image, -3, _stateless(seed), "stateless_random_flip_up_down")


def _delta(max_delta: Any, draw: Draw) -> Tensor:
    require(max_delta >= 0, f"max_delta must be at least 0, not {max_delta}")
    return draw([], minval=-max_delta, maxval=max_delta)


def _factor(lower: Any, upper: Any, draw: Draw) -> Tensor:
    require(upper > lower, f"upper must be above lower, but {upper} is not above {lower}")
    require(lower >= 0, f"lower must be at least 0, not {lower}")
    return draw([], minval=lower, maxval=upper)


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by a number from `-max_delta` up to `max_delta`.

    Raises `InvalidArgumentError` for a `max_delta` below 0, and what `adjust_brightness` raises.
    """
    return adjust_brightness(image, _delta(max_delta, _stateful(seed)))


def stateless_random_brightness(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """As `random_brightness`, determined by `seed`, two integers; any other raises `InvalidArgumentError`."""
    return adjust_brightness(image, _delta(max_delta, _stateless(seed)))


def random_contrast(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a factor from `lower` up to `upper`.

    Raises `InvalidArgumentError` unless ``0 <= lower < upper``, and what `adjust_contrast` raises.
    """
    return adjust_contrast(image, _factor(lower, upper, _stateful(seed)))


def stateless_random_contrast(image: TensorLike, lower: float, upper: float, seed: TensorLike) -> Tensor:
    """As `random_contrast`, determined by `seed`, two integers; any other raises `InvalidArgumentError`."""
    return adjust_contrast(image, _factor(lower, upper, _stateless(seed)))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by a number from `-max_delta` up to `max_delta`.

    Raises `InvalidArgumentError` for a `max_delta` outside of [0, 0.5], and what `adjust_hue` raises.
    """
    return _hue(image, max_delta, _stateful(seed))


def stateless_random_hue(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """As `random_hue`, determined by `seed`, two integers; any other raises `InvalidArgumentError`."""
    return _hue(image, max_delta, _stateless(seed))


def _hue(image: TensorLike, max_delta: float, draw: Draw) -> Tensor:
    require(max_delta <= 0.5, f"max_delta must be at most 0.5, not {max_delta}")
    return adjust_hue(image, _delta(max_delta, draw))


def random_saturation(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a factor from `lower` up to `upper`.

    Raises `InvalidArgumentError` unless ``0 <= lower < upper``, and what `adjust_saturation` raises.
    """
    return adjust_saturation(image, _factor(lower, upper, _stateful(seed)))


def stateless_random_saturation(image: TensorLike, lower: float, upper: float, seed: TensorLike) -> Tensor:
    """As `random_saturation`, determined by `seed`, two integers; any other raises `InvalidArgumentError`."""
    return adjust_saturation(image, _factor(lower, upper, _stateless(seed)))


def random_crop(value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of a tensor of any rank, of `size` (a number for each axis), from a place that is chosen by chance.

    The dtype stays. Raises `InvalidArgumentError` for a size that is larger than the tensor, or of another length.
    """
    return _crop(value, size, _stateful(seed), name)


def stateless_random_crop(value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None) -> Tensor:
    """As `random_crop`, determined by `seed`, two integers; any other raises `InvalidArgumentError`."""
    return _crop(value, size, _stateless(seed), name)


def _crop(value: TensorLike, size: TensorLike, draw: Draw, name: str | None) -> Tensor:
    x, wanted = convert_to_tensor(value), convert_to_tensor(size, int32)
    room = shape(x) - wanted
    left = static_value(room)
    message = "random_crop needs a size that is at most that of the tensor"
    if left is None:
        ensure(room, ">=", 0, f"{message}; what is left of it")
    else:
        require(bool((left >= 0).all()), f"{message}: {text(x.static_shape)} has no part of {wanted.numpy().tolist()}")
    place = draw([x.ndim] if x.ndim is not None else shape(shape(x)), maxval=np.iinfo(np.int32).max, dtype=int32)
    return slice(x, place % (room + 1), wanted, name)
