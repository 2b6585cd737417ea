"""Which variables decide when a loop ends that does not assign to them: it may wait for another thread to do so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ir.graph import Graph, Value
from ..ir.primitive import While
from ..ops.host.state import READ
from .held import Held, changed_in


def awaited_in(graph: Graph) -> list[Any]:
    """The variables that loops of a graph may wait for."""
    found: dict[Held, None] = {}
    for node in graph.walk():
        if isinstance(node, While):
            found.update(dict.fromkeys(_awaited_by(node)))
    return [key.variable for key in found]


def _awaited_by(node: While) -> set[Held]:
    """What the test of a loop reads, or what its state is made of that the test looks at."""
    test, body = node.subgraphs
    read, needed = _needed(test, test.outputs)
    todo = [k for k, value in enumerate(test.parameters) if value in needed]
    seen = set(todo)
    while todo:
        more, needed = _needed(body, [body.outputs[k] for k in todo] if not body.never_returns else [])
        read |= more
        todo = [k for k, value in enumerate(body.parameters) if value in needed and k not in seen]
        seen.update(todo)
    return read - set(changed_in(test, body))


def _needed(graph: Graph, values: Iterable[Value]) -> tuple[set[Held], set[Value]]:
    """The variables that are read for some values of a graph, and all values that these need."""
    needed: set[Value] = set(values)
    read: set[Held] = set()
    for node in reversed(graph.nodes):
        if needed.isdisjoint(node.outputs):
            continue
        needed.update(node.inputs)
        inner = [each for part in node.subgraphs for each in part.walk()]
        read.update(Held(each.attributes["variable"]) for each in (node, *inner) if each.op is READ)
    return read, needed
