"""Definite assignment: which loads may find their variable undefined (forward data flow).

>>> import gast
>>> from autograph.analysis import scopes
>>> function = gast.parse('''
... def f(c):
...     if c:
...         x = 1
...     print(x)
... ''').body[0]
>>> found = assignment(scopes(function))
>>> load = function.body[1].value.args[0]
>>> found.maybe_undefined(load), sorted(found.maybe_undefined_before[function.body[1]])
(True, ['x'])

A nested function may run whenever it exists, so one of its loads is certain only if the variable was assigned
for sure when the function was made, and is deleted nowhere.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import gast

from .cfg import RAISED, Flow, Point, control_flow
from .liveness import NameSets
from .scopes import Kind, Scopes

_EVERYTHING = -1


@dataclass(slots=True, eq=False)
class Assignment:
    """The loads that may find their variable undefined, in all functions of a tree."""

    maybe_undefined_before: NameSets
    """For each statement the variables of its function that may be undefined when it starts."""
    _uncertain: set[gast.Name] = field(repr=False)
    steps: int = field(default=0, repr=False)
    """How many points were looked at until nothing changed; grows with the size of the tree."""

    def maybe_undefined(self, name: gast.Name) -> bool:
        """Whether reading (augmenting, deleting) the variable here may raise that it has no value.

        False for globals and built-ins, and for variables of functions outside of the tree that nothing in the
        tree deletes. The names of a class body are looked up by name, so they count as globals here.
        """
        return name in self._uncertain

    @property
    def uncertain_names(self) -> frozenset[str]:
        """The names that some load in the tree may find undefined."""
        return frozenset(name.id for name in self._uncertain)


def assignment(scopes: Scopes) -> Assignment:
    """Definite assignment in every function of the tree."""
    before: dict[gast.AST, int] = {}
    result = Assignment(NameSets(scopes.names, before), set(scopes.uncertain_loads))
    # For each function, the variables around it that are certain whenever it runs.
    certain_outside = {scopes.root: _EVERYTHING}
    for scope in scopes.functions():  # outermost first
        flow = control_flow(scopes, scope)
        variables = scope.local_bits
        ever_deleted = scope.unit.deleted_bits | scope.unit.inner_deleted_bits
        outside = certain_outside.get(scope, _EVERYTHING) & ~variables | scope.global_bits
        if scope is scopes.root:
            outside &= ~ever_deleted
        parameters = scopes.names.bits(scope.parameters)
        defined, steps = _solve(flow, parameters if scope.kind is not Kind.MODULE else 0)
        result.steps += steps
        unstable = scope.unit.inner_deleted_bits & variables
        for position, point in enumerate(flow.points):
            certain = (defined[position] & variables & ~unstable) | outside
            for name, bit in point.loads:
                if not bit & certain:
                    result._uncertain.add(name)
            if point.deletes and len(point.loads) > 1:
                result._uncertain.update(name for name, bit in point.loads if bit & point.deletes)
            for inner in point.inner_scopes:
                made = certain | _bound_with(point) & variables
                certain_outside[inner] = certain_outside.get(inner, _EVERYTHING) & made & ~ever_deleted
        for node, spans in flow.spans.items():
            missing = 0
            for span in spans:
                missing |= variables & ~defined[span.entry] | unstable
            before[node] = missing
    return result


def _bound_with(point: Point) -> int:
    """A function that is bound as soon as it is made finds itself defined whenever it runs."""
    node = point.node
    if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)) and not node.decorator_list:
        return point.writes
    if isinstance(node, gast.Assign) and isinstance(node.value, gast.Lambda):
        return point.writes
    return 0


def _solve(flow: Flow, parameters: int) -> tuple[list[int], int]:
    """The bits of the variables that are certain in front of each point."""
    points = flow.points
    defined = [_EVERYTHING] * len(points)
    defined[flow.entry] = parameters
    # The function's start was made last, so this order needs few second looks.
    waiting = deque(range(len(points) - 1, -1, -1))
    queued = bytearray(b"\1") * len(points)
    steps = 0
    while waiting:
        position = waiting.popleft()
        queued[position] = 0
        steps += 1
        point = points[position]
        bits = defined[position]
        after = (bits | point.writes) & ~point.deletes
        targets = [(successor, after) for successor in point.successors]
        if point.raises != RAISED:
            targets.append((point.raises, bits & ~point.deletes))
        for target, known in targets:
            joined = defined[target] & known
            if joined != defined[target]:
                defined[target] = joined
                if not queued[target]:
                    queued[target] = 1
                    waiting.append(target)
    return defined, steps
