"""What `exits` keeps in mind while it walks a function, and the variables that stand for exits."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast

from autograph.analysis.scopes import scopes

from . import build
from .base import Context, Pass
from .exit_facts import BREAK, CONTINUE, RETURN, Branches, ExitFacts, Loop, Plan


class Statements(deque[Any]):
    """Rewritten statements that follow the one at hand, and what matters of them."""

    bound = False
    """Some of them must stay in the frame of their function."""
    exits = False
    """Some of them exit."""


@dataclass(eq=False)
class Frame:
    """What a closure is made for: the body of a function or of a converted loop."""

    loop: Loop | None = None
    bare_return: bool = False
    """`return` takes no value: an asynchronous generator."""
    depth: int = 0


@dataclass(frozen=True)
class Mode:
    """Where a list of statements stands in its frame."""

    tail: bool = False
    """The end of the list is the end of the frame."""
    kinds: int = 0
    """The exits that set flags here, since a plain one would only leave a branch; 0 if exits can stay."""


TAIL, INNER = Mode(tail=True), Mode()


class ExitPass(Pass):
    """Base of `Exits`: flags, and what is made of them."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.plan = context.plan = Plan()
        self.frame = Frame()
        self.native_loop = False
        self.falls: set[gast.AST] = set()
        self.kept: dict[gast.AST, bool] = {}
        self.names: dict[str, str] = {}

    def begin(self) -> None:
        self.scopes = self.analysis(scopes)
        self.facts = ExitFacts(self.scopes)

    def block(self, statements: Iterable[Any], mode: Mode, rest: Statements) -> Statements:
        """Rewrites statements in front of `rest`, which is rewritten already; `rest` is used up."""
        raise NotImplementedError

    def suite(self, statements: list[Any], mode: Mode, at: Any) -> list[Any]:
        """Rewrites a list of statements that are all of a suite."""
        if not statements:
            return []
        rest = self._end(at) if mode is TAIL else Statements()
        return list(self.block(statements, mode, rest)) or [build.located(gast.Pass(), at)]

    def _end(self, at: Any) -> Statements:
        """What stands at the end of a frame: a loop body that signals says `continue`."""
        loop = self.frame.loop
        if loop is None or not loop.signals:
            return Statements()
        fall = build.located(gast.Continue(), at)
        self.falls.add(fall)
        self.plan.jumps[fall] = "CONTINUE"
        return Statements([fall])

    def _is_end(self, rest: Statements) -> bool:
        return not rest or (len(rest) == 1 and rest[0] in self.falls)

    def _set(self, name: str, value: bool, at: Any) -> Any:
        return build.assign(self._name(name), build.constant(value, at), at)

    def _set_flags(self, kind: int, kinds: int, at: Any, without_return: bool = False) -> list[Any]:
        """The assignments that stand for an exit among exits of several kinds; see `_skip`."""
        flags = []
        if kind == RETURN and not without_return:
            flags.append("do_return")
        if kind == BREAK or (kind == RETURN and kinds & BREAK):
            flags.append("break_")
        if kinds & CONTINUE:
            flags.append("continue_")
        return [self._set(flag, True, at) for flag in flags]

    def _initial(self, kinds: int, at: Any) -> list[Any]:
        flags = (("do_return", RETURN), ("break_", BREAK), ("continue_", CONTINUE))
        return [self._set(flag, False, at) for flag, kind in flags if kinds & kind]

    def _skip(self, kinds: int, at: Any) -> Any:
        """The one flag that says that any exit of these kinds was taken."""
        flag = "continue_" if kinds & CONTINUE else "break_" if kinds & BREAK else "do_return"
        return build.name(self._name(flag), at)

    def _name(self, name: str) -> str:
        """The variable of this purpose, the same throughout a function; a loop's own flags differ by depth."""
        depth = 0 if name in ("do_return", "retval_", "broke") else self.frame.depth
        key = f"{name}{depth}"
        found = self.names.get(key)
        if found is None:
            found = self.names[key] = self.fresh(name)
        if depth and self.frame.loop is not None:
            self.frame.loop.flags.add(found)
            self.plan.flags.add(found)
        return found

    def _after_flags(self, flags: list[Any], mode: Mode, rest: Statements, at: Any) -> Statements:
        """What follows an exit can't be reached; it is kept, since it may make names local."""
        rest = self._guarded(mode.kinds, rest, at)
        rest.extendleft(reversed(flags))
        return rest

    def _guarded(self, kinds: int, rest: Statements, at: Any) -> Statements:
        return Statements([self._guard(kinds, rest, at)]) if rest else rest

    def _guard(self, kinds: int, rest: Statements, at: Any) -> Any:
        """`if not break_: rest`."""
        return self._made_if(build.not_(self._skip(kinds, at), at), list(rest), [], at, returns=False)

    def _check(self, kinds: int, at: Any, rest: Statements) -> Statements:
        """At the tail of a frame: does what the flags say, or goes on with `rest`."""
        loop = self.frame.loop
        if loop is None:
            leave: list[Any] = [build.returned(build.name(self._name("retval_"), at), at)]
        elif kinds == CONTINUE:
            leave = list(self._end(at)) or [build.located(gast.Pass(), at)]
        else:
            leave = [self._leave(at)]
            if kinds & CONTINUE:
                flag = build.name(self._name("break_" if kinds & BREAK else "do_return"), at)
                leave = [self._made_if(flag, leave, list(self._end(at)), at, returns=True)]
        returns = loop is None or loop.signals
        if returns and not rest:
            rest = self._end(at)
        return Statements([self._made_if(self._skip(kinds, at), leave, list(rest), at, returns)])

    def _leave(self, at: Any) -> Any:
        leave = build.located(gast.Break(), at)
        self.plan.jumps[leave] = "BREAK"
        return leave

    def _plan_if(self, node: Any, returns: bool) -> None:
        flags = self.frame.loop.flags if self.frame.loop is not None else None
        self.plan.ifs[node] = Branches(returns, node.body, node.orelse, flags)

    def _made_if(self, test: Any, body: list[Any], orelse: list[Any], at: Any, returns: bool) -> Any:
        made = build.if_(test, body, orelse, at)
        self._plan_if(made, returns)
        return made

    def _stays_native(self, node: Any) -> None:
        known = node in self.scopes.activities
        reason = self.facts.reason(node) if known else None
        self.plan.native[node] = reason or "an exit inside leaves a statement that stays native"
        if known:
            self.keep_native(node, self.plan.native[node])


def one_line(node: Any) -> Any:
    """The part of a statement that gives generated code its line."""
    if isinstance(node, (gast.If, gast.While)):
        return node.test
    return node.iter if isinstance(node, (gast.For, gast.AsyncFor)) else node
