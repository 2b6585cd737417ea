"""Expressions printed with no more parentheses than they need, on top of `astunparse`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from astunparse.unparser import Unparser

from .strings import joined_string, literal

# How tightly an expression binds; an operand that binds less than its place needs has parentheses.
NAMED, YIELD, TUPLE, TEST, OR, AND, NOT, COMPARE, BIT_OR = range(9)
BIT_XOR, BIT_AND, SHIFT, SUM, TERM, SIGN, POWER, AWAIT, ATOM = range(9, 18)

_BINARY: dict[type, int] = {
    ast.BitOr: BIT_OR, ast.BitXor: BIT_XOR, ast.BitAnd: BIT_AND, ast.LShift: SHIFT, ast.RShift: SHIFT,
    ast.Add: SUM, ast.Sub: SUM, ast.Mult: TERM, ast.MatMult: TERM, ast.Div: TERM, ast.Mod: TERM, ast.FloorDiv: TERM,
    ast.Pow: POWER,
}  # fmt: skip
_LEVELS: dict[type, int] = {
    ast.NamedExpr: NAMED, ast.Yield: YIELD, ast.YieldFrom: YIELD, ast.Tuple: TUPLE, ast.IfExp: TEST, ast.Lambda: TEST,
    ast.Compare: COMPARE, ast.Await: AWAIT,
}  # fmt: skip


def binding(node: Any) -> int:
    """How tightly the outermost part of an expression binds."""
    kind = type(node)
    if kind is ast.BinOp:
        return _BINARY[type(node.op)]
    if kind is ast.UnaryOp:
        return NOT if isinstance(node.op, ast.Not) else SIGN
    if kind is ast.BoolOp:
        return AND if isinstance(node.op, ast.And) else OR
    if kind is ast.Constant and isinstance(node.value, (int, float)) and node.value < 0:
        return SIGN
    if kind is ast.Tuple and not node.elts:
        return ATOM
    return _LEVELS.get(kind, ATOM)


class ExpressionPrinter(Unparser):
    """The methods are named for the nodes that they print, as in the base class."""

    def __init__(self, without_backslashes: bool = False) -> None:
        self.parts: list[str] = []
        self._indent = 0
        self.future_imports: list[str] = []  # the base class notes them
        self._without_backslashes = without_backslashes

    # What the base class writes through.

    def write(self, text: str) -> None:
        self.parts.append(text)

    def fill(self, text: str = "") -> None:
        self.parts.append("\n" + "    " * self._indent + text)

    def dispatch(self, tree: Any) -> None:
        """Print a node, at a place where an expression needs no parentheses unless it is one of the loosest."""
        if isinstance(tree, list):
            for item in tree:
                self.dispatch(item)
        elif isinstance(tree, ast.expr):
            self.expression(tree, TEST)
        else:
            getattr(self, "_" + type(tree).__name__)(tree)

    def expression(self, node: Any, minimum: int) -> None:
        """Print an expression, in parentheses if it binds less than ``minimum``."""
        method = getattr(self, "_" + type(node).__name__)
        if binding(node) < minimum:
            self.write("(")
            method(node)
            self.write(")")
        else:
            method(node)

    def separated(self, nodes: Iterable[Any], minimum: int = TEST) -> None:
        """Print expressions with commas between."""
        for index, node in enumerate(nodes):
            if index:
                self.write(", ")
            self.expression(node, minimum)

    # Operators.

    def _NamedExpr(self, node: Any) -> None:
        self.dispatch(node.target)
        self.write(" := ")
        self.dispatch(node.value)

    def _Yield(self, node: Any) -> None:
        self.write("yield")
        if node.value is not None:
            self.write(" ")
            self.expression(node.value, TUPLE)

    def _YieldFrom(self, node: Any) -> None:
        self.write("yield from ")
        self.dispatch(node.value)

    def _Await(self, node: Any) -> None:
        self.write("await ")
        self.expression(node.value, ATOM)

    def _IfExp(self, node: Any) -> None:
        self.expression(node.body, OR)
        self.write(" if ")
        self.expression(node.test, OR)
        self.write(" else ")
        self.expression(node.orelse, TEST)

    def _Lambda(self, node: Any) -> None:
        self.write("lambda")
        start = len(self.parts)
        self.dispatch(node.args)
        if len(self.parts) > start:
            self.parts.insert(start, " ")
        self.write(": ")
        self.dispatch(node.body)

    def _BoolOp(self, node: Any) -> None:
        word = " and " if isinstance(node.op, ast.And) else " or "
        for index, value in enumerate(node.values):
            self.write(word if index else "")
            self.expression(value, binding(node) + 1)

    def _Compare(self, node: Any) -> None:
        self.expression(node.left, COMPARE + 1)
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            self.write(" " + self.cmpops[type(operator).__name__] + " ")
            self.expression(operand, COMPARE + 1)

    def _UnaryOp(self, node: Any) -> None:
        symbol = self.unop[type(node.op).__name__]
        self.write(symbol + " " if symbol == "not" else symbol)
        self.expression(node.operand, binding(node))

    def _BinOp(self, node: Any) -> None:
        if isinstance(node.op, ast.Pow):
            self.expression(node.left, POWER + 1)
            self.write(" ** ")
            self.expression(node.right, SIGN)
            return
        level = binding(node)
        chain = []  # a sum of thousands of terms is a tree as deep
        while isinstance(node, ast.BinOp) and binding(node) == level:
            chain.append(node)
            node = node.left
        self.expression(node, level)
        for item in reversed(chain):
            self.write(" " + self.binop[type(item.op).__name__] + " ")
            self.expression(item.right, level + 1)

    # What is reached from another expression.

    def _Attribute(self, node: Any) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, int):
            self.write("(")
            self.dispatch(node.value)
            self.write(")")
        else:
            self.expression(node.value, ATOM)
        self.write("." + node.attr)

    def _Call(self, node: Any) -> None:
        self.expression(node.func, ATOM)
        if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.GeneratorExp):
            self.dispatch(node.args[0])  # which has parentheses of its own
            return
        self.write("(")
        self.separated([*node.args, *node.keywords])
        self.write(")")

    def _keyword(self, node: Any) -> None:
        self.write(f"{node.arg}=" if node.arg is not None else "**")
        self.expression(node.value, TEST if node.arg is not None else BIT_OR)

    def _Subscript(self, node: Any) -> None:
        self.expression(node.value, ATOM)
        self.write("[")
        self.expression(node.slice, TUPLE)
        self.write("]")

    def _Slice(self, node: Any) -> None:
        for index, part in enumerate((node.lower, node.upper, node.step)):
            self.write(":" if index == 1 or (index == 2 and part is not None) else "")
            if part is not None:
                self.expression(part, OR)

    def _Starred(self, node: Any) -> None:
        self.write("*")
        self.expression(node.value, BIT_OR)

    # Displays.

    def _Tuple(self, node: Any) -> None:
        if not node.elts:
            self.write("()")
        self.separated(node.elts)
        if len(node.elts) == 1:
            self.write(",")

    def _List(self, node: Any) -> None:
        self.write("[")
        self.separated(node.elts)
        self.write("]")

    def _Set(self, node: Any) -> None:
        self.write("{")
        self.separated(node.elts)
        self.write("}" if node.elts else "*()}")

    def _Dict(self, node: Any) -> None:
        self.write("{")
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            self.write(", " if index else "")
            if key is None:
                self.write("**")
                self.expression(value, BIT_OR)
            else:
                self.dispatch(key)
                self.write(": ")
                self.dispatch(value)
        self.write("}")

    def _comprehension(self, node: Any) -> None:
        self.write(" async for " if node.is_async else " for ")
        self.expression(node.target, TUPLE)
        self.write(" in ")
        self.expression(node.iter, OR)
        for condition in node.ifs:
            self.write(" if ")
            self.expression(condition, OR)

    # Literals.

    def _Constant(self, node: Any) -> None:
        self.write(literal(node, without_backslashes=self._without_backslashes))

    def _JoinedStr(self, node: Any) -> None:
        self.write(joined_string(node, _text))

    def _TemplateStr(self, node: Any) -> None:
        self.write(joined_string(node, _text, prefix="t"))


def _text(node: Any, without_backslashes: bool) -> str:
    printer = ExpressionPrinter(without_backslashes)
    printer.expression(node, OR)
    return "".join(printer.parts)
