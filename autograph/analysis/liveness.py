"""Which variables are live: their present value may still be read (backward data flow, Dragon Book section 9.2.5).

>>> import gast
>>> from autograph.analysis import scopes
>>> function = gast.parse('''
... def f(c, a):
...     if c:
...         t = a
...         a = t + 1
...     return a
... ''').body[0]
>>> live = liveness(scopes(function))
>>> sorted(live.live_in[function.body[0]]), sorted(live.live_out[function.body[0]])
(['a', 'c'], ['a'])
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import gast

from .cfg import RAISED, Flow, control_flow
from .scopes import Names, Scopes


class NameSets(Mapping[gast.AST, frozenset[str]]):
    """Sets of names keyed by node, decoded when they are asked for."""

    def __init__(self, names: Names, bits: dict[gast.AST, int]) -> None:
        self._names, self.bits = names, bits

    def __getitem__(self, node: gast.AST) -> frozenset[str]:
        return self._names.decode(self.bits[node])

    def __iter__(self) -> Iterator[gast.AST]:
        return iter(self.bits)

    def __len__(self) -> int:
        return len(self.bits)


@dataclass(slots=True, eq=False)
class Liveness:
    """Live variables before and after each statement of every function in a tree.

    Variables that a nested function (or lambda, or generator expression) uses, and those declared `global` or
    `nonlocal`, are live everywhere. Statements of class bodies are not in here.
    """

    live_in: NameSets
    """Live before the statement."""
    live_out: NameSets
    """Live after the statement, whichever way control leaves it: also by an exception that goes to a handler of the
    same function, and where its `break`, `continue` and `return` go."""
    live_in_loop: NameSets
    """For a loop: live at the start of a turn (at the test, or when the next item is fetched), or after the loop."""
    steps: int = field(default=0, repr=False)
    """How many points were looked at until nothing changed; grows with the size of the tree."""


def liveness(scopes: Scopes) -> Liveness:
    """The live variables of every function of the tree."""
    before: dict[gast.AST, int] = {}
    after: dict[gast.AST, int] = {}
    in_loop: dict[gast.AST, int] = {}
    names = scopes.names
    result = Liveness(NameSets(names, before), NameSets(names, after), NameSets(names, in_loop))
    for scope in scopes.functions():
        flow = control_flow(scopes, scope)
        live, steps = _solve(flow, scope.local_bits | scope.global_bits | scope.nonlocal_bits)
        result.steps += steps
        always = scope.always_live_bits
        for node, spans in flow.spans.items():
            entering = leaving = always
            for span in spans:
                entering |= live[span.entry]
                leaving |= live[span.after] | live[span.raises]
                for target in span.jumps:
                    leaving |= live[target]
            before[node], after[node] = entering, leaving
        for node, heads in flow.heads.items():
            in_loop[node] = after[node]
            for head in heads:
                in_loop[node] |= live[head]
    return result


def _solve(flow: Flow, variables: int) -> tuple[list[int], int]:
    """The bits live in front of each point."""
    points = flow.points
    live = [0] * len(points)
    predecessors: list[list[int]] = [[] for _ in points]
    for position, point in enumerate(points):
        for successor in point.successors:
            predecessors[successor].append(position)
        if point.raises != RAISED:
            predecessors[point.raises].append(position)
    # Points are made from the end of the function to its start, so this order needs few second looks.
    waiting = deque(range(len(points)))
    queued = bytearray(b"\1") * len(points)
    steps = 0
    while waiting:
        position = waiting.popleft()
        queued[position] = 0
        steps += 1
        point = points[position]
        bits = 0
        for successor in point.successors:
            bits |= live[successor]
        bits = point.reads & variables | bits & ~(point.writes | point.deletes) | live[point.raises]
        if bits != live[position]:
            live[position] = bits
            for predecessor in predecessors[position]:
                if not queued[predecessor]:
                    queued[predecessor] = 1
                    waiting.append(predecessor)
    return live, steps
