"""`while` and `for` become calls with the test and the body as local functions.

>>> from autograph.converters.base import show
>>> from autograph.converters.statements.exits import Exits
>>> show((Exits, Loops), '''
... while n > 1:
...     n = n // 2
... return n
... ''', parameters="n")
def loop_test():
    return n > 1
def loop_body():
    nonlocal n
    n = n // 2
ag__.while_stmt(loop_test, loop_body, ('n',))
return n

A body with `break` or `return` in it tells whether to stop, and the call whether it did:

>>> show((Exits, Loops), '''
... for x in items:
...     print(x)
...     break
... else:
...     x = None
... return x
... ''', parameters="items")
def loop_body(iterate):
    nonlocal x
    x = iterate
    print(x)
    return ag__.BREAK
broke = ag__.for_stmt(items, loop_body, ('x',))
if not broke:
    x = None
return x
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.bodies import Loop

from .. import build
from ..closures import ClosurePass


class Loops(ClosurePass):
    """Rewrites the loops whose bodies become functions, and the `break` and `continue` that belong to them."""

    looks_at = (gast.While, gast.For, gast.AsyncFor)
    body_names = ("loop_test", "loop_body", "iterate")

    def begin(self) -> None:
        super().begin()
        self._calls: dict[gast.AST, gast.AST] = {}

    def leave_While(self, node: gast.AST) -> Any:
        loop = self.bodies.loops.get(node)
        if loop is None:
            return self.native(node, "test", "native_test")
        at = node.test
        loop_test, loop_body, _ = self.functions
        in_test = self.written([loop.header])
        # What the test binds is read by the body, though it is dead where the loop begins.
        live = self.live.live_in_loop.bits[node] | in_test
        body = self._body(node, loop, node.body, live, at, ())
        test = self.closure(loop_test, node, [build.returned(node.test, at)], in_test, live, at)
        call = self._call(node, "while_stmt", [build.name(loop_test, at), build.name(loop_body, at)], live, at)
        return [test, body, *self._use(loop, call, at)]

    def leave_For(self, node: gast.AST) -> Any:
        loop = self.bodies.loops.get(node)
        if loop is None:
            return self.native(node, "iter", "native_iterable")
        at = node.iter
        _, loop_body, iterate = self.functions
        first = build.located(gast.Assign([node.target], build.name(iterate, node.target), None), node.target)
        live = self.live.live_in_loop.bits[node]
        body = self._body(node, loop, [first, *node.body], live, at, (iterate,))
        call = self._call(node, "for_stmt", [node.iter, build.name(loop_body, at)], live, at)
        return [body, *self._use(loop, call, at)]

    def leave_Break(self, node: gast.AST) -> Any:
        signal = self.bodies.jumps.get(node, "")
        if signal == "":
            return node
        return build.returned(None if signal is None else build.operator(signal, node), node)

    leave_Continue = leave_Break

    def leave_Assign(self, node: gast.AST) -> Any:
        node.value = self._calls.get(node, node.value)
        return node

    def _body(
        self, node: gast.AST, loop: Loop, body: list[Any], live: int, at: gast.AST, parameters: tuple[str, ...]
    ) -> Any:
        bits = self.written(loop.body)
        if parameters:
            bits |= self.written([loop.header])
        return self.closure(self.functions[1], node, body, bits, live, at, parameters)

    def _call(self, node: gast.AST, operator: str, arguments: list[Any], live: int, at: gast.AST) -> Any:
        names = self.state(node, [node], live)
        options = self.context.loop_options.get(node)
        if names or options is not None:
            arguments.append(build.strings(names, at))
        if options is not None:
            arguments.append(build.thunk(options, at))
        return build.operator_call(operator, arguments, at)

    def _use(self, loop: Loop, call: gast.AST, at: gast.AST) -> list[Any]:
        if loop.result is None:
            return [build.expression(call, at)]
        self._calls[loop.result] = call
        return []
