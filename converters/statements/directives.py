"""`set_loop_options(…)` in a loop's body tells the loop's operator how to stage it.

The call stays where it is and does nothing when it runs; its keyword arguments go to the operator, unevaluated.

>>> from autograph.converters.base import show
>>> from autograph.converters.statements.exits import Exits
>>> from autograph.converters.statements.loops import Loops
>>> show((Directives, Exits, Loops), '''
... for i in items:
...     set_loop_options(maximum_iterations=n)
... ''', parameters="items, n")
def loop_body(iterate):
    i = iterate
    set_loop_options(maximum_iterations=n)
ag__.for_stmt(items, loop_body, (), lambda: {'maximum_iterations': n})
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import gast

from .. import build
from ..base import Pass

DIRECTIVE = "set_loop_options"


class Directives(Pass):
    """Notes the options of loops."""

    looks_at = (gast.For, gast.While)

    def leave_For(self, node: gast.AST) -> Any:
        for statement in node.body:
            options = _options(statement)
            if options is not None:
                self.context.loop_options[node] = options
        return node

    leave_While = leave_For


def _options(statement: gast.AST) -> Any:
    call = statement.value if isinstance(statement, gast.Expr) else None
    if not isinstance(call, gast.Call) or call.args or any(keyword.arg is None for keyword in call.keywords):
        return None
    function = call.func
    if DIRECTIVE not in (getattr(function, "id", None), getattr(function, "attr", None)):
        return None
    keys = [build.constant(keyword.arg, call) for keyword in call.keywords]
    values = [deepcopy(keyword.value) for keyword in call.keywords]
    return build.located(gast.Dict(keys, values), call)
