"""Algebraic identities, each exact to the last bit under NumPy's arithmetic: the rules that there are for the field
``identities`` of records.

A rule takes the node and the values of its inputs, and gives the value that can stand for the node's, or None. The
walk takes it only when the dtype is the same and the shape at least as exact, so that no rule has to mind what
broadcasting does to known shapes; `_unchanged` minds unknown ones. A node that may raise is never replaced by an input.

Exact means: the same numbers and shapes, -0.0 told from 0.0, infinities and wrapped integers included; NaN stays NaN
(its sign and payload mean nothing). That is why ``x + 0.0`` stays for floats (-0.0 + 0.0 is 0.0), ``x * 0`` too (NaN,
-0.0), complex products and quotients by 1 (infinities), ``x ** 2`` of floats (``power`` and ``square`` may differ in
the last bit), and ``x / c`` but for powers of two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import copysign
from typing import Any

import numpy as np

from ..base.dtypes import bool_
from ..base.shapes import is_fully_defined
from . import records
from .graph import Node, Value
from .op import Op
from .primitive import CONSTANT
from .totality import surely_broadcast

# Adds a node, given an op, inputs (values, or arrays for constants) and attributes; its type is that of the node that
# the rule is for.
Make = Callable[..., Value]
# An array means a constant.
Result = Value | np.ndarray[Any, Any] | None
Identity = Callable[[Node, Sequence[Value], Make], Result]


def _constant(value: Value) -> np.ndarray[Any, Any] | None:
    node = value.node
    return node.attributes["value"] if node.op is CONSTANT else None


def _is_all(value: Value, number: complex, negative_zero: bool = False) -> bool:
    """Whether a value is a constant that holds one number only; zeros have to be of the given sign."""
    array = _constant(value)
    if array is None or value.type.dtype.kind not in "biuf":
        return False
    if array.ndim == 0:
        item = array.item()
        return item == number and (number != 0 or type(item) is not float or (copysign(1, item) < 0) == negative_zero)
    if array.size == 0 or not (array == number).all():
        return False
    return number != 0 or array.dtype.kind != "f" or bool((np.signbit(array) == negative_zero).all())


def _unchanged(node: Node, x: Value, other: Value) -> bool:
    """Whether broadcasting with ``other`` leaves the shape of ``x`` as it is."""
    shape, rank = x.type.shape, len(other.type.shape or ())
    ones = other.type.shape is not None and set(other.type.shape) <= {1}
    if ones and (rank == 0 or (shape is not None and rank <= len(shape))):
        return True
    return is_fully_defined(shape) and shape == node.outputs[0].type.shape


def neutral(number: complex, left: bool, kinds: str, negative_zero: bool = False) -> Identity:
    """``x op number`` is ``x``, and if ``left`` so is ``number op x``, for dtypes of some kinds."""

    def rule(node: Node, inputs: Sequence[Value], make: Make) -> Result:
        x, y = inputs
        if x.type.dtype.kind not in kinds:
            return None
        if _is_all(y, number, negative_zero) and _unchanged(node, x, y):
            return x
        return y if left and _is_all(x, number, negative_zero) and _unchanged(node, y, x) else None

    return rule


def absorbing(number: complex, kinds: str) -> Identity:
    """``x op number`` is ``number``, for scalars."""

    def rule(node: Node, inputs: Sequence[Value], make: Make) -> Result:
        x, y = inputs
        if node.outputs[0].type.shape != () or x.type.dtype.kind not in kinds:
            return None
        return y if _is_all(y, number) else x if _is_all(x, number) else None

    return rule


def idempotent(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``x op x`` is ``x``."""
    return inputs[0] if inputs[0] is inputs[1] else None


def own_inverse(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``op(op(x))`` is ``x``."""
    inner = inputs[0].node
    return inner.inputs[0] if inner.op is node.op else None


def first(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """The op gives its input."""
    return inputs[0]


def same_dtype(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """A cast to the dtype that the input has."""
    return inputs[0] if inputs[0].type.dtype is node.attributes["dtype"] else None


def cast_of_cast(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """A cast of an integer that had been cast to a wider one before, which changed nothing."""
    inner = inputs[0].node
    if inner.op is not node.op:
        return None
    source, between = inner.inputs[0].type.dtype, inputs[0].type.dtype
    widened = source.kind in "biu" and between.kind in "iu" and np.can_cast(source.numpy, between.numpy, "safe")
    if not widened:
        return None
    if source is node.attributes["dtype"]:
        return inner.inputs[0]
    return make(node.op, inner.inputs[0], dtype=node.attributes["dtype"])


def without_sign(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``abs(-x)`` is ``abs(x)``, but for unsigned numbers, which wrap."""
    inner = inputs[0].node
    wanted = inner.op is records.negative and inner.inputs[0].type.dtype.kind != "u"
    return make(node.op, inner.inputs[0]) if wanted else None


def already(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``op(op(x))`` is ``op(x)``."""
    return inputs[0] if inputs[0].node.op is node.op else None


def opposite(pairs: Mapping[Op, Op], ordered: Mapping[Op, Op]) -> Identity:
    """``not (x == y)`` is ``x != y``, and of integers ``not (x < y)`` is ``x >= y``: NaN is in no order."""

    def rule(node: Node, inputs: Sequence[Value], make: Make) -> Result:
        inner = inputs[0].node
        other = pairs.get(inner.op)
        if other is None and inner.op in ordered and inner.inputs[0].type.dtype.kind in "biu":
            other = ordered[inner.op]
        return None if other is None else make(other, *inner.inputs)

    return rule


def chosen(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``where`` with a constant condition, or with two equal sides."""
    condition, x, y = inputs
    if not surely_broadcast(inputs):
        return None  # it may raise
    if x is y:
        return x if _unchanged(node, x, condition) else None
    array = _constant(condition)
    if array is None or array.size == 0 or not (array.all() or not array.any()):
        return None
    taken, other = (x, y) if array.all() else (y, x)
    return taken if _unchanged(node, taken, condition) and _unchanged(node, taken, other) else None


def to_square(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``x ** 2`` of integers is ``square(x)``."""
    x, exponent = inputs
    wanted = x.type.dtype.kind in "iu" and _is_all(exponent, 2) and _unchanged(node, x, exponent)
    return make(records.square, x) if wanted else None


def by_reciprocal(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``x / c`` is ``x * (1 / c)`` when ``c`` is a power of two, the reciprocal of which is exact."""
    x, divisor = inputs
    array = _constant(divisor)
    if array is None or array.ndim or array.dtype.kind != "f" or x.type.dtype is not divisor.type.dtype:
        return None
    if not np.isfinite(array) or abs(np.frexp(array)[0]) != 0.5:
        return None
    with np.errstate(all="ignore"):
        reciprocal = np.divide(array.dtype.type(1), array)
    if not np.isfinite(reciprocal) or abs(reciprocal) < np.finfo(array.dtype).tiny:
        return None
    return None if array == 1 else make(records.multiply, x, np.asarray(reciprocal))


def alone(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """The sum, or joining, of a single tensor."""
    return inputs[0] if len(inputs) == 1 and inputs[0].type.shape is not None else None


def not_not(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``not not x`` is ``x`` for a bool."""
    inner = inputs[0].node
    return inner.inputs[0] if inner.op is node.op and inner.inputs[0].type.dtype is bool_ else None
