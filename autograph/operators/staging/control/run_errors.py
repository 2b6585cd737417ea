"""Errors that nodes may raise when the graph runs: no handler in the traced function could catch them.

So a ``try`` around such a node is refused when one of its handlers would catch what the node may raise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autograph.errors import InvalidArgumentError, OutOfRangeError, StagingError
from autograph.runtime.base.shapes import is_fully_defined
from autograph.runtime.ir import records
from autograph.runtime.ir.graph import Graph, Node, Value
from autograph.runtime.ir.primitive import CONSTANT
from autograph.runtime.ir.total import is_total
from autograph.runtime.ops.host.host import ASSERT, PY_FUNCTION, RAISE
from autograph.runtime.tensors import trace

from .errors import keywords_of, where


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
    seen: set[Graph] = set()
    for node in [inner for each in graph.nodes[count:] for inner in _all_nodes(each, seen)]:
        for kind in _errors(node):
            if any(issubclass(kind, each) or issubclass(each, kind) for each in caught):
                raise _refusal(node, kind, statement)
        if _divides(node, caught):
            raise _not_raised(node, "ZeroDivisionError where this line divides by 0", "divisor", statement)
        if _shifts(node, caught):
            raise _not_raised(node, "ValueError where this line shifts by less than 0", "count", statement)


def _refusal(node: Node, kind: type[BaseException], statement: str) -> StagingError:
    return StagingError(
        f"this line may raise {kind.__name__} when the graph runs, in a `{statement}` that would catch it in Python; a "
        "graph can't run the handler",
        **(keywords_of(node.location) or where()),
        construct=statement,
        remedy="test before with `if` whether it would fail, or catch the error around the call of the traced function",
    )


def _not_raised(node: Node, what: str, operand: str, statement: str) -> StagingError:
    return StagingError(
        f"Python raises {what}, and the `{statement}` would catch it; a graph does not raise there",
        **(keywords_of(node.location) or where()),
        construct=statement,
        remedy=f"test the {operand} with `if` in place of the handler",
    )


def _all_nodes(node: Node, seen: set[Graph]) -> Iterator[Node]:
    """A node and those in it; graphs that are `seen` are left out."""
    yield node
    for graph in node.subgraphs:
        if graph not in seen:
            seen.add(graph)
            for inner in graph.nodes:
                yield from _all_nodes(inner, seen)


def _is_division(node: Node) -> bool:
    return node.op in (records.divide, records.floor_divide, records.remainder)


def _divides(node: Node, caught: tuple[Any, ...]) -> bool:
    """Whether a node divides by what may be 0, and one of some classes catches what Python raises then.

    Where the operands are whole numbers each handler counts that takes it; of floats, which divided by 0 are inf or nan
    in eager tensors, too, only one that is there for it.
    """
    if not _is_division(node):
        return False
    operands = [_uncast(value) for value in node.inputs]
    divisor = operands[1].node
    if divisor.op is CONSTANT and bool((divisor.attributes["value"] != 0).all()):
        return False
    if all(value.type.dtype.is_integer or value.type.dtype.is_bool for value in operands):
        return any(issubclass(ZeroDivisionError, each) for each in caught)
    return any(each in (ZeroDivisionError, ArithmeticError) for each in caught)


def _shifts(node: Node, caught: tuple[Any, ...]) -> bool:
    """Whether a node shifts by what may be negative, and one of some classes catches what Python raises then."""
    if node.op not in (records.left_shift, records.right_shift):
        return False
    count = _uncast(node.inputs[1])
    if count.type.dtype.kind == "u" or (
        count.node.op is CONSTANT and bool((count.node.attributes["value"] >= 0).all())
    ):
        return False
    return any(issubclass(ValueError, each) for each in caught)


def _uncast(value: Value) -> Value:
    return value.node.inputs[0] if value.node.op is records.cast else value


def _errors(node: Node) -> Iterator[type[BaseException]]:
    """What a node may raise, besides what those in it may raise."""
    if node.op in (RAISE, ASSERT):
        yield node.attributes["error"].type
    elif node.op is PY_FUNCTION:
        yield Exception
    elif not node.op.effect and not node.subgraphs and not is_total(node.op, node.inputs, node.attributes):
        if node.op is records.get_item:
            yield OutOfRangeError
        elif node.op.raises_by_value or not all(is_fully_defined(value.type.shape) for value in node.inputs):
            yield InvalidArgumentError
