"""What ops make of dimensions that vary, computed by their own kernels on JAX's symbolic dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....engines.xla.values import Lowered, Symbols, Unsized, is_known
from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op

__all__ = ["folded", "varies"]


def varies(x: Lowered) -> bool:
    """Whether a value has to do with a dimension that varies."""
    array: Any = getattr(x, "items", x)
    return isinstance(x, Symbols) or not all(isinstance(n, int) for n in np.shape(array))


def folded(node: Node, inputs: Sequence[Lowered]) -> Sequence[Any] | None:
    """What a node gives for whole numbers that are made of dimensions; None where only a run can tell."""
    fold = _FOLDS.get(node.op)
    if fold is None or any(value.type.dtype.kind not in "iu" for value in node.outputs):
        return None
    is_of_shape = node.op in _OF_SHAPES
    if is_of_shape and isinstance(inputs[0], Unsized):
        return None
    if not is_of_shape and not all(isinstance(x, Symbols) or is_known(x) for x in inputs):
        return None
    try:
        found = fold(node, *[x if is_of_shape else _objects(x) for x in inputs])
    except Exception:  # JAX computes it of arrays
        return None
    results = found if type(found) in (tuple, list) else (found,)
    return [_value(x, value.type.dtype.numpy) for x, value in zip(results, node.outputs, strict=True)]


def _objects(x: Lowered) -> np.ndarray:
    return x.dims if isinstance(x, Symbols) else np.asarray(x).astype(object)


def _value(x: Any, dtype: np.dtype[Any]) -> Any:
    dims = np.asarray(x, object)
    return np.asarray(dims.tolist(), dtype) if all(isinstance(n, int) for n in dims.flat) else Symbols(dims, dtype)


def _kernel(node: Node, *values: np.ndarray) -> Any:
    return node.op.numpy(*values, **node.attributes)


def _reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    def fold(node: Node, x: np.ndarray) -> Any:
        return function(x, axis=node.attributes.get("axis"), keepdims=node.attributes.get("keepdims", False))

    return fold


def _size(node: Node, x: Lowered) -> Any:
    return np.prod(np.asarray(np.shape(x), object)) if np.ndim(x) else 1


_OF_SHAPES = frozenset((records.shape, records.size))
_FOLDS: dict[Op, Callable[..., Any]] = {
    records.shape: lambda node, x: np.asarray(np.shape(x), object),
    records.size: _size,
    records.cast: lambda node, x: x,
    records.identity: lambda node, x: x,
    records.sum: _reduced(np.sum),
    records.prod: _reduced(np.prod),
    **dict.fromkeys(
        (
            records.add, records.subtract, records.multiply, records.negative, records.floor_divide, records.remainder,
            records.get_item, records.gather, records.stack, records.unstack, records.concat, records.split,
            records.reshape, records.expand_dims, records.squeeze, records.flip,
        ),
        _kernel,
    ),
}  # fmt: skip
