"""f-strings become calls, so that the text of a staged value is a staged string.

>>> from autograph.converters.base import show
>>> show(Strings, "s = f'{x!r:>{width}} and {y}'")
s = ag__.joined_string(ag__.format_value(x, 'r', ag__.joined_string('>', ag__.format_value(width))), ' and ', ag__.format_value(y))
"""  # noqa: E501

from __future__ import annotations

import gast

from .base import Pass
from .build import constant, operator_call


class Strings(Pass):
    """Rewrites f-strings."""

    removes = (gast.JoinedStr, gast.FormattedValue)

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
