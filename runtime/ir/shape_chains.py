"""Chains of ops that only move elements: two transposes are one, a reshape forgets an earlier one, no-ops go.

The rules are like those of `identities`; records name them in their field ``chains``. An op that may raise is bypassed,
not dropped: it runs all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base import shapes
from ..base.shapes import Shape
from . import records
from .graph import Node, Value
from .identities import Make, Result


def same_shape(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``reshape``, ``broadcast_to``, ``sum_to_shape_of``, … to the shape that the input has."""
    shape = inputs[0].type.shape
    return inputs[0] if shapes.is_fully_defined(shape) and shape == node.outputs[0].type.shape else None


def reshape_of_reshape(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """The last reshape decides; what only adds or drops dimensions of one before it is a reshape too."""
    inner = inputs[0].node
    if inner.op not in (node.op, records.expand_dims, records.squeeze) or len(inputs) > 1:
        return None
    return make(node.op, inner.inputs[0], shape=node.attributes["shape"])


def _order(node: Node, rank: int) -> list[int]:
    perm = node.attributes.get("perm")
    return list(range(rank))[::-1] if perm is None else [axis % rank for axis in perm]


def transposes(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """A transpose that moves nothing goes; one of a transpose is one."""
    shape = inputs[0].type.shape
    if shape is None:
        return None
    order = _order(node, len(shape))
    if order == sorted(order):
        return inputs[0]
    inner = inputs[0].node
    if inner.op is not node.op:
        return None
    before = _order(inner, len(shape))
    joint = tuple([before[axis] for axis in order])
    return inner.inputs[0] if joint == tuple(sorted(joint)) else make(node.op, inner.inputs[0], perm=joint)


def squeeze_of_expand(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """A dimension of one that was put in goes out again."""
    inner = inputs[0].node
    shape = inputs[0].type.shape
    if inner.op is not records.expand_dims or shape is None:
        return None
    axis = node.attributes.get("axis")
    axis = axis[0] if type(axis) is tuple and len(axis) == 1 else axis
    if type(axis) is not int or axis % len(shape) != inner.attributes["axis"] % len(shape):
        return None
    return inner.inputs[0]


def ensured(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``ensure_shape`` of what is known to have the shape."""
    return inputs[0] if shapes.is_subshape(inputs[0].type.shape, node.attributes["shape"]) else None


_WHOLE = (("slice", None, None, None), ("slice", None, None, 1), ("ellipsis",))


def whole(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``x[:]``, ``x[...]``."""
    parts = node.attributes["key"]
    is_whole = inputs[0].type.shape is not None and all(part in _WHOLE for part in parts)
    return inputs[0] if is_whole else None


def known_shape(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``shape``, ``size`` and ``rank`` of what has a known shape."""
    shape: Shape = inputs[0].type.shape
    if shape is None or (node.op is not records.rank and not shapes.is_fully_defined(shape)):
        return None
    dims = [1 if dim is None else dim for dim in shape]  # for the rank, unknown ones do not matter
    array = np.broadcast_to(np.False_, dims)
    return np.asarray(node.op.numpy(array, **node.attributes))
