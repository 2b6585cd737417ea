"""`raise` asks first whether it stands in staged code, where it must become part of the graph.

>>> from autograph.converters.base import show
>>> show(Raises, "raise ValueError(x) from error")
raise ag__.raising(ValueError(x)) from error

A bare `raise` is left alone. The lines of the bodies of `try`, and of `with suppress(…)`, are noted, because a graph
can't run their handlers.
"""

from __future__ import annotations

import gast

from autograph.operators.exceptions import register_guarded_lines

from .base import Pass
from .build import operator_call

_SWALLOWING = frozenset(["suppress", "raises", "assertRaises", "assertRaisesRegex"])


class Raises(Pass):
    """Rewrites `raise`, and notes where the bodies of statements are that may catch exceptions."""

    looks_at = (gast.Raise, gast.Try, gast.TryStar, gast.With)

    def leave_Raise(self, node: gast.Raise) -> gast.AST:
        if node.exc is not None:
            node.exc = operator_call("raising", [node.exc], node.exc)
        return node

    def leave_Try(self, node: gast.Try | gast.TryStar) -> gast.AST:
        first, last = node.body[0], node.body[-1]
        register_guarded_lines(self.context.filename, first.lineno, last.end_lineno or last.lineno)
        return node

    leave_TryStar = leave_Try

    def leave_With(self, node: gast.With) -> gast.AST:
        for item in node.items:
            callee = item.context_expr.func if isinstance(item.context_expr, gast.Call) else None
            if isinstance(callee, gast.Call) and callee.args:  # ag__.call(suppress)
                callee = callee.args[0]
            name = getattr(callee, "attr", None) or getattr(callee, "id", None)
            if name in _SWALLOWING:
                first, last = node.body[0], node.body[-1]
                last_line = last.end_lineno or last.lineno
                register_guarded_lines(self.context.filename, first.lineno, last_line, f"with {name}")
        return node
