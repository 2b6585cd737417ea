"""Small arrays of numbers, such as shapes, as far as a trace knows them: ``[shape(x)[0] * 2, 3]``.

An element is known where it is a constant, a known dimension, or made of these by ops that can't fail.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import shapes
from ...ir.graph import Graph, Node, Value
from ...ir.primitive import CONSTANT, PLACEHOLDER
from ...ir.total import is_total
from ...tensors.likes import TensorLike
from ...tensors.tensor import EagerTensor, SymbolicTensor
from ...tensors.trace import static_value

# Elements of an array, and nodes that are looked at for one: what lies beyond is not known.
_ELEMENTS, _NODES = 64, 100


class Known(NamedTuple):
    """An array, of which some elements are known: the others may hold anything."""

    numbers: np.ndarray[Any, Any]
    mask: np.ndarray[Any, Any]


def known_array(tensor: TensorLike) -> np.ndarray[Any, Any] | None:
    """The array that a tensor certainly holds in each run, for arrays of few numbers; else None."""
    if type(tensor) is EagerTensor:
        return static_value(tensor)
    if type(tensor) is not SymbolicTensor:
        return None
    found = _known(tensor.value, {})
    return found.numbers if found is not None and found.mask.all() else None


def known_dims(value: Value) -> shapes.Shape:
    """What is known while tracing of an integer vector that serves as a shape: ``None`` for an unknown element."""
    found = _known(value, {})
    if found is None:
        return None
    pairs = zip(found.numbers.reshape(-1).tolist(), found.mask.reshape(-1).tolist(), strict=True)
    return tuple([n if is_known else None for n, is_known in pairs])


def _known(value: Value, seen: dict[Value, Known | None]) -> Known | None:
    if value not in seen:
        size = shapes.size(value.type.shape)
        seen[value] = None  # for what comes back to it
        if size is not None and size <= _ELEMENTS and value.type.dtype.kind in "biuf":
            found = _found(value, seen) if len(seen) <= _NODES else None
            seen[value] = _nothing(value) if found is None else found
    return seen[value]


def _nothing(value: Value) -> Known:
    shape = value.type.shape
    return Known(np.zeros(shape, value.type.dtype.numpy), np.zeros(shape, bool))


def _found(value: Value, seen: dict[Value, Known | None]) -> Known | None:
    node = value.node
    if node.op is CONSTANT:
        array = np.asarray(node.attributes["value"])
        return Known(array, np.ones(array.shape, bool))
    if node.op is PLACEHOLDER:
        outer = node.graph.origins.get(value)
        return None if outer is None else _known(outer, seen)
    if node.op.of_shape:
        return _of_shape(node)
    if node.op.effect or node.subgraphs:
        return None
    parts = [_known(each, seen) for each in node.inputs]
    given = [part for part in parts if part is not None]
    if len(given) < len(parts) or not any(part.mask.any() for part in given):
        return None
    return _computed(value, given)


def _of_shape(node: Node) -> Known | None:
    """What is the same whatever the unknown dimensions are."""
    shape = node.inputs[0].type.shape
    if shape is None:
        return None
    one, other = ([unknown if n is None else n for n in shape] for unknown in (1, 2))
    first, second = (np.asarray(node.op.numpy(np.broadcast_to(np.False_, dims), **node.attributes))
                     for dims in (one, other))  # fmt: skip
    return Known(first, first == second)


def _computed(value: Value, parts: list[Known]) -> Known | None:
    op, attributes = value.node.op, value.node.attributes
    numbers, masks = [part.numbers for part in parts], [part.mask for part in parts]
    scratch = Graph("known")
    if op.warns and not is_total(op, [scratch.constant(each) for each in numbers], attributes):
        return None

    def run(*arrays: object) -> Any:
        result = op.numpy(*arrays, **attributes)
        return np.asarray(result[value.index] if type(result) is tuple else result)

    try:
        with np.errstate(all="ignore"):
            found = run(*numbers)
            if all(mask.all() for mask in masks):
                return Known(found, np.ones(found.shape, bool))
            if isinstance(op.numpy, np.ufunc):
                return Known(found, np.logical_and.reduce(np.broadcast_arrays(*masks)))
            if op.view and all(mask.all() for mask in masks[1:]):
                return Known(found, run(masks[0], *numbers[1:]).astype(bool))
            return Known(found, run(*masks).astype(bool)) if op.moves else None
    except Exception:  # it is the run's to raise
        return None
