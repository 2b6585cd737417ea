"""Graphs as text and DOT, and the checker's errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import GraphError
from autograph.runtime.base.dtypes import float32
from autograph.runtime.ir.check import check
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ir.show import dot, text

from ..graphs import INT, cond, graph_of, while_loop


def example() -> Graph:
    def function(n: Any) -> Any:
        return while_loop(
            lambda s: s < n, lambda s: [cond(s > 3, lambda: [s * n], lambda: [s + 2])[0]], [tf.constant(0)]
        )

    return graph_of(function, INT, name="example")


def test_text() -> None:
    shown = re.sub(r"  # \w+\.py:\d+", "", text(example()))
    assert shown == "\n".join([
        "example(x0: int32[]):",
        "  while = while(0, x0, count=1): int32[]",
        "    test part(s0: int32[] | x0):",
        "      less = less(s0, x0): bool[]",
        "      return less",
        "    body part(s0: int32[] | x0):",
        "      greater = greater(s0, 3): bool[]",
        "      cond = cond(greater, s0, x0): int32[]",
        "        then branch( | s0, x0):",
        "          multiply = multiply(s0, x0): int32[]",
        "          return multiply",
        "        orelse branch( | s0, x0):",
        "          add = add(s0, 2): int32[]",
        "          return add",
        "      return cond",
        "  return while",
    ])  # fmt: skip
    assert str(example()).splitlines()[3].endswith(f"  # test_show_and_check.py:{example.__code__.co_firstlineno + 3}")


def test_types_in_text() -> None:
    graph = graph_of(lambda x, y: x + np.float32([1, 2]), Type(float32, (None, 2)), Type(float32, None))
    assert text(graph).splitlines()[0] == "test(x0: float32[?,2], x1: float32[...]):"
    assert "Const = constant(value=array([1., 2.]" in text(graph) or "Const = constant(value=[1., 2.])" in text(graph)


def test_dot() -> None:
    shown = dot(example())
    assert shown.startswith('digraph "example" {') and shown.count("subgraph cluster_") == 4
    assert shown.count("{") == shown.count("}") and 'label="cond then"' in shown and "style=dashed" in shown
    names = set(re.findall(r"^ *(n\d+) \[", shown, re.M))
    assert set(re.findall(r"\b(n\d+)\b(?!_)", shown)) <= names


def test_a_valid_graph_passes() -> None:
    check(example())


def node(graph: Graph, op: str) -> Any:
    return next(node for node in graph.walk() if node.op.name == op)


def swap_order(graph: Graph) -> None:
    body = node(graph, "while").body
    body.nodes.reverse()


def wrong_type(graph: Graph) -> None:
    node(graph, "multiply").outputs[0].type = Type(float32, ())


def wrong_shape(graph: Graph) -> None:
    node(graph, "less").outputs[0].type = Type(tf.bool, (3,))


def foreign_input(graph: Graph) -> None:
    node(graph, "multiply").inputs = [graph.parameters[0]] * 2


def same_name(graph: Graph) -> None:
    node(graph, "cond").name = "greater"


def lost_capture(graph: Graph) -> None:
    branch = node(graph, "cond").then
    branch.captures.popitem()


def missing_output(graph: Graph) -> None:
    node(graph, "cond").orelse.outputs.clear()


def unknown_output(graph: Graph) -> None:
    graph.outputs = [node(graph, "multiply").outputs[0]]


def wrong_parent(graph: Graph) -> None:
    node(graph, "while").test.parent = None


FAULTS: list[tuple[Callable[[Graph], None], str]] = [
    (swap_order, "not made by an earlier node"),
    (wrong_type, "inference gives int32"), (wrong_shape, "says bool\\[3\\]"),
    (foreign_input, "not made by an earlier node"),
    (same_name, "two nodes are called"), (lost_capture, "neither a parameter nor a capture"),
    (missing_output, "0 values for 1"), (unknown_output, "no node makes it"), (wrong_parent, "says that its parent"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "message"), FAULTS, ids=lambda f: getattr(f, "__name__", ""))
def test_faults_are_found(damage: Callable[[Graph], None], message: str) -> None:
    graph = example()
    damage(graph)
    with pytest.raises(GraphError, match=message):
        check(graph)


def test_the_error_shows_the_neighbourhood() -> None:
    graph = example()
    wrong_type(graph)
    with pytest.raises(GraphError) as caught:
        check(graph)
    assert "->   multiply = multiply(s0, x0): float32[]" in str(caught.value)
    assert "     return multiply" in str(caught.value)
    assert caught.value.file == __file__
