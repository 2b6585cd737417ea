"""Which nodes are total: they neither raise nor warn, whatever their inputs hold.

A total node may be left out when nobody needs its result, and may run where the program would not have got to. Every
other node runs exactly where Python would have run it: ``x[10]`` raises also when its value is not used. Whether a
node is total is told by its op, the static types of its inputs, and divisors that are constants. What is in no table
below is not total.

A loop is total when its nodes are, and when its end is certain (see `termination`): Python would never get past one
that goes on for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .ir import Graph, Node, Value
from .op import Op
from .shapes import Shape, is_fully_defined
from .termination import ends

__all__ = ["Totality", "is_total", "surely_broadcast"]

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


def _any(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    return True


def _elementwise(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    return _numeric(inputs) and surely_broadcast(inputs)


def _division(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Integers warn of division by 0, and by -1 where the quotient does not fit."""
    if not _elementwise(inputs, attributes):
        return False
    if inputs[0].type.dtype.kind == "f":
        return True
    divisor = inputs[1].node
    return divisor.op.name == "constant" and bool((divisor.attributes["value"] > 0).all())


def _power(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Integers raise for negative exponents."""
    if not _elementwise(inputs, attributes):
        return False
    if inputs[0].type.dtype.kind in "fc":
        return True
    exponent = inputs[1].node
    return exponent.op.name == "constant" and bool((exponent.attributes["value"] >= 0).all())


def _cast(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """A float that fits into no integer warns."""
    to_integer = attributes["dtype"].kind in "iu"
    return _numeric(inputs) and attributes["dtype"].kind in _NUMBERS and not (
        to_integer and inputs[0].type.dtype.kind in "fc")  # fmt: skip


def _ranked(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    return inputs[0].type.shape is not None and _numeric(inputs)


def _fixed(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """One array of known shape, and nothing that is known only at run time."""
    return len(inputs) == 1 and _known(inputs) and _numeric(inputs)


def _filled(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    return _fixed(inputs, attributes) and 0 not in (inputs[0].type.shape or ())


def _together(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    return _known(inputs) and _numeric(inputs)


def _target(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """``reshape`` and the like to a shape that is known."""
    return _fixed(inputs, attributes) and is_fully_defined(attributes["shape"])


def _item(inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Slices never raise, inference checks constant indices where it knows the dimension."""
    x = inputs[0].type
    if x.shape is None or x.dtype.kind not in _NUMBERS:
        return False
    kinds = {part[0] for part in attributes["key"]}
    if "input" in kinds or any(part[0] == "slice" and type(part[3]) is tuple for part in attributes["key"]):
        return False
    return "index" not in kinds or is_fully_defined(x.shape)


_TABLE: dict[str, Rule] = {}
for _names, _rule in (
    ("constant placeholder custom_gradient identity stop_gradient shape size rank", _any),
    ("list_new list_push list_length", _any),
    ("""
        negative absolute sign square sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos
        arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg floor ceil trunc rint isnan isinf isfinite
        signbit logical_not invert real imag conjugate angle erf erfc lgamma digamma sinc relu sigmoid softplus
        igamma igammac igamma_grad_a betainc zeta erfcinv ndtri bessel_i0e bessel_i1e
        add subtract multiply divide maximum minimum fmax fmin squared_difference divide_no_nan multiply_no_nan xlogy
        xlog1py xdivy gcd lcm logaddexp arctan2 hypot nextafter copysign heaviside equal not_equal less less_equal
        greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift
        right_shift where clip add_n complex
        """, _elementwise),
    ("floor_divide remainder truncatediv fmod", _division),
    ("power", _power),
    ("cast", _cast),
    ("sum prod all any count_nonzero expand_dims transpose flip", _ranked),
    ("squeeze cumsum cumprod sort", _fixed),
    ("max min mean argmax argmin logsumexp softmax log_softmax", _filled),
    ("matmul concat stack sum_to_shape_of broadcast_to_shape_of", _together),
    ("reshape broadcast_to fill", _target),
    ("get_item", _item),
):  # fmt: skip
    _TABLE.update(dict.fromkeys(_names.split(), _rule))


def is_total(op: Op, inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Whether an op without sub-graphs is total on inputs of these types."""
    rule = _TABLE.get(op.name)
    return rule is not None and not op.effect and rule(inputs, attributes)


class Totality:
    """Whether nodes are total, those with sub-graphs too; what is found of a graph is remembered."""

    def __init__(self) -> None:
        self._known: dict[Graph, bool] = {}

    def of_node(self, node: Node) -> bool:
        """Whether a node, and all in it, is total."""
        if node.op.name in ("cond", "while", "call"):
            return all(map(self.of_graph, node.subgraphs)) and (node.op.name != "while" or ends(node))
        return is_total(node.op, node.inputs, node.attributes)

    def of_graph(self, graph: Graph) -> bool:
        """Whether all nodes of a graph are total; a graph that calls itself is not."""
        known = self._known.get(graph)
        if known is None:
            self._known[graph] = False
            known = self._known[graph] = not graph.never_returns and all(map(self.of_node, graph.nodes))
        return known
