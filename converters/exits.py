"""`return`, `break` and `continue` come to stand where a function made of closures can express them.

The body of a function, and that of a loop, will be functions of their own. There an exit is simple at the tail:
nothing follows it. So what follows an `if` of which one branch always exits moves into the other branch.

>>> from autograph.converters.base import show
>>> show(Exits, '''
... if a:
...     return 1
... b()
... return 2
... ''')
if a:
    return 1
else:
    b()
    return 2

Only where that can't be done a variable says that an exit was taken, and what follows asks it:

>>> show(Exits, '''
... if a:
...     if b:
...         return 1
...     c()
... return 2
... ''')
do_return = False
if a:
    if b:
        retval_ = 1
        do_return = True
    else:
        c()
if do_return:
    return retval_
else:
    return 2

A loop tells whether it was left early; `return` inside and `else:` become an `if` after it.

The tree stays ordinary Python for the analyses. `Plan` (in the context) says which statements become closures.
An exit in the frame it belongs to, inside `with`, `try` or a native loop, stays as it is. One walk, from the last
statement to the first, so that each statement is moved at most once: linear time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast

from autograph.analysis.scopes import scopes

from . import build
from .base import Context, Pass
from .exit_facts import BREAK, CONTINUE, LOOPS, RETURN, Branches, ExitFacts, Facts, Loop, Plan, endless

# Early exits in a row nest what follows them. Past this many the rest is put behind a flag instead.
MOST_IN_A_ROW = 24


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


class Exits(Pass):
    """Moves exits to the tail of their function or loop body, or turns them into flags; makes the `Plan`."""

    looks_at = (gast.If, *LOOPS)

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

    def rewrite(self, tree: gast.AST) -> gast.AST:
        """Rewrites a function and the functions inside of it."""
        if not isinstance(tree, gast.Lambda):
            self._function(tree)
        return tree

    # Blocks

    def block(self, statements: Iterable[Any], mode: Mode, rest: Statements) -> Statements:
        """Rewrites statements in front of `rest`, which is rewritten already; `rest` is used up."""
        listed = list(statements)
        if self._is_end(rest) and self.facts.of_all(listed).always:
            rest = Statements()
        if mode is TAIL and len(listed) > MOST_IN_A_ROW:
            chunks = self._chunks(listed)
            if len(chunks) > 1:
                return self._chunked(chunks, rest)
        for statement in reversed(listed):
            facts = self.facts.of(statement)
            bound, exits = rest.bound or facts.bound, rest.exits or facts.leaves != 0
            rest = self._statement(statement, mode, rest)
            rest.bound, rest.exits = bound, exits
        return rest

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

    def _chunks(self, statements: list[Any]) -> list[list[Any]]:
        """Cuts a list with very many conditional exits."""
        chunks: list[list[Any]] = [[]]
        count = 0
        for statement in statements:
            facts = self.facts.of(statement)
            if facts.bound:
                return [statements]
            count += facts.conditional
            if count > MOST_IN_A_ROW:
                chunks.append([])
                count = 0
            chunks[-1].append(statement)
        return chunks

    def _chunked(self, chunks: list[list[Any]], rest: Statements) -> Statements:
        """Puts all chunks but the last behind flags, side by side."""
        last = self.block(chunks.pop(), TAIL, rest)
        at = chunks[0][0]
        kinds = self.facts.of_all(each for chunk in chunks for each in chunk).leaves
        mode = Mode(kinds=kinds)
        result = self._check(kinds, at, last)
        for position in range(len(chunks) - 1, -1, -1):
            lowered = self.block(chunks[position], mode, Statements())
            if position:
                lowered = Statements([self._guard(kinds, lowered, at)])
            lowered.extend(result)
            result = lowered
        result.extendleft(reversed(self._initial(kinds, at)))
        return result

    def _statement(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        handler = _HANDLERS.get(node.__class__)
        if handler is not None:
            return handler(self, node, mode, rest)
        rest.appendleft(node)
        return rest

    # Definitions

    def _function(self, node: Any) -> None:
        outer = self.frame, self.native_loop
        scope = self.scopes.scope_of[node]
        suspends = scope.unit.suspension is not None
        is_async = isinstance(node, gast.AsyncFunctionDef)
        self.frame = Frame(bare_return=suspends and is_async)
        self.native_loop = False
        # What a generator returns goes another way than what its parts return: exits stay plain there.
        node.body = self.suite(node.body, INNER if suspends else TAIL, node)
        self.frame, self.native_loop = outer

    def _definition(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        self._function(node)
        rest.appendleft(node)
        return rest

    def _class(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        """Leaves a class body as it is, and rewrites the methods."""
        pending: list[Any] = list(node.body)
        while pending:
            part = pending.pop()
            if isinstance(part, (gast.FunctionDef, gast.AsyncFunctionDef)):
                self._function(part)
                continue
            if isinstance(part, (gast.If, gast.While, gast.For)):
                self._stays_native(part)
            if isinstance(part, (gast.stmt, gast.ExceptHandler, gast.match_case)):
                pending.extend(gast.iter_child_nodes(part))
        rest.appendleft(node)
        return rest

    # Exits

    def _return(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        at = node
        flag_is_set = self.kept.get(node)
        if mode.kinds or self.frame.loop is not None:
            result = []
            if flag_is_set is None:
                value = node.value if node.value is not None else build.constant(None, at)
                result.append(build.assign(self._name("retval_"), value, at))
            if mode.kinds:
                result += self._set_flags(RETURN, mode.kinds, at, without_return=bool(flag_is_set))
                return self._after_flags(result, mode, rest, at)
            if self.frame.loop.sets_flag:
                result += [] if flag_is_set else [self._set("do_return", True, at)]
            leave = build.located(gast.Break(), at)
            self.plan.jumps[leave] = "BREAK"
            rest.extendleft(reversed([*result, leave]))
            return rest
        if self.frame.bare_return and flag_is_set is not None:
            node.value = None
        rest.appendleft(node)
        return rest

    def _jump(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        if self.native_loop or self.frame.loop is None:
            rest.appendleft(node)
            return rest
        kind = BREAK if isinstance(node, gast.Break) else CONTINUE
        if mode.kinds:
            return self._after_flags(self._set_flags(kind, mode.kinds, node), mode, rest, node)
        if kind == BREAK:
            self.plan.jumps[node] = "BREAK"
        else:
            signals = self.frame.loop.signals
            if mode is TAIL and not rest and not signals:
                return rest
            self.plan.jumps[node] = "CONTINUE" if signals else None
        rest.appendleft(node)
        return rest

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

    # Branches

    def _if(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        facts = self.facts.of(node)
        if not facts.leaves:
            return self._if_without_exits(node, facts, rest)
        targets_native_loop = self.native_loop and facts.leaves & (BREAK | CONTINUE)
        rest_is_bound = not self._is_end(rest) and rest.bound
        if facts.bound or mode == INNER or targets_native_loop or rest_is_bound:
            return self._native_if(node, mode, rest)
        body, orelse = self.facts.of_all(node.body), self.facts.of_all(node.orelse)
        ends = self._is_end(rest)
        if not (ends or body.always or orelse.always):
            return self._partial(node, facts, mode, rest)
        if mode is TAIL and facts.leaves == CONTINUE and (ends or not rest.exits):
            return self._continuing_if(node, body, rest)
        return self._tail_if(node, mode, rest, body, orelse)

    def _if_without_exits(self, node: Any, facts: Facts, rest: Statements) -> Statements:
        node.body = self.suite(node.body, INNER, node.test)
        node.orelse = self.suite(node.orelse, INNER, node.test)
        if facts.bound:
            self._stays_native(node)
        else:
            self._plan_if(node, False)
        rest.appendleft(node)
        return rest

    def _native_if(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        self._stays_native(node)
        inner = TAIL if mode is TAIL and self._is_end(rest) else INNER
        node.body = self.suite(node.body, inner, node.test)
        node.orelse = self.suite(node.orelse, inner, node.test)
        rest.appendleft(node)
        return rest

    def _tail_if(self, node: Any, mode: Mode, rest: Statements, body: Facts, orelse: Facts) -> Statements:
        """One branch always exits, or nothing follows: the rest moves into the branch that goes on."""
        dead: Statements = Statements()
        rests = [self._end(node.test) if mode is TAIL else Statements() for _ in range(2)]
        if not self._is_end(rest):
            if body.always and orelse.always:
                dead = rest
            else:
                rests[1 if body.always else 0] = rest
        node.body = list(self.block(node.body, mode, rests[0])) or [build.located(gast.Pass(), node.test)]
        node.orelse = list(self.block(node.orelse, mode, rests[1]))
        returns = mode is TAIL and (self.frame.loop is None or self.frame.loop.signals)
        self._plan_if(node, returns)
        if dead and mode.kinds:
            return Statements([node, self._guard(mode.kinds, dead, node.test)])
        dead.appendleft(node)
        return dead

    def _continuing_if(self, node: Any, body: Facts, rest: Statements) -> Statements:
        """Only `continue` in it, and no exit after it: what is skipped is all that follows."""
        loop: Any = self.frame.loop
        end = Statements([rest.pop()]) if rest and rest[-1] in self.falls else Statements()
        signals, loop.signals = loop.signals, False
        rests = (Statements(), rest) if body.always else (rest, Statements())
        node.body = list(self.block(node.body, TAIL, rests[0])) or [build.located(gast.Pass(), node.test)]
        node.orelse = list(self.block(node.orelse, TAIL, rests[1]))
        loop.signals = signals
        self._plan_if(node, False)
        end.appendleft(node)
        return end

    def _partial(self, node: Any, facts: Facts, mode: Mode, rest: Statements) -> Statements:
        """Some paths through a statement exit and others go on to `rest`: flags tell which."""
        at = _one_line(node)
        if mode.kinds:
            result = self._statement(node, mode, Statements())
            result.append(self._guard(mode.kinds, rest, at))
            return result
        after = self._check(facts.leaves, at, rest)
        result = self._statement(node, Mode(kinds=facts.leaves), Statements())
        result.extend(after)
        result.extendleft(reversed(self._initial(facts.leaves, at)))
        return result

    # Loops

    def _loop(self, node: Any, mode: Mode, rest: Statements) -> Statements:
        if self.facts.of(node).bound:
            return self._native_loop(node, mode, rest)
        at = _one_line(node)
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
        at = _one_line(node)
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
            rest = self._guarded(mode.kinds, rest, _one_line(node))
        elif mode is TAIL and facts.conditional and not rest.bound and not (ends and self._parts_are_tails(node)):
            return self._partial(node, facts, mode, rest)
        else:
            self._parts(node, TAIL if mode is TAIL and ends and facts.leaves else INNER)
        rest.appendleft(node)
        return rest

    def _parts_are_tails(self, node: Any) -> bool:
        return not (getattr(node, "orelse", None) and self.facts.of_all(node.body).conditional)

    def _parts(self, node: Any, mode: Mode) -> None:
        """Rewrites what is inside: for `try`, the `else:` follows the body, and `finally:` follows all."""
        at = _one_line(node)
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

    def _stays_native(self, node: Any) -> None:
        known = node in self.scopes.activities
        reason = self.facts.reason(node) if known else None
        self.plan.native[node] = reason or "an exit inside leaves a statement that stays native"
        if known:
            self.keep_native(node, self.plan.native[node])


def _one_line(node: Any) -> Any:
    """The part of a statement that gives generated code its line."""
    if isinstance(node, (gast.If, gast.While)):
        return node.test
    return node.iter if isinstance(node, (gast.For, gast.AsyncFor)) else node


_HANDLERS = {
    gast.Return: Exits._return,
    gast.Break: Exits._jump,
    gast.Continue: Exits._jump,
    gast.If: Exits._if,
    gast.While: Exits._loop,
    gast.For: Exits._loop,
    gast.AsyncFor: Exits._loop,
    gast.With: Exits._compound,
    gast.AsyncWith: Exits._compound,
    gast.Try: Exits._compound,
    gast.TryStar: Exits._compound,
    gast.Match: Exits._compound,
    gast.FunctionDef: Exits._definition,
    gast.AsyncFunctionDef: Exits._definition,
    gast.ClassDef: Exits._class,
}
