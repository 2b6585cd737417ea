"""Between `ast`, which Python parses and compiles, and `gast`, which the passes see; each way in one walk.

``gast`` is the same for every Python version: arguments are ``Name`` nodes with a ``Param`` context, the name
that an ``except`` clause binds is a ``Name`` node, and functions always have ``type_params``.  ``gast`` has
converters of its own, which give the same trees (a test holds that); these take a third of their time, don't
recurse, and forgive what generated trees leave out: empty lists, and locations, which come from the parent.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

import gast

LOCATION = ("lineno", "col_offset", "end_lineno", "end_col_offset")

_PLAIN_FIELDS = {"id", "attr", "arg", "kind", "type_comment", "level", "module", "conversion", "simple", "is_async"}
_ARGUMENT_FIELDS = ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg")
_LIST_FIELDS = {
    "body", "orelse", "finalbody", "handlers", "decorator_list", "type_params", "keywords", "args", "posonlyargs",
    "kwonlyargs", "kw_defaults", "defaults", "bases", "ifs", "kwd_attrs", "kwd_patterns", "type_ignores",
}  # fmt: skip
_NOT_LISTS = {("Lambda", "body"), ("Lambda", "args"), ("IfExp", "body"), ("IfExp", "orelse"), ("Expression", "body"),
              ("FunctionDef", "args"), ("AsyncFunctionDef", "args")}  # fmt: skip


def _is_node_class(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, ast.AST)


def _is_singleton(cls: type) -> bool:
    return issubclass(cls, (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop))


class _Table:
    """What a walk needs to know of each class: the class it becomes, and the fields that can hold nodes."""

    def __init__(self, sources: Any, target: gast.AST) -> None:
        self.classes: dict[type, Any] = {}
        self.singletons: dict[type, ast.AST] = {}
        self.fields: dict[type, tuple[str, ...]] = {}
        for source in sources:
            for name, cls in list(vars(source).items()):
                other = vars(target).get(name)
                if not (_is_node_class(cls) and _is_node_class(other)):
                    continue
                if _is_singleton(cls):
                    self.singletons[cls] = other()
                else:
                    self.classes[cls] = other
                    self.fields[cls] = tuple(
                        field for field in cls._fields if field not in _PLAIN_FIELDS and name != "Constant"
                    )


_to_gast = _Table([ast], gast)
_to_gast.classes[ast.arg] = gast.Name
_to_gast.fields[ast.arg] = ("annotation",)
_PARAMETER = gast.Param()
_STORE = gast.Store()

_EXTRA_FIELDS: dict[type, dict[str, Any]] = {}
for _name in ("TypeVar", "ParamSpec", "TypeVarTuple"):
    if hasattr(ast, _name) and "default_value" not in getattr(ast, _name)._fields:
        _EXTRA_FIELDS[getattr(ast, _name)] = {"default_value": None}


def to_gast(root: ast.AST) -> gast.AST:
    """A fresh ``gast`` tree with the meaning and the locations of an ``ast`` tree, which is left alone.

    Contexts and operators (``Load()``, ``Add()``) are shared between trees.
    """
    classes, singletons, fields = _to_gast.classes, _to_gast.singletons, _to_gast.fields
    new_node = ast.AST.__new__
    result = new_node(classes[type(root)])
    stack: list[tuple[ast.AST, ast.AST]] = [(root, result)]
    while stack:
        old, new = stack.pop()
        target = new.__dict__
        target.update(old.__dict__)
        for field in fields[old.__class__]:
            value: Any = target.get(field)
            kind = value.__class__
            if kind is list:
                children: list[Any] = []
                for item in value:
                    cls = classes.get(item.__class__)
                    if cls is None:
                        children.append(singletons.get(item.__class__, item))
                    else:
                        child = new_node(cls)
                        stack.append((item, child))
                        children.append(child)
                target[field] = children
            elif kind in singletons:
                target[field] = singletons[kind]
            elif (cls := classes.get(kind)) is not None:
                child = target[field] = new_node(cls)
                stack.append((value, child))
        finish = _FINISH.get(old.__class__)
        if finish is not None:
            finish(target)
    return result


def _finish_name(target: dict[str, Any]) -> None:
    target["annotation"] = target["type_comment"] = None


def _finish_argument(target: dict[str, Any]) -> None:
    target["id"] = target.pop("arg")
    target["ctx"] = _PARAMETER
    target.setdefault("annotation", None)
    target.setdefault("type_comment", None)


def _finish_handler(target: dict[str, Any]) -> None:
    if target.get("name") is not None:
        name = gast.Name(target["name"], _STORE, None, None)
        name.__dict__.update((key, target[key]) for key in LOCATION if key in target)
        target["name"] = name


def _finish_definition(target: dict[str, Any]) -> None:
    target.setdefault("type_params", [])


def _finish_type_parameter(target: dict[str, Any]) -> None:
    target.setdefault("default_value", None)


_FINISH = {
    ast.Name: _finish_name,
    ast.arg: _finish_argument,
    ast.ExceptHandler: _finish_handler,
    ast.FunctionDef: _finish_definition,
    ast.AsyncFunctionDef: _finish_definition,
    ast.ClassDef: _finish_definition,
}
for _cls in _EXTRA_FIELDS:
    _FINISH[_cls] = _finish_type_parameter


_to_ast = _Table([ast, gast], ast)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _Plan(NamedTuple):
    """What `to_ast` does with the nodes of a class."""

    becomes: Any
    has_location: bool
    is_function: bool
    fields: list[tuple[str, dict[type, Any], bool]]
    """Each field that may hold nodes, the plans for these, and whether it is a list."""
    finish: Callable[[dict[str, Any], dict[str, Any]], None] | None


def _finish_parameter(target: dict[str, Any], old: dict[str, Any]) -> None:
    target["arg"] = target.get("arg") or target["id"]


def _finish_caught(target: dict[str, Any], old: dict[str, Any]) -> None:
    caught = old.get("name")
    target["name"] = caught.id if isinstance(caught, gast.Name) else caught


_FINISH_AST = {ast.arg: _finish_parameter, ast.ExceptHandler: _finish_caught}
_plans: dict[type, _Plan] = {}
_parameters: dict[type, _Plan] = {}


def _plan(old: type, new: Any) -> _Plan:
    lists = {field for field in new._fields if field in _LIST_FIELDS and (new.__name__, field) not in _NOT_LISTS}
    fields = [
        (field, _parameters if new is ast.arguments and field in _ARGUMENT_FIELDS else _plans, field in lists)
        for field in dict.fromkeys((*_to_ast.fields[old], *lists))
        if field in new._fields
    ]
    return _Plan(new, "lineno" in getattr(new, "_attributes", ()), new in _FUNCTIONS, fields, _FINISH_AST.get(new))


_plans.update((old, _plan(old, new)) for old, new in _to_ast.classes.items())
# Parameters are names in `gast`.
_parameters.update((cls, _plan(cls, ast.arg)) for cls in (ast.arg, gast.Name))


def to_ast(root: ast.AST, functions: list[Any] | None = None) -> Any:
    """A fresh ``ast`` tree, ready to compile, of a ``gast`` tree, which is left alone.

    A node without a location gets its parent's; lists that are left out are empty.  ``ast`` nodes may stand
    inside of the tree.  The functions and lambdas of the new tree are added to ``functions``.
    """
    singletons, new_node = _to_ast.singletons, ast.AST.__new__
    plan = _plans[type(root)]
    result = new_node(plan.becomes)
    stack: list[tuple[ast.AST, ast.AST, _Plan, dict[str, Any]]] = [(root, result, plan, {"lineno": 1, "col_offset": 0})]
    while stack:
        old, new, (_, has_location, is_function, fields, finish), location = stack.pop()
        target = new.__dict__
        target.update(old.__dict__)
        if has_location:
            if target.get("lineno") is None:
                _locate(target, location)
            location = target
        if is_function and functions is not None:
            functions.append(new)
        for field, plans, is_list in fields:
            value: Any = target.get(field)
            kind = value.__class__
            if kind is list:
                children: list[Any] = []
                for item in value:
                    found = plans.get(item.__class__)
                    if found is None:
                        children.append(singletons.get(item.__class__, item))
                    else:
                        child = new_node(found.becomes)
                        stack.append((item, child, found, location))
                        children.append(child)
                target[field] = children
            elif kind in singletons:
                target[field] = singletons[kind]
            elif (found := plans.get(kind)) is not None:
                child = target[field] = new_node(found.becomes)
                stack.append((value, child, found, location))
            elif is_list and field not in target:
                target[field] = []
        if finish is not None:
            finish(target, old.__dict__)
    return result


def _locate(target: dict[str, Any], location: dict[str, Any]) -> None:
    target["lineno"] = target["end_lineno"] = location["lineno"]
    target["col_offset"] = location["col_offset"]
    one_line = location.get("end_lineno") == location["lineno"]
    target["end_col_offset"] = location["end_col_offset"] if one_line else location["col_offset"]
