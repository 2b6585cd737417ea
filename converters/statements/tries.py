"""A `try` whose body raises by itself what a handler catches: the `raise` becomes control flow, and can be staged.

>>> from autograph.converters.base import show
>>> show(Tries, '''
... try:
...     if x < 0:
...         raise ValueError("negative")
...     y = sqrt(x)
... except ValueError as error:
...     y = 0.0
... ''', parameters="x")
raises = ag__.Raises(lambda: (ValueError,))
raised = 0
try:
    while True:
        if x < 0:
            raised = raises.caught(ValueError('negative'))
            break
        y = sqrt(x)
        break
except ValueError:
    raised = raises.note(1)
if raised == 1:
    try:
        raises.again(1, True)
    except BaseException as error:
        y = 0.0

`caught` raises the exception when nothing is staged; else it tells which handler catches it. The handler runs while the
exception is being handled, as in Python.

`break` and `continue` of a loop around it become `break` of the loop that runs the body once, with a flag that tells
which of them is to follow after the `try`.

A `raise` in a `with` in the body is left as it is, and refused when it is staged.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import gast

from autograph.analysis.exits import LOOPS
from autograph.analysis.scopes import scopes

from .. import build
from ..base import SCOPES, Pass, Rewritten

_LEFT = {gast.Break: 1, gast.Continue: 2}


class Tries(Pass):
    """Rewrites `try` with handlers around `raise` and `assert`."""

    looks_at = (gast.Raise, gast.Assert)

    def leave_Try(self, node: gast.AST) -> Rewritten:
        if not _raises(node.body) or self.analysis(scopes).frame_bound(node) is not None:
            return node
        if not node.handlers:
            return self._with_finally(node)
        at = node.handlers[0].type or node.body[0]
        raises, raised = self.fresh("raises"), self.fresh("raised")
        self.context.generated.add(raises)
        classes = [each.type or build.name("BaseException", at) for each in node.handlers]
        table = build.located(gast.Tuple(list(map(deepcopy, classes)), gast.Load()), at)
        statements = [
            build.assign(raises, build.operator_call("Raises", [build.thunk(table, at)], at), at),
            build.assign(raised, build.constant(0, at), at),
        ]
        left = self._leave_body(node, statements, at)
        leave = build.located(gast.Break(), at)
        body = [*_without_raises(node.body, _Raising(raises, raised)), leave]
        once = build.located(gast.While(build.constant(True, at), body, []), at)
        notes = [self._noting(each, raises, raised, number, at) for number, each in enumerate(node.handlers, start=1)]
        statements.append(build.located(gast.Try([once], notes, [], []), node))
        rest = node.orelse
        if left is not None and rest:
            rest = [build.if_(_is_number(left, 0, at), rest, [], rest[0])]
        for number in range(len(node.handlers), 0, -1):
            handler = node.handlers[number - 1]
            test = _is_number(raised, number, handler.type or handler.body[0])
            rest = [build.if_(test, [_handling(handler, raises, number)], rest, handler)]
        statements += rest
        if node.finalbody:
            statements = [build.located(gast.Try(statements, [], [], node.finalbody), node)]
        return statements + self._jump(left, at)

    def _with_finally(self, node: gast.AST) -> Rewritten:
        """A `try` without handlers: what its body raises is raised after `finally`."""
        at = _beginning(node.body[0])
        raising = _Raising(self.fresh("raises"), self.fresh("raised"), numbered=True)
        self.context.generated.add(raising.raises)
        statements = [
            build.assign(raising.raises, build.operator_call("Raises", [], at), at),
            build.assign(raising.raised, build.constant(0, at), at),
        ]
        left = self._leave_body(node, statements, at)
        body = [*_without_raises(node.body, raising), build.located(gast.Break(), at)]
        once = build.located(gast.While(build.constant(True, at), body, []), at)
        statements.append(build.located(gast.Try([once], [], [], node.finalbody), node))
        for number, place in enumerate(map(_beginning, raising.places), start=1):
            error = _method_call(raising.raises, "error", [build.constant(number, place)], place)
            again = build.located(gast.Raise(error, None), place)
            statements.append(build.if_(_is_number(raising.raised, number, at), [again], [], at))
        return statements + self._jump(left, at)

    @staticmethod
    def _jump(left: str | None, at: gast.AST) -> list[Any]:
        if left is None:
            return []
        return [build.if_(_is_number(left, _LEFT[kind], at), [build.located(kind(), at)], [], at)
                for kind in (gast.Break, gast.Continue)]  # fmt: skip

    def _leave_body(self, node: gast.AST, statements: list[Any], at: gast.AST) -> str | None:
        """Makes `break` and `continue` of loops around the `try` leave its body; returns the flag, if there are any."""
        if not _jumps(node.body):
            return None
        left = self.fresh("left")
        statements.append(build.assign(left, build.constant(0, at), at))
        node.body = _without_jumps(node.body, left)
        return left

    @staticmethod
    def _noting(handler: Any, raises: str, raised: str, number: int, at: gast.AST) -> Any:
        """The handler that notes which one has caught an exception of Python's."""
        note = _method_call(raises, "note", [build.constant(number, at)], at)
        return build.located(gast.ExceptHandler(handler.type, None, [build.assign(raised, note, at)]), at)


def _beginning(node: gast.AST) -> Any:
    """A node where another begins, of one line: Python gives a call of several lines another line than its first."""
    at = build.located(gast.Pass(), node)
    if node.end_lineno != node.lineno:
        at.end_lineno, at.end_col_offset = node.lineno, node.col_offset + 1
    return at


def _method_call(owner: str, method: str, arguments: list[Any], at: gast.AST) -> Any:
    function = build.located(gast.Attribute(build.name(owner, at), method, gast.Load()), at)
    return build.call(function, arguments, at)


def _is_number(variable: str, number: int, at: gast.AST) -> Any:
    return build.located(gast.Compare(build.name(variable, at), [gast.Eq()], [build.constant(number, at)]), at)


def _handling(handler: Any, raises: str, number: int) -> Any:
    """A handler's body, run while its exception is being handled."""
    at = handler.type or handler.body[0]
    arguments = [build.constant(number, at)]
    if handler.name is not None:
        arguments.append(build.constant(True, at))
    again = build.expression(_method_call(raises, "again", arguments, at), at)
    again.handles = True
    caught = gast.ExceptHandler(build.name("BaseException", at), handler.name, handler.body)
    return build.located(gast.Try([again], [build.located(caught, handler)], [], []), at)


def _raises(statements: list[Any]) -> bool:
    """Whether a `raise` or an `assert` stands in statements where control flow can take its place."""
    return any(
        (isinstance(each, gast.Raise) and each.exc is not None)
        or (isinstance(each, gast.Assert) and __debug__)
        or any(map(_raises, _blocks(each)))
        for each in statements
    )


def _blocks(statement: gast.AST) -> list[list[Any]]:
    """The blocks of a statement that a jump may leave as the exception does."""
    if isinstance(statement, (gast.If, *LOOPS)):
        return [statement.body, statement.orelse]
    if isinstance(statement, gast.Try) and not statement.handlers:
        return [statement.body, statement.orelse]
    if isinstance(statement, gast.Try) and is_handling(statement):
        return [each.body for each in statement.handlers]
    return []


def is_handling(statement: gast.AST) -> bool:
    """Whether a `try` is what `_handling` makes: its handlers are code like any other."""
    first: Any = statement.body[0]
    return getattr(first, "handles", False)


def _jumps(statements: list[Any], in_loop: bool = False) -> bool:
    """Whether `break` or `continue` leaves the statements."""
    for each in statements:
        if isinstance(each, (gast.Break, gast.Continue)) and not in_loop:
            return True
        if isinstance(each, tuple(SCOPES)):
            continue
        inside = in_loop or isinstance(each, LOOPS)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(each, name, None) or []
            if _jumps(block, inside and name == "body" if isinstance(each, LOOPS) else in_loop):
                return True
    return False


def _without_jumps(statements: list[Any], left: str) -> list[Any]:
    """The statements, with `break` for `break` and `continue` of a loop around them, and a flag that tells which."""
    result: list[Any] = []
    for each in statements:
        number = _LEFT.get(type(each))
        if number is not None:
            result += [build.assign(left, build.constant(number, each), each), build.located(gast.Break(), each)]
            continue
        result.append(each)
        if isinstance(each, tuple(SCOPES)):
            continue
        names = ("orelse",) if isinstance(each, LOOPS) else ("body", "orelse", "finalbody")
        for block in [getattr(each, name, None) for name in names]:
            if isinstance(block, list):
                block[:] = _without_jumps(block, left)
        for part in (*getattr(each, "handlers", ()), *getattr(each, "cases", ())):
            part.body[:] = _without_jumps(part.body, left)
    return result


class _Raising:
    """The variables that tell what the body of a `try` raises; ``numbered``: each `raise` has a number of its own."""

    def __init__(self, raises: str, raised: str, numbered: bool = False) -> None:
        self.raises = raises
        self.raised = raised
        self.numbered = numbered
        self.places: list[Any] = []

    def statements(self, node: gast.AST) -> list[Any]:
        """What takes the place of a `raise`."""
        self.places.append(node)
        arguments = [node.exc] if node.cause is None else [node.exc, node.cause]
        if self.numbered:
            arguments.insert(0, build.constant(len(self.places), node))
        method = "caught_at" if self.numbered else "caught"
        number = _method_call(self.raises, method, arguments, node)
        return [build.assign(self.raised, number, node), build.located(gast.Break(), node)]


def _without_raises(statements: list[Any], raising: _Raising) -> list[Any]:
    """The statements, with `break` where an exception is raised."""
    result: list[Any] = []
    for each in statements:
        if isinstance(each, gast.Assert) and __debug__:
            each = _as_if(each)
        if isinstance(each, gast.Raise) and each.exc is not None:
            result += raising.statements(each)
            continue
        leaves = isinstance(each, LOOPS) and _raises(each.body)
        for block in _blocks(each):
            block[:] = _without_raises(block, raising)
        result.append(each)
        if leaves:
            at = each.iter if isinstance(each, (gast.For, gast.AsyncFor)) else each.test
            result.append(build.if_(build.name(raising.raised, at), [build.located(gast.Break(), at)], [], at))
    return result


def _as_if(node: gast.AST) -> Any:
    """`assert test, message` as an `if` with a `raise`."""
    arguments = [] if node.msg is None else [node.msg]
    failure = build.call(build.name("AssertionError", node.test), arguments, node.test)
    return build.if_(build.not_(node.test, node.test), [build.located(gast.Raise(failure, None), node)], [], node.test)
