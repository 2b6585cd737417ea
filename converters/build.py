"""Small nodes of generated code. `at` gives the location; for a compound statement pass its one-line part.

>>> from autograph.source.unparse import unparse
>>> at = gast.parse("x").body[0].value
>>> print(unparse(operator_call("if_exp", [name("c", at), thunk(name("a", at), at)], at)).strip())
ag__.if_exp(c, lambda: a)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import gast

Node = TypeVar("Node", bound=gast.AST)

OPERATORS = "ag__"


def located(node: Node, at: gast.AST) -> Node:
    """Gives a new node the location of another one."""
    source, target = at.__dict__, node.__dict__
    target["lineno"] = source["lineno"]
    target["col_offset"] = source["col_offset"]
    target["end_lineno"] = source.get("end_lineno")
    target["end_col_offset"] = source.get("end_col_offset")
    return node


LOAD, STORE, PARAMETER = gast.Load(), gast.Store(), gast.Param()
"""Contexts are shared between nodes, as in the trees that functions come from."""


def made(kind: type[Node], at: gast.AST, /, **fields: Any) -> Node:
    """A new node, made past its class's constructor, which takes three times as long, with the location of another."""
    source = at.__dict__
    fields["lineno"] = source["lineno"]
    fields["col_offset"] = source["col_offset"]
    fields["end_lineno"] = source.get("end_lineno")
    fields["end_col_offset"] = source.get("end_col_offset")
    node = gast.AST.__new__(kind)
    node.__dict__ = fields
    return node


def name(identifier: str, at: gast.AST) -> gast.AST:
    """`identifier`, as a value."""
    return made(gast.Name, at, id=identifier, ctx=LOAD, annotation=None, type_comment=None)


def stored(identifier: str, at: gast.AST) -> gast.AST:
    """`identifier`, as the target of an assignment."""
    return made(gast.Name, at, id=identifier, ctx=STORE, annotation=None, type_comment=None)


def constant(value: object, at: gast.AST) -> gast.AST:
    """A literal."""
    return made(gast.Constant, at, value=value, kind=None)


def strings(values: Sequence[str], at: gast.AST) -> gast.AST:
    """A tuple of string literals."""
    return made(gast.Tuple, at, elts=[constant(value, at) for value in values], ctx=LOAD)


def operator(identifier: str, at: gast.AST) -> gast.AST:
    """`ag__.identifier`, on the first line of `at`: to Python a call is on the line where its method's name ends."""
    method = made(gast.Attribute, at, value=name(OPERATORS, at), attr=identifier, ctx=LOAD)
    if method.end_lineno != method.lineno:
        method.end_lineno, method.end_col_offset = method.lineno, method.col_offset
    return method


def call(function: gast.AST, arguments: list[gast.AST], at: gast.AST, keywords: Sequence[gast.AST] = ()) -> gast.AST:
    """`function(arguments)`."""
    return made(gast.Call, at, func=function, args=arguments, keywords=list(keywords))


def operator_call(identifier: str, arguments: list[gast.AST], at: gast.AST) -> gast.AST:
    """`ag__.identifier(arguments)`."""
    return call(operator(identifier, at), arguments, at)


def native_test(test: gast.AST, reason: str) -> gast.AST:
    """A test that stays Python's, which refuses what only a run knows."""
    return operator_call("native_test", [test, constant(reason, test)], test)


def is_operator_call(node: gast.AST) -> bool:
    """Whether a node is `ag__.something(…)`: generated code."""
    return isinstance(node, gast.Call) and is_operator(node.func)


def is_operator(node: gast.AST) -> bool:
    """Whether a node is `ag__.something`."""
    return isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.value.id == OPERATORS


def no_arguments() -> gast.AST:
    """The empty parameter list."""
    node = gast.arguments.__new__(gast.arguments)
    node.__dict__ = {"posonlyargs": [], "args": [], "vararg": None, "kwonlyargs": [], "kw_defaults": [],
                     "kwarg": None, "defaults": []}  # fmt: skip
    return node


def thunk(value: gast.AST, at: gast.AST) -> gast.AST:
    """`lambda: value`."""
    return made(gast.Lambda, at, args=no_arguments(), body=value, generated=True)


def assign(identifier: str, value: gast.AST, at: gast.AST) -> gast.AST:
    """`identifier = value`."""
    return made(gast.Assign, at, targets=[stored(identifier, at)], value=value, type_comment=None)


def expression(value: gast.AST, at: gast.AST) -> gast.AST:
    """A statement that is only an expression."""
    return located(gast.Expr(value), at)


def returned(value: gast.AST | None, at: gast.AST) -> gast.AST:
    """`return value`."""
    return made(gast.Return, at, value=value)


def if_(test: gast.AST, body: list[gast.AST], orelse: list[gast.AST], at: gast.AST) -> gast.AST:
    """An `if` statement."""
    return located(gast.If(test, body, orelse), at)


def not_(value: gast.AST, at: gast.AST) -> gast.AST:
    """`not value`."""
    return located(gast.UnaryOp(gast.Not(), value), at)


def function(identifier: str, body: list[gast.AST], at: gast.AST, parameters: Sequence[str] = ()) -> gast.AST:
    """`def identifier(parameters): body`."""
    arguments = no_arguments()
    arguments.args = [
        made(gast.Name, at, id=each, ctx=PARAMETER, annotation=None, type_comment=None) for each in parameters
    ]
    return made(gast.FunctionDef, at, name=identifier, args=arguments, body=body, decorator_list=[], returns=None,
                type_comment=None, type_params=[], generated=True)  # fmt: skip


def declaration(identifier: str, at: gast.AST) -> gast.AST:
    """`identifier: object` makes a variable the function's own, and does nothing else."""
    annotation = name("object", at)
    return located(gast.AnnAssign(stored(identifier, at), annotation, None, 1), at)


def after_docstring(body: list[gast.AST], declarations: list[gast.AST]) -> list[gast.AST]:
    """The body of a function with declarations put where they belong."""
    first: Any = body[0] if body else None
    documented = isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant)
    at = int(documented and isinstance(first.value.value, str))
    return [*body[:at], *declarations, *body[at:]]
