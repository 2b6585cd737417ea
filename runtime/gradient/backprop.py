"""Reverse accumulation: from the gradients of targets back to those of sources, over a list of records."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

from ..base import shapes
from ..ir.graph import Type
from ..ir.op import FUNCTIONS, OPS, STRUCTURAL, Op
from ..tensors import convert
from ..tensors.tensor import SymbolicTensor
from .records import Record, is_differentiable, is_variable, key

# Rules for ops that hold sub-graphs: ``rule(record, gradients of outputs, active keys) -> (source, gradient) pairs``.
RULES: dict[Op, Callable[[Record, list[Any], set[Any]], list[tuple[Any, Any]]]] = {}

Pairs = list[tuple[Any, Any]]


class Update:
    """A gradient that is zero but for some places: what has been found so far -> that with this gradient added.

    So a loop that reads one element in each turn does not make a whole tensor of zeros for it.
    """

    def __init__(self, apply: Callable[[Any], Any]) -> None:
        self.apply = apply


def backpropagate(records: Iterable[Record], targets: Sequence[Any], gradients: Sequence[Any],
                  sources: Sequence[Any], start: Mapping[Any, Any] | None = None) -> list[Any]:  # fmt: skip
    """The gradient of the targets with respect to each source; None where they are not connected.

    Parameters
    ----------
    records: in the order in which they were made.
    targets: tensors; ``gradients`` holds the gradient of each, or None.
    sources: tensors and variables.
    start: key of a source -> what its gradient is added to.

    Raises `LookupError` where an op on the way has no gradient.
    """
    wanted = {key(source) for source in sources}
    active = set(wanted)
    path = []
    for record in records:
        record.renew()
        if record.is_reached(active):
            path.append(record)
            active.update([key(x) for x in record.outputs if is_differentiable(x.dtype)])
    found: dict[Any, Any] = dict(start or {})
    for target, gradient in zip(targets, gradients, strict=True):
        if gradient is not None and key(target) in active:
            accumulate(found, target, gradient)
    while path:
        record = path.pop()
        keys = [key(x) for x in record.outputs]
        given = [found.get(k) if k in wanted else found.pop(k, None) for k in keys]
        if any(g is not None for g in given):
            for source, gradient in pull(record, given, active):
                accumulate(found, source, gradient)
    return [found.get(key(source)) for source in sources]


def accumulate(found: dict[Any, Any], source: object, gradient: object) -> None:
    """Add to the gradient of a source."""
    place = key(source)
    known = found.get(place)
    if type(gradient) is Update:
        found[place] = gradient.apply(zeros_like(source) if known is None else known)
    else:
        found[place] = gradient if known is None else add(known, gradient)


def add(x: Any, y: Any) -> Any:
    """The sum of two gradients of one tensor."""
    return OPS["list_add"](x, y) if x.dtype.kind == "V" else OPS["add"](x, y)


def zeros_like(x: Any) -> Any:
    """The gradient that is zero, for a tensor, a list or a variable."""
    if is_variable(x):
        return FUNCTIONS["zeros"](x.shape, x.dtype)
    return OPS["list_zeros_like"](x) if x.dtype.kind == "V" else FUNCTIONS["zeros_like"](x)


def type_of(x: Any) -> Type:
    """The static type of a tensor or variable."""
    if is_variable(x):
        return Type(x.dtype, shapes.as_shape(x.shape))
    return x.value.type if type(x) is SymbolicTensor else Type(x.dtype, x.static_shape)


def fit(gradient: Any, wanted: Type) -> Any:
    """A gradient whose static type fits that of its tensor."""
    if wanted.dtype.kind == "V" or shapes.is_subshape(gradient.static_shape, wanted.shape):
        return gradient
    return OPS["ensure_shape"](gradient, shape=wanted.shape)


def pull(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """The gradients of a record's inputs from those of its outputs (None where there is none)."""
    if record.backward is not None:
        return _wanted(record, record.backward(given), active)
    op = record.op
    assert op is not None and op.gradient is not None  # assignments have none, and nothing to be differentiated
    if op.gradient is STRUCTURAL:
        return RULES[op](record, given, active)
    out: Any = record.outputs
    if op.accumulate is not None:
        update = Update(functools.partial(_updated, given[0], record))
        return [(record.inputs[0], update)] if record.keys[0] in active else []
    given = [zeros_like(x) if g is None else g for x, g in zip(out, given, strict=True)]
    several = len(out) != 1 or type(op.infer(*map(type_of, record.inputs), **record.attributes)) is not Type
    g, out = (tuple(given), tuple(out)) if several else (given[0], out[0])
    return _wanted(record, op.gradient(g, out, *record.inputs, **record.attributes), active)


def _updated(g: object, record: Record, total: object) -> Any:
    assert record.op is not None and record.op.accumulate is not None
    return record.op.accumulate(total, g, *record.inputs, **record.attributes)


def _wanted(record: Record, gradients: Sequence[Any], active: set[Any]) -> Pairs:
    pairs = []
    for x, k, gradient in zip(record.inputs, record.keys, gradients, strict=True):
        if gradient is not None and k in active and is_differentiable(x.dtype):
            if type(gradient) is FunctionType:
                gradient = gradient()
            gradient = convert.convert_to_tensor(gradient)
            pairs.append((x, gradient if gradient.dtype is x.dtype else convert.cast(gradient, x.dtype)))
    return pairs
