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

A loop tells whether it was left early (`do_return = ag__.left_early`); `return` inside and `else:` become an `if` after
it. A `return` that has no value needs no `retval_`.

The tree stays ordinary Python for the analyses; `analysis/bodies` then tells which of its statements become closures.
An exit in the frame it belongs to, inside `with`, `try` or a native loop, stays as it is. One walk, from the last
statement to the first, so that each statement is moved at most once: linear time.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import gast

from autograph.analysis.bodies import RESULT
from autograph.analysis.exits import BREAK, CONTINUE, LOOPS, RETURN, VALUE, endless, exits
from autograph.analysis.scopes import scopes

from .. import build
from ..base import Context, Pass

# Early exits in a row nest what follows them. Past this many the second half is put behind a flag instead.
MOST_IN_A_ROW = 24
_STOPS = BREAK | RETURN
_DEFINITIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
_TRIES = (gast.Try, gast.TryStar)


class Statements(deque[Any]):
    """Rewritten statements that follow the one at hand, and what matters of them."""

    bound = False
    """Some of them must stay in the frame of their function."""
    exits = False
    """Some of them exit."""


class Frame(NamedTuple):
    """What a closure is made for: the body of a function, or of a loop that moves."""

    depth: int = 0
    """Of loops; 0 for a function."""
    leaves: int = 0
    """The exits in the loop's body. If it has a `break` or `return`, it says whether to stop."""


class Mode(NamedTuple):
    """Where a list of statements stands in its frame."""

    tail: bool = False
    """The end of the list is the end of the frame."""
    kinds: int = 0
    """The exits that set flags here, since a plain one would only leave a branch; 0 if exits can stay."""


TAIL, INNER = Mode(tail=True), Mode()


class Exits(Pass):
    """Moves exits to the tail of their function or loop body, or turns them into flags."""

    looks_at = (gast.If, *LOOPS)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.frame = Frame()
        self.names: dict[tuple[str, int], str] = {}
        self.made: dict[gast.AST, bool] = {}
        """The `return` or `return retval_` after loops, and whether `do_return` is set where they stand."""

    def rewrite(self, tree: gast.AST) -> gast.AST:
        """Rewrites a function and the functions inside of it."""
        self.scopes, self.facts = self.analysis(scopes), self.analysis(exits)
        if not isinstance(tree, gast.Lambda):
            self._definition(tree)
        return tree

    def _definition(self, node: gast.AST) -> None:
        outer, self.frame = self.frame, Frame()
        # What a generator returns goes another way than what its parts return: exits stay plain there.
        stays = isinstance(node, gast.ClassDef) or self.scopes.scope_of[node].unit.suspension
        node.body = self._suite(node.body, INNER if stays else TAIL, node)
        self.frame = outer

    # Blocks

    def _suite(self, statements: list[Any], mode: Mode, at: gast.AST) -> list[Any]:
        """Rewrites a list of statements that are all of a suite."""
        if not statements:
            return []
        rest = self._end(at) if mode is TAIL else Statements()
        return list(self._block(statements, mode, rest)) or [build.located(gast.Pass(), at)]

    def _block(self, statements: list[Any], mode: Mode, rest: Statements) -> Statements:
        """Rewrites statements in front of `rest`, which is rewritten already; `rest` is used up."""
        facts = self.facts.of_all(statements)
        if facts.always and _is_end(rest):
            rest = Statements()
        if facts.conditional and mode != INNER and not facts.bound and len(statements) > MOST_IN_A_ROW:
            conditional = [number for number, each in enumerate(statements) if self.facts.of(each).conditional]
            if len(conditional) > MOST_IN_A_ROW:
                half = conditional[len(conditional) // 2]
                return self._flagged(statements[:half], mode, self._block(statements[half:], mode, rest))
        for statement in reversed(statements):
            facts = self.facts.of(statement)
            bound, leaves = rest.bound or facts.bound, rest.exits or facts.leaves != 0
            rest = self._statement(statement, mode, rest)
            rest.bound, rest.exits = bound, leaves
        return rest

    def _statement(self, node: gast.AST, mode: Mode, rest: Statements) -> Statements:
        if isinstance(node, gast.Return):
            return self._return(node, mode, rest)
        if isinstance(node, (gast.Break, gast.Continue)):
            return self._jump(node, mode, rest)
        if isinstance(node, gast.If):
            return self._if(node, mode, rest)
        if isinstance(node, LOOPS) and not self.facts.of(node).bound:
            return self._loop(node, mode, rest)
        if isinstance(node, _DEFINITIONS):
            self._definition(node)
        elif hasattr(node, "body") or hasattr(node, "cases"):
            return self._compound(node, mode, rest)
        rest.appendleft(node)
        return rest

    def _end(self, at: gast.AST) -> Statements:
        """What stands at the end of a frame: a loop body that signals says `continue`."""
        return Statements([build.made(gast.Continue, at)] if self.frame.leaves & _STOPS else [])

    # Exits

    def _return(self, node: gast.AST, mode: Mode, rest: Statements) -> Statements:
        if not (mode.kinds or self.frame.depth):
            rest.appendleft(node)
            return rest
        result, flag_is_set = [], self.made.get(node, False)
        value_is_set = node in self.made and node.value is not None
        if (mode.kinds | self.frame.leaves) & VALUE and not value_is_set:
            value = node.value if node.value is not None else build.constant(None, node)
            result.append(build.assign(self._name("retval_"), value, node))
        if mode.kinds:
            return self._after_flags(result, RETURN, mode, rest, node, without_return=flag_is_set)
        if _is_told_by_flag(self.frame.leaves) and not flag_is_set:
            result.append(self._set("do_return", True, node))
        rest.extendleft(reversed([*result, build.located(gast.Break(), node)]))
        return rest

    def _jump(self, node: gast.AST, mode: Mode, rest: Statements) -> Statements:
        if self.frame.depth and mode.kinds:
            kind = BREAK if isinstance(node, gast.Break) else CONTINUE
            return self._after_flags([], kind, mode, rest, node)
        if mode is TAIL and self._needs_no_continue():
            return self._unreachable(rest, node)
        rest.appendleft(node)
        return rest

    def _needs_no_continue(self) -> bool:
        """Whether the end of a loop's body says all that a `continue` would."""
        return bool(self.frame.depth) and not self.frame.leaves & _STOPS

    @staticmethod
    def _unreachable(rest: Statements, at: gast.AST) -> Statements:
        """What follows an exit of which nothing is left: it is kept, since it may make names local."""
        return Statements([build.if_(build.constant(False, at), list(rest), [], at)] if rest else [])

    # Branches

    def _if(self, node: gast.AST, mode: Mode, rest: Statements) -> Statements:
        facts, ends = self.facts.of(node), _is_end(rest)
        if not facts.leaves or facts.bound or mode == INNER or rest.bound:
            return self._compound(node, mode, rest)
        body, orelse = self.facts.of_all(node.body), self.facts.of_all(node.orelse)
        if not (ends or body.always or orelse.always):
            return self._flagged([node], mode, rest)
        skips = facts.leaves == CONTINUE and not (body.always and orelse.always)
        if mode is TAIL and skips and (ends or not rest.exits):
            # What is skipped is all that follows: the loop need not be told.
            end = [rest.pop()] if rest and isinstance(rest[-1], gast.Continue) else []
            frame, self.frame = self.frame, self.frame._replace(leaves=CONTINUE)
            result = self._tail_if(node, mode, rest)
            result.extend(end)
            self.frame = frame
            return result
        return self._tail_if(node, mode, rest)

    def _tail_if(self, node: gast.AST, mode: Mode, rest: Statements) -> Statements:
        """One branch always exits, or nothing follows: the rest moves into the branch that goes on."""
        always = [self.facts.of_all(branch).always for branch in (node.body, node.orelse)]
        at = _place_of_nothing(node)
        rests = [self._end(each) if mode is TAIL else Statements() for each in (at, node.test)]
        dead = rest if all(always) and not _is_end(rest) else Statements()
        if not (all(always) or _is_end(rest)):
            rests[1 if always[0] else 0] = rest
        node.body = list(self._block(node.body, mode, rests[0])) or [build.located(gast.Pass(), at)]
        node.orelse = list(self._block(node.orelse, mode, rests[1]))
        if mode.kinds:
            dead = self._guarded(mode.kinds, dead, node.test)
        elif mode is TAIL and self._needs_no_continue():
            dead = self._unreachable(dead, node.test)
        dead.appendleft(node)
        return dead

    def _flagged(self, statements: list[Any], mode: Mode, rest: Statements) -> Statements:
        """Some paths through statements exit and others go on to `rest`: flags tell which."""
        at, flags = _one_line(statements[0]), []
        if mode.kinds:
            after = self._guarded(mode.kinds, rest, at)
        else:
            mode = Mode(kinds=self.facts.of_all(statements).leaves)
            after = self._check(mode.kinds, at, rest)
            flags = self._initial(mode.kinds, at)
        result = self._block(statements, mode, Statements())
        result.extend(after)
        result.extendleft(reversed(flags))
        return result

    # Loops, `with`, `try`, and `match` that stays native

    def _loop(self, node: gast.AST, mode: Mode, rest: Statements) -> Statements:
        at = _one_line(node)
        leaves = self.facts.of_all(node.body).leaves
        breaks, returns, never_ends = leaves & BREAK, leaves & RETURN, endless(node) and not leaves & BREAK
        after = self._after_loop(node, leaves, mode, rest)
        if breaks and node.orelse:
            after.appendleft(self._result("broke", at))
        elif returns and not breaks and not never_ends:
            after.appendleft(self._result("do_return", at))
        outer, self.frame = self.frame, Frame(self.frame.depth + 1, leaves)
        node.body, node.orelse = self._suite(node.body, TAIL, at), []
        self.frame = outer
        after.appendleft(node)
        if _is_told_by_flag(leaves) and not mode.kinds:
            after.appendleft(self._set("do_return", False, at))
        return after

    def _after_loop(self, node: gast.AST, leaves: int, mode: Mode, rest: Statements) -> Statements:
        """The statements that do what a `return` inside the loop and `else:` ask for."""
        at = _one_line(node)
        asks = node.orelse
        if leaves & BREAK and asks:
            asks = [build.if_(build.not_(build.name(self._name("broke"), at), at), asks, [], at)]
        if not leaves & RETURN:
            return self._block(asks, mode, rest)
        never_ends = endless(node) and not leaves & BREAK
        if mode.kinds == leaves & (RETURN | VALUE) and not never_ends:
            # The flag is the one that is asked for anyway.
            return self._guarded(mode.kinds, self._block(asks, mode, rest), at)
        leave = build.returned(build.name(self._name("retval_"), at) if leaves & VALUE else None, at)
        self.made[leave] = not never_ends
        first = leave if never_ends else build.if_(build.name(self._name("do_return"), at), [leave], [], at)
        return self._block([first, *asks], mode, rest)

    def _compound(self, node: gast.AST, mode: Mode, rest: Statements) -> Statements:
        """A statement that stays what it is, where it is."""
        facts, ends = self.facts.of(node), _is_end(rest)
        if isinstance(node, (gast.If, *LOOPS)) or not facts.leaves:
            self._parts(node, TAIL if mode is TAIL and ends and facts.leaves else INNER)
        elif mode.kinds:
            self._parts(node, mode)
            rest = self._guarded(mode.kinds, rest, _one_line(node))
        elif mode is TAIL and facts.conditional and not rest.bound and not (ends and self._are_tails(node)):
            return self._flagged([node], mode, rest)
        else:
            self._parts(node, TAIL if mode is TAIL and ends else INNER)
        rest.appendleft(node)
        return rest

    def _are_tails(self, node: gast.AST) -> bool:
        return not (getattr(node, "orelse", None) and self.facts.of_all(node.body).conditional)

    def _parts(self, node: gast.AST, mode: Mode) -> None:
        """Rewrites what is inside: for `try`, the `else:` follows the body, and `finally:` follows all."""
        at = _one_line(node)
        for case in getattr(node, "cases", ()):
            case.body = self._suite(case.body, mode, at)
        for handler in getattr(node, "handlers", ()):
            # No exit may stand in `except*`, not even one that is made.
            handler.body = self._suite(handler.body, INNER if isinstance(node, gast.TryStar) else mode, handler)
        if hasattr(node, "body"):
            is_tried = isinstance(node, _TRIES) and mode is TAIL and node.orelse
            leaves = self.facts.of_all(node.body).leaves
            node.body = self._suite(node.body, INNER if is_tried or isinstance(node, LOOPS) else mode, at)
            orelse = self._suite(getattr(node, "orelse", []), mode, at)
            if orelse and leaves and mode.kinds and isinstance(node, _TRIES):
                orelse = list(self._guarded(mode.kinds, Statements(orelse), at))
            if hasattr(node, "orelse"):
                node.orelse = orelse
        if hasattr(node, "finalbody"):
            node.finalbody = self._suite(node.finalbody, INNER, at)

    # Flags

    def _name(self, name: str) -> str:
        """The variable of this purpose, the same throughout a function; a loop's own flags differ by depth."""
        key = name, 0 if name in ("do_return", "retval_", "broke") else self.frame.depth
        found = self.names.get(key)
        if found is None:
            found = self.names[key] = self.fresh(name)
        return found

    def _set(self, name: str, value: bool, at: gast.AST) -> Any:
        return build.assign(self._name(name), build.constant(value, at), at)

    def _result(self, name: str, at: gast.AST) -> Any:
        """`name = <whether the loop was left early>`."""
        return build.assign(self._name(name), build.operator(RESULT, at), at)

    def _initial(self, kinds: int, at: gast.AST) -> list[Any]:
        flags = (("do_return", RETURN), ("break_", BREAK), ("continue_", CONTINUE))
        return [self._set(flag, False, at) for flag, kind in flags if kinds & kind]

    def _after_flags(
        self, result: list[Any], kind: int, mode: Mode, rest: Statements, at: gast.AST, without_return: bool = False
    ) -> Statements:
        """The assignments that stand for an exit among exits of several kinds (see `_skip`).

        What follows an exit can't be reached; it is kept, since it may make names local.
        """
        if kind == RETURN and not without_return:
            result.append(self._set("do_return", True, at))
        if kind == BREAK or (kind == RETURN and mode.kinds & BREAK):
            result.append(self._set("break_", True, at))
        if mode.kinds & CONTINUE:
            result.append(self._set("continue_", True, at))
        return Statements([*result, *self._guarded(mode.kinds, rest, at)])

    def _skip(self, kinds: int, at: gast.AST) -> Any:
        """The one flag that says that any exit of these kinds was taken."""
        flag = "continue_" if kinds & CONTINUE else "break_" if kinds & BREAK else "do_return"
        return build.name(self._name(flag), at)

    def _guarded(self, kinds: int, rest: Statements, at: gast.AST) -> Statements:
        """`if not break_: rest`."""
        if not rest:
            return rest
        return Statements([build.if_(build.not_(self._skip(kinds, at), at), list(rest), [], at)])

    def _check(self, kinds: int, at: gast.AST, rest: Statements) -> Statements:
        """At the tail of a frame: does what the flags say, or goes on with `rest`."""
        if not self.frame.depth:
            value = build.name(self._name("retval_"), at) if kinds & VALUE else None
            leave: list[Any] = [build.returned(value, at)]
        elif kinds == CONTINUE:
            leave = list(self._end(at)) or [build.located(gast.Pass(), at)]
        else:
            leave = [build.located(gast.Break(), at)]
            if kinds & CONTINUE:
                flag = build.name(self._name("break_" if kinds & BREAK else "do_return"), at)
                leave = [build.if_(flag, leave, list(self._end(at)), at)]
        return Statements([build.if_(self._skip(kinds, at), leave, list(rest or self._end(at)), at)])


def _is_told_by_flag(leaves: int) -> bool:
    """Whether a `return` in a loop's body sets a flag, since there is a `break` as well."""
    return leaves & _STOPS == _STOPS


def _is_end(rest: Statements) -> bool:
    """Whether nothing follows, or what the end of a loop's body says anyway."""
    return not rest or (len(rest) == 1 and isinstance(rest[0], gast.Continue))


def _one_line(node: gast.AST) -> Any:
    """The part of a statement that gives generated code its line."""
    if isinstance(node, (gast.If, gast.While)):
        return node.test
    return node.iter if isinstance(node, (gast.For, gast.AsyncFor)) else node


def _place_of_nothing(node: gast.If) -> gast.AST:
    """Where a body that is a `continue` alone, of which nothing is left, stays for debuggers to stop."""
    return node.body[0] if isinstance(node.body[0], gast.Continue) else node.test
