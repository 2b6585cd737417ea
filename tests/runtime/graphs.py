"""Graphs for tests: built by hand, run by both executors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.base.dtypes import int32
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.check import check
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ops.control import cond_node, finish_graph, while_node
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import building, current_graph, value_of

INT = Type(int32, ())


def graph_of(function: Callable[..., Any], *types: Type, name: str = "test") -> Graph:
    """The graph of a function that returns a tensor or a list of tensors."""
    graph = Graph(name)
    with building(graph):
        inputs = [SymbolicTensor(graph.parameter(type, f"x{i}")) for i, type in enumerate(types)]
        result = function(*inputs)
    finish_graph(graph, result if isinstance(result, (list, tuple)) else [result])
    check(graph)
    return graph


def run(graph: Graph, *arrays: Any) -> list[Any]:
    """The outputs of a graph, after a check that the plan and the interpreter agree in values and dtypes."""
    inputs = [np.asarray(a, value.type.dtype.numpy) for a, value in zip(arrays, graph.parameters, strict=True)]
    planned = Plan(graph).run(*inputs)
    expected = interpret(graph, inputs)
    for a, b, value in zip(planned, expected, graph.outputs, strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).dtype == np.asarray(b).dtype == value.type.dtype.numpy
    return [np.asarray(a).tolist() for a in planned]


def branch(function: Callable[[], Sequence[Any]]) -> Graph:
    """A sub-graph of the current graph without parameters."""
    graph = Graph("branch", current_graph())
    with building(graph):
        outputs = [value_of(output) for output in function()]
    graph.outputs = outputs
    return graph


def cond(predicate: Any, then: Callable[[], Sequence[Any]], orelse: Callable[[], Sequence[Any]]) -> Any:
    return cond_node(predicate, branch(then), branch(orelse))


def while_loop(test: Callable[..., Any], body: Callable[..., Sequence[Any]], state: Sequence[Any]) -> Any:
    types = [value_of(tensor).type for tensor in state]
    graphs = []
    for function in (lambda *s: [test(*s)], body):
        graph = Graph("part", current_graph())
        with building(graph):
            parameters = [SymbolicTensor(graph.parameter(type, f"s{i}")) for i, type in enumerate(types)]
            graph.outputs = [value_of(output) for output in function(*parameters)]
        graphs.append(graph)
    return while_node(graphs[0], graphs[1], state)
