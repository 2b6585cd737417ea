"""Pieces of code written as real Python functions, whose parameters are the holes.

>>> from autograph.source.template import ag__, template
>>> @template
... def repeat(test, body, names):
...     def loop_body():
...         nonlocal names
...         body
...     ag__.while_stmt(lambda: test, loop_body, names)

A template is called with the nodes for its holes and gives a fresh list of statements (``repeat(test=node.test,
body=node.body, names=("x", "y"), loop_body=namer.fresh("loop_body"), at=node.test)``).  What a hole takes depends
on where it stands:

* alone as a statement: a statement, or a list of them, which is spliced in; an expression becomes a statement;
* as an expression: an expression; a string, which is the name of a variable; a list of expressions where a list
  may stand (arguments of a call, elements of a tuple or list display), spliced in;
* after ``nonlocal`` or ``global``: a tuple or list of names; when it is empty the statement is dropped;
* as the name of a function or of a parameter: a string.

For an expression hole, a tuple of strings is a tuple display of these strings, and a number, a bool or ``None`` is
itself; ``None`` for a statement is nothing.  Names that the
template itself assigns or defines can be given another name by keyword, as ``loop_body`` above.  Other names
stand as they are.  A body that ends up empty gets a ``pass``.

The first use of a hole takes the node itself, further uses take copies, so that no node is in a tree twice.  All
generated nodes get the location of ``at``; of a node of several lines, only its start.  A debugger would step
backwards if a call that was made from a loop had all of the loop's lines.  They also get the attribute
``generated``, by which the compiler knows functions that the user did not write.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import gast

from .find import find
from .trees import LOCATION, copy_tree

ag__: Any = None
"""For templates to mention: generated code finds the operators under this name."""


class Template:
    """A template for statements; see the module's text.  It is parsed when it is first used."""

    def __init__(self, function: FunctionType) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    @functools.cached_property
    def _parsed(self) -> tuple[frozenset[str], frozenset[str], Any]:
        tree = find(self.function, check=False).tree
        holes = frozenset(name.id for name in tree.args.args)
        renamed = frozenset(_bound_names(tree)) - holes
        body = tree.body if gast.get_docstring(tree) is None else tree.body[1:]
        return holes, renamed, self._plan(_Planner(holes, renamed), body)

    def _plan(self, planner: _Planner, body: list[Any]) -> Any:
        return planner.block(body)

    def __call__(self, *, at: Any, **values: Any) -> Any:
        """Fresh statements, located at the node ``at``, with the holes filled.

        :raises TypeError: a hole is missing or unknown, or its value does not fit the place where it stands.
        """
        holes, renamed, plan = self._parsed
        if values.keys() != holes:
            self._check(values, holes, renamed)
        filling = _Filling(values, location_of(at))
        return plan(filling)

    def _check(self, values: dict[str, Any], holes: frozenset[str], renamed: frozenset[str]) -> None:
        missing = holes - values.keys()
        unknown = values.keys() - holes - renamed
        name = self.function.__name__
        if missing:
            raise TypeError(f"the template {name} needs {', '.join(sorted(missing))}")
        if unknown:
            raise TypeError(f"the template {name} has no hole or name of its own {', '.join(sorted(unknown))}")


class ExpressionTemplate(Template):
    """A template for an expression: the one that its function returns.  A call gives the node."""

    def _plan(self, planner: _Planner, body: list[Any]) -> Any:
        (statement,) = body
        assert isinstance(statement, gast.Return)
        return planner.node(statement.value)


if TYPE_CHECKING:
    # To mypy a template has no types: its holes stand for what no type says.
    from typing import no_type_check as expression_template
    from typing import no_type_check as template
else:
    template = Template
    expression_template = ExpressionTemplate


def location_of(node: Any) -> dict[str, Any]:
    """The location of ``node`` in one line: of the whole node, or if it has several lines, of its start."""
    attributes = node.__dict__
    if attributes["lineno"] == attributes.get("end_lineno"):
        return {key: attributes[key] for key in LOCATION}
    line, column = attributes["lineno"], attributes["col_offset"]
    return {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}


class _Filling:
    """The values of the holes during one use of a template."""

    __slots__ = ("common", "used", "values")

    def __init__(self, values: dict[str, Any], location: dict[str, Any]) -> None:
        self.values = values
        self.used: set[str] = set()
        self.common = location
        location["generated"] = True

    def take(self, name: str) -> Any:
        value = self.values[name]
        if name not in self.used:
            self.used.add(name)
            return value
        return [copy_tree(item) for item in value] if isinstance(value, list) else copy_tree(value)

    def node(self, cls: Any, **fields: Any) -> Any:
        result = cls.__new__(cls)
        result.__dict__.update(self.common, **fields)
        return result


def _bound_names(tree: Any) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if node is tree:
            continue
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            names.add(node.id)
    return names - {argument.id for argument in tree.args.args}


Plan = Callable[[_Filling], Any]


class _Planner:
    """Turns the tree of a template into functions that build it: one for each node."""

    def __init__(self, holes: frozenset[str], renamed: frozenset[str]) -> None:
        self.holes = holes
        self.named = holes | renamed

    def node(self, node: Any) -> Plan:
        """A function that builds a copy of a node."""
        if isinstance(node, gast.Name) and node.id in self.holes and not isinstance(node.ctx, gast.Param):
            return functools.partial(_fill_expression, node.id, node.ctx)
        constants: dict[str, Any] = {}
        children: list[tuple[str, Plan]] = []
        for field, value in ast.iter_fields(node):
            if field in ("id", "name") and value in self.named:
                children.append((field, functools.partial(_fill_name, value)))
            elif field == "names" and isinstance(node, (gast.Nonlocal, gast.Global)):
                children.append((field, functools.partial(_fill_names, value)))
            elif isinstance(value, list):
                is_block = bool(value) and isinstance(value[0], gast.stmt)
                children.append((field, self.block(value) if is_block else self._list(value)))
            elif isinstance(value, ast.AST) and value._fields:
                children.append((field, self.node(value)))
            else:
                constants[field] = value
        return functools.partial(_build, type(node), constants, tuple(children))

    def block(self, body: list[Any]) -> Plan:
        """A function that builds a list of statements."""
        plans: list[tuple[bool, Plan]] = []
        for statement in body:
            if self._is_hole(statement):
                plans.append((True, functools.partial(_fill_statement, statement.value.id)))
            elif isinstance(statement, (gast.Nonlocal, gast.Global)):
                plans.append((True, functools.partial(_build_if_names, self.node(statement))))
            else:
                plans.append((False, self.node(statement)))
        return functools.partial(_build_block, tuple(plans))

    def _is_hole(self, statement: Any) -> bool:
        return (
            isinstance(statement, gast.Expr)
            and isinstance(statement.value, gast.Name)
            and statement.value.id in self.holes
        )

    def _list(self, items: list[Any]) -> Plan:
        return functools.partial(_build_list, tuple(self.node(item) if item is not None else None for item in items))


def _build(cls: Any, constants: dict[str, Any], children: tuple[tuple[str, Plan], ...], filling: _Filling) -> Any:
    result = cls.__new__(cls)
    target = result.__dict__
    target.update(filling.common)
    target.update(constants)
    for field, plan in children:
        target[field] = plan(filling)
    return result


def _build_list(plans: tuple[Plan | None, ...], filling: _Filling) -> list[Any]:
    result: list[Any] = []
    for plan in plans:
        value = plan(filling) if plan is not None else None
        if isinstance(value, list):
            result.extend(value)
        else:
            result.append(value)
    return result


def _build_block(plans: tuple[tuple[bool, Plan], ...], filling: _Filling) -> list[Any]:
    result: list[Any] = []
    for spliced, plan in plans:
        if spliced:
            result.extend(plan(filling))
        else:
            result.append(plan(filling))
    return result or [filling.node(gast.Pass)]


def _build_if_names(plan: Plan, filling: _Filling) -> list[Any]:
    statement = plan(filling)
    return [statement] if statement.names else []


def _fill_statement(name: str, filling: _Filling) -> list[Any]:
    value = filling.take(name)
    if isinstance(value, list):
        return value
    if value is None:
        return []
    if isinstance(value, gast.stmt):
        return [value]
    return [filling.node(gast.Expr, value=_as_expression(value, gast.Load(), filling))]


def _fill_expression(name: str, context: Any, filling: _Filling) -> Any:
    value = filling.take(name)
    if isinstance(value, list):
        return [_as_expression(item, context, filling) for item in value]
    return _as_expression(value, context, filling)


def _as_expression(value: Any, context: Any, filling: _Filling) -> Any:
    if isinstance(value, ast.AST):
        return value if isinstance(context, gast.Load) else _with_context(value, context)
    if isinstance(value, str):
        return filling.node(gast.Name, id=value, ctx=context, annotation=None, type_comment=None)
    if isinstance(value, tuple):
        strings = [filling.node(gast.Constant, value=item, kind=None) for item in value]
        return filling.node(gast.Tuple, elts=strings, ctx=gast.Load())
    if value is None or isinstance(value, (bool, int, float)):
        return filling.node(gast.Constant, value=value, kind=None)
    raise TypeError(f"a hole for an expression can't take {value!r}")


def _with_context(node: Any, context: Any) -> Any:
    if hasattr(node, "ctx"):
        node.ctx = context
    for child in getattr(node, "elts", ()):
        _with_context(child, context)
    if isinstance(node, gast.Starred):
        _with_context(node.value, context)
    return node


def _fill_name(name: str, filling: _Filling) -> str:
    value = filling.values.get(name, name)
    if not isinstance(value, str):
        raise TypeError(f"the name {name} of a template must become a string, not {value!r}")
    return value


def _fill_names(names: list[str], filling: _Filling) -> list[str]:
    result: list[str] = []
    for name in names:
        value = filling.values.get(name, name)
        if isinstance(value, str):
            result.append(value)
        else:
            result.extend(value)
    return result
