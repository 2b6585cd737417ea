"""Which suites become functions of their own, once exits stand where a function can express them (`converters/exits`).

An `if` can, unless it must stay in its frame, or an exit in it would only leave the new function: at the end of its
frame (the body of a function, or of a loop that becomes a function) what a branch returns is what the frame returns.
A loop can, unless it must stay in its frame: in its body `break` and `continue` are what the body returns.

>>> import gast
>>> from autograph.analysis.scopes import scopes
>>> function = gast.parse('''
... def f(items):
...     for x in items:
...         if x:
...             break
...     if x:
...         return x
...     print(x)
... ''').body[0]
>>> loop, condition, _ = function.body
>>> found = bodies(scopes(function))
>>> found.branches[loop.body[0]].returns, found.loops[loop].signals, found.jumps[loop.body[0].body[0]]
(True, True, 'BREAK')
>>> found.native[condition]
'an exit inside leaves a statement that stays native'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from .exits import BREAK, LOOPS, Exits, exits
from .scopes import Kind, Scopes

RESULT = "left_early"
"""`ag__.left_early`, assigned after a loop, stands for what the loop says: whether its body has ended it."""


@dataclass(slots=True)
class Branches:
    """An `if`, as the analyses see it."""

    returns: bool
    """The value of the branch taken is returned."""
    body: list[gast.AST]
    orelse: list[gast.AST]


@dataclass(slots=True)
class Loop:
    """A loop, as the analyses see it."""

    signals: bool
    """Its body says whether to stop."""
    header: gast.AST
    """The test of `while`, the target of `for`."""
    body: list[gast.AST]
    result: gast.AST | None = None
    """The assignment that takes the loop's result."""


@dataclass(slots=True)
class Bodies:
    """The statements whose suites become functions; all others stay native Python."""

    branches: dict[gast.AST, Branches] = field(default_factory=dict)
    loops: dict[gast.AST, Loop] = field(default_factory=dict)
    jumps: dict[gast.AST, str | None] = field(default_factory=dict)
    """`break` and `continue` of such loops: the name of the signal that they return."""
    native: dict[gast.AST, str] = field(default_factory=dict)
    """The `if`s and loops that stay native Python, and why."""


def bodies(scopes: Scopes) -> Bodies:
    """What becomes of the suites of a tree."""
    finder = _Finder(scopes)
    root: Any = scopes.root.node
    if not isinstance(root, gast.Lambda):
        finder.definition(root)
    return finder.found


class _Finder:
    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.exits: Exits = exits(scopes)
        self.found = Bodies()

    def definition(self, node: gast.AST) -> None:
        scope = self.scopes.scope_of[node]
        is_frame = scope.kind is Kind.FUNCTION and scope.unit.suspension is None
        self.suite(node.body, None, is_frame)

    def suite(self, statements: list[Any], loop: Loop | None, at_end: bool) -> None:
        """Walks statements of a frame, which is that of a loop's body or of a function; ``at_end`` of it or not."""
        last = len(statements) - 1
        if last > 0 and isinstance(statements[-1], gast.Continue):
            last -= 1  # it says what the end of the body says
        before: Any = None
        for number, node in enumerate(statements):
            self.statement(node, loop, at_end and (number >= last or self.exits.of(node).always))
            if before in self.found.loops and is_result(node):
                self.found.loops[before].result = node
            before = node

    def statement(self, node: gast.AST, loop: Loop | None, at_end: bool) -> None:
        if isinstance(node, (gast.Break, gast.Continue)):
            if loop is not None:
                is_break = isinstance(node, gast.Break)
                self.found.jumps[node] = "BREAK" if is_break else "CONTINUE" if loop.signals else None
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            self.definition(node)
        elif isinstance(node, gast.If):
            self.branch(node, loop, at_end)
        elif isinstance(node, LOOPS):
            self.loop(node, loop, at_end)
        elif isinstance(node, (gast.Try, gast.TryStar)):
            self.suite(node.body, loop, at_end and not node.orelse)
            self.suite(node.orelse, loop, at_end)
            self.suite(node.finalbody, loop, False)
            for handler in node.handlers:
                self.suite(handler.body, loop, at_end)
        elif isinstance(node, gast.Match):
            for case in node.cases:
                self.suite(case.body, loop, at_end)
        elif "body" in node.__dict__:
            self.suite(node.body, loop, at_end)

    def branch(self, node: gast.AST, loop: Loop | None, at_end: bool) -> None:
        facts = self.exits.of(node)
        if facts.bound or (facts.leaves and not at_end):
            self.stays(node)
        else:
            returns = facts.leaves != 0 and (loop is None or loop.signals)
            self.found.branches[node] = Branches(returns, node.body, node.orelse)
        self.suite(node.body, loop, at_end)
        self.suite(node.orelse, loop, at_end)

    def loop(self, node: gast.AST, outer: Loop | None, at_end: bool) -> None:
        if self.exits.of(node).bound:
            self.stays(node)
            self.suite(node.body, None, False)
        else:
            signals = bool(self.exits.of_all(node.body).leaves & BREAK)
            header = node.test if isinstance(node, gast.While) else node.target
            self.found.loops[node] = loop = Loop(signals, header, node.body)
            self.suite(node.body, loop, True)
        self.suite(node.orelse, outer, at_end)

    def stays(self, node: gast.AST) -> None:
        reason = self.exits.reason(node)
        self.found.native[node] = reason or "an exit inside leaves a statement that stays native"


def is_result(node: gast.AST) -> bool:
    """Whether a statement is `name = ag__.left_early`."""
    return isinstance(node, gast.Assign) and isinstance(node.value, gast.Attribute) and node.value.attr == RESULT
