"""A variable that may have no value is loaded by a call: in the local functions that parts of the function become,
Python would raise another error, and a staged branch may have left it undefined.

>>> from autograph.converters.base import show
>>> show(Loads, '''
... if a:
...     x = 1
... x += 1
... return x
... ''', parameters="a")
if a:
    x = 1
x = ag__.ld(lambda: x, 'x')
x += 1
return x
"""

from __future__ import annotations

import sys
from typing import Any

import gast

from autograph.analysis.assignment import assignment
from autograph.analysis.scopes import Kind, scopes
from autograph.source.names import mangle

from .. import build
from ..base import Pass, Rewritten


class Loads(Pass):
    """Rewrites the loads (also those of `del` and of augmented assignments) of variables that may be undefined."""

    always = True

    def begin(self) -> None:
        self.scopes = self.analysis(scopes)
        self.assignment = self.analysis(assignment)

    def leave_Name(self, node: gast.AST) -> Rewritten:
        if isinstance(node.ctx, gast.Load) and self.assignment.maybe_undefined(node):
            return self._load(node)
        return node

    def leave_AugAssign(self, node: gast.AST) -> Rewritten:
        if isinstance(node.target, gast.Name) and self.assignment.maybe_undefined(node.target):
            return [build.assign(node.target.id, self._load(node.target), node), node]
        return node

    def leave_Delete(self, node: gast.AST) -> Rewritten:
        if not any(isinstance(each, gast.Name) and self.assignment.maybe_undefined(each) for each in node.targets):
            return node
        result: list[Any] = []
        for target in node.targets:
            if isinstance(target, gast.Name) and self.assignment.maybe_undefined(target):
                result.append(build.expression(self._load(target), node))
            result.append(build.located(gast.Delete([target]), node))
        return result

    def _load(self, node: gast.AST) -> Any:
        name = build.name(node.id, node)
        scope = self.scopes.scope_of.get(self.context.enclosing[-1]) if self.context.enclosing else None
        if scope is None or scope.kind is Kind.CLASS:
            return name
        text = mangle(node.id, self.context.private_class())
        arguments = [build.thunk(name, node), build.constant(text, node)]
        if not self._is_local(node.id):
            arguments.append(build.constant(False, node))
        return build.operator_call("ld", arguments, node)

    def _is_local(self, name: str) -> bool:
        """Whether the user's function around a load owns the variable; else Python raises another error."""
        bit = self.scopes.names.bit(name)
        for function in reversed(self.context.enclosing):
            if self.scopes.scope_of[function].local_bits & bit:
                return True
            if not _is_thunk(function) and not _is_part(getattr(function, "name", ""), self.context.generated):
                return False
        return False


def _is_thunk(function: object) -> bool:
    """Whether a function is a lambda that a pass has made, maybe written as a `def` since."""
    if isinstance(function, gast.Lambda):
        return getattr(function, "generated", False)
    return getattr(function, "was_thunk", False)


def _is_part(name: str, generated: set[str]) -> bool:
    """Whether a function that a pass has made stands for code that Python runs in the function around it."""
    parts = ("operand", "list_comp", "set_comp", "dict_comp") if sys.version_info >= (3, 12) else ("operand",)
    return name in generated and name.startswith(parts)
