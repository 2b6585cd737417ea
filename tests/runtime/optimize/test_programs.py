"""Random programs give the same with every pass, and without one or with one alone, however they are run."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.runtime.base.dtypes import bool_, float32, int32
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ops.control import call_node
from autograph.runtime.ops.host.host import assert_node
from autograph.runtime.optimize import PASSES
from tests.programs.profile import examples
from tests.programs.tensor_generator import tensor_programs
from tests.programs.test_staged import VALUES

from ..graphs import cond, graph_of, while_loop
from ..ways import CHOICES, agree

_numbers = itertools.count()


@examples(25)
@given(tensor_programs(), st.integers(-1, 8), st.sampled_from(CHOICES[1:]))
def test_programs(source: str, n: int, choice: list[str]) -> None:
    filename = f"<optimized program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, filename, "exec"), namespace)
    arrays = [np.asarray(n, np.int64), np.array(VALUES, np.int64)]
    try:
        graph = tf.function(namespace["program"]).get_concrete_function(*map(tf.constant, arrays)).graph
    except Exception:
        return  # what can't be staged, or raises while it is traced, is for tests/programs
    finally:
        del linecache.cache[filename]
    agree(graph, arrays, choices=[PASSES, choice])


# Graphs that no program of Python makes: conditions that are constant, shapes that are not known, errors and effects.
VECTOR = Type(float32, (None,))
MATRIX = Type(float32, (2, None))
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3.5]


def small(x: Any, i: Any) -> Any:
    return cond(i > 3, lambda: [x * 1.0], lambda: [-x])


def failing(x: Any, i: Any) -> Any:
    return (x * 1.0)[i % 4 : i % 4 + 1] + x[:3]


SMALL, FAILING = [graph_of(f, VECTOR, Type(int32, ()), name=f.__name__) for f in (small, failing)]


class Builder:
    """Draws one graph, op by op."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.budget = 14

    def choose(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def block(self, floats: list[Any], ints: list[Any], depth: int, count: int = 5) -> None:
        for _ in range(self.draw(st.integers(1, count))):
            if self.budget > 0:
                self.budget -= 1
                self.step(floats, ints, depth)

    def step(self, floats: list[Any], ints: list[Any], depth: int) -> None:
        kind = self.draw(st.integers(0, 14 if depth else 10))
        x, y, i = self.choose(*floats), self.choose(*floats), self.choose(*ints)
        if kind <= 2:
            constant = self.choose(0.0, -0.0, 1.0, 2.0, 4.0, 0.5, -1.0)
            operand = self.choose(y, np.float32(constant), np.full(1, constant, np.float32))
            floats.append(self.choose(tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum)(x, operand))
        elif kind == 3:
            floats.append(self.choose(tf.negative, abs, tf.identity, tf.stop_gradient, tf.square)(x))
        elif kind == 4:
            operand = self.choose(self.choose(*ints), 0, 1, 2, -1)
            ints.append(self.choose(tf.add, tf.subtract, tf.multiply, tf.maximum, tf.bitwise.bitwise_and)(i, operand))
        elif kind == 5:
            floats.append(tf.transpose(tf.transpose(tf.reshape(x, (1, -1))))[0])
        elif kind == 6:
            floats.append(x[i : i + 2] if self.choose(True, False) else x[i % 2 : i % 2 + 1])
        elif kind == 7:
            assert_node(i < self.choose(3, 1000), ValueError("large"))
        elif kind == 8:
            floats.append(tf.cast(tf.cast(tf.cast(i, tf.int64), tf.int32), tf.float32) * x)
        elif kind == 9:
            ints.append(tf.where(tf.logical_not(i < 2), i, self.choose(*ints)))
        elif kind == 10:
            floats += call_node(self.choose(SMALL, FAILING), [x, i])
        elif kind <= 12:
            self.cond(floats, ints, depth - 1)
        else:
            self.loop(floats, ints, depth - 1)

    def cond(self, floats: list[Any], ints: list[Any], depth: int) -> None:
        test = self.choose(self.choose(*ints) > 1, tf.constant(3) > 2, tf.constant(2) > 3, tf.identity(True))

        def branch() -> list[Any]:
            mine, numbers = list(floats), list(ints)
            self.block(mine, numbers, depth, 3)
            return [mine[-1], self.choose(*floats), self.choose(*numbers), tf.constant(7) + 0]

        a, b, c, d = cond(test, branch, branch)
        floats += [a, b]
        ints += [c, d]

    def loop(self, floats: list[Any], ints: list[Any], depth: int) -> None:
        turns = self.choose(0, 1, 3)
        first = tf.reshape(self.choose(*floats), (-1,))
        limit = self.choose(*ints)

        def test(k: Any, *_: Any) -> Any:
            return tf.logical_and(k < turns, tf.reduce_all(limit * 0 < k + 1))

        def body(k: Any, x: Any, i: Any, same: Any, unused: Any) -> list[Any]:
            mine, numbers = [x, *floats], [i, k, same, *ints]
            self.block(mine, numbers, depth, 4)
            moved = tf.concat([mine[-1], x], 0)[: tf.size(x)]
            return [k + 1, tf.reshape(moved, tf.shape(x)), numbers[-1], same, unused + k]

        state = [
            tf.identity(tf.constant(0)),
            first,
            self.choose(*ints),
            self.choose(*ints),
            tf.identity(tf.constant(5)),
        ]
        _, x, i, same, _ = while_loop(test, body, state)
        floats.append(x)
        ints += [i, same]


@st.composite
def graphs(draw: Any) -> Graph:
    builder = Builder(draw)

    def function(x: Any, m: Any, i: Any, b: Any) -> list[Any]:
        floats, ints = [x, m[0]], [i, tf.cast(b, tf.int32)]
        builder.block(floats, ints, 2, 8)
        return [*floats[-3:], *ints[-3:]]

    return graph_of(function, VECTOR, MATRIX, Type(int32, ()), Type(bool_, ()))


ARRAYS = [
    [np.array(SPECIAL, np.float32), np.array([SPECIAL, SPECIAL], np.float32), np.int32(1), np.bool_(True)],
    [np.zeros(0, np.float32), np.ones((2, 3), np.float32), np.int32(-5), np.bool_(False)],
    [np.array([2.0], np.float32), np.full((2, 1), -0.0, np.float32), np.int32(2**31 - 1), np.bool_(False)],
]


@examples(60)
@given(graphs(), st.sampled_from(CHOICES[1:]))
def test_graphs(graph: Graph, choice: list[str]) -> None:
    agree(graph, *ARRAYS, choices=[PASSES, choice])
