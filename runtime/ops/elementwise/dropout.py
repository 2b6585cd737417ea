"""Dropout: elements set to zero at random, the others scaled up, so that the expected sum stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import float32
from ...tensors.convert import convert_to_tensor
from ...tensors.tensor import EagerTensor, Tensor
from ..control import identity
from ..infer import require
from ..random import random
from ..shape.create import zeros_like
from ..shape.shape import shape as shape_of
from .elementwise import cast, where

if TYPE_CHECKING:
    from ...tensors.likes import TensorLike

__all__ = ["dropout", "stateless_dropout"]


def dropout(
    x: TensorLike, rate: TensorLike, noise_shape: object = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """`x` with each element zero with the probability `rate`, else multiplied by `1 / (1 - rate)`

    (Srivastava et al., 2014). With a `noise_shape` that broadcasts to that of `x`, elements along its axes of size 1
    are kept or dropped together. Shape and floating dtype stay. Raises `InvalidArgumentError` for a tensor that is not
    floating, and for a rate outside `[0, 1)`.
    """
    return _dropped(x, rate, noise_shape, lambda dims, dtype: random.uniform(dims, dtype=dtype, seed=seed), name)


def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: str = "auto_select",
    noise_shape: object = None,
    name: str | None = None,
) -> Tensor:
    """As `dropout`, determined by `seed`, two integers. `rng_alg` is without meaning: there is one generator."""
    return _dropped(x, rate, noise_shape, lambda dims, dtype: random.stateless_uniform(dims, seed, dtype=dtype), name)


def _dropped(x: TensorLike, rate: TensorLike, noise_shape: object, draw: Callable[..., Any], name: str | None) -> Any:
    x = convert_to_tensor(x)
    require(x.dtype.is_floating, f"dropout needs a floating tensor, not {x.dtype.name}")
    rate = convert_to_tensor(rate, dtype_hint=x.dtype)
    if isinstance(rate, EagerTensor):
        value = np.asarray(rate)
        if value.ndim or not 0 <= value < 1:
            raise InvalidArgumentError(f"rate must be a scalar in [0, 1), not {value}")
        if value == 0:
            return identity(x, name)
    wide = x.dtype if x.dtype.size > 4 else float32
    kept = draw(_noise_dims(x, noise_shape), wide) >= cast(rate, wide)
    return where(kept, x / (1 - cast(rate, x.dtype)), zeros_like(x), name=name)


def _noise_dims(x: Tensor, noise_shape: object) -> Any:
    """The shape of the random numbers: where `noise_shape` has ``None``, that of `x`."""
    shape = x.static_shape
    own = shape if shape is not None and None not in shape else shape_of(x)
    if noise_shape is None:
        return own
    if not isinstance(noise_shape, list | tuple):
        return noise_shape
    return [own[axis] if n is None else n for axis, n in enumerate(noise_shape)]
