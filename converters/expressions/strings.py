"""f-strings become calls, so that the text of a staged value is a staged string; so does `%` that may format one.

>>> from autograph.converters.base import show
>>> show(Strings, "s = f'{x!r:>{width}} and {y}'")
s = ag__.joined_string(ag__.format_value(x, 'r', ag__.joined_string('>', ag__.format_value(width))), ' and ', ag__.format_value(y))
>>> show(Strings, "s = 'x is %s' % x")
s = ag__.mod('x is %s', x)
>>> show(Strings, "s %= x")
s = ag__.imod(s, x)

A number neither formats nor, as a constant, holds anything staged:

>>> show(Strings, "even = n % 2 == 0")
even = n % 2 == 0
"""  # noqa: E501

from __future__ import annotations

import gast

from ..base import Pass
from ..build import assign, constant, name, operator_call


class Strings(Pass):
    """Rewrites f-strings, and what `%` formats."""

    removes = (gast.JoinedStr, gast.FormattedValue)
    looks_at = (gast.BinOp, gast.AugAssign)

    def leave_BinOp(self, node: gast.BinOp) -> gast.AST:
        if not isinstance(node.op, gast.Mod) or isinstance(node.right, gast.Constant) or _is_number(node.left):
            return node
        return operator_call("mod", [node.left, node.right], node)

    def leave_AugAssign(self, node: gast.AugAssign) -> gast.AST:
        target = node.target
        if not isinstance(node.op, gast.Mod) or isinstance(node.value, gast.Constant):
            return node
        if not isinstance(target, gast.Name):
            return node
        return assign(target.id, operator_call("imod", [name(target.id, target), node.value], node), node)

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


def _is_number(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) and not isinstance(node.value, (str, bytes))
