"""Optimising takes time in proportion to the graph, nested or not: lines of Python are counted, not seconds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.runtime.base.dtypes import float32
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.control import call_node, finish_graph
from autograph.runtime.optimize import optimize
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import building
from tests.work import work

from ..graphs import cond, while_loop


@pytest.fixture(autouse=True)
def _without_checks(_checks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "checks", False)


def graph_of(function: Any, n: int) -> Graph:
    graph = Graph("costs")
    x = SymbolicTensor(graph.parameter(Type(float32, ()), "x"))
    with building(graph):
        finish_graph(graph, [function(x, n)])
    return graph


def chain(x: Any, n: int) -> Any:
    for _ in range(n // 2):
        x = x * 1.01 + 0.5
    return x


def equal_nodes(x: Any, n: int) -> Any:
    total = x
    for _ in range(n // 2):
        total = total + tf.sin(x)
    return total


def constants(x: Any, n: int) -> Any:
    y = tf.identity(tf.constant(1.0))
    for _ in range(n):
        y = y * 1.5
    return x + y


def dead(x: Any, n: int) -> Any:
    y = x
    for _ in range(n):
        y = y + 1.0
    return x


def signs(x: Any, n: int) -> Any:
    for _ in range(n):
        x = -x
    return x


def casts(x: Any, n: int) -> Any:
    y = tf.cast(x > 0, tf.int8)
    for i in range(n):
        y = OPS["cast"](y, dtype=(tf.int32, tf.int64)[i % 2])
    return y


def conds(x: Any, n: int) -> Any:
    y = x
    for _ in range(n // 8):
        (y,) = cond(y > 0.0, lambda: [tf.sin(x) + 1.0], lambda: [x - y])
    return y


def wide_cond(x: Any, n: int) -> Any:
    values = [x + float(i) for i in range(n // 4)]
    return tf.add_n(list(cond(x > 0.0, lambda: [value + 1.0 for value in values], lambda: values)))


def loops(x: Any, n: int) -> Any:
    for _ in range(n // 8):
        (x,) = while_loop(lambda s: s < 3.0, lambda s: [s + tf.sin(x)], [x])
    return x


def wide_loop(x: Any, n: int) -> Any:
    """Every variable is computed from the one before: what nothing needs is found variable by variable."""

    def body(*s: Any) -> list[Any]:
        return [s[0] + 1.0, *[a + b for a, b in zip(s[:-1], s[1:])]]

    return while_loop(lambda *s: s[0] < 3.0, body, [x + float(i) for i in range(n // 4)])[n // 8]


def body_of_invariants(x: Any, n: int) -> Any:
    def body(s: Any) -> list[Any]:
        y = x
        for _ in range(n):
            y = tf.sin(y)
        return [s + y]

    return while_loop(lambda s: s < 3.0, body, [x])[0]


def calls(x: Any, n: int) -> Any:
    inner = graph_of(lambda x, _: x[None][tf.cast(x, tf.int32)] + 1.0, 0)
    for _ in range(n // 4):
        (x,) = call_node(inner, [x])
    return x


FUNCTIONS = [chain, equal_nodes, constants, dead, signs, casts, conds, wide_cond, loops, wide_loop, body_of_invariants,
             calls]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_ten_times_the_graph_takes_ten_times_the_work(function: Any) -> None:
    small, large = graph_of(function, 200), graph_of(function, 2000)
    optimize(graph_of(function, 20))
    assert work(lambda: optimize(large)) < 12 * work(lambda: optimize(small))


def nested(x: Any, depth: int, inner: Any) -> Any:
    if depth == 0:
        return inner(x)
    return while_loop(lambda s: s < 3.0, lambda s: [nested(s + tf.sin(x), depth - 1, inner) + 1.0], [x])[0]


def test_nested_loops_take_work_by_depth() -> None:
    few, many = (graph_of(lambda x, n: nested(x, n, tf.cos), n) for n in (4, 16))
    sizes = [sum(1 for _ in graph.walk()) for graph in (few, many)]
    optimize(few)
    assert work(lambda: optimize(many)) / work(lambda: optimize(few)) < 1.5 * sizes[1] / sizes[0]


def test_a_graph_of_100000_nodes() -> None:
    graph = graph_of(chain, 100_000)
    found = optimize(graph)
    assert len(found.graph.nodes) == 100_003
    assert found.graph.nodes[-1].name == graph.nodes[-1].name


def test_constants_are_one() -> None:
    found = optimize(graph_of(lambda x, n: tf.add_n([x * 2.0, x + 2.0, x - np.float32(2)]), 0)).graph
    assert [node.op.name for node in found.nodes].count("constant") == 1
