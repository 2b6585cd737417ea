"""What `exits` must know of a statement before it rewrites it, and what it leaves for the passes after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gast

from autograph.analysis.scopes import Scopes

RETURN, BREAK, CONTINUE = 1, 2, 4
LOOPS = (gast.While, gast.For, gast.AsyncFor)


class Facts(NamedTuple):
    """How control leaves a statement or a list of statements."""

    leaves: int
    """The kinds of exit (bits) that leave it: a `break` of a loop inside does not."""
    always: bool
    """Control never gets to what follows."""
    conditional: bool
    """Some exit stands in an `if` or comes out of a loop that will be converted, so it can't stay a plain exit."""
    bound: bool
    """It must stay in the frame of its function."""


NOTHING = Facts(0, False, False, False)
_SIMPLE: dict[type, Facts] = {
    gast.Return: Facts(RETURN, True, False, False),
    gast.Break: Facts(BREAK, True, False, False),
    gast.Continue: Facts(CONTINUE, True, False, False),
    gast.Raise: Facts(0, True, False, False),
}


class ExitFacts:
    """The facts of the statements of one function; each is computed once, children first."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._known: dict[gast.AST, Facts] = {}

    def reason(self, statement: gast.AST) -> str | None:
        """Why a statement must stay native Python, or None."""
        return self._scopes.frame_bound(statement)

    def of(self, statement: gast.AST) -> Facts:
        """The facts of one statement."""
        simple = _SIMPLE.get(statement.__class__)
        compute = _COMPOUND.get(statement.__class__)
        if compute is None:
            facts = simple or NOTHING
            return facts._replace(bound=True) if self._suspends(statement) else facts
        found = self._known.get(statement)
        if found is None:
            found = compute(self, statement)
            if self.reason(statement) is not None:
                found = Facts(found.leaves, found.always, False, True)
            self._known[statement] = found
        return found

    def record(self, statement: gast.AST, facts: Facts) -> None:
        """Gives the facts of a statement that the scopes don't know, because `exits` made it."""
        self._known[statement] = facts

    def of_all(self, statements: Iterable[gast.AST]) -> Facts:
        """The facts of statements that run one after the other."""
        leaves, always, conditional, bound = 0, False, False, False
        for statement in statements:
            facts = self.of(statement)
            leaves |= facts.leaves
            always = always or facts.always
            conditional = conditional or facts.conditional
            bound = bound or facts.bound
        return Facts(leaves, always, conditional, bound)

    def _suspends(self, statement: gast.AST) -> bool:
        activity = self._scopes.activities.get(statement)
        return activity is not None and activity.suspension is not None

    def _if(self, node: Any) -> Facts:
        body, orelse = self.of_all(node.body), self.of_all(node.orelse)
        leaves = body.leaves | orelse.leaves
        return Facts(leaves, body.always and orelse.always, leaves != 0, body.bound or orelse.bound)

    def _loop(self, node: Any) -> Facts:
        body, orelse = self.of_all(node.body), self.of_all(node.orelse)
        breaks = bool(body.leaves & BREAK)
        returns = body.leaves & RETURN
        always = not breaks and (orelse.always or endless(node))
        conditional = bool(returns or orelse.conditional or (breaks and orelse.leaves))
        return Facts(returns | orelse.leaves, always, conditional, body.bound or orelse.bound)

    def _with(self, node: Any) -> Facts:
        # A context manager may suppress an exception, so what follows can always be reached.
        return self.of_all(node.body)._replace(always=False)

    def _match(self, node: Any) -> Facts:
        return self._either(case.body for case in node.cases)

    def _try(self, node: Any) -> Facts:
        body, orelse = self.of_all(node.body), self.of_all(node.orelse)
        handlers = [self.of_all(handler.body) for handler in node.handlers]
        final = self.of_all(node.finalbody)
        parts = (body, orelse, final, *handlers)
        always = final.always or ((body.always or orelse.always) and all(each.always for each in handlers))
        return self._merged(parts)._replace(always=always)

    def _either(self, blocks: Iterable[list[gast.AST]]) -> Facts:
        return self._merged([self.of_all(block) for block in blocks])

    @staticmethod
    def _merged(parts: Iterable[Facts]) -> Facts:
        leaves, conditional, bound = 0, False, False
        for part in parts:
            leaves |= part.leaves
            conditional = conditional or part.conditional
            bound = bound or part.bound
        return Facts(leaves, False, conditional, bound)


_COMPOUND = {
    gast.If: ExitFacts._if,
    gast.While: ExitFacts._loop,
    gast.For: ExitFacts._loop,
    gast.AsyncFor: ExitFacts._loop,
    gast.With: ExitFacts._with,
    gast.AsyncWith: ExitFacts._with,
    gast.Match: ExitFacts._match,
    gast.Try: ExitFacts._try,
    gast.TryStar: ExitFacts._try,
}


def endless(loop: Any) -> bool:
    """Whether a loop can only be left by an exit: `while True`."""
    return isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant) and bool(loop.test.value)


@dataclass(slots=True)
class Branches:
    """An `if` that will be converted, as the analyses see it."""

    returns: bool
    """The value of the branch taken is returned."""
    body: list[gast.AST]
    orelse: list[gast.AST]
    flags: set[str] | None
    """Variables of the body of the loop around it, if that will be converted."""


@dataclass(slots=True)
class Loop:
    """A loop that will be converted, as the analyses see it."""

    signals: bool
    """Its body says whether to stop."""
    header: gast.AST
    """The test of `while`, the target of `for`."""
    sets_flag: bool
    """A `return` inside sets a flag, since the loop has a `break` as well."""
    body: list[gast.AST] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    """Variables that are local to the body."""
    result: gast.AST | None = None
    """The expression that stands for the loop's result in the tree."""


@dataclass(slots=True)
class Plan:
    """Which statements the passes after `exits` turn into closures; all others stay native Python."""

    ifs: dict[gast.AST, Branches] = field(default_factory=dict)
    loops: dict[gast.AST, Loop] = field(default_factory=dict)
    jumps: dict[gast.AST, str | None] = field(default_factory=dict)
    """`break` and `continue` of converted loops: the name of the signal that they return."""
    flags: set[str] = field(default_factory=set)
    """The variables that are local to the bodies of loops."""
    native: dict[gast.AST, str] = field(default_factory=dict)
    """The `if`s and loops that stay native Python, and why."""
    results: dict[gast.AST, gast.AST] = field(default_factory=dict)
    """The loop of each expression that stands for a loop's result."""
