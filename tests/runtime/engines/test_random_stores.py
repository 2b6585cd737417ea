"""Random graphs with stores, aliases, branches and loops: plans, which store in place, agree with the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.runtime.base.dtypes import int32
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ops.lists.lists import TensorList
from autograph.runtime.ops.shape.index import set_item
from tests.programs.profile import examples

from ..graphs import INT, cond, graph_of, while_loop
from ..ways import native_at_once

LENGTH = 4
Program = list[tuple[Any, ...]]


def statements(depth: int) -> Any:
    place = st.integers(0, 30)
    simple = st.tuples(
        st.sampled_from(["add", "store", "store", "store", "scatter", "identity", "reverse", "slice", "reshape",
                         "move", "look", "where", "push", "get", "slice_store"]), place, place, place,
    )  # fmt: skip
    if depth == 0:
        return st.lists(simple, min_size=1, max_size=5)
    inner = statements(depth - 1)
    nested = st.one_of(
        st.tuples(st.just("cond"), place, inner, inner, place, place),
        st.tuples(st.just("while"), st.integers(0, 3), inner, st.lists(place, min_size=1, max_size=4)),
    )
    return st.lists(st.one_of(simple, simple, nested), min_size=1, max_size=6)


class Build:
    """Builds a graph from a program over a list of arrays, which every statement reads and extends or changes."""

    def __init__(self, arrays: list[Any], number: Any, items: Any) -> None:
        self.arrays = arrays
        self.number = number
        self.items = items

    def all(self, program: Program) -> None:
        for name, *arguments in program:
            getattr(self, f"build_{name}", self.build_simple)(*arguments, **({} if hasattr(self, f"build_{name}") else
                                                                            {"name": name}))  # fmt: skip

    def at(self, i: int) -> Any:
        return self.arrays[i % len(self.arrays)]

    def build_simple(self, i: int, j: int, k: int, name: str) -> None:
        x, y, index = self.at(i), self.at(j), (self.number + k) % LENGTH
        if name == "add":
            new = x + y
        elif name == "store":
            new = set_item(x, index, y[k % LENGTH])
        elif name == "slice_store":
            new = set_item(x, slice(k % 2, None), y[: LENGTH - k % 2])
        elif name == "scatter":
            new = tf.tensor_scatter_nd_add(x, [[index], [k % LENGTH]], y[:2])
        elif name == "identity":
            new = tf.identity(x)
        elif name == "reverse":
            new = x[::-1]
        elif name == "slice":
            new = tf.concat([x[k % 3 :], y[: k % 3]], 0) if k % 2 else x[:]
        elif name == "reshape":
            new = tf.reshape(tf.transpose(tf.reshape(x, (2, 2))), (LENGTH,)) if k % 2 else tf.reshape(x, (LENGTH,))
        elif name == "where":
            new = tf.where(x > y, x, y)
        elif name == "look":
            new = tf.py_function(lambda a: a, [x], tf.int32)
            new = tf.ensure_shape(new, (LENGTH,))
        elif name == "push":
            self.items = self.items.push(x)
            return
        elif name == "get":
            new = self.items.get(-1)
        else:
            new = x
        self.put(j, new)

    def put(self, j: int, new: Any) -> None:
        if j < 8:
            self.arrays.append(new)
        else:
            self.arrays[j % len(self.arrays)] = new

    def build_cond(self, k: int, then: Program, orelse: Program, i: int, j: int) -> None:
        def branch(program: Program) -> Any:
            def trace() -> list[Any]:
                inner = Build(list(self.arrays), self.number, self.items)
                inner.all(program)
                return [inner.at(i), inner.at(j), inner.items.handle]

            return trace

        found = cond((self.number + k) % 2 == 0, branch(then), branch(orelse))
        self.items = TensorList(found[2], int32, (LENGTH,))
        self.put(i, found[0])
        self.put(j, found[1])

    def build_while(self, turns: int, program: Program, picked: list[int]) -> None:
        count = len(picked)

        def body(i: Any, handle: Any, *state: Any) -> list[Any]:
            arrays = [*state, *self.arrays]
            inner = Build(arrays, self.number + i, TensorList(handle, int32, (LENGTH,)))
            inner.all(program)
            return [i + 1, inner.items.handle, *[inner.at(p) for p in picked]]

        initial = [tf.constant(0), self.items.handle, *[self.at(p) for p in picked]]
        found = while_loop(lambda i, *_: i < turns, body, initial)
        self.items = TensorList(found[1], int32, (LENGTH,))
        for p, new in zip(picked, found[2:], strict=True):
            self.put(p, new)
        assert len(found) == count + 2


def build(program: Program) -> Graph:
    def function(x: Any, y: Any, number: Any) -> list[Any]:
        first = TensorList.new("int32", (LENGTH,)).push(x)
        state = Build([x, y, tf.constant([5, 6, 7, 8]), x + y], number, first)
        state.all(program)
        return [*state.arrays[-2:], state.items.stack()]

    return graph_of(function, Type(int32, (LENGTH,)), Type(int32, (LENGTH,)), INT)


@examples(60)
@given(program=statements(2), number=st.integers(0, 3))
def test_random_graphs(program: Program, number: int) -> None:
    graph = build(program)
    arrays = [np.arange(LENGTH, dtype=np.int32), np.arange(10, 10 + LENGTH, dtype=np.int32)]
    plan = Plan(graph)
    kept = [x.copy() for x in arrays]
    expected = [np.array(x) for x in interpret(graph, [*arrays, np.int32(number)])]
    for run in (plan.run, plan.run, native_at_once(graph).run):  # twice: the constants must not have changed
        results = run(*arrays, np.int32(number))
        for got, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(got, wanted, plan.source)
        for before, after in zip(kept, arrays, strict=True):
            np.testing.assert_array_equal(before, after, plan.source)


def test_the_random_graphs_do_store_in_place() -> None:
    program: Program = [("add", 0, 1, 0), ("while", 3, [("store", 0, 12, 1), ("cond", 0, [("store", 0, 12, 2)],
                        [("scatter", 0, 12, 1)], 12, 11)], [0])]  # fmt: skip
    assert Plan(build(program)).source.count("_in_place(") == 3
