"""Graphs: names, captures, growth and rollback, where nodes come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import StagingError
from autograph.runtime.base.dtypes import float32, int32
from autograph.runtime.ir.graph import Graph, Node, Type
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import building, static_value
from tests.work import work

from ..graphs import INT, cond, graph_of, run, while_loop


def test_names_are_unique_and_tensorflows() -> None:
    with tf.Graph().as_default() as graph:
        names = [(tf.constant(1) + 1).op.name for _ in range(3)]
        x = tf.identity(1, name="add_3")
        names += [x.op.name, (x + 1).op.name]
        with tf.name_scope("layer"):
            inner = x + 1
        with tf.name_scope("layer"):
            again = x + 1
    assert names == ["add", "add_1", "add_2", "add_3", "add_4"]
    assert (inner.name, again.name) == ("layer/add:0", "layer_1/add:0")
    assert len({node.name for node in graph.nodes}) == len(graph.nodes)


def test_nodes_know_the_users_line() -> None:
    def double(x: Any) -> Any:
        return x + x

    location = graph_of(double, INT).nodes[-1].location
    assert location is not None and location.file == __file__ and location.function == "double"
    assert location.line == double.__code__.co_firstlineno + 1


def test_lines_of_a_long_function_are_found_quickly() -> None:
    def cost(count: int) -> int:
        source = "def long(x):\n" + "    x = x + x\n" * count + "    return x\n"
        names: dict[str, Any] = {}
        exec(compile(source, "long.py", "exec"), names)
        graph = graph_of(names["long"], INT)

        def find_lines() -> None:
            lines = [node.location.line for node in graph.nodes if node.location is not None]
            assert lines == list(range(2, count + 2))

        return work(find_lines)

    assert cost(3000) < 11 * cost(300)


def test_captures_pass_through_every_level() -> None:
    outer = Graph("outer")
    x = SymbolicTensor(outer.parameter(INT, "x"))
    middle = Graph("middle", outer)
    inner = Graph("inner", middle)
    with inner.as_default():
        y = x + x
    assert [value.name for value in inner.captures.values()] == ["x:0"]
    assert list(inner.captures) == list(middle.captures.values())
    assert list(middle.captures) == [x.value] and y.graph is inner
    with inner.as_default():
        assert (x * x).op.inputs[0] is y.op.inputs[0]


def test_captures_take_no_longer_in_deep_graphs() -> None:
    def cost(depth: int) -> int:
        graph = Graph("outermost")
        x = graph.parameter(INT, "x")
        constants = [graph.constant(np.array(i)) for i in range(depth)]

        def nest() -> None:
            inner = graph
            for constant in constants:
                inner = Graph("inner", inner)
                for _ in range(3):
                    inner.capture(x)
                inner.capture(constant)
            assert len(inner.captures) == 1

        return work(nest)

    assert cost(1000) < 11 * cost(100)


def test_what_was_captured_and_rolled_back_is_captured_anew() -> None:
    outermost = Graph("outermost")
    x = outermost.parameter(INT, "x")
    middle = Graph("middle", outermost)
    mark = middle.mark()
    first = Graph("first", middle).capture(x)
    middle.truncate(mark)
    second = Graph("second", middle).capture(x)
    assert second.node.graph.origins[second] in middle.captures.values() and first is not second
    inner = Graph("inner", middle)
    inner.capture(x)
    inner.drop_unused_captures()
    assert inner.capture(x) in inner.captures.values()


def test_constants_are_repeated_rather_than_captured() -> None:
    with tf.Graph().as_default() as graph:
        big = tf.constant(np.arange(1000))
        inner = Graph("inner", graph)
        with inner.as_default():
            y = big + 1
    assert not inner.captures and static_value(SymbolicTensor(y.op.inputs[0])) is big.op.attributes["value"]


def test_eager_tensors_are_constants_of_the_graph() -> None:
    kept = tf.constant([1.0, 2.0])
    graph = graph_of(lambda x: [x + kept, x * kept], Type(float32, (2,)))
    assert sum(node.op.name == "constant" for node in graph.nodes) == 1
    assert run(graph, [1, 1]) == [[2.0, 3.0], [1.0, 2.0]]


def test_a_foreign_value_captures_nothing() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1) + 1
    outer = Graph("outer")
    inner = Graph("inner", outer)
    with inner.as_default(), pytest.raises(StagingError, match="outside the graph"):
        x + 1
    assert not inner.nodes and not outer.nodes


def test_truncate_forgets_everything_since_the_mark() -> None:
    outer = Graph("outer")
    x = SymbolicTensor(outer.parameter(INT, "x"))
    kept = tf.constant(5)
    graph = Graph("inner", outer)
    with graph.as_default():
        first = tf.constant(1) + 1
        before = [node.name for node in graph.nodes]
        mark = graph.mark()
        names = []
        for _ in range(2):
            names.append([(first + x).name, (x * kept).name])
            graph.parameter(INT, "p")
            graph.truncate(mark)
    assert names[0] == names[1] == ["add_1:0", "multiply:0"]
    assert [node.name for node in graph.nodes] == before and not graph.captures and not graph.parameters
    with graph.as_default():
        assert (first + 1).name == "add_1:0"


def test_what_a_new_node_replaces_has_the_new_one() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1) + 1
        mark = graph.mark()
        y = x * 2
        old = x.op
        with graph.inserting_before(old):
            first = tf.constant(3)
        new = Node(graph, old.op, [first.value, first.value], {}, old.name, old.where)
        graph.replace(old, new, [INT])
        assert x.op is y.op.inputs[0].node is old.latest is new and len(new.outputs) == 2
        assert graph.nodes.index(new) == graph.nodes.index(first.op) + 1
        graph.truncate(mark)
    assert graph.nodes[-1] is new and graph.get_operation_by_name("add") is new


def test_many_rollbacks_stay_cheap() -> None:
    def cost(nodes: int) -> int:
        with tf.Graph().as_default() as graph:
            x = tf.constant(1) + 1
            for _ in range(nodes):
                x = x + x

            def roll_back() -> None:
                for _ in range(100):
                    mark = graph.mark()
                    x + x
                    graph.truncate(mark)

            return work(roll_back)

    cost(3)
    assert cost(3000) < 1.1 * cost(300)


def test_effects_show_through_subgraphs() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1) + 1
        cond(x > 1, lambda: [x], lambda: [x])
        assert not graph.effect
        cond(x > 1, lambda: [tf.print("hello") or x], lambda: [x])
        assert graph.effect and graph.nodes[-1].effect


def test_walk_visits_subgraphs_once() -> None:
    graph = graph_of(
        lambda x: while_loop(lambda s: s < 9, lambda s: [cond(s > 3, lambda: [s + 3], lambda: [s + 1])[0]], [x]), INT
    )
    ops = [node.op.name for node in graph.walk()]
    assert (
        ops.count("while") == ops.count("cond") == 1
        and ops.count("add") == 2
        and ops.index("while") < ops.index("cond")
    )


def test_building_is_per_thread_and_nests() -> None:
    import threading

    seen = []
    with tf.Graph().as_default() as outer:
        thread = threading.Thread(target=lambda: seen.append(tf.executing_eagerly()))
        thread.start()
        thread.join()
        with tf.Graph().as_default() as inner:
            assert tf.constant(1).graph is inner
        assert tf.constant(1).graph is outer
        with building(None):
            assert tf.constant(1).numpy() == 1
    assert seen == [True] and tf.executing_eagerly() and tf.constant(1).dtype is int32
