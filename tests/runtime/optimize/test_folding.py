"""Folding, over every op and its samples: the constants are what the graph would have computed, and nothing warns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from autograph.runtime.base.dtypes import variant
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.ir.graph import Graph
from autograph.runtime.optimize import optimize
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.tensor import SymbolicTensor

from ..graphs import graph_of
from ..ops.test_ops import CASES, STRUCTURE, input_type

FOLDABLE = [case for case in CASES if case.values[0].name not in STRUCTURE and not case.values[0].effect]


def constant_graph(record: Any, inputs: Any, attributes: Any) -> Graph:
    """The graph of an op whose inputs are constants."""
    graph = Graph("constants")
    with trace.building(graph):
        tensors = [SymbolicTensor(trace.value_of(wrap(x))) for x in inputs]
        result = record(*tensors, **attributes)
        results = result if isinstance(result, tuple) else (result,)
        graph.outputs = [trace.value_of(each) for each in results]
    return graph


@pytest.mark.parametrize(("record", "inputs", "attributes"), FOLDABLE)
def test_constants_are_what_the_kernel_gives(record: Any, inputs: Any, attributes: Any) -> None:
    if any(input_type(x).dtype is variant for x in inputs) or not inputs:
        pytest.skip("a list is no constant")
    graph = constant_graph(record, inputs, attributes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = optimize(graph, ["folding", "dead_code"]).graph
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, b in zip(interpret(found, []), interpret(graph, []), strict=True):
            np.testing.assert_array_equal(a, b)
            assert np.asarray(a).dtype == np.asarray(b).dtype


FOLDING = ["add", "matmul", "string_lower", "reshape", "einsum", "cast", "sort", "unstack", "where", "get_item"]


@pytest.mark.parametrize("name", FOLDING)
def test_ops_fold(name: str) -> None:
    record, inputs, attributes = next(case.values for case in FOLDABLE if case.values[0].name == name)
    found = optimize(constant_graph(record, inputs, attributes), ["folding", "dead_code"]).graph
    assert {node.op.name for node in found.nodes} <= {"constant", "stop_gradient"}


def test_folding_makes_no_huge_constants() -> None:
    import autograph as tf

    def function() -> Any:
        return tf.fill([1000, 1000], tf.identity(1.0)), tf.range(tf.identity(10**6) + 1), tf.fill([3], 2.0) + 1

    found = optimize(graph_of(lambda: list(function()))).graph
    sizes = sorted(n.attributes["value"].size for n in found.nodes if n.op.name == "constant")
    assert sizes[-1] == 3 and [node.op.name for node in found.nodes].count("range") == 1
