"""f-strings become calls, so that the text of a staged value is a staged string; so does `%` after a literal string.

>>> from autograph.converters.base import show
>>> show(Strings, "s = f'{x!r:>{width}} and {y}'")
s = ag__.joined_string(ag__.format_value(x, 'r', ag__.joined_string('>', ag__.format_value(width))), ' and ', ag__.format_value(y))
>>> show(Strings, "s = 'x is %s' % x")
s = ag__.percent('x is %s', x)
"""  # noqa: E501

from __future__ import annotations

import gast

from .base import Pass
from .build import constant, operator_call


class Strings(Pass):
    """Rewrites f-strings, and what `%` formats."""

    removes = (gast.JoinedStr, gast.FormattedValue)
    looks_at = (gast.BinOp,)

    def leave_BinOp(self, node: gast.BinOp) -> gast.AST:
        if isinstance(node.op, gast.Mod) and isinstance(node.left, gast.Constant) and isinstance(node.left.value, str):
            return operator_call("percent", [node.left, node.right], node)
        return node

    def leave_FormattedValue(self, node: gast.FormattedValue) -> gast.AST:
        arguments = [node.value]
        if node.conversion > 0 or node.format_spec is not None:
            arguments.append(constant(chr(node.conversion) if node.conversion > 0 else None, node))
        if node.format_spec is not None:
            arguments.append(node.format_spec)
        return operator_call("format_value", arguments, node)

    def leave_JoinedStr(self, node: gast.JoinedStr) -> gast.AST:
        if all(isinstance(part, gast.Constant) for part in node.values):
            return constant("".join(part.value for part in node.values), node)
        # The parser of Python 3.12 adds empty parts.
        parts = [part for part in node.values if not isinstance(part, gast.Constant) or part.value]
        return operator_call("joined_string", parts, node)
