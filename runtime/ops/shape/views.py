"""Stores into views: what the whole holds when an item of it, or another form of it, is given something else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.graph import Value
from ...ir.op import OPS
from ...tensors.tensor import SymbolicTensor
from .shape import reshape

__all__ = ["reshaped", "rewritten"]


def rewritten(value: Value, whole: Any, new: Any) -> Any:
    """What `whole`, of which a value would be a view, holds after the view has been given something else."""
    node = value.node
    kind, others = node.op.name, [SymbolicTensor(each) for each in node.inputs[1:]]
    if kind == "get_item":
        return OPS["set_item"](whole, new, *others, **node.attributes)
    if kind == "transpose":
        axes = node.attributes.get("perm")
        return OPS["transpose"](new) if axes is None else OPS["transpose"](new, perm=tuple(np.argsort(axes).tolist()))
    return OPS["flip"](new, **node.attributes) if kind == "flip" else reshaped(new, whole)


def reshaped(tensor: Any, like: Any) -> Any:
    """A tensor in the shape of another one."""
    shape = like.static_shape
    if shape is not None and None not in shape:
        return OPS["reshape"](tensor, shape=shape)
    return reshape(tensor, OPS["shape"](like))
