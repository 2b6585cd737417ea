"""Stores into views: what the whole holds when an item of it, or another form of it, is given something else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir import records
from ...ir.graph import Value
from ...tensors.likes import TensorLike
from ...tensors.tensor import SymbolicTensor
from .shape import reshape

__all__ = ["reshaped", "rewritten"]


def rewritten(value: Value, whole: object, new: Any) -> Any:
    """What `whole`, of which a value would be a view, holds after the view has been given something else."""
    node = value.node
    op, others = node.op, [SymbolicTensor(each) for each in node.inputs[1:]]
    if op is records.get_item:
        return records.set_item(whole, new, *others, **node.attributes)
    if op is records.transpose:
        axes = node.attributes.get("perm")
        return op(new) if axes is None else op(new, perm=tuple(np.argsort(axes).tolist()))
    return op(new, **node.attributes) if op is records.flip else reshaped(new, whole)


def reshaped(tensor: TensorLike, like: Any) -> Any:
    """A tensor in the shape of another one."""
    shape = like.static_shape
    if shape is not None and None not in shape:
        return records.reshape(tensor, shape=shape)
    return reshape(tensor, records.shape(like))
