"""Staged `if`: both bodies become sub-graphs of one `cond` node, and what they change is merged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.functions.recursion import NeverReturns
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ops.control import cond_node
from autograph.runtime.tensors.trace import building, current_graph, value_of

from ...dispatch import Thunk
from ...exceptions import StagedRaise
from .. import asked
from ..heap import aliases, decisions, reach, rebinding
from ..heap.attributes import attribute_dicts
from ..heap.decisions import not_
from ..heap.edges import Body
from ..heap.state import Location
from ..values.values import references_in
from . import conditions
from .branches import Key, Outcome, add_holders, merged, old_value, trace_body


@asked.IF_STMT.give
def if_stmt(
    test: object,
    body: Thunk,
    orelse: Thunk,
    names: tuple[str, ...],
    bodies: tuple[Callable[..., Any], ...] | None = None,
) -> Any:
    """Stages ``if``; returns the merged result of the bodies.

    ``bodies`` are the user's functions whose variables the two may change, when they are not these functions.
    """
    known = conditions.static_truth(test)
    if known is not None:
        return body() if known else orelse()
    truth = conditions.truth(test)
    decision = decisions.of(truth)
    then, otherwise = (
        trace_body(each, bodies or (each,), names, Graph(name, current_graph()), Body(known))
        for each, name, known in ((body, "if_body", decision), (orelse, "else_body", not_(decision)))
    )
    return _join(truth, then, otherwise)


def _join(truth: Any, then: Outcome, otherwise: Outcome) -> Any:
    branches = [outcome for outcome in (then, otherwise) if outcome.returns]
    for outcome in (then, otherwise):
        if not outcome.returns:
            outcome.noted.drop()
    if not branches:
        cond_node(truth, then.graph, otherwise.graph)
        raise StagedRaise if then.raises and otherwise.raises else NeverReturns
    places: dict[Key, Location] = {}
    for outcome in branches:
        places.update({key: location for key, (location, _) in outcome.changes.items()})
    attribute_dicts.note_orders([location for location, _ in outcome.changes.values()] for outcome in branches)
    for outcome in branches:
        add_holders(outcome, places)
    columns = [[outcome.result for outcome in branches]]
    for key, location in places.items():
        columns.append(
            [outcome.changes[key][1] if key in outcome.changes else old_value(location) for outcome in branches]
        )
    labels = ["", *[location.label for location in places.values()]]
    specs = [
        merged(label, list(zip(branches, values, strict=True)), "a condition")
        for label, values in zip(labels, columns, strict=True)
    ]
    for position, outcome in enumerate(branches):
        with building(outcome.graph):
            tensors: list[Any] = []
            for spec, values in zip(specs, columns, strict=True):
                spec.flatten(values[position], tensors)
            outcome.graph.outputs = [value_of(tensor) for tensor in tensors]
    outputs = iter(cond_node(truth, then.graph, otherwise.graph))
    result, *values = [spec.unflatten(outputs) for spec in specs]
    rows = [list(row) for row in zip(*columns, strict=True)]
    known = references_in([frozen for column in columns for frozen in column])
    for value in (result, *values):
        reach.note_new(value, known)
    rebinding.set_merged(zip(places.values(), values, strict=True))
    _relate([None, *places.values()], [result, *values], rows, branches)
    return result


def _relate(places: list[Location | None], values: list[Any], rows: list[list[Any]], branches: list[Outcome]) -> None:
    """Notes which objects merged values are, under the condition that a branch is taken."""
    sides = []
    for row, outcome in zip(rows, branches, strict=True):
        side = aliases.Side(outcome.noted, [], [], reach.keeps_objects(row))
        for place, value, frozen in zip(places, values, row, strict=True):
            reach.relate(value, frozen, side, place)
        sides.append(side)
    aliases.merge(sides)
