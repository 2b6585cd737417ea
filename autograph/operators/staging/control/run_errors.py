"""Errors that nodes may raise when the graph runs: no handler in the traced function could catch them.

So a ``try`` around such a node is refused when one of its handlers would catch what the node may raise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autograph.errors import StagingError
from autograph.runtime.ir import records
from autograph.runtime.ir.graph import Graph, Node, Value
from autograph.runtime.ir.raising import Quiet, may_raise
from autograph.runtime.tensors import trace

from .errors import keywords_of, where


def mark() -> tuple[Graph, int] | None:
    """The graph at hand, and how many nodes it has."""
    graph = trace.current_graph()
    return None if graph is None else (graph, len(graph.nodes))


def check_since(start: tuple[Graph, int] | None, classes: Iterable[Any], statement: str) -> tuple[Graph, int] | None:
    """Refuses a statement that would catch, in Python, what a node that was added since `start` may raise. Returns
    what a later check of the same statement starts from.

    Raises:
        StagingError: there is such a node.
    """
    if start is None:
        return None
    graph, count = start
    caught = tuple(each for group in classes for each in (group if isinstance(group, tuple) else (group,)))
    seen: set[Graph] = set()
    for node in [inner for each in graph.nodes[count:] for inner in _all_nodes(each, seen)]:
        for kind in may_raise(node):
            if any(issubclass(kind, each) or issubclass(each, kind) for each in caught):
                raise _refusal(node, kind, statement)
        for quiet in node.op.quiet:
            if quiet.concerns([_uncast(value) for value in node.inputs], caught):
                raise _not_raised(node, quiet, statement)
    return graph, len(graph.nodes)


def _refusal(node: Node, kind: type[BaseException], statement: str) -> StagingError:
    return StagingError(
        f"this line may raise {kind.__name__} when the graph runs, in a `{statement}` that would catch it in Python; a "
        "graph can't run the handler",
        **(keywords_of(node.location) or where()),
        construct=statement,
        remedy="test before with `if` whether it would fail, or catch the error around the call of the traced function",
    )


def _not_raised(node: Node, quiet: Quiet, statement: str) -> StagingError:
    return StagingError(
        f"Python raises {quiet.kind.__name__} where this line {quiet.when}, and the `{statement}` would catch it; "
        "a graph does not raise there",
        **(keywords_of(node.location) or where()),
        construct=statement,
        remedy=f"test the {quiet.operand} with `if` in place of the handler",
    )


def _all_nodes(node: Node, seen: set[Graph]) -> Iterator[Node]:
    """A node and those in it; graphs that are `seen` are left out."""
    yield node
    for graph in node.subgraphs:
        if graph not in seen:
            seen.add(graph)
            for inner in graph.nodes:
                yield from _all_nodes(inner, seen)


def _uncast(value: Value) -> Value:
    return value.node.inputs[0] if value.node.op is records.cast else value
