"""A function that writes variables of others says so when it starts: a staged branch that calls it must see it.

>>> from autograph.converters.base import show
>>> show(OuterWrites, '''
... def add():
...     global total
...     total += 1
... ''')
def add():
    global total
    ag__.outer_writes(lambda: (total,))
    total += 1
"""

from __future__ import annotations

import gast

from .base import Pass
from .build import expression, located, name, operator_call, thunk
from .hoist import preamble_length


class OuterWrites(Pass):
    """Starts functions that declare `nonlocal` or `global` names with `ag__.outer_writes`."""

    looks_at = (gast.Nonlocal, gast.Global)

    def begin(self) -> None:
        self._declared: dict[gast.AST, list[str]] = {}

    def leave_Nonlocal(self, node: gast.Nonlocal | gast.Global) -> gast.AST:
        function = self.context.enclosing[-1]
        self._declared.setdefault(function, []).extend(node.names)
        return node

    leave_Global = leave_Nonlocal

    def leave_FunctionDef(self, node: gast.FunctionDef | gast.AsyncFunctionDef) -> gast.AST:
        declared = self._declared.get(node)
        if declared:
            position = preamble_length(node.body)
            at = node.body[position - 1] if position else node.body[0]
            names = gast.Tuple([name(each, at) for each in dict.fromkeys(declared)], gast.Load())
            call = operator_call("outer_writes", [thunk(located(names, at), at)], at)
            node.body.insert(position, expression(call, at))
        return node

    leave_AsyncFunctionDef = leave_FunctionDef
