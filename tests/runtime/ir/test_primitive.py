"""Nodes that hold graphs: what they call their inputs and graphs, and which input goes to which parameter."""

from __future__ import annotations

import autograph as tf
from autograph.runtime.ir.graph import Graph, Node
from autograph.runtime.ir.primitive import Call, Cond, CustomGradient, While


def nodes_of(function: object, *arguments: object) -> list[Node]:
    concrete = tf.function(function).get_concrete_function(*arguments)
    return [node for node in concrete.graph.walk() if node.subgraphs]


def pairs(node: Node) -> dict[str, list[tuple[str, str]]]:
    return {each.name: [(outer.node.name, inner.node.name) for outer, inner in each.pairs] for each in node.regions}


def test_branches() -> None:
    def f(x, y):
        return x + y if y > 0.0 else x

    (node,) = nodes_of(f, tf.constant(1.0), tf.constant(2.0))
    assert isinstance(node, Cond) and node.predicate.node.name == "greater"
    assert [value.node.name for value in node.operands] == ["x", "y"]
    assert pairs(node) == {"then": [("x", "x"), ("y", "y")], "orelse": [("x", "x"), ("y", "y")]}
    assert node.split("pab") == ("p", ["a", "b"]) and node.subgraphs == (node.then, node.orelse)


def test_loops() -> None:
    def f(n, x):
        while n > 0:
            n = n - tf.cast(x, tf.int32)
        return n

    (node,) = nodes_of(f, tf.constant(3), tf.constant(1.0))
    assert isinstance(node, While) and node.count == 1 and node.details == {"count": 1}
    assert [value.node.name for value in (*node.state, *node.operands)] == ["n", "x"]
    (start, state), (outer, inner) = pairs(node)["body"]
    assert (start, outer, inner) == ("n", "x", "x") and state == node.body.parameters[0].node.name
    assert node.split("nx") == (["n"], ["x"]) and node.subgraphs == (node.test, node.body)


def test_calls() -> None:
    @tf.function
    def fact(n):
        return n * fact(n - 1) if n > 1 else 1

    found = [node for node in nodes_of(lambda n: fact(n), tf.constant(3)) if isinstance(node, Call)]
    assert {node.called.name for node in found} == {"fact"} and pairs(found[0]) == {"graph": [("n", "n")]}
    assert not found[0].operands and not found[0].effect


def test_gradients_of_the_users() -> None:
    @tf.custom_gradient
    def f(x):
        y = x * 3.0
        return y + 1.0, lambda upstream: upstream * y

    (node,) = nodes_of(lambda x: f(x), tf.constant(1.0))
    assert isinstance(node, CustomGradient) and isinstance(node.backward, Graph)
    assert pairs(node) == {"backward": [("multiply", "multiply")]} and node.sources == ((None, True),)
    assert node.split("xry") == ("x", "r", "y")
