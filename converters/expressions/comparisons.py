"""Comparisons that Python keeps to itself: chains, `in`, `is`. Single `==`, `<`, … are left to the values' own methods.

>>> from autograph.converters.base import show
>>> show(Comparisons, '''
... a = 0 <= x < n
... b = x in xs
... c = x is not None
... d = x < y
... ''')
a = ag__.compare(0, ag__.le, lambda: x, ag__.lt, lambda: n)
b = ag__.in_(x, xs)
c = ag__.is_not(x, None)
d = x < y
"""

from __future__ import annotations

import gast

from ..base import Pass
from ..build import operator, operator_call
from ..lazy import lazy, must_stay

SINGLE = {gast.In: "in_", gast.NotIn: "not_in", gast.Is: "is_", gast.IsNot: "is_not"}
CHAINED = SINGLE | {gast.Lt: "lt", gast.LtE: "le", gast.Gt: "gt", gast.GtE: "ge", gast.Eq: "eq", gast.NotEq: "ne"}


class Comparisons(Pass):
    """Rewrites chained comparisons, `in`, `not in`, `is` and `is not`."""

    looks_at = (gast.Compare,)

    def leave_Compare(self, node: gast.Compare) -> gast.AST:
        if len(node.ops) > 1:
            return self._chain(node)
        name = SINGLE.get(type(node.ops[0]))
        return node if name is None else operator_call(name, [node.left, node.comparators[0]], node)

    def _chain(self, node: gast.Compare) -> gast.AST:
        reason = must_stay(self, node)
        if reason is not None:
            self.keep_native(node, reason)
            node.left, *node.comparators = (
                operator_call("native_operand", [value], value) for value in (node.left, *node.comparators)
            )
            return node
        arguments = [node.left]
        for comparison, value in zip(node.ops, node.comparators, strict=True):
            arguments += [operator(CHAINED[type(comparison)], value), lazy(self, value)]
        return operator_call("compare", arguments, node)
