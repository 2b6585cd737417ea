"""How control leaves statements: by `return`, `break` and `continue`, always or under a condition.

>>> import gast
>>> from autograph.analysis.scopes import scopes
>>> function = gast.parse('''
... def f(items):
...     for x in items:
...         if x:
...             return x
...         break
...     raise ValueError
... ''').body[0]
>>> found = exits(scopes(function))
>>> loop = function.body[0]
>>> found.of_all(loop.body).always, found.of(loop).leaves == RETURN | VALUE, found.of(loop).always
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import gast

from .scopes import Scopes

RETURN, BREAK, CONTINUE, VALUE = 1, 2, 4, 8
"""The kinds of exit, as bits; `VALUE` says in addition that a `return` has a value."""
LOOPS = (gast.While, gast.For, gast.AsyncFor)


class Facts(NamedTuple):
    """How control leaves a statement or a list of statements."""

    leaves: int = 0
    """The kinds of exit that leave it: a `break` of a loop inside does not."""
    always: bool = False
    """Control never gets to what follows."""
    conditional: bool = False
    """Some exit stands in an `if` or comes out of a loop that can move, so it can't stay a plain exit."""
    bound: bool = False
    """It must stay in the frame of its function."""


_SIMPLE: dict[type, Facts] = {
    gast.Break: Facts(BREAK, True),
    gast.Continue: Facts(CONTINUE, True),
    gast.Raise: Facts(0, True),
}


class Exits:
    """The facts of all statements of a tree; each is found once, children first."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._known: dict[gast.AST, Facts] = {}

    def reason(self, statement: gast.AST) -> str | None:
        """Why a statement can't move into another function by itself, or None; None too for what a pass has made."""
        return self._scopes.frame_bound(statement) if statement in self._scopes.activities else None

    def of(self, statement: gast.AST) -> Facts:
        """The facts of one statement."""
        found = self._known.get(statement)
        if found is None:
            found = self._known[statement] = self._found(statement)
        return found

    def of_all(self, statements: Iterable[gast.AST]) -> Facts:
        """The facts of statements that run one after the other."""
        return _either(map(self.of, statements), any)

    def _found(self, node: gast.AST) -> Facts:
        compute = _COMPOUND.get(node.__class__)
        if compute is not None:
            found = compute(self, node)
        elif isinstance(node, gast.Return):
            found = Facts(RETURN if node.value is None else RETURN | VALUE, True)
        else:
            found = _SIMPLE.get(node.__class__, Facts())
        return found if self.reason(node) is None else Facts(found.leaves, found.always, False, True)

    def _if(self, node: gast.AST) -> Facts:
        found = _either([self.of_all(node.body), self.of_all(node.orelse)], all)
        return found._replace(conditional=found.leaves != 0)

    def _loop(self, node: gast.AST) -> Facts:
        body, orelse = self.of_all(node.body), self.of_all(node.orelse)
        breaks, returns = bool(body.leaves & BREAK), body.leaves & (RETURN | VALUE)
        always = not breaks and (orelse.always or endless(node))
        conditional = bool(returns or orelse.conditional or (breaks and orelse.leaves))
        return Facts(returns | orelse.leaves, always, conditional, body.bound or orelse.bound)

    def _with(self, node: gast.AST) -> Facts:
        # A context manager may suppress an exception, so what follows can always be reached.
        return self.of_all(node.body)._replace(always=False)

    def _match(self, node: gast.AST) -> Facts:
        return _either([self.of_all(case.body) for case in node.cases], lambda _: False)

    def _try(self, node: gast.AST) -> Facts:
        body, orelse, final = map(self.of_all, (node.body, node.orelse, node.finalbody))
        handlers = [self.of_all(handler.body) for handler in node.handlers]
        always = final.always or ((body.always or orelse.always) and all(each.always for each in handlers))
        return _either([body, orelse, final, *handlers], any)._replace(always=always)


def _either(parts: Iterable[Facts], always: Callable[[list[bool]], bool]) -> Facts:
    leaves, conditional, bound = 0, False, False
    ends = []
    for part_leaves, part_always, part_conditional, part_bound in parts:
        leaves |= part_leaves
        ends.append(part_always)
        conditional |= part_conditional
        bound |= part_bound
    return Facts(leaves, always(ends), conditional, bound)


_COMPOUND = {
    gast.If: Exits._if,
    gast.While: Exits._loop,
    gast.For: Exits._loop,
    gast.AsyncFor: Exits._loop,
    gast.With: Exits._with,
    gast.AsyncWith: Exits._with,
    gast.Match: Exits._match,
    gast.Try: Exits._try,
    gast.TryStar: Exits._try,
}


def endless(loop: object) -> bool:
    """Whether a loop can only be left by an exit: `while True`."""
    return isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant) and bool(loop.test.value)


def exits(scopes: Scopes) -> Exits:
    """How control leaves the statements of a tree."""
    return Exits(scopes)
