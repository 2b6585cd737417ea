"""Shapes given as Python values, tensors, or a mixture: what of them is known while tracing, and what is an input."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.shapes import Shape, TensorShape
from ...base.shapes import size as known_size
from ...ir import records
from ...ir.graph import Value
from ...ir.op import OPS
from ...ir.primitive import CONSTANT
from ...tensors.convert import convert_to_tensor
from ...tensors.tensor import EagerTensor, Tensor


def as_dims(shape: Any) -> tuple[Shape, tuple[Any, ...]]:
    """A shape argument as a static shape, and a tuple of no tensor or one that gives the dimensions at run time.

    In the static shape ``None`` is a dimension that the tensor decides; ``None`` as a whole is a rank that it decides.
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
    if hint is not None and None not in hint:
        return hint, ()
    return hint, (shape,)


def dims_of(shape: Any) -> Shape:
    """A static shape, with ``None`` for unknown dimensions, from what a user writes."""
    return TensorShape(shape)._shape


def _integer(value: Any) -> int:
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise InvalidArgumentError(f"a shape is made of integers, not {value!r}") from None


def _fully_known(dims: tuple[Any, ...]) -> Any:
    if None in dims:
        raise InvalidArgumentError(f"a shape with an unknown dimension, {dims}, is no shape to make a tensor of")
    return dims


def known_dims(value: Value) -> Shape:
    """What is known while tracing of an integer vector that serves as a shape: ``None`` for an unknown element."""
    node, attributes = value.node, value.node.attributes
    op = node.op
    if op is CONSTANT:
        return tuple(int(n) for n in np.asarray(attributes["value"]).reshape(-1))
    if op is records.shape:
        return node.inputs[0].shape
    if op is records.cast:
        return known_dims(node.inputs[0])
    if op is records.stack:
        return tuple(known_scalar(part) for part in node.inputs)
    if op is records.concat:
        parts = [known_dims(part) for part in node.inputs]
        return None if None in parts else tuple(n for part in parts for n in part)  # type: ignore[union-attr]
    if op is records.get_item and len(node.inputs) == 1:
        return _known_slice(node)
    if value.shape is None or len(value.shape) != 1 or value.shape[0] is None:
        return None
    return (None,) * value.shape[0]


def known_scalar(value: Value) -> int | None:
    """The integer that a scalar is, when that is known while tracing."""
    node = value.node
    if node.op is CONSTANT:
        return int(np.asarray(node.attributes["value"]).reshape(()))
    if node.op in (records.cast, records.reshape):
        return known_scalar(node.inputs[0]) if node.inputs[0].shape == () else None
    if node.op is records.get_item and len(node.inputs) == 1:
        picked = _known_slice(node)
        return picked if isinstance(picked, int) else None
    if node.op is records.size:
        shape = node.inputs[0].shape
        return known_size(shape)
    return None


def _known_slice(node: Any) -> Any:
    dims = known_dims(node.inputs[0])
    key = node.attributes["key"]
    if dims is None or len(key) != 1 or key[0][0] not in ("index", "slice"):
        return None
    part = key[0]
    if part[0] == "index":
        return dims[part[1]] if -len(dims) <= part[1] < len(dims) else None
    return dims[slice(*part[1:])]
