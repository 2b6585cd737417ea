"""What Python may do by calling a method of a user's class becomes a call of an operator, which converts the method.

>>> from autograph.converters.base import show
>>> show(ImplicitCalls, '''
... area = self.width * self.height + 1
... area += p[0] < -q
... with lock(p) as held:
...     ag__.mut(p).count += 1
... ''', parameters="self, p, q, lock")
area = ag__.add(ag__.mul(ag__.get_attribute(self, 'width'), ag__.get_attribute(self, 'height')), 1)
area = ag__.iadd(area, ag__.lt(ag__.get_subscript(p, 0), ag__.neg(q)))
with ag__.context(lock(p)) as held:
    ag__.AttributeUpdate(ag__.mut(p), 'count').by(ag__.iadd, 1)

What makes an object says that it is new:

>>> show(ImplicitCalls, '''
... rows = []
... def g():
...     return rows
... ''')
rows = ag__.made([])
@ag__.made
def g():
    return rows

No handler catches what says that there can be no graph, and no node may raise what a handler would catch:

>>> show(ImplicitCalls, '''
... try:
...     f()
... except Exception:
...     g()
... ''')
try:
    with ag__.trying(2, lambda: (Exception,)):
        f()
except ag__.refusals():
    raise
except Exception:
    g()

It is the last pass of the staged form, and shown only by `to_code(f, full=True)`: on all other values the operators do
just what is written, and the code reads better without them.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.source.names import mangle

from ..base import Pass, Rewritten
from ..build import (
    assign,
    constant,
    expression,
    is_operator,
    is_operator_call,
    located,
    name,
    operator,
    operator_call,
    thunk,
)
from ..statements.tries import is_handling
from ..variables.stores import IN_PLACE, index_argument

BINARY = {
    gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.MatMult: "matmul", gast.Div: "truediv",
    gast.FloorDiv: "floordiv", gast.Mod: "mod", gast.Pow: "pow", gast.LShift: "lshift", gast.RShift: "rshift",
    gast.BitAnd: "bitand", gast.BitOr: "bitor", gast.BitXor: "bitxor",
}  # fmt: skip
UNARY = {gast.USub: "neg", gast.UAdd: "pos", gast.Invert: "invert"}
COMPARISONS = {gast.Eq: "eq", gast.NotEq: "ne", gast.Lt: "lt", gast.LtE: "le", gast.Gt: "gt", gast.GtE: "ge"}
_UNPACKED = (gast.Tuple, gast.List)


class ImplicitCalls(Pass):
    """Rewrites operators, attributes, constant subscripts, unpacking, `with` and `try`."""

    always = True

    def leave_Attribute(self, node: gast.AST) -> Rewritten:
        if not isinstance(node.ctx, gast.Load) or is_operator(node):
            return node
        return operator_call("get_attribute", [node.value, self._attribute(node)], node)

    def leave_Subscript(self, node: gast.AST) -> Rewritten:
        if not isinstance(node.ctx, gast.Load):
            return node
        return operator_call("get_subscript", [node.value, index_argument(node.slice)], node)

    def leave_BinOp(self, node: gast.AST) -> Rewritten:
        if isinstance(node.left, gast.Constant) and isinstance(node.right, gast.Constant):
            return node
        return operator_call(BINARY[type(node.op)], [node.left, node.right], node)

    def leave_UnaryOp(self, node: gast.AST) -> Rewritten:
        found = UNARY.get(type(node.op))
        if found is None or isinstance(node.operand, gast.Constant):
            return node
        return operator_call(found, [node.operand], node)

    def leave_Compare(self, node: gast.AST) -> Rewritten:
        found = COMPARISONS.get(type(node.ops[0]))
        if found is None or len(node.ops) > 1:
            return node
        return operator_call(found, [node.left, *node.comparators], node)

    def leave_Assign(self, node: gast.AST) -> Rewritten:
        if len(node.targets) > 1 or not isinstance(node.targets[0], _UNPACKED) or isinstance(node.value, _UNPACKED):
            return node
        targets = node.targets[0].elts
        stars = [place for place, each in enumerate(targets) if isinstance(each, gast.Starred)]
        if not stars:
            node.value = operator_call("iterated", [node.value], node.value)
            return node
        counts = [constant(count, node.value) for count in (stars[0], len(targets) - stars[0] - 1)]
        node.value = operator_call("unpack_starred", [node.value, *counts], node.value)
        targets[stars[0]] = targets[stars[0]].value
        return node

    def leave_List(self, node: gast.AST) -> Rewritten:
        return self._display("list_display", node)

    def leave_Tuple(self, node: gast.AST) -> Rewritten:
        return self._display("tuple_display", node)

    def _display(self, made_by: str, node: gast.AST) -> Rewritten:
        if not isinstance(node.ctx, gast.Load):
            return node
        if any(isinstance(each, gast.Slice) for each in node.elts):  # of a subscript
            return self._iterating(node, node.elts)
        parts = self._parts(node.elts)
        if parts is None:
            return operator_call("made", [node], node) if isinstance(node, gast.List) else node
        return operator_call(made_by, parts, node)

    def leave_Set(self, node: gast.AST) -> Rewritten:
        parts = self._parts(node.elts)
        if parts is None and all(isinstance(each, gast.Constant) for each in node.elts):
            return operator_call("made", [node], node)
        parts = parts or [located(gast.Tuple(node.elts, gast.Load()), node)]
        return operator_call("set_display", parts, node)

    def leave_Dict(self, node: gast.AST) -> Rewritten:
        for i, key in enumerate(node.keys):
            if key is None:
                node.values[i] = operator_call("mapping", [node.values[i]], node.values[i])
        return operator_call("made", [node], node)

    def leave_keyword(self, node: gast.AST) -> Rewritten:
        if node.arg is None:
            node.value = operator_call("mapping", [node.value], node.value)
        return node

    def leave_Call(self, node: gast.AST) -> Rewritten:
        called = node.func
        if not (is_operator_call(called) and called.func.attr == "call"):
            return self._iterating(node, node.args)
        parts = self._parts(node.args)
        if parts is None:
            return node
        made = operator_call("call_display", [called.args[0], *parts], node)
        made.keywords = node.keywords
        return made

    def leave_FunctionDef(self, node: gast.AST) -> Rewritten:
        if node is not self.context.tree and not getattr(node, "generated", False):
            at = constant(None, node)
            at.end_lineno, at.end_col_offset = node.lineno, node.col_offset
            node.decorator_list = [operator_call("call", [each], each) for each in node.decorator_list]
            node.decorator_list.append(operator("made", at))
        return node

    leave_AsyncFunctionDef = leave_ClassDef = leave_FunctionDef

    @staticmethod
    def _iterating(node: gast.AST, items: list[Any]) -> Any:
        for each in items:
            if isinstance(each, gast.Starred):
                each.value = operator_call("iterated", [each.value], each.value)
        return node

    @staticmethod
    def _parts(items: list[Any]) -> list[Any] | None:
        """Items with `*x` among them as arguments of an operator: tuples of others, and what each `*x` gives."""
        if not any(isinstance(each, gast.Starred) for each in items):
            return None
        parts: list[Any] = []
        for each in items:
            if isinstance(each, gast.Starred):
                parts.append(operator_call("starred", [each.value], each.value))
            elif parts and isinstance(parts[-1], gast.Tuple):
                parts[-1].elts.append(each)
            else:
                parts.append(located(gast.Tuple([each], gast.Load()), each))
        return parts

    def leave_AugAssign(self, node: gast.AST) -> Rewritten:
        target, by = node.target, operator(IN_PLACE[type(node.op)], node)
        if isinstance(target, gast.Name):
            old = name(target.id, target)
            return assign(target.id, located(gast.Call(by, [old, node.value], []), node), node)
        if isinstance(target, gast.Attribute):
            update = operator_call("AttributeUpdate", [target.value, self._attribute(target)], target)
        else:
            update = operator_call("ItemUpdate", [target.value, index_argument(target.slice)], target)
        store = located(gast.Attribute(update, "by", gast.Load()), target)
        return expression(located(gast.Call(store, [by, node.value], []), node), node)

    def leave_Yield(self, node: gast.AST) -> Rewritten:
        node.value = operator_call("yielded", [node.value or constant(None, node)], node)
        return node

    def leave_YieldFrom(self, node: gast.AST) -> Rewritten:
        node.value = operator_call("delegated", [node.value], node.value)
        return node

    def leave_With(self, node: gast.AST) -> Rewritten:
        for item in node.items:
            item.context_expr = operator_call("context", [item.context_expr], item.context_expr)
        return node

    def leave_Try(self, node: gast.AST) -> Rewritten:
        """No handler catches what says that there can be no graph; nor could it catch what the graph raises."""
        if is_handling(node):
            self._let_refusals_pass(node)
            return node
        if node.handlers and node.finalbody:
            inner = self.leave_Try(located(type(node)(node.body, node.handlers, node.orelse, []), node))
            return self.leave_Try(located(gast.Try([inner], [], [], node.finalbody), node))
        at = constant(node.lineno, node)
        at.end_lineno, at.end_col_offset = node.lineno, node.col_offset + len("try")
        arguments: list[Any] = [at]
        if node.handlers:
            classes = [each.type or name("BaseException", at) for each in node.handlers]
            if isinstance(node, gast.TryStar):  # which looks into groups, too
                classes.append(name("BaseExceptionGroup", at))
            arguments.append(thunk(located(gast.Tuple(classes, gast.Load()), at), at))
        item = gast.withitem(operator_call("trying", arguments, at), None)
        node.body = [located(gast.With([item], node.body, None), at)]
        if isinstance(node, gast.TryStar):  # no other handlers may stand beside those of groups
            return located(gast.With([gast.withitem(operator_call("delivering", [], at), None)], [node], None), at)
        if node.handlers:
            self._let_refusals_pass(node)
        return node

    leave_TryStar = leave_Try

    @staticmethod
    def _let_refusals_pass(node: gast.AST) -> None:
        at = node.handlers[0].type or node.handlers[0].body[0]
        passing = gast.ExceptHandler(operator_call("refusals", [], at), None, [located(gast.Raise(None, None), at)])
        node.handlers.insert(0, located(passing, at))

    # Names of classes and constants, which Python asks for by itself.

    def visit_MatchValue(self, node: gast.AST) -> Rewritten:
        return node

    visit_MatchClass = visit_MatchMapping = visit_TypeAlias = visit_MatchValue

    def _attribute(self, node: gast.AST) -> Any:
        return constant(mangle(node.attr, self.context.private_class()), node)
