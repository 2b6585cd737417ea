"""Trees printed as Python, through `astunparse`, mended where release 1.6.3 misprints or lacks something.

Mended: slices inside of tuples (``x[:, 1:3]``), ``match``, ``except*``, type parameters, f-strings in f-strings,
infinite and overlong numbers, starred expressions.  And parentheses stand only where they must, documentation
strings have their lines, so that generated code reads as if written by hand.

>>> import gast
>>> print(unparse(gast.parse("y = x[:, 1:3] ; z = (a + (b * c)) * -d")))
y = x[:, 1:3]
z = (a + b * c) * -d
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .printer import TUPLE, YIELD, ExpressionPrinter
from .strings import literal
from .trees import to_ast


def unparse(tree: Any) -> str:
    """The source text of a tree of ``gast`` or ``ast``, or of a list of statements; it ends without a newline.

    Parsing the text gives an equal tree.  A tree that no text means, such as a ``Constant`` that is negative,
    gives the text of the nearest one.
    """
    trees = tree if isinstance(tree, list) else [tree]
    printer = _Printer()
    for item in trees:
        printer.dispatch(to_ast(item))
    return "".join(printer.parts).strip("\n")


class _Printer(ExpressionPrinter):
    """Statements, patterns and type parameters; the methods are named for the nodes that they print."""

    _in_function = False

    @contextmanager
    def block(self, in_function: bool | None = None) -> Iterator[None]:
        """A colon, and what follows indented."""
        before = self._in_function
        self._in_function = before if in_function is None else in_function
        self.enter()
        yield
        self.leave()
        self._in_function = before

    # Statements.

    def _Module(self, node: Any) -> None:
        self._body(node)

    def _Interactive(self, node: Any) -> None:
        self.dispatch(node.body)

    def _Expression(self, node: Any) -> None:
        self.dispatch(node.body)

    def _body(self, node: Any) -> None:
        body = node.body
        if body and ast.get_docstring(node, clean=False) is not None:
            self.fill()
            self.write(literal(body[0].value, documentation=True))
            body = body[1:]
        for index, statement in enumerate(body):
            is_definition = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            if is_definition and not self._in_function and (index or body is not node.body):
                self.write("\n")
            self.dispatch(statement)

    def _Expr(self, node: Any) -> None:
        self.fill()
        self.expression(node.value, YIELD)

    def _Assign(self, node: Any) -> None:
        self.fill()
        for target in node.targets:
            self.expression(target, TUPLE)
            self.write(" = ")
        self.expression(node.value, YIELD)

    def _AugAssign(self, node: Any) -> None:
        self.fill()
        self.dispatch(node.target)
        self.write(" " + self.binop[type(node.op).__name__] + "= ")
        self.expression(node.value, YIELD)

    def _Return(self, node: Any) -> None:
        self.fill("return")
        if node.value is not None:
            self.write(" ")
            self.expression(node.value, TUPLE)

    def _TypeAlias(self, node: Any) -> None:
        self.fill("type ")
        self.dispatch(node.name)
        self._type_parameters(node)
        self.write(" = ")
        self.dispatch(node.value)

    def _ClassDef(self, node: Any) -> None:
        self._decorators(node)
        self.fill("class " + node.name)
        self._type_parameters(node)
        if node.bases or node.keywords:
            self.write("(")
            self.separated([*node.bases, *node.keywords])
            self.write(")")
        with self.block(in_function=False):
            self._body(node)

    def _FunctionDef(self, node: Any) -> None:
        self._function(node, "def ")

    def _AsyncFunctionDef(self, node: Any) -> None:
        self._function(node, "async def ")

    def _function(self, node: Any, keyword: str) -> None:
        self._decorators(node)
        self.fill(keyword + node.name)
        self._type_parameters(node)
        self.write("(")
        self.dispatch(node.args)
        self.write(")")
        if node.returns is not None:
            self.write(" -> ")
            self.dispatch(node.returns)
        with self.block(in_function=True):
            self._body(node)

    def _decorators(self, node: Any) -> None:
        for decorator in node.decorator_list:
            self.fill("@")
            self.dispatch(decorator)

    def _type_parameters(self, node: Any) -> None:
        parameters = getattr(node, "type_params", None)
        if parameters:
            self.write("[")
            self.separated(parameters)
            self.write("]")

    def _TypeVar(self, node: Any) -> None:
        self.write(node.name)
        if node.bound is not None:
            self.write(": ")
            self.dispatch(node.bound)
        self._default(node)

    def _TypeVarTuple(self, node: Any) -> None:
        self.write("*" + node.name)
        self._default(node)

    def _ParamSpec(self, node: Any) -> None:
        self.write("**" + node.name)
        self._default(node)

    def _default(self, node: Any) -> None:
        default = getattr(node, "default_value", None)
        if default is not None:
            self.write(" = ")
            self.dispatch(default)

    def _For(self, node: Any) -> None:
        self._loop(node, "for ")

    def _AsyncFor(self, node: Any) -> None:
        self._loop(node, "async for ")

    def _loop(self, node: Any, keyword: str) -> None:
        self.fill(keyword)
        self.expression(node.target, TUPLE)
        self.write(" in ")
        self.dispatch(node.iter)
        with self.block():
            self.dispatch(node.body)
        self._final("else", node.orelse)

    def _final(self, keyword: str, body: list[Any]) -> None:
        if body:
            self.fill(keyword)
            with self.block():
                self.dispatch(body)

    def _With(self, node: Any) -> None:
        self._with(node, "with ")

    def _AsyncWith(self, node: Any) -> None:
        self._with(node, "async with ")

    def _with(self, node: Any, keyword: str) -> None:
        self.fill(keyword)
        first = node.items[0]
        if len(node.items) == 1 and first.optional_vars is None and isinstance(first.context_expr, ast.Tuple):
            self.write("(")  # `with (a, b):` would be two items
            self.dispatch(first)
            self.write(")")
        else:
            for index, item in enumerate(node.items):
                self.write(", " if index else "")
                self.dispatch(item)
        with self.block():
            self.dispatch(node.body)

    def _TryStar(self, node: Any) -> None:
        self.fill("try")
        with self.block():
            self.dispatch(node.body)
        for handler in node.handlers:
            start = len(self.parts)
            self.dispatch(handler)
            self.parts[start] += "*"  # after `except`
        self._final("else", node.orelse)
        self._final("finally", node.finalbody)

    # Patterns.

    def _Match(self, node: Any) -> None:
        self.fill("match ")
        self.dispatch(node.subject)
        with self.block():
            for case in node.cases:
                self.fill("case ")
                self._pattern(case.pattern)
                if case.guard is not None:
                    self.write(" if ")
                    self.dispatch(case.guard)
                with self.block():
                    self.dispatch(case.body)

    def _pattern(self, node: Any, closed: bool = False) -> None:
        """Print a pattern; where it must be ``closed``, alternatives and ``as`` have parentheses."""
        loose = isinstance(node, ast.MatchOr) or (isinstance(node, ast.MatchAs) and node.pattern is not None)
        self.write("(" if loose and closed else "")
        self.dispatch(node)
        self.write(")" if loose and closed else "")

    def _patterns(self, patterns: Iterable[Any]) -> None:
        for index, pattern in enumerate(patterns):
            self.write(", " if index else "")
            self._pattern(pattern)

    def _MatchValue(self, node: Any) -> None:
        self.dispatch(node.value)

    def _MatchSingleton(self, node: Any) -> None:
        self.write(repr(node.value))

    def _MatchSequence(self, node: Any) -> None:
        self.write("[")
        self._patterns(node.patterns)
        self.write("]")

    def _MatchStar(self, node: Any) -> None:
        self.write("*" + (node.name or "_"))

    def _MatchMapping(self, node: Any) -> None:
        self.write("{")
        for index, (key, pattern) in enumerate(zip(node.keys, node.patterns, strict=True)):
            self.write(", " if index else "")
            self.dispatch(key)
            self.write(": ")
            self._pattern(pattern)
        if node.rest is not None:
            self.write((", **" if node.keys else "**") + node.rest)
        self.write("}")

    def _MatchClass(self, node: Any) -> None:
        self.dispatch(node.cls)
        self.write("(")
        self._patterns(node.patterns)
        for index, (name, pattern) in enumerate(zip(node.kwd_attrs, node.kwd_patterns, strict=True)):
            self.write(", " if index or node.patterns else "")
            self.write(name + "=")
            self._pattern(pattern)
        self.write(")")

    def _MatchAs(self, node: Any) -> None:
        if node.pattern is not None:
            self._pattern(node.pattern, closed=isinstance(node.pattern, ast.MatchAs))
            self.write(" as ")
        self.write(node.name or "_")

    def _MatchOr(self, node: Any) -> None:
        for index, pattern in enumerate(node.patterns):
            self.write(" | " if index else "")
            self._pattern(pattern, closed=True)
