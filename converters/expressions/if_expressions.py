"""`a if c else b` becomes a call, so that a staged `c` can build a conditional.

>>> from autograph.converters.base import show
>>> show(IfExpressions, "y = a if c else b")
y = ag__.if_exp(c, lambda: a, lambda: b)
"""

from __future__ import annotations

import gast

from ..base import Pass
from ..build import native_test, operator_call
from ..lazy import lazy, must_stay


class IfExpressions(Pass):
    """Rewrites conditional expressions."""

    removes = (gast.IfExp,)

    def leave_IfExp(self, node: gast.IfExp) -> gast.AST:
        reason = must_stay(self, node)
        if reason is not None:
            self.keep_native(node, reason)
            node.test = native_test(node.test, reason)
            return node
        return operator_call("if_exp", [node.test, lazy(self, node.body), lazy(self, node.orelse)], node)
