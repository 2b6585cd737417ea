"""Operands that an operator evaluates later, or never: how they become functions without parameters."""

from __future__ import annotations

import gast

from autograph.analysis.scopes import Scope, scopes

from .base import Pass
from .build import thunk


def lazy(each: Pass, value: gast.AST) -> gast.AST:
    """`lambda: value`; where an earlier pass has made the value a local function (`operand()`), that function."""
    if (
        isinstance(value, gast.Call)
        and isinstance(value.func, gast.Name)
        and value.func.id in each.context.generated
        and not value.args
    ):
        return value.func
    return thunk(value, value)


def scope_around(each: Pass) -> Scope:
    """The user's function or class around the node being rewritten."""
    found = each.analysis(scopes).scope_of
    return next(found[node] for node in reversed(each.context.enclosing) if node in found)


def must_stay(each: Pass, node: gast.AST) -> str | None:
    """Why no part of an expression can move into a function of its own, or `None` when it can.

    The names of a class body can't be seen from functions in it, `await` and `yield` belong to their function,
    and `locals()` looks at it.
    """
    enclosing = each.context.enclosing
    if not enclosing or isinstance(enclosing[-1], gast.ClassDef):
        return "it stands in a class body"
    scope = scope_around(each)
    if scope.frame_reader is not None:
        return scope.frame_reader
    if scope.unit.suspension is None:
        return None
    return each.analysis(scopes)[node].suspension
