"""What the graphs of a loop's test and body do."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.effects import Effects
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.primitive import Cond


def acts(graph: Graph) -> bool:
    """Whether a graph has effects other than looking at variables and iterators, which a test may do each time."""
    return any(node.op.effects & ~Effects.READS for node in graph.walk())


def stands_in(graph: Graph | None, outer: Graph | None) -> bool:
    """Whether a graph is a part of another one, at any depth, or that itself."""
    while graph is not None and graph is not outer:
        graph = graph.parent
    return graph is not None


def read_in(graph: Graph) -> set[Any]:
    """The values that nodes of a graph take, but for those that a branch only hands on."""
    read: set[Any] = set()
    for node in graph.nodes:
        if not isinstance(node, Cond):
            read.update(node.inputs)
            continue
        read.add(node.predicate)
        for part in node.subgraphs:
            inside = read_in(part)
            read.update(outer for outer, own in part.captures.items() if own in inside)
    return read
