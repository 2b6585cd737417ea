"""The order in which the nodes of a block are lowered."""

from __future__ import annotations

from collections.abc import Sequence

from ....ir import records
from ....ir.graph import Node

_CHANGES = frozenset((
    records.list_push, records.list_set, records.array_write, records.array_grow, records.array_clear,
))  # fmt: skip
_READS = frozenset((
    records.list_get, records.array_read, records.array_take, records.list_length, records.list_stack,
    records.array_stack, records.list_stack_like,
))  # fmt: skip


def reads_first(nodes: Sequence[Node]) -> Sequence[Node]:
    """The nodes of a block; those that read a list come before the one that changes it, where they can."""
    changes = {node.inputs[0]: node for node in nodes if node.op in _CHANGES}
    if not changes:
        return nodes
    places = {node: i for i, node in enumerate(nodes)}
    earlier: dict[Node, list[Node]] = {}
    for node in nodes:
        change = changes.get(node.inputs[0]) if node.op in _READS else None
        if change is not None and all(places.get(v.node, -1) < places[change] < places[node] for v in node.inputs):
            earlier.setdefault(change, []).append(node)
    moved = {node for group in earlier.values() for node in group}
    return [each for node in nodes if node not in moved for each in (*earlier.get(node, ()), node)]
