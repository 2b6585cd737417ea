"""Trees printed as Python, through `astunparse`, mended where release 1.6.3 misprints or lacks something.

It encloses every operation in parentheses; those that a place can do without are taken away again, in `dispatch`.
What it does not know (f-strings in f-strings, patterns, type parameters) is printed by `ast.unparse`.  Documentation
strings keep their lines, so that generated code reads as if written by hand.

>>> import gast
>>> print(unparse(gast.parse("y = x[:, 1:3] ; z = (a + (b * c)) * -d")))
y = x[:, 1:3]
z = (a + b * c) * -d
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import gast
from astunparse.unparser import INFSTR, Unparser

from autograph.runtime.base.deeper import deeper

from .trees import to_ast

_DEEPER = 50_000

# How tightly an expression binds; one that binds less than its place needs has parentheses.
(GENERATOR, NAMED, YIELD, TUPLE, TEST, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, TERM, SIGN, POWER,
 AWAIT, INTEGER, ATOM) = range(20)  # fmt: skip
_BINDS: dict[type, int] = {
    ast.GeneratorExp: GENERATOR, ast.NamedExpr: NAMED, ast.Yield: YIELD, ast.YieldFrom: YIELD, ast.Tuple: TUPLE,
    ast.IfExp: TEST, ast.Lambda: TEST, ast.Or: OR, ast.And: AND, ast.Not: NOT, ast.Compare: COMPARE,
    ast.BitOr: BIT_OR, ast.BitXor: BIT_XOR, ast.BitAnd: BIT_AND, ast.LShift: SHIFT, ast.RShift: SHIFT, ast.Add: SUM,
    ast.Sub: SUM, ast.Mult: TERM, ast.MatMult: TERM, ast.Div: TERM, ast.Mod: TERM, ast.FloorDiv: TERM,
    ast.UAdd: SIGN, ast.USub: SIGN, ast.Invert: SIGN, ast.Pow: POWER, ast.Await: AWAIT,
}  # fmt: skip
# What places need where it is not `TEST`, nor depends on the rest of the node.
_NEEDS: dict[type, dict[str, int]] = {
    ast.Expr: {"value": YIELD}, ast.Assign: {"targets": TUPLE, "value": YIELD}, ast.AugAssign: {"value": YIELD},
    ast.Return: {"value": TUPLE}, ast.Yield: {"value": TUPLE}, ast.For: {"target": TUPLE},
    ast.AsyncFor: {"target": TUPLE}, ast.comprehension: {"target": TUPLE, "iter": OR, "ifs": OR},
    ast.IfExp: {"body": OR, "test": OR}, ast.Slice: {"lower": OR, "upper": OR, "step": OR},
    ast.Compare: {"left": BIT_OR, "comparators": BIT_OR}, ast.Starred: {"value": BIT_OR}, ast.Await: {"value": ATOM},
    ast.Attribute: {"value": ATOM}, ast.Call: {"func": ATOM}, ast.Subscript: {"value": ATOM, "slice": TUPLE},
}  # fmt: skip
_STARTS = {ast.FunctionDef: "def ", ast.AsyncFunctionDef: "async def ", ast.ClassDef: "class "}


def unparse(tree: gast.AST) -> str:
    """The source text of a tree of ``gast`` or ``ast``, or of a list of statements; it ends without a newline.

    Parsing the text gives an equal tree.  A tree that no text means, such as a ``Constant`` that is negative,
    gives the text of the nearest one.
    """
    trees = [to_ast(each) for each in (tree if isinstance(tree, list) else [tree])]
    try:
        return _Printer(trees).text
    except RecursionError:
        with deeper(_DEEPER):
            return _Printer(trees).text


def _binding(node: gast.AST) -> int:
    """How tightly the outermost part of an expression binds."""
    if isinstance(node, ast.Constant):
        is_negative = isinstance(node.value, (int, float)) and node.value < 0
        return SIGN if is_negative else INTEGER if type(node.value) is int else ATOM
    if isinstance(node, ast.Tuple) and not node.elts:
        return ATOM
    return _BINDS.get(type(getattr(node, "op", node)), ATOM)


def _needs(node: gast.AST) -> Iterator[tuple[Any, int]]:
    """The parts of a node that need other than `TEST`, and what they need."""
    for field, need in _NEEDS.get(type(node), {}).items():
        value = getattr(node, field)
        for each in value if isinstance(value, list) else [value]:
            yield each, need
    if isinstance(node, ast.UnaryOp):
        yield node.operand, _binding(node)
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield each, _binding(node) + 1
    elif isinstance(node, ast.BinOp):
        is_power = isinstance(node.op, ast.Pow)
        yield node.left, _binding(node) + is_power
        yield node.right, SIGN if is_power else _binding(node) + 1
    elif isinstance(node, ast.Dict):
        for key, each in zip(node.keys, node.values, strict=True):
            yield each, BIT_OR if key is None else TEST
    elif isinstance(node, ast.keyword):
        yield node.value, BIT_OR if node.arg is None else TEST
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        yield node.args[0], GENERATOR if isinstance(node.args[0], ast.GeneratorExp) else TEST


class _Printer(Unparser):
    """The methods are named for the nodes that they print, as in the base class."""

    def __init__(self, trees: list[Any]) -> None:
        self.f, self._indent = self, 0
        self.future_imports: list[str] = []  # the base class notes them
        self._parts: list[str] = []
        self._needed: dict[ast.AST, int] = {}
        self.dispatch(trees)
        self.text = "".join(self._parts).strip("\n")

    def write(self, text: str) -> None:
        self._parts.append(text)

    def dispatch(self, tree: object) -> None:
        if isinstance(tree, list):
            for each in tree:
                self.dispatch(each)
            return
        self._needed.update(_needs(tree))
        start = len(self._parts)
        getattr(self, f"_{type(tree).__name__}")(tree)
        if isinstance(tree, ast.expr) and self._needed.pop(tree, TEST) <= _binding(tree) < ATOM:
            self._parts[start] = self._parts[-1] = ""

    # Misprinted.

    def _Constant(self, node: gast.AST) -> None:
        text = "u" * (node.kind == "u") + _literal(node.value)
        self._parts += ["(", text, ")"] if _binding(node) < ATOM else [text]

    def _Attribute(self, node: gast.AST) -> None:
        self.dispatch(node.value)
        self.write(f".{node.attr}")

    def _UnaryOp(self, node: gast.AST) -> None:
        symbol = self.unop[type(node.op).__name__]
        self._parts += ["(", symbol + " " * (symbol == "not")]
        self.dispatch(node.operand)
        self.write(")")

    def _Lambda(self, node: gast.AST) -> None:
        start = len(self._parts)
        super()._Lambda(node)
        if self._parts[start + 2] == ": ":
            self._parts[start + 1] = "lambda"

    def _JoinedStr(self, node: gast.AST) -> None:
        self.write(_joined_string(node))

    def _withitem(self, node: gast.AST) -> None:
        is_tuple = isinstance(node.context_expr, ast.Tuple) and node.optional_vars is None
        self.write("(" * is_tuple)  # `with (a, b):` would be two items
        super()._withitem(node)
        self.write(")" * is_tuple)

    def _ExceptHandler(self, node: gast.AST) -> None:
        start = len(self._parts)
        super()._ExceptHandler(node)
        self._parts[start] += "*" * getattr(node, "of_groups", False)

    def _Module(self, node: gast.AST) -> None:
        body = node.body
        if body and ast.get_docstring(node, clean=False) is not None:
            self.fill(_documentation(body[0].value))
            body = body[1:]
        for each in body:
            in_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            if type(each) in _STARTS and not in_function and each is not node.body[0]:
                self.write("\n")
            self.dispatch(each)

    def _FunctionDef(self, node: gast.AST) -> None:
        for decorator in node.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self.fill(_STARTS[type(node)] + node.name + _type_parameters(node))
        if not isinstance(node, ast.ClassDef):
            self.write("(")
            self.dispatch(node.args)
            self.write(")" if node.returns is None else ") -> ")
            self.dispatch(node.returns or [])
        elif node.bases or node.keywords:
            for index, each in enumerate([*node.bases, *node.keywords]):
                self.write(", " if index else "(")
                self.dispatch(each)
            self.write(")")
        self.enter()
        self._Module(node)
        self.leave()

    _AsyncFunctionDef = _ClassDef = _FunctionDef

    # Lacking.

    def _TemplateStr(self, node: gast.AST) -> None:
        self.write(ast.unparse(node))

    def _TryStar(self, node: gast.AST) -> None:
        for each in node.handlers:
            each.of_groups = True
        self._Try(node)

    def _TypeAlias(self, node: gast.AST) -> None:
        self.fill(f"type {node.name.id}{_type_parameters(node)} = ")
        self.dispatch(node.value)

    def _Match(self, node: gast.AST) -> None:
        self.fill("match ")
        self.dispatch(node.subject)
        self.enter()
        self.dispatch(node.cases)
        self.leave()

    def _match_case(self, node: gast.AST) -> None:
        self.fill(f"case {ast.unparse(node.pattern)}")
        if node.guard is not None:
            self.write(" if ")
            self.dispatch(node.guard)
        self.enter()
        self.dispatch(node.body)
        self.leave()


def _type_parameters(node: gast.AST) -> str:
    parameters = getattr(node, "type_params", None)
    return f"[{', '.join(map(ast.unparse, parameters))}]" if parameters else ""


def _literal(value: object) -> str:
    if value is Ellipsis:
        return "..."
    if isinstance(value, (float, complex)):
        return repr(value).replace("inf", INFSTR)
    if isinstance(value, int) and value.bit_length() > 2000:
        return hex(value)  # Python refuses to write out thousands of decimal digits
    return repr(value)


def _documentation(node: gast.AST) -> str:
    """A documentation string, with its lines where they can be written as they are."""
    value: str = node.value
    is_plain = "\\" not in value and '"""' not in value and not value.endswith('"')
    if is_plain and all(character.isprintable() or character == "\n" for character in value):
        return "u" * (node.kind == "u") + f'"""{value}"""'
    return "u" * (node.kind == "u") + repr(value)


def _joined_string(node: gast.AST) -> str:
    """The text of an f-string; nestings of quotes that Python before 3.12 can't write become a `str.format`."""
    try:
        text = ast.unparse(node)
        ast.parse(text, mode="eval")
        nests = "'" in text[2:-1] and text[2] != "'"  # since Python 3.12 `f'{a['b']}'` is right, and hard to read
        return f'f"{text[2:-1]}"' if nests and '"' not in text else text
    except (SyntaxError, ValueError):
        parts, arguments = _format(node.values)
        return f"{''.join(parts)!r}.format({', '.join(arguments)})"


def _format(values: Any) -> tuple[list[str], list[str]]:
    """The parts of a string for `str.format`, which evaluates and formats in the same order, and its arguments."""
    parts: list[str] = []
    arguments: list[str] = []
    for value in values:
        if not hasattr(value, "conversion"):
            parts.append(value.value.replace("{", "{{").replace("}", "}}"))
            continue
        arguments.append(unparse(value.value))
        inner, more = _format(value.format_spec.values) if value.format_spec is not None else ([], [])
        conversion = "" if value.conversion == -1 else "!" + chr(value.conversion)
        parts += ["{", conversion, ":" * (value.format_spec is not None), *inner, "}"]
        arguments += more
    return parts, arguments
