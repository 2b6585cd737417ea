"""`Graph.as_graph_def`: the lines of seed 000, and graphs inside graphs."""

from __future__ import annotations

from typing import Any

import autograph as tf


def printed(graph: Any) -> list[str]:
    return [f"{node.input} -> {node.name}" for node in graph.as_graph_def().node]


def test_edges_are_printed_as_in_the_seed() -> None:  # S06
    @tf.function
    def layer(x: Any) -> Any:
        return tf.matmul(x, tf.ones((2, 2))) + x

    concrete = layer.get_concrete_function(tf.TensorSpec((2, 2), tf.float32))
    lines = printed(concrete.graph)
    assert lines[0] == "[] -> x" and lines[-2:] == ["['matmul', 'x'] -> add", "['add'] -> Identity"]
    assert any(line.startswith("['x', ") and line.endswith("-> matmul") for line in lines)


def test_other_outputs_than_the_first_are_numbered() -> None:
    @tf.function
    def swap(x: Any) -> Any:
        a, b = tf.unstack(x)
        return tf.stack([b, a])

    concrete = swap.get_concrete_function(tf.TensorSpec((2,), tf.int32))
    assert printed(concrete.graph) == [
        "[] -> x", "['x'] -> unstack", "['unstack:1', 'unstack'] -> stack", "['stack'] -> Identity",
    ]  # fmt: skip


def test_ops_are_spelled_as_in_tensorflow() -> None:
    @tf.function
    def some(x: Any) -> Any:
        return tf.concat([tf.stack(tf.unstack(abs(x) ** 2.0 % 3.0 // 2.0)), tf.where(tf.math.is_nan(x), x, -x)], 0)

    graph = some.get_concrete_function(tf.TensorSpec((2,))).graph
    wanted = ["Abs", "Pow", "FloorMod", "FloorDiv", "Unpack", "Pack", "IsNan", "Neg", "SelectV2", "ConcatV2"]
    found = [node.op for node in graph.as_graph_def().node]
    assert [op for op in found if op not in ("Placeholder", "Const", "Identity")] == wanted
    assert [operation.type for operation in graph.get_operations() if operation.type in wanted] == wanted


def test_branches_and_loops_are_in_the_library() -> None:
    @tf.function
    def steps(x: Any) -> Any:
        count = 0
        while x > 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            count += 1
        return count

    data = steps.get_concrete_function(tf.TensorSpec((), tf.int32)).graph.as_graph_def()
    functions = {each.name: each for each in data.library.function}
    (loop,) = [node for node in data.node if node.op == "While"]
    assert {loop.attr["test"], loop.attr["body"]} <= set(functions)
    body = functions[loop.attr["body"]]
    (branch,) = [node for node in body.node if node.op == "If"]
    names = [each.name for each in data.library.function]
    assert names.index(branch.attr["then"]) < names.index(body.name)
    every = {node.name for node in data.node}
    assert all(each.partition(":")[0] in every for node in data.node for each in node.input)


def test_the_text_and_graphs_without_results() -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1.0, name="start") + 1.0
    assert 'name: "add"\n  op: "AddV2"\n  input: "' in str(graph.as_graph_def())
    assert printed(graph)[-1].endswith("-> add")


def test_names_of_results_do_not_collide() -> None:
    concrete = tf.function(lambda x: [tf.identity(x, name="Identity"), x]).get_concrete_function(tf.TensorSpec(()))
    names = [node.name for node in concrete.graph.as_graph_def().node]
    assert len(set(names)) == len(names) and names[-2:] == ["Identity_1", "Identity_2"]
