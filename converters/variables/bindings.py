"""A variable that only local functions made of its function's parts bind is declared, so that it stays where it was.

>>> from autograph.converters.base import show
>>> from autograph.converters.statements.exits import Exits
>>> from autograph.converters.statements.if_statements import IfStatements
>>> show((Exits, (IfStatements, Bindings)), '''
... if a:
...     x = 1
... return x
... ''', parameters="a")
x: object
def if_body():
    nonlocal x
    x = 1
def else_body():
    pass
ag__.if_stmt(a, if_body, else_body, ('x',))
return x
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.assignment import assignment
from autograph.analysis.exits import LOOPS
from autograph.analysis.scopes import scopes

from .. import build
from ..base import Pass

SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
_SUITES = ("body", "orelse", "finalbody", "handlers", "cases")


class Bindings(Pass):
    """Declares the variables of a function that no statement of its own binds any more."""

    looks_at = (gast.If, *LOOPS)

    def begin(self) -> None:
        self.scopes = self.analysis(scopes)
        self.assignment = self.analysis(assignment)

    def leave_FunctionDef(self, node: gast.AST) -> Any:
        missing = unbound_names(node.body, self.assignment.uncertain_names)
        if missing:
            scope = self.scopes.scope_of[node]
            missing = (missing & scope.locals) - set(scope.parameters)
            at = node.body[0]
            node.body = build.after_docstring(node.body, [build.declaration(each, at) for each in sorted(missing)])
        return node

    leave_AsyncFunctionDef = leave_FunctionDef


def unbound_names(statements: list[Any], read: frozenset[str] = frozenset()) -> set[str]:
    """Names that local functions among statements leave to the function of the statements, which binds them nowhere.

    So are names `read` that may have no value, where a global variable of that name would be read instead.
    """
    outer = set(read)
    pending = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, SCOPES):
            outer |= getattr(node, "outer_names", frozenset())
        else:
            _extend_by_suites(pending, node)
    return outer - bound_names(statements) if outer else outer


def bound_names(statements: list[Any]) -> set[str]:
    """Names that statements bind for certain in their own function, as far as is seen without a look at expressions."""
    found: set[str] = set()
    pending = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, SCOPES):
            found.add(node.name)
        elif isinstance(node, gast.Assign):
            for target in node.targets:
                _targets(target, found)
        elif isinstance(node, (gast.AugAssign, gast.AnnAssign, gast.For, gast.AsyncFor)):
            _targets(node.target, found)
        elif isinstance(node, (gast.Import, gast.ImportFrom)):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        if not isinstance(node, SCOPES):
            _extend_by_suites(pending, node)
    return found


def _extend_by_suites(statements: list[Any], node: gast.AST) -> None:
    fields = node.__dict__
    if "body" in fields or "cases" in fields:
        for suite in _SUITES:
            statements += fields.get(suite, ())


def _targets(target: gast.AST, found: set[str]) -> None:
    if isinstance(target, gast.Name):
        found.add(target.id)
    elif isinstance(target, (gast.Tuple, gast.List)):
        for element in target.elts:
            _targets(element, found)
    elif isinstance(target, gast.Starred):
        _targets(target.value, found)
