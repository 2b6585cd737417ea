"""`assert` becomes a call, so that a staged test is checked at run time, in order; the message stays lazy.

>>> from autograph.converters.base import show
>>> show(Asserts, "assert x > 0, message(x)")
ag__.assert_stmt(x > 0, lambda: message(x))
"""

from __future__ import annotations

import gast

from ..base import Pass
from ..build import expression, native_test, operator_call
from ..lazy import lazy, must_stay


class Asserts(Pass):
    """Rewrites `assert`; under `python -O` there is none, as in the function itself."""

    removes = (gast.Assert,)

    def leave_Assert(self, node: gast.Assert) -> gast.AST | None:
        if not __debug__:
            return gast.copy_location(gast.Pass(), node)
        arguments = [node.test]
        if node.msg is not None:
            reason = must_stay(self, node.msg)
            if reason is not None:
                self.keep_native(node, reason)
                node.test = native_test(node.test, reason)
                return node
            arguments.append(lazy(self, node.msg))
        return expression(operator_call("assert_stmt", arguments, node), node)
