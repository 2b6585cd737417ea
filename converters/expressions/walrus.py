"""`:=` in an operand that may not be evaluated: a lambda would bind the variable in itself, so it gets a function.

>>> from autograph.converters.base import show
>>> show(Walrus, '''
... if a and (n := count(a)) > 1:
...     return n
... ''')
n: object
def operand():
    nonlocal n
    return (n := count(a)) > 1
if a and operand():
    return n

Other passes take the function for what it is: `ag__.and_(a, operand)`.
"""

from __future__ import annotations

import gast

from ..base import SCOPES
from ..build import call, function, name, returned
from ..hoist import Hoisting
from ..lazy import must_stay


class Walrus(Hoisting):
    """Moves lazily evaluated operands that hold `:=` into local functions."""

    looks_at = (gast.NamedExpr,)

    def visit_BoolOp(self, node: gast.BoolOp) -> gast.AST:
        first, *rest = node.values
        node.values = [self.visit(first), *[self._operand(node, value) for value in rest]]
        return node

    def visit_IfExp(self, node: gast.IfExp) -> gast.AST:
        node.test = self.visit(node.test)
        node.body = self._operand(node, node.body)
        node.orelse = self._operand(node, node.orelse)
        return node

    def visit_Compare(self, node: gast.Compare) -> gast.AST:
        if len(node.ops) == 1:
            return self.generic_visit(node)
        node.left = self.visit(node.left)
        node.comparators = [self._operand(node, value) for value in node.comparators]
        return node

    def visit_Assert(self, node: gast.Assert) -> gast.AST:
        node.test = self.visit(node.test)
        if node.msg is not None:
            node.msg = self._operand(node, node.msg)
        return node

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.AST:
        node.target = self.visit(node.target)
        lazily = isinstance(node.target, gast.Subscript)
        node.value = self._operand(node, node.value) if lazily else self.visit(node.value)
        return node

    def _operand(self, whole: gast.AST, value: gast.AST) -> gast.AST:
        bound = names_bound(value)
        if not bound or not self.can_hoist() or must_stay(self, whole) is not None:
            return self.visit(value)
        definition = function(self.fresh("operand"), [returned(value, value)], value)
        definition.body = [*self.sharing(bound, value), *self.inside(definition, definition.body)]
        self.hoist(definition)
        return call(name(definition.name, value), [], value)


def names_bound(node: gast.AST) -> list[str]:
    """The variables that `:=` binds in an expression, those in comprehensions too, in order."""
    found: dict[str, None] = {}
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, gast.NamedExpr):
            found[each.target.id] = None
        if each.__class__ not in SCOPES:
            pending.extend(reversed(list(gast.iter_child_nodes(each))))
    return list(found)
