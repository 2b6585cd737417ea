"""`x[i]` becomes a call when `i` is computed: a Python list can be asked for a staged index.

>>> from autograph.converters.base import show
>>> show(Subscripts, "y = x[i] + x[0] + x[1:n]")
y = ag__.get_item(x, i) + x[0] + x[1:n]
"""

from __future__ import annotations

import gast

from ..base import Pass
from ..build import operator_call


class Subscripts(Pass):
    """Rewrites loads of items; constant indices and slices are left to the container."""

    looks_at = (gast.Subscript,)

    def leave_Subscript(self, node: gast.Subscript) -> gast.AST:
        if not isinstance(node.ctx, gast.Load) or _is_left(node.slice):
            return node
        return operator_call("get_item", [node.value, node.slice], node)


def _is_left(index: gast.AST) -> bool:
    if isinstance(index, gast.Tuple):
        return any(isinstance(each, gast.Slice) for each in index.elts) or all(map(_is_left, index.elts))
    if isinstance(index, gast.UnaryOp):
        return isinstance(index.operand, gast.Constant)
    return isinstance(index, gast.Constant | gast.Slice)
