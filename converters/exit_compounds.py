"""Exits in loops, `with` and `try`: the part of `exits` for statements that hold others, but for `if`."""

from __future__ import annotations

from typing import Any

import gast

from . import build
from .exit_facts import BREAK, RETURN, Facts, Loop, endless
from .exit_flags import INNER, TAIL, ExitPass, Frame, Mode, Statements, one_line


class CompoundExits(ExitPass):
    """Rewrites loops and statements that stay what they are, with statements inside."""

    def partial(self, node: Any, facts: Facts, mode: Mode, rest: Statements) -> Statements:
        """Some paths through a statement exit and others go on to `rest`: flags tell which."""
        raise NotImplementedError

    def _loop(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        if self.facts.of(node).bound:
            return self._native_loop(node, mode, rest)
        at = one_line(node)
        body = self.facts.of_all(node.body)
        breaks, returns = bool(body.leaves & BREAK), bool(body.leaves & RETURN)
        header = node.test if isinstance(node, gast.While) else node.target
        loop = Loop(breaks or returns, header, sets_flag=breaks and returns)
        asks = self._after_loop(node, loop, at)
        if mode.kinds == RETURN and returns and not endless(node):
            # The flag is the one that is asked for anyway.
            asks = asks[1:]
            after = self._guarded(mode.kinds, self.block(asks, mode, rest), at)
        else:
            after = self.block(asks, mode, rest)
        if breaks and node.orelse:
            after.appendleft(self._result(node, loop, "broke", at))
        elif returns and not breaks and not endless(node):
            after.appendleft(self._result(node, loop, "do_return", at))
        self._loop_body(node, loop, at)
        after.appendleft(node)
        if loop.sets_flag and not mode.kinds:
            after.appendleft(self._set("do_return", False, at))
        return after

    def _loop_body(self, node: Any, loop: Loop, at: Any) -> None:
        outer = self.frame, self.native_loop
        self.frame, self.native_loop = Frame(loop, self.frame.bare_return, self.frame.depth + 1), False
        node.body = loop.body = self.suite(node.body, TAIL, at)
        self.frame, self.native_loop = outer
        node.orelse = []
        self.plan.loops[node] = loop

    def _after_loop(self, node: Any, loop: Loop, at: Any) -> list[Any]:
        """The statements, not yet rewritten, that do what a `return` inside the loop and `else:` ask for."""
        body = self.facts.of_all(node.body)
        breaks = bool(body.leaves & BREAK)
        asks: list[Any] = []
        if body.leaves & RETURN:
            leave = build.returned(build.name(self._name("retval_"), at), at)
            never_ends = endless(node) and not breaks
            self.kept[leave] = not never_ends
            if never_ends:
                return [leave]
            asks.append(build.if_(build.name(self._name("do_return"), at), [leave], [], at))
            self.facts.record(asks[0], Facts(RETURN, False, True, False))
        if breaks and node.orelse:
            orelse = self.facts.of_all(node.orelse)
            asks.append(build.if_(build.not_(build.name(self._name("broke"), at), at), node.orelse, [], at))
            self.facts.record(asks[-1], Facts(orelse.leaves, False, orelse.leaves != 0, False))
            return asks
        return asks + node.orelse

    def _result(self, node: Any, loop: Loop, name: str, at: Any) -> Any:
        """`name = <whether the loop was left early>`."""
        loop.result = build.constant(None, at)
        self.plan.results[loop.result] = node
        return build.assign(self._name(name), loop.result, at)

    def _native_loop(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        self._stays_native(node)
        at = one_line(node)
        outer, self.native_loop = self.native_loop, True
        node.body = self.suite(node.body, INNER, at)
        self.native_loop = outer
        node.orelse = self.suite(node.orelse, TAIL if mode is TAIL and self._is_end(rest) else INNER, at)
        rest.appendleft(node)
        return rest

    # `with`, `try`, and `match` that stays native

    def _compound(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        facts = self.facts.of(node)
        ends = self._is_end(rest)
        if mode.kinds and facts.leaves:
            self._parts(node, mode)
            rest = self._guarded(mode.kinds, rest, one_line(node))
        elif mode is TAIL and facts.conditional and not rest.bound and not (ends and self._parts_are_tails(node)):
            return self.partial(node, facts, mode, rest)
        else:
            self._parts(node, TAIL if mode is TAIL and ends and facts.leaves else INNER)
        rest.appendleft(node)
        return rest

    def _parts_are_tails(self, node: Any) -> bool:
        return not (getattr(node, "orelse", None) and self.facts.of_all(node.body).conditional)

    def _parts(self, node: Any, mode: Mode) -> None:
        """Rewrites what is inside: for `try`, the `else:` follows the body, and `finally:` follows all."""
        at = one_line(node)
        if isinstance(node, gast.Match):
            for case in node.cases:
                case.body = self.suite(case.body, mode, at)
        elif not isinstance(node, (gast.Try, gast.TryStar)):
            node.body = self.suite(node.body, mode, at)
        else:
            exits = self.facts.of_all(node.body).leaves
            node.body = self.suite(node.body, INNER if mode is TAIL and node.orelse else mode, at)
            for handler in node.handlers:
                # No exit may stand in `except*`, not even one that is made.
                handler.body = self.suite(handler.body, INNER if isinstance(node, gast.TryStar) else mode, handler)
            orelse = self.suite(node.orelse, mode, at)
            if orelse and exits and mode.kinds:
                orelse = [self._guard(mode.kinds, Statements(orelse), at)]
            node.orelse = orelse
            node.finalbody = self.suite(node.finalbody, INNER, at)
