"""An error is made from values that an engine's code hands over: the one that the plan of the whole graph raises."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.raising import Failure, layout
from autograph.runtime.ir.graph import Graph, Node, Type


def compared(x: Any, y: Any) -> Any:
    tf.debugging.assert_less(x, y, message="in turn")
    return x


def branch(x: Any, y: Any) -> Any:
    if tf.reduce_any(x > y):
        raise ValueError(f"{x} is not below", y)
    return x


def source_in(graph: Graph) -> Node | Graph:
    """The one check of a graph, or branch that never returns."""
    parts = [part for node in graph.nodes for part in node.subgraphs if part.never_returns]
    return parts[0] if parts else next(node for node in graph.nodes if node.op.holds is not None)


@pytest.mark.parametrize("function", [compared, branch])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8])
def test_the_error_is_that_of_the_whole_graph(function: Any, dtype: Any) -> None:
    x, y = np.array([1, 7, 3], dtype), np.array(5, dtype)
    graph = tf.function(function).get_concrete_function(x, y).optimized_graph
    source = source_in(graph)
    given = source.inputs
    arrays = [x if value.type.shape else y for value in given]
    types = [Type(value.type.dtype, array.shape) for value, array in zip(given, arrays, strict=True)]
    places, size = layout(types)
    data = bytearray(size)
    for place, array in zip(places, arrays, strict=True):
        data[place : place + array.nbytes] = array.tobytes()
    told = []
    for run in (lambda: Plan(graph).run(x, y), lambda: Failure(source, types)(bytes(data))):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as caught:
            run()
        lines = [each.lineno for each in traceback.extract_tb(caught.value.__traceback__)]
        told.append((type(caught.value), str(caught.value), repr(caught.value.args), lines[-1]))
    assert told[0] == told[1]


def test_inputs_that_are_known_are_not_handed_over() -> None:
    x = np.array([1.0, 7.0])
    graph = tf.function(lambda x: compared(x, 5.0)).get_concrete_function(x).optimized_graph
    failure = Failure(source_in(graph), [Type(tf.float64, (2,)), np.array(5.0)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="in turn"):
        failure(x.tobytes())
    assert failure(np.zeros(2).tobytes()) is None
