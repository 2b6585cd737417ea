"""Common sub-expressions: two nodes with the same op, inputs and attributes are one.

>>> exact({"axis": 0, "keepdims": False}) == exact({"axis": False, "keepdims": 0})
False

Nodes of branches and loops share those of the graphs around them, which run before. A node with an effect is never
shared, nor is one that takes or gives a list: pushing twice on one version of a list would copy it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.dtypes import DType, variant
from ..ir.graph import Node

# Larger constants are told apart by identity.
_SMALL = 256


def may_share(node: Node) -> bool:
    """Whether a node without sub-graphs may stand for another that computes the same."""
    if node.op.effect:
        return False
    for value in (*node.outputs, *node.inputs):  # noqa: SIM110  (quicker than `all`: this is done for every node)
        if value.type.dtype is variant:
            return False
    return True


def exact(value: Any) -> Any:
    """A key that is equal for equal attributes only: 1, 1.0 and True differ, as do 0.0 and -0.0."""
    kind = type(value)
    if kind in (int, str, bool, bytes) or value is None:
        return kind, value
    if kind is float:
        return kind, value.hex()
    if kind is DType:
        return kind, value.name
    if kind is tuple:
        return kind, tuple([exact(item) for item in value])
    if kind is dict:
        return tuple([(key, exact(item)) for key, item in value.items()])
    return kind, id(value)


def constant_key(array: np.ndarray[Any, Any]) -> Any:
    """A key that is equal for constants that are the same bit by bit."""
    if array.nbytes > _SMALL or array.dtype.hasobject:
        return id(array)
    return array.dtype.str, array.shape, array.tobytes()
