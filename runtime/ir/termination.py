"""Which loops certainly end: those that count whole numbers, by a constant, up or down to a bound that stays the same.

The test may ask for more (``i < n and not found``): it is enough that one part of it becomes false in the end. A count
that could pass the greatest number of its dtype, and so begin anew, is not certain to end.
"""

from __future__ import annotations

import functools

import numpy as np

from . import records
from .graph import Graph, Value
from .op import Op
from .primitive import CONSTANT, PLACEHOLDER, Cond, While

__all__ = ["ends"]


@functools.cache
def _comparisons() -> dict[Op, tuple[int, int]]:
    """By comparison: which way the count goes when it is on the left, and whether it may still reach the bound."""
    return {
        records.less: (1, 0), records.less_equal: (1, 1), records.greater: (-1, 0), records.greater_equal: (-1, 1),
    }  # fmt: skip


def ends(loop: While) -> bool:
    """Whether a loop stops, whatever its inputs are, when all that it runs returns."""
    test, body = loop.subgraphs
    if test.never_returns or body.never_returns:
        return True
    return _Loop(test, body).becomes_false(test.outputs[0])


class _Loop:
    def __init__(self, test: Graph, body: Graph) -> None:
        self.test = test
        self.body = body

    def becomes_false(self, value: Value) -> bool:
        """Whether a part of the test is false after some number of turns."""
        value = _within(value, self.test)
        node = value.node
        op, inputs = node.op, node.inputs
        if op is CONSTANT:
            return not np.any(node.attributes["value"])
        if op is records.logical_and:
            return any(map(self.becomes_false, inputs))
        if isinstance(node, Cond):
            return self._conjunction(node, value.index)
        if value.type.shape == () and op in _comparisons():
            way, reaches = _comparisons()[op]
            left, right = inputs
            return self._meets(left, right, way, reaches) or self._meets(right, left, -way, reaches)
        return False

    def _conjunction(self, node: Cond, index: int) -> bool:
        """``a and b``: false where ``a`` is, and where ``b`` is."""
        then, orelse = node.subgraphs
        if then.never_returns or orelse.never_returns or not self.becomes_false(orelse.outputs[index]):
            return False
        return self.becomes_false(node.predicate) or self.becomes_false(then.outputs[index])

    def _meets(self, count: Value, bound: Value, way: int, reaches: int) -> bool:
        """Whether a value of the state goes by a constant towards a bound, and can't go beyond its dtype's range."""
        dtype = count.type.dtype
        slot = self._slot(count)
        if slot is None or dtype.kind not in "iu" or bound.type.dtype is not dtype or not self._stays(bound, set()):
            return False
        step = _step(self.body, slot)
        if step is None or step * way <= 0:
            return False
        info = np.iinfo(dtype.as_numpy_dtype)
        last = _constant(_within(bound, self.test))
        if way > 0:
            return (info.max if last is None else last) - 1 + reaches + step <= info.max
        return (info.min if last is None else last) + 1 - reaches + step >= info.min

    def _slot(self, value: Value) -> int | None:
        value = _within(value, self.test)
        parameters = self.test.parameters
        return next((k for k, each in enumerate(parameters) if each is value), None)

    def _stays(self, value: Value, seen: set[Value]) -> bool:
        """Whether a value is the same in each turn."""
        value = _within(value, self.test)
        if value in seen or value in self.test.origins:
            return True
        seen.add(value)
        slot = self._slot(value)
        if slot is not None:
            return self.body.outputs[slot] is self.body.parameters[slot]
        node = value.node
        if node.effect or node.subgraphs or node.op is PLACEHOLDER:
            return False
        return all(self._stays(each, seen) for each in node.inputs)


def _within(value: Value, graph: Graph) -> Value:
    """What a value is further out, but not outside of a graph."""
    while value.graph is not graph and value in value.graph.origins:
        value = value.graph.origins[value]
    return value


def _constant(value: Value) -> int | None:
    while value in value.graph.origins:
        value = value.graph.origins[value]
    if value.node.op is not CONSTANT or value.type.shape != ():
        return None
    return int(value.node.attributes["value"])


def _step(body: Graph, slot: int) -> int | None:
    """What each turn adds to a value of the state, when that is a constant."""
    parameter, node = body.parameters[slot], body.outputs[slot].node
    adds = node.op is records.add
    if not (adds or node.op is records.subtract) or body.outputs[slot].type != parameter.type:
        return None
    left, right = node.inputs
    if left is not parameter and adds:
        left, right = right, left
    step = _constant(right) if left is parameter else None
    return step if step is None or adds else -step
