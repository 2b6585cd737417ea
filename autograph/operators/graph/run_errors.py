"""Errors that nodes may raise when the graph runs: no handler in the traced function could catch them.

So a ``try`` around such a node is refused when one of its handlers would catch what the node may raise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autograph.errors import InvalidArgumentError, OutOfRangeError, StagingError
from autograph.runtime import trace
from autograph.runtime.ir import Graph, Node
from autograph.runtime.ops.host import ASSERT, PY_FUNCTION, RAISE
from autograph.runtime.shapes import is_fully_defined
from autograph.runtime.total import is_total

from .errors import keywords_of, where

# Ops of which the values decide whether they raise, not the shapes alone.
_BY_VALUE = frozenset((
    "set_item", "gather", "gather_nd", "scatter_nd", "tensor_scatter_nd_add", "tensor_scatter_nd_max",
    "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "list_get", "list_set", "list_pop",
    "string_to_number", "cholesky", "solve", "inv",
))  # fmt: skip


def mark() -> tuple[Graph, int] | None:
    """The graph at hand, and how many nodes it has."""
    graph = trace.current_graph()
    return None if graph is None else (graph, len(graph.nodes))


def check_since(start: tuple[Graph, int] | None, classes: Iterable[Any], statement: str) -> None:
    """Refuses a statement that would catch, in Python, what a node that was added since `start` may raise.

    Raises:
        StagingError: there is such a node.
    """
    if start is None:
        return
    graph, count = start
    caught = tuple(each for group in classes for each in (group if isinstance(group, tuple) else (group,)))
    for node in graph.nodes[count:]:
        for inner, kind in _errors(node):
            if any(issubclass(kind, each) or issubclass(each, kind) for each in caught):
                place = keywords_of(inner.location) or where()
                raise StagingError(
                    f"this line may raise {kind.__name__} when the graph runs, in a `{statement}` that would catch it "
                    "in Python; a graph can't run the handler",
                    **place,
                    construct=statement,
                    remedy="test before with `if` whether it would fail, or catch the error around the call of the "
                    "traced function",
                )


def _errors(node: Node) -> Iterator[tuple[Node, type[BaseException]]]:
    """What a node, or those in it, may raise."""
    for graph in node.subgraphs:
        for inner in graph.nodes:
            yield from _errors(inner)
    if node.op in (RAISE, ASSERT):
        yield node, node.attributes["error"].type
    elif node.op is PY_FUNCTION:
        yield node, Exception
    elif not node.op.effect and not node.subgraphs and not is_total(node.op, node.inputs, node.attributes):
        if node.op.name == "get_item":
            yield node, OutOfRangeError
        elif node.op.name in _BY_VALUE or not all(is_fully_defined(value.type.shape) for value in node.inputs):
            yield node, InvalidArgumentError
