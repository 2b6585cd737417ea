"""Constant folding: a node whose inputs are all constants becomes a constant, computed by its own kernel.

``2.0 * 3.0`` becomes ``6.0``. Left for run time: effects, random numbers drawn from a state, lists, what raises or
may warn (error and warning belong to the user's line, when the graph gets there), and results whose size is not known
or that are larger than what they are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import shapes
from ..base.dtypes import string, variant
from ..ir.graph import Node, Type, Value
from ..ir.total import is_total
from ..ops.kernels.common import as_string

# A result may have this many elements, or as many as the constants that it is made of.
_LIMIT = 1024


def folded(node: Node, inputs: Sequence[Value]) -> list[np.ndarray[Any, Any]] | None:
    """The arrays of a node's outputs, given constants for its inputs; None for what must be left for run time."""
    op = node.op
    if op.effect or not node.outputs or node.subgraphs:
        return None
    arrays = [value.node.attributes["value"] for value in inputs]
    limit = max(_LIMIT, sum([array.size for array in arrays]))
    if not all(_fits(value.type, limit) for value in node.outputs):
        return None
    if op.warns and not is_total(op, inputs, node.attributes):
        return None
    try:
        with np.errstate(all="ignore"):
            result = op.numpy(*arrays, **node.attributes)
    except Exception:
        return None
    results = result if type(result) is tuple else (result,)
    found = [as_string(part) if value.type.dtype is string else np.asarray(part)
             for part, value in zip(results, node.outputs, strict=True)]  # fmt: skip
    return found if all(map(_is_typed, found, node.outputs)) else None


def _fits(type_: Type, limit: int) -> bool:
    size = shapes.size(type_.shape)
    return type_.dtype is not variant and size is not None and size <= limit


def _is_typed(array: np.ndarray[Any, Any], value: Value) -> bool:
    return array.dtype == value.type.dtype.numpy and shapes.is_subshape(array.shape, value.type.shape)
