"""`if` becomes a call with the branches as local functions.

>>> from autograph.converters.base import show
>>> from autograph.converters.statements.exits import Exits
>>> show((Exits, IfStatements), '''
... if n % 2 == 0:
...     n = n // 2
... else:
...     n = 3 * n + 1
... return n
... ''', parameters="n")
def if_body():
    nonlocal n
    n = n // 2
def else_body():
    nonlocal n
    n = 3 * n + 1
ag__.if_stmt(n % 2 == 0, if_body, else_body, ('n',))
return n

Where the branches hold exits at the tail of their function, what they return is returned:

>>> show((Exits, IfStatements), '''
... if a:
...     return 1
... return 2
... ''')
def if_body():
    return 1
def else_body():
    return 2
return ag__.if_stmt(a, if_body, else_body)
"""

from __future__ import annotations

from typing import Any

import gast

from .. import build
from ..closures import ClosurePass


class IfStatements(ClosurePass):
    """Rewrites the `if` statements whose branches become functions."""

    looks_at = (gast.If,)
    body_names = ("if_body", "else_body")

    def leave_If(self, node: gast.AST) -> Any:
        branches = self.bodies.branches.get(node)
        if branches is None:
            return self.native(node, "test", "native_test")
        at = node.test
        if_body, else_body = self.functions
        written = [self.written(branch) for branch in (branches.body, branches.orelse)]
        after = self.live.live_out.bits[node]
        before = self.live.live_in.bits
        live = [after | before[branch[0]] if branch else after for branch in (branches.body, branches.orelse)]
        # A missing `else:` does nothing.
        orelse = node.orelse or [build.located(gast.Pass(), at)]
        names = self.state(node, [*branches.body, *branches.orelse], after)
        arguments = [node.test, build.name(if_body, at), build.name(else_body, at)]
        call = build.operator_call("if_stmt", arguments + ([build.strings(names, at)] if names else []), at)
        return [
            self.closure(if_body, node, node.body, written[0], live[0], at),
            self.closure(else_body, node, orelse, written[1], live[1], at),
            build.returned(call, at) if branches.returns else build.expression(call, at),
        ]
