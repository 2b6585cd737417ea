"""The control-flow graph of one function, with a point for each simple statement and each part of a compound one.

The graph is built backwards, so that a statement knows where control goes after it. A jump or an exception
that passes `finally:`, `with` or the end of `except … as name` runs through a copy of what happens there, made
when it is first needed; so the graph keeps the ways apart without growing faster than the function: inside of
such a copy, further `finally:` suites are shared by all ways through them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import gast

from .evaluation import Evaluation
from .scopes import Activity, Kind, Scope, Scopes

RETURNED = 0
"""The point where a function that returns ends up."""
RAISED = 1
"""The point where an exception that leaves the function ends up."""


@dataclass(slots=True, eq=False)
class Point:
    """A place where something is evaluated or bound; sets of names are bits as in `Names`."""

    node: gast.AST | None
    successors: list[int]
    raises: int
    """Where an exception goes that happens here, before `writes` and after `deletes`."""
    reads: int = 0
    """Names whose value from before is used."""
    writes: int = 0
    """Names that are bound for sure when control goes on."""
    deletes: int = 0
    """Names that are unbound afterwards."""
    loads: Sequence[tuple[gast.Name, int]] = ()
    """The name nodes behind `reads`."""
    inner_scopes: Sequence[Scope] = ()
    """The nested functions that are made here."""


@dataclass(slots=True, eq=False)
class Span:
    """One occurrence of a statement in the graph: where it begins, what follows it, and where its exceptions go."""

    entry: int
    after: int
    raises: int
    jumps: frozenset[int]
    """Where `break`, `continue` and `return` go that leave the statement."""


@dataclass(slots=True, eq=False)
class Flow:
    """The control-flow graph of a function, lambda or generator expression."""

    scope: Scope
    points: list[Point] = field(repr=False)
    entry: int = RETURNED
    spans: dict[gast.AST, list[Span]] = field(default_factory=dict, repr=False)
    """The occurrences of each statement; a statement in `finally:` may have several."""
    heads: dict[gast.AST, list[int]] = field(default_factory=dict, repr=False)
    """The points of a loop that every turn begins with: the test, or the next item."""


class _Jumps:
    """Where `raise`, `return`, `break` and `continue` go from a place in the function."""

    def __init__(self, outer: _Jumps | None, targets: dict[str, int], shared: bool = False) -> None:
        self.outer = outer
        self.targets = targets
        self.shared: bool = shared or (outer is not None and outer.shared)

    def to(self, kind: str) -> int:
        found = self.targets.get(kind)
        if found is None:
            assert self.outer is not None
            found = self.targets[kind] = self.through(kind, self.outer.to(kind))
        return found

    def through(self, kind: str, target: int) -> int:
        """What a jump of this kind passes on its way to the target."""
        return target


class _Finally(_Jumps):
    """Each kind of jump out of the `try:` passes its own copy of the `finally:` suite."""

    def __init__(self, builder: _Builder, body: list[gast.AST], outer: _Jumps) -> None:
        super().__init__(outer, {})
        self.builder, self.body = builder, body

    def through(self, kind: str, target: int) -> int:
        assert self.outer is not None
        return self.builder.block(self.body, target, _Jumps(self.outer, {}, shared=True))


class _SharedFinally(_Jumps):
    """All ways pass one copy of the `finally:` suite and part again behind it."""

    def __init__(self, builder: _Builder, body: list[gast.AST], outer: _Jumps) -> None:
        super().__init__(outer, {})
        self.end = builder.point(None, [], outer.to("raise"))
        self.entry = builder.block(body, self.end, outer)
        self.ends = builder.points[self.end].successors

    def through(self, kind: str, target: int) -> int:
        self.ends.append(target)
        return self.entry


class _With(_Jumps):
    """`__exit__` is called on every way out, may raise, and may swallow an exception."""

    def __init__(self, builder: _Builder, after: int, outer: _Jumps) -> None:
        super().__init__(outer, {})
        self.builder, self.after = builder, after

    def through(self, kind: str, target: int) -> int:
        assert self.outer is not None
        targets = [target, self.after] if kind == "raise" else [target]
        return self.builder.point(None, targets, self.outer.to("raise"))


class _Unbind(_Jumps):
    """`except … as name` unbinds the name on every way out."""

    def __init__(self, builder: _Builder, bits: int, outer: _Jumps) -> None:
        super().__init__(outer, {})
        self.builder, self.bits = builder, bits

    def through(self, kind: str, target: int) -> int:
        assert self.outer is not None
        return self.builder.point(None, [target], self.outer.to("raise"), deletes=self.bits)


class _Builder:
    def __init__(self, scopes: Scopes, scope: Scope) -> None:
        self.scopes = scopes
        self.points = [Point(None, [], RETURNED), Point(None, [], RAISED)]
        self.flow = Flow(scope, self.points)
        # Where the jumps go that have been met; of `break` and `continue` those that leave the loops built so far.
        self.jumped: list[int] = []
        self.returned: list[int] = []

    def point(
        self, node: gast.AST | None, successors: list[int], raises: int, deletes: int = 0, writes: int = 0
    ) -> int:
        self.points.append(Point(node, successors, raises, deletes=deletes, writes=writes))
        return len(self.points) - 1

    def evaluated(self, node: gast.AST, after: int, jumps: _Jumps) -> int:
        """A point for a simple statement or an expression whose truth doesn't matter."""
        activity = self.scopes.activities[node]
        point = Point(node, [after], jumps.to("raise"), inner_scopes=activity.inner_scopes)
        self.points.append(point)
        position = len(self.points) - 1
        if activity.walrus and not isinstance(node, _DEFINITIONS):
            evaluation = Evaluation(self.scopes, activity)
            evaluation.statement(node)
            point.writes = evaluation.assigned & activity.written_bits
            _set_reads(point, evaluation.exposed)
        else:
            point.reads, point.loads = activity.read_bits, activity.loads
            # What a generator expression binds with `:=` is bound later, or never.
            point.writes = activity.written_bits & ~activity.inner_written_bits
            if activity.walrus:
                point.writes &= self.scopes.names.bit(node.name)
        point.deletes = activity.deleted_bits
        point.reads |= point.deletes
        return position

    def test(self, node: gast.AST, when_true: int, when_false: int, jumps: _Jumps, position: int | None = None) -> int:
        """A point for a condition; `position`, when the point was made before."""
        if position is None:
            position = self.point(node, [], jumps.to("raise"))
        point = self.points[position]
        activity = self.scopes.activities[node]
        point.inner_scopes = activity.inner_scopes
        if isinstance(node, gast.Constant):
            point.successors = [when_true if node.value else when_false]
            return position
        if activity.walrus:
            evaluation = Evaluation(self.scopes, activity)
            true_bits, false_bits = evaluation.test(node)
            point.writes = true_bits & false_bits
            _set_reads(point, evaluation.exposed)
            when_true = self.bound(true_bits & ~point.writes, when_true)
            when_false = self.bound(false_bits & ~point.writes, when_false)
        else:
            point.reads, point.loads = activity.read_bits, activity.loads
        point.successors = [when_true, when_false]
        return position

    def bound(self, bits: int, after: int) -> int:
        """Names that are bound on the way to `after`."""
        return self.point(None, [after], RAISED, writes=bits) if bits else after

    def block(self, statements: list[gast.AST], after: int, jumps: _Jumps) -> int:
        raises = jumps.to("raise")
        for statement in reversed(statements):
            handler = _STATEMENTS.get(type(statement), _Builder.evaluated)
            jumped, returned = len(self.jumped), len(self.returned)
            entry = handler(self, statement, after, jumps)
            leaving = frozenset(self.jumped[jumped:] + self.returned[returned:])
            self.flow.spans.setdefault(statement, []).append(Span(entry, after, raises, leaving))
            after = entry
        return after

    def return_(self, node: gast.Return, after: int, jumps: _Jumps) -> int:
        self.returned.append(jumps.to("return"))
        return self.evaluated(node, self.returned[-1], jumps)

    def raise_(self, node: gast.Raise, after: int, jumps: _Jumps) -> int:
        position = self.evaluated(node, after, jumps)
        self.points[position].successors = []
        return position

    def break_(self, node: gast.Break, after: int, jumps: _Jumps) -> int:
        self.jumped.append(jumps.to("break"))
        return self.point(node, [self.jumped[-1]], jumps.to("raise"))

    def continue_(self, node: gast.Continue, after: int, jumps: _Jumps) -> int:
        self.jumped.append(jumps.to("continue"))
        return self.point(node, [self.jumped[-1]], jumps.to("raise"))

    def if_(self, node: gast.If, after: int, jumps: _Jumps) -> int:
        orelse = self.block(node.orelse, after, jumps)
        return self.test(node.test, self.block(node.body, after, jumps), orelse, jumps)

    def turn(self, body: list[gast.AST], head: int, after: int, jumps: _Jumps) -> int:
        """The body of a loop, with its own `break` and `continue`."""
        jumped = len(self.jumped)
        entry = self.block(body, head, _Jumps(jumps, {"break": after, "continue": head}))
        del self.jumped[jumped:]
        return entry

    def while_(self, node: gast.While, after: int, jumps: _Jumps) -> int:
        orelse = self.block(node.orelse, after, jumps)
        head = self.point(node.test, [], jumps.to("raise"))
        self.flow.heads.setdefault(node, []).append(head)
        body = self.turn(node.body, head, after, jumps)
        return self.test(node.test, body, orelse, jumps, head)

    def for_(self, node: gast.For | gast.AsyncFor, after: int, jumps: _Jumps) -> int:
        orelse = self.block(node.orelse, after, jumps)
        head = self.point(None, [], jumps.to("raise"))
        self.flow.heads.setdefault(node, []).append(head)
        body = self.turn(node.body, head, after, jumps)
        self.points[head].successors = [self.evaluated(node.target, body, jumps), orelse]
        return self.evaluated(node.iter, head, jumps)

    def with_(self, node: gast.With | gast.AsyncWith, after: int, jumps: _Jumps) -> int:
        around = [jumps]
        for _ in node.items:
            inside = _With(self, after, around[-1])
            after = self.point(None, [after], around[-1].to("raise"))
            around.append(inside)
        entry = self.block(node.body, after, around[-1])
        for index in reversed(range(len(node.items))):
            item = node.items[index]
            if item.optional_vars is not None:
                # A plain name is always bound; unpacking may raise, which `__exit__` is told.
                plain = isinstance(item.optional_vars, gast.Name)
                entry = self.evaluated(item.optional_vars, entry, around[index if plain else index + 1])
            entry = self.evaluated(item.context_expr, entry, around[index])
        return entry

    def try_(self, node: gast.Try | gast.TryStar, after: int, jumps: _Jumps) -> int:
        if node.finalbody:
            kind = _SharedFinally if jumps.shared else _Finally
            jumps = kind(self, node.finalbody, jumps)
            after = jumps.through("normal", after)
        entry = self.block(node.orelse, after, jumps)
        if node.handlers:
            build = self.star_handlers if isinstance(node, gast.TryStar) else self.handlers
            jumps = _Jumps(jumps, {"raise": build(node.handlers, after, jumps)})
        return self.block(node.body, entry, jumps)

    def handlers(self, handlers: list[gast.ExceptHandler], after: int, jumps: _Jumps) -> int:
        """The way of an exception from handler to handler."""
        unhandled = jumps.to("raise")
        for handler in reversed(handlers):
            body = self.handler(handler, after, jumps)
            if handler.type is None:
                unhandled = body
            else:
                position = self.evaluated(handler.type, body, jumps)
                self.points[position].successors = [body, unhandled]
                unhandled = position
        return unhandled

    def star_handlers(self, handlers: list[gast.ExceptHandler], after: int, jumps: _Jumps) -> int:
        """Each `except*` may run, also after another one ran or raised; what is left is raised at the end."""
        following = self.point(None, [after, jumps.to("raise")], jumps.to("raise"))
        for handler in reversed(handlers):
            body = self.handler(handler, following, _Jumps(jumps, {"raise": following}))
            position = self.evaluated(handler.type, body, jumps)
            self.points[position].successors = [body, following]
            following = position
        return following

    def handler(self, handler: gast.ExceptHandler, after: int, jumps: _Jumps) -> int:
        if handler.name is None:
            return self.block(handler.body, after, jumps)
        bits = self.scopes.activities[handler.name].written_bits
        inside = _Unbind(self, bits, jumps)
        entry = self.block(handler.body, inside.through("normal", after), inside)
        return self.point(handler.name, [entry], jumps.to("raise"), writes=bits)

    def match(self, node: gast.Match, after: int, jumps: _Jumps) -> int:
        unmatched = after
        for case in reversed(node.cases):
            entry = self.block(case.body, after, jumps)
            if case.guard is not None:
                entry = self.test(case.guard, entry, unmatched, jumps)
            activity: Activity = self.scopes.activities[case.pattern]
            entry = self.bound(activity.written_bits, entry)
            certain = case.guard is None and _irrefutable(case.pattern)
            position = self.point(case.pattern, [entry] if certain else [entry, unmatched], jumps.to("raise"))
            self.points[position].reads = activity.read_bits
            self.points[position].loads = activity.loads
            unmatched = position
        return self.evaluated(node.subject, unmatched, jumps)


def _set_reads(point: Point, exposed: list[tuple[gast.Name, int]]) -> None:
    point.loads = exposed
    for _, bit in exposed:
        point.reads |= bit


def _irrefutable(pattern: gast.AST) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return _irrefutable(pattern.patterns[-1])
    return isinstance(pattern, gast.MatchAs) and (pattern.pattern is None or _irrefutable(pattern.pattern))


_DEFINITIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)

_STATEMENTS = {
    gast.Return: _Builder.return_,
    gast.Raise: _Builder.raise_,
    gast.Break: _Builder.break_,
    gast.Continue: _Builder.continue_,
    gast.If: _Builder.if_,
    gast.While: _Builder.while_,
    gast.For: _Builder.for_,
    gast.AsyncFor: _Builder.for_,
    gast.With: _Builder.with_,
    gast.AsyncWith: _Builder.with_,
    gast.Try: _Builder.try_,
    gast.TryStar: _Builder.try_,
    gast.Match: _Builder.match,
}


def control_flow(scopes: Scopes, scope: Scope) -> Flow:
    """The control-flow graph of one of the functions, lambdas or generator expressions of a tree, made once."""
    found = scopes.flows.get(scope)
    if found is None:
        found = scopes.flows[scope] = _build(scopes, scope)
    return found


def _build(scopes: Scopes, scope: Scope) -> Flow:
    builder = _Builder(scopes, scope)
    jumps = _Jumps(None, {"return": RETURNED, "raise": RAISED})
    node = scope.node
    if scope.kind is Kind.FUNCTION or scope.kind is Kind.MODULE:
        builder.flow.entry = builder.block(node.body, RETURNED, jumps)
    elif scope.kind is Kind.LAMBDA:
        builder.flow.entry = builder.evaluated(node.body, RETURNED, jumps)
    else:
        unit = scope.unit
        point = Point(node, [RETURNED], RAISED, unit.read_bits, loads=unit.loads, inner_scopes=unit.inner_scopes)
        builder.points.append(point)
        builder.flow.entry = len(builder.points) - 1
    return builder.flow
