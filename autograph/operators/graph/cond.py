"""Staged `if`: both bodies become sub-graphs of one `cond` node, and what they change is merged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ir import Graph
from autograph.runtime.ops.control import cond_node
from autograph.runtime.recursion import NeverReturns
from autograph.runtime.trace import building, current_graph, value_of

from ..dispatch import Thunk
from ..exceptions import StagedRaise
from ..state import Location, copies
from . import aliases, conditions, memory, rebinding, state_memory
from .branches import Key, Outcome, add_holders, merged, old_value, trace_body
from .values import frozen_in, references_in


def if_stmt(
    test: Any,
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
    then = trace_body(body, bodies or (body,), names, Graph("if_body", current_graph()))
    otherwise = trace_body(orelse, bodies or (orelse,), names, Graph("else_body", current_graph()))
    return _join(truth, then, otherwise)


def _join(truth: Any, then: Outcome, otherwise: Outcome) -> Any:
    branches = [outcome for outcome in (then, otherwise) if outcome.returns]
    if not branches:
        cond_node(truth, then.graph, otherwise.graph)
        raise StagedRaise if then.raises and otherwise.raises else NeverReturns
    places: dict[Key, Location] = {}
    for outcome in branches:
        places.update({key: location for key, (location, _) in outcome.changes.items()})
    for outcome in branches:
        add_holders(outcome, places)
    columns = [[outcome.result for outcome in branches]]
    old: set[int] = set()
    for key, location in places.items():
        column = [outcome.changes[key][1] if key in outcome.changes else old_value(location) for outcome in branches]
        for value, outcome in zip(column, branches, strict=True):
            if key not in outcome.changes:
                old.add(id(value))
                for each in frozen_in([value]):  # the other branch may have marked it
                    each.mark = outcome.marks.get(id(each.obj)) or then.journal.reason_before(each.obj)
        columns.append(column)
    labels = ["", *[location.label for location in places.values()]]
    specs = [
        merged(label, list(zip(branches, values, strict=True)), "a condition")
        for label, values in zip(labels, columns, strict=True)
    ]
    for position, outcome in enumerate(branches):
        with building(outcome.graph), memory.at(outcome.stores):
            tensors: list[Any] = []
            for spec, values in zip(specs, columns, strict=True):
                spec.flatten(values[position], tensors)
            outcome.graph.outputs = [value_of(tensor) for tensor in tensors]
    outputs = iter(cond_node(truth, then.graph, otherwise.graph))
    result, *values = [spec.unflatten(outputs) for spec in specs]
    rows = [list(row) for row in zip(*columns, strict=True)]
    state_memory.merge_branches(rows, [outcome.stores for outcome in branches], [result, *values])
    known = references_in([frozen for column in columns for frozen in column])
    for value in (result, *values):
        aliases.note_new(value, known)
    bodies = (then.body, otherwise.body)
    rebinding.set_merged(zip(places.values(), values, strict=True), bodies)
    marked = set(copies())
    for label, value, column in zip(labels, [result, *values], columns, strict=True):
        for frozen, outcome in zip(column, branches, strict=True):
            is_old = aliases.always_old if id(frozen) in old else outcome.is_old
            aliases.mark_copies(aliases.mark_label(label, outcome.result), value, frozen, is_old)
    for row, outcome in zip(rows, branches, strict=True):
        aliases.note_shared([aliases.mark_label(each, outcome.result) for each in labels], [result, *values], row)
        aliases.mark_chosen(labels, [result, *values], row, marked)
    return result
