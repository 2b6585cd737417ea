"""When an op is total, that is, neither raises nor warns: the rules that records of ops name in their field ``total``.

A rule is told the inputs of a node, with their static types, and its attributes. See `total` for what they serve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.shapes import Shape, is_fully_defined
from .graph import Value

Rule = Callable[[Sequence[Value], dict[str, Any]], bool]
_NUMBERS = "biufc"


def _numeric(inputs: Sequence[Value]) -> bool:
    return all(value.type.dtype.kind in _NUMBERS for value in inputs)


def surely_broadcast(inputs: Sequence[Value]) -> bool:
    """Whether the shapes broadcast, whatever the unknown dimensions are."""
    shapes = [value.type.shape for value in dict.fromkeys(inputs) if value.type.shape != ()]
    if len(shapes) < 2:
        return True
    if None in shapes:
        return False
    for i in range(1, max(len(shape) for shape in shapes if shape is not None) + 1):
        dims = {shape[-i] for shape in shapes if shape is not None and i <= len(shape)} - {1}
        if len(dims) > 1 or (None in dims and sum(_has_unknown(shape, i) for shape in shapes) > 1):
            return False
    return True


def _has_unknown(shape: Shape, i: int) -> bool:
    return shape is not None and i <= len(shape) and shape[-i] is None


def _known(inputs: Sequence[Value]) -> bool:
    return all(is_fully_defined(value.type.shape) for value in inputs)


def always(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Whatever it is given."""
    return True


def elementwise(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Numbers of shapes that are certain to broadcast."""
    return _numeric(inputs) and surely_broadcast(inputs)


def division(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Integers warn of division by 0, and by -1 where the quotient does not fit."""
    if not elementwise(inputs, attributes):
        return False
    if inputs[0].type.dtype.kind == "f":
        return True
    divisor = inputs[1].node
    return divisor.op.name == "constant" and bool((divisor.attributes["value"] > 0).all())


def power(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Integers raise for negative exponents."""
    if not elementwise(inputs, attributes):
        return False
    if inputs[0].type.dtype.kind in "fc":
        return True
    exponent = inputs[1].node
    return exponent.op.name == "constant" and bool((exponent.attributes["value"] >= 0).all())


def cast(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """A float that fits into no integer warns."""
    to_integer = attributes["dtype"].kind in "iu"
    return _numeric(inputs) and attributes["dtype"].kind in _NUMBERS and not (
        to_integer and inputs[0].type.dtype.kind in "fc")  # fmt: skip


def ranked(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Numbers in an array of known rank."""
    return inputs[0].type.shape is not None and _numeric(inputs)


def fixed(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """One array of known shape, and nothing that is known only at run time."""
    return len(inputs) == 1 and _known(inputs) and _numeric(inputs)


def filled(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """As `fixed`, for an array that is not empty."""
    return fixed(inputs, attributes) and 0 not in (inputs[0].type.shape or ())


def together(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Numbers in arrays of known shapes."""
    return _known(inputs) and _numeric(inputs)


def target(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """``reshape`` and the like to a shape that is known."""
    return fixed(inputs, attributes) and is_fully_defined(attributes["shape"])


def item(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Slices never raise, inference checks constant indices where it knows the dimension."""
    x = inputs[0].type
    if x.shape is None or x.dtype.kind not in _NUMBERS:
        return False
    kinds = {part[0] for part in attributes["key"]}
    if "input" in kinds or any(part[0] == "slice" and type(part[3]) is tuple for part in attributes["key"]):
        return False
    return "index" not in kinds or is_fully_defined(x.shape)
