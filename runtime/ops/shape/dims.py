"""Shapes given as Python values, tensors, or a mixture: what of them is known while tracing, and what is an input."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.shapes import Shape, TensorShape, as_shape
from ...ir.op import OPS
from ...ir.primitive import CONSTANT
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import ShapeLike
from ...tensors.tensor import EagerTensor, Tensor
from .known import known_dims


def as_dims(shape: Any, least: int = 0) -> tuple[Shape, tuple[Any, ...]]:
    """A shape argument as a static shape, and a tuple of no tensor or one that gives the dimensions at run time.

    In the static shape ``None`` is a dimension that the tensor decides; ``None`` as a whole is a rank that it decides.
    ``least``: what is computed to be less is the run's to refuse, which may not get there.
    Raises `InvalidArgumentError` when the argument is no shape.
    """
    if isinstance(shape, int | np.integer):
        return (int(shape),), ()
    if isinstance(shape, TensorShape):
        return _fully_known(tuple(shape.as_list())), ()
    if not isinstance(shape, Tensor):
        if not isinstance(shape, list | tuple):
            shape = convert_to_tensor(shape)
        elif not any(isinstance(n, Tensor) or hasattr(n, "__tensor__") for n in shape):
            return _fully_known(tuple(n if n is None else _integer(n) for n in shape)), ()
        else:
            shape = [n if isinstance(n, Tensor) else convert_to_tensor(n) for n in shape]
            if all(isinstance(n, EagerTensor) for n in shape):
                return tuple(_integer(n) for n in shape), ()
            shape = OPS["stack"](*shape, axis=0)
    if not shape.dtype.is_integer:
        raise InvalidArgumentError(f"a shape is made of integers, not {shape.dtype.name}")
    if isinstance(shape, EagerTensor):
        array = np.asarray(shape)
        return tuple(array.reshape(-1).tolist()), ()
    hint = known_dims(shape.value)
    if hint is not None and shape.value.node.op is not CONSTANT:
        hint = tuple([None if n is None or n < least else n for n in hint])
    if hint is not None and None not in hint:
        return hint, ()
    return hint, (shape,)


def dims_of(shape: ShapeLike) -> Shape:
    """A static shape, with ``None`` for unknown dimensions, from what a user writes."""
    return as_shape(shape)


def _integer(value: Any) -> int:
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise InvalidArgumentError(f"a shape is made of integers, not {value!r}") from None


def _fully_known(dims: tuple[Any, ...]) -> Any:
    if None in dims:
        raise InvalidArgumentError(f"a shape with an unknown dimension, {dims}, is no shape to make a tensor of")
    return dims
