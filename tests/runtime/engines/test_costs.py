"""Tracing and planning take time in proportion to the graph: work is counted, not seconds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base.dtypes import float32
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ops.control import finish_graph
from autograph.runtime.ops.shape.index import set_item
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import building
from tests.work import work

from ..graphs import cond, while_loop


def sums(x: Any, n: int) -> Any:
    for _ in range(n):
        x = x + x
    return [x]


def conds(x: Any, n: int) -> Any:
    for _ in range(n):
        (x,) = cond(x[0] > 0, lambda: [x + 1], lambda: [x])
    return [x]


def whiles(x: Any, n: int) -> Any:
    for _ in range(n):
        (x,) = while_loop(lambda s: s[0] < 3, lambda s: [s + 1], [x])
    return [x]


def stores(x: Any, n: int) -> Any:
    for i in range(n):
        x = set_item(x, i % 4, float(i))
    return [x]


def views(x: Any, n: int) -> Any:
    seen = [x[i % 4 :] for i in range(n)]
    y = x + 1
    for i in range(n):
        y = set_item(y, i % 4, seen[i][0])
    return [y, *seen]


def constants(x: Any, n: int) -> Any:
    for i in range(n):
        x = x + np.full(4, i, np.float32)
    return [x]


def loops_of_stores(x: Any, n: int) -> Any:
    def body(i: Any, y: Any) -> list[Any]:
        return [i + 1, set_item(set_item(y, i % 4, 1.0), 0, 2.0)]

    for _ in range(n):
        x = while_loop(lambda i, y: i < 3, body, [tf.constant(0), x])[1]
    return [x]


def wide_loop(x: Any, n: int) -> Any:
    return list(
        while_loop(lambda *s: s[0][0] < 3, lambda *s: [set_item(t, 0, 4.0) for t in s], [x + i for i in range(n)])
    )


def wide_cond(x: Any, n: int) -> Any:
    values = [x + i for i in range(n)]
    return list(cond(x[0] > 0, lambda: [value + 1 for value in values], lambda: values))


def cost(function: Any, n: int) -> int:
    """The work of tracing, planning and running once, on this thread alone."""

    def run() -> None:
        graph = Graph("costs")
        x = SymbolicTensor(graph.parameter(Type(float32, (4,)), "x"))
        with building(graph):
            finish_graph(graph, function(x, n))
        Plan(graph).run(np.ones(4, np.float32))

    return work(run, lines=False)


@pytest.mark.parametrize(
    "function", [sums, conds, whiles, stores, views, constants, loops_of_stores, wide_loop, wide_cond]
)
def test_twice_the_graph_takes_twice_the_work(function: Any) -> None:
    cost(function, 10)
    assert cost(function, 400) < 2.3 * cost(function, 200)
