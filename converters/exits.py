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

from collections.abc import Iterable
from typing import Any

import gast

from . import build
from .exit_compounds import CompoundExits
from .exit_facts import BREAK, CONTINUE, LOOPS, RETURN, Facts
from .exit_flags import INNER, TAIL, Frame, Mode, Statements, one_line

# Early exits in a row nest what follows them. Past this many the rest is put behind a flag instead.
MOST_IN_A_ROW = 24


class Exits(CompoundExits):
    """Moves exits to the tail of their function or loop body, or turns them into flags; makes the `Plan`."""

    looks_at = (gast.If, *LOOPS)

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
        if mode != INNER and len(listed) > MOST_IN_A_ROW:
            chunks = self._chunks(listed)
            if len(chunks) > 1:
                return self._chunked(chunks, mode, rest)
        for statement in reversed(listed):
            facts = self.facts.of(statement)
            bound, exits = rest.bound or facts.bound, rest.exits or facts.leaves != 0
            rest = self._statement(statement, mode, rest)
            rest.bound, rest.exits = bound, exits
        return rest

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

    def _chunked(self, chunks: list[list[Any]], mode: Mode, rest: Statements) -> Statements:
        """Puts the chunks behind flags, side by side."""
        at = chunks[0][0]
        if mode.kinds:
            result = self._guarded(mode.kinds, rest, at)
            flags: list[Any] = []
        else:
            last = self.block(chunks.pop(), TAIL, rest)
            mode = Mode(kinds=self.facts.of_all(each for chunk in chunks for each in chunk).leaves)
            result = self._check(mode.kinds, at, last)
            flags = self._initial(mode.kinds, at)
        for position in range(len(chunks) - 1, -1, -1):
            rewritten = self.block(chunks[position], mode, Statements())
            if position:
                rewritten = self._guarded(mode.kinds, rewritten, at)
            rewritten.extend(result)
            result = rewritten
        result.extendleft(reversed(flags))
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
            if self.frame.loop is not None and self.frame.loop.sets_flag:
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
            return self.partial(node, facts, mode, rest)
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
        at = _place_of_nothing(node)
        rests = [self._end(each) if mode is TAIL else Statements() for each in (at, node.test)]
        if not self._is_end(rest):
            if body.always and orelse.always:
                dead = rest
            else:
                rests[1 if body.always else 0] = rest
        node.body = list(self.block(node.body, mode, rests[0])) or [build.located(gast.Pass(), at)]
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
        at = _place_of_nothing(node)
        node.body = list(self.block(node.body, TAIL, rests[0])) or [build.located(gast.Pass(), at)]
        node.orelse = list(self.block(node.orelse, TAIL, rests[1]))
        loop.signals = signals
        self._plan_if(node, False)
        end.appendleft(node)
        return end

    def partial(self, node: Any, facts: Facts, mode: Mode, rest: Statements) -> Statements:
        """Some paths through a statement exit and others go on to `rest`: flags tell which."""
        at = one_line(node)
        if mode.kinds:
            result = self._statement(node, mode, Statements())
            result.append(self._guard(mode.kinds, rest, at))
            return result
        after = self._check(facts.leaves, at, rest)
        result = self._statement(node, Mode(kinds=facts.leaves), Statements())
        result.extend(after)
        result.extendleft(reversed(self._initial(facts.leaves, at)))
        return result


def _place_of_nothing(node: gast.If) -> gast.AST:
    """Where a body that is a `continue` alone, of which nothing is left, stays for debuggers to stop."""
    return node.body[0] if isinstance(node.body[0], gast.Continue) else node.test


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
