'''A function that writes variables of others says so when it starts: a staged branch that calls it must see it.

>>> from autograph.converters.base import show
>>> show(OuterWrites, """
... def add():
...     global total
...     total += 1
... """)
def add():
    global total
    ag__.outer_writes(lambda: (total,))
    total += 1

A generator says it again whenever it goes on, which may be in another branch or turn than its start:

>>> show(OuterWrites, """
... def count():
...     global total
...     yield total
...     total += 1
... """)
def count():
    global total
    ag__.outer_writes(lambda: (total,))
    ag__.resumed((yield total), lambda: (total,))
    total += 1

It may also go on in a handler, at the end of a `try`, or behind a `with` that catches what it is thrown:

>>> show(OuterWrites, """
... def count():
...     global total
...     try:
...         yield total
...     except ValueError:
...         total = 0
... """)
def count():
    global total
    ag__.outer_writes(lambda: (total,))
    try:
        ag__.resumed((yield total), lambda: (total,))
    except ValueError:
        ag__.outer_writes(lambda: (total,))
        total = 0

A function whose variables others write says that it has made them:

>>> show(OuterWrites, """
... total = 0
... def add():
...     nonlocal total
...     total += 1
... """)
ag__.own_variables(lambda: (total,))
total = 0
def add():
    nonlocal total
    ag__.outer_writes(lambda: (total,))
    total += 1
'''

from __future__ import annotations

from collections.abc import Iterable

import gast

from autograph.analysis.scopes import scopes

from ..base import Pass, Rewritten
from ..build import expression, located, name, operator_call, thunk
from ..hoist import preamble_length


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

    def leave_Yield(self, node: gast.Yield | gast.YieldFrom) -> gast.AST:
        declared = self._outer()
        return operator_call("resumed", [node, self._reads(declared, node)], node) if declared else node

    leave_YieldFrom = leave_Yield

    def leave_Try(self, node: gast.Try | gast.TryStar) -> gast.AST:
        for body in (*(each.body for each in node.handlers), node.finalbody):
            if body:
                body[:0] = self._resumed_behind(node, body[0])
        return node

    leave_TryStar = leave_Try

    def leave_With(self, node: gast.With | gast.AsyncWith) -> Rewritten:
        return [node, *self._resumed_behind(node, node.items[0].context_expr)]

    leave_AsyncWith = leave_With

    def _resumed_behind(self, node: gast.stmt, at: gast.AST) -> list[gast.AST]:
        """What says that a generator goes on which has waited in the body of a statement, and was thrown an error."""
        declared = self._outer()
        if not declared or not self.context.analysis(scopes)[node.body].suspension:
            return []
        return [expression(operator_call("outer_writes", [self._reads(declared, at)], at), at)]

    def _outer(self) -> list[str]:
        """The names that the function at hand declares to be those of others."""
        scope = self.context.analysis(scopes).scope_of.get(self.context.enclosing[-1])
        return sorted(scope.globals | scope.nonlocals) if scope is not None else []

    def leave_FunctionDef(self, node: gast.FunctionDef | gast.AsyncFunctionDef) -> gast.AST:
        self._say("outer_writes", dict.fromkeys(self._declared.get(node, ())), node)
        scope = self.context.analysis(scopes).scope_of.get(node)
        if scope is not None:
            self._say("own_variables", sorted(scope.locals & scope.inner_written), node)
        return node

    @staticmethod
    def _say(operator: str, variables: Iterable[str], node: gast.FunctionDef | gast.AsyncFunctionDef) -> None:
        if variables:
            position = preamble_length(node.body)
            at = node.body[position - 1] if position else node.body[0]
            node.body.insert(position, expression(operator_call(operator, [OuterWrites._reads(variables, at)], at), at))

    @staticmethod
    def _reads(variables: Iterable[str], at: gast.AST) -> gast.AST:
        return thunk(located(gast.Tuple([name(each, at) for each in variables], gast.Load()), at), at)

    leave_AsyncFunctionDef = leave_FunctionDef
