"""`and`, `or` and `not` become calls: later operands are evaluated only when Python would, or staged.

>>> from autograph.converters.base import show
>>> show(Boolean, "y = a and not b or c")
y = ag__.or_(ag__.and_(a, lambda: ag__.not_(b)), lambda: c)
"""

from __future__ import annotations

import gast

from ..base import Pass
from ..build import native_test, operator_call
from ..lazy import lazy, must_stay


class Boolean(Pass):
    """Rewrites `and`, `or` and `not`."""

    removes = (gast.BoolOp, gast.Not)

    def leave_BoolOp(self, node: gast.BoolOp) -> gast.AST:
        reason = must_stay(self, node)
        if reason is not None:
            self.keep_native(node, reason)
            node.values[:-1] = [native_test(value, reason) for value in node.values[:-1]]
            return node
        operator = "and_" if isinstance(node.op, gast.And) else "or_"
        first, *rest = node.values
        return operator_call(operator, [first, *[lazy(self, value) for value in rest]], node)

    def leave_UnaryOp(self, node: gast.UnaryOp) -> gast.AST:
        return operator_call("not_", [node.operand], node) if isinstance(node.op, gast.Not) else node
