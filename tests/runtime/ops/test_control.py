"""`cond`, `while` and `call` nodes: what they give in both executors, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import GraphError
from autograph.runtime.base.dtypes import float32, int32
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ops.control import call_node
from autograph.runtime.ops.host.host import raise_node
from autograph.runtime.tensors.trace import current_graph

from ..graphs import INT, branch, cond, graph_of, run, while_loop

VECTOR = Type(float32, (None,))


def test_cond_runs_one_branch() -> None:
    graph = graph_of(lambda x, y: cond(x > y, lambda: [x - y, x], lambda: [y - x, tf.constant(0)]), INT, INT)
    assert run(graph, 7, 3) == [4, 7] and run(graph, 3, 7) == [4, 0]


def test_cond_relaxes_shapes_and_orders_captures() -> None:
    def function(x: Any, y: Any) -> Any:
        return cond(x[0] > 0, lambda: [y], lambda: [x + 1])

    graph = graph_of(function, Type(float32, (2,)), Type(float32, (3,)))
    assert graph.outputs[0].type == Type(float32, (None,))
    assert run(graph, [1, 2], [1, 2, 3]) == [[1, 2, 3]] and run(graph, [-1, 2], [1, 2, 3]) == [[0, 3]]
    node = next(node for node in graph.nodes if node.op.name == "cond")
    then, orelse = node.subgraphs
    assert list(then.captures) == list(orelse.captures) == node.inputs[1:]


def test_while_with_captures() -> None:
    graph = graph_of(
        lambda n, step: while_loop(lambda i, s: i < n, lambda i, s: [i + step, s + i], [n * 0, n * 0]), INT, INT
    )
    assert run(graph, 10, 3) == [12, 18] and run(graph, 0, 3) == [0, 0]


def test_nested_control_flow() -> None:
    def collatz(n: Any) -> Any:
        def body(m: Any, steps: Any) -> Any:
            (m,) = cond(m % 2 == 0, lambda: [m // 2], lambda: [3 * m + 1])
            return [m, steps + 1]

        return while_loop(lambda m, steps: m != 1, body, [n, tf.constant(0)])[1]

    assert run(graph_of(collatz, INT), 27) == [111]


def test_the_body_sees_the_old_state() -> None:
    graph = graph_of(
        lambda a, b: while_loop(lambda x, y, i: i < 3, lambda x, y, i: [y, x, i + 1], [a, b, a * 0]), INT, INT
    )
    assert run(graph, 1, 2) == [2, 1, 3]


def test_a_loop_of_100000_turns_uses_constant_memory() -> None:
    import tracemalloc

    graph = graph_of(
        lambda x: while_loop(lambda i, v: i < 100_000, lambda i, v: [i + 1, v + 1], [tf.constant(0), x]), VECTOR
    )
    from autograph.runtime.engines.numpy.plan import Plan

    plan = Plan(graph)
    tracemalloc.start()
    count, vector = plan.run(np.zeros(1000, np.float32))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 100_000 and vector[0] == 100_000 and peak < 100_000


def test_deep_nesting() -> None:
    depth = 60

    def nested(x: Any, level: int) -> Any:
        if level == depth:
            return [x + 1]
        if level % 3 == 0:
            return while_loop(lambda s: s < level * 10, lambda s: nested(s, level + 1), [x])
        return cond(x > -1, lambda: nested(x, level + 1), lambda: [x - 1])

    graph = graph_of(lambda x: nested(x, 0), INT)
    assert run(graph, 0)[0] >= 0


def test_calls_share_one_function() -> None:
    inner = graph_of(lambda x: [x * 2, x + 1], INT, name="inner")
    graph = graph_of(lambda x: [a + b for a, b in [call_node(inner, [x]), call_node(inner, [x + 5])]], INT)
    assert run(graph, 3) == [10, 25]
    from autograph.runtime.engines.numpy.plan import Plan

    assert Plan(graph).source.count("def ") == 2


def test_a_branch_that_raises_decides_nothing() -> None:
    def raising() -> Any:
        raise_node(KeyError("no"))
        graph = current_graph()
        assert graph is not None
        graph.never_returns = True
        return []

    graph = graph_of(lambda x: cond(x > 0, lambda: [x * 2], raising), INT)
    assert run(graph, 4) == [8] and graph.outputs[0].type == INT
    with pytest.raises(KeyError):
        run(graph, -1)


def test_strings_keep_their_bytes() -> None:
    text = Type(tf.string, ())
    graph = graph_of(lambda x: cond(x == "a", lambda: [x + "\0"], lambda: [x + x]), text)
    from autograph.runtime.engines.numpy.plan import Plan

    result = Plan(graph).run(np.array(b"a", object))[0]
    assert result[()] == b"a\0"


WRONG = [
    (lambda x: cond(x, lambda: [x], lambda: [x]), "must be one bool"),
    (
        lambda x: cond(x > 0, lambda: [x], lambda: [x * 1.0]),
        "the branches of a cond give int32\\[\\] and float64\\[\\]",
    ),
    (lambda x: cond(x > 0, lambda: [x], lambda: []), "give 1 and 0 outputs"),
    (lambda x: while_loop(lambda s: s < 3, lambda s: [s * 1.0], [x]), "float64\\[\\], which does not fit int32\\[\\]"),
    (lambda x: while_loop(lambda s: s < 3, lambda s: [s, s], [x]), "2 values for 1 parameters"),
    (lambda x: while_loop(lambda s: s, lambda s: [s], [x]), "must give one bool"),
    (lambda x: call_node(graph_of(lambda y: y, VECTOR), [x]), "does not fit"),
]


@pytest.mark.parametrize(("build", "text"), WRONG)
def test_what_does_not_fit(build: Any, text: str) -> None:
    with pytest.raises(GraphError, match=text):
        graph_of(build, INT)


def test_unused_captures_are_dropped() -> None:
    outer = Graph("outer")
    with outer.as_default():
        x = tf.constant(1) + 1

        def then() -> Any:
            graph = current_graph()
            assert graph is not None
            mark = graph.mark()
            x * 3
            del mark
            return [x + 1]

        part = branch(then)
        part.nodes = [node for node in part.nodes if node.op.name != "multiply"]
        part.capture((x + 5).value)
        part.drop_unused_captures()
    assert len(part.captures) == 1 and part.outputs[0].type == Type(int32, ())
