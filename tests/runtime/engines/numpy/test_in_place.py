"""Stores that go into the array itself: none of them is ever seen, and loops of stores copy nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base.dtypes import int32
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ir.op import OPS, type_of
from autograph.runtime.ops.lists.lists import TensorList
from autograph.runtime.ops.shape.index import set_item as store
from autograph.runtime.tensors.tensor import EagerTensor

from ...graphs import INT, cond, graph_of, run, while_loop
from ...ops.test_ops import CASES, outputs, promoted

VECTOR = Type(int32, (None,))
MATRIX = Type(int32, (None, 3))


class Counted:
    """Counts calls of the kernels that copy a whole array, and of those that write into it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.copies = self.stores = 0
        for record in OPS.values():
            if record.in_place is not None:
                monkeypatch.setattr(record, "numpy", self._counting("copies", record.numpy))
                monkeypatch.setattr(record, "in_place", self._counting("stores", record.in_place))

    def _counting(self, what: str, kernel: Any) -> Any:
        def counted(*arrays: Any, **attributes: Any) -> Any:
            setattr(self, what, getattr(self, what) + 1)
            return kernel(*arrays, **attributes)

        return counted

    def of(self, graph: Graph, *arrays: Any) -> tuple[int, int, int]:
        """Kernels that copied, kernels that wrote in place, and copies outside of kernels, in one run of a plan."""
        plan = Plan(graph)
        copy_of, made = plan._function.__globals__["copy_of"], []
        plan._function.__globals__["copy_of"] = lambda x: made.append(x) or copy_of(x)
        inputs = [np.asarray(a, value.type.dtype.numpy) for a, value in zip(arrays, graph.parameters, strict=True)]
        self.copies = self.stores = 0
        kept = [x.copy() for x in inputs]
        results = plan.run(*inputs)
        found = self.copies, self.stores, len(made)
        for before, after in zip(kept, inputs, strict=True):
            np.testing.assert_array_equal(before, after)
        for expected, got in zip(interpret(graph, inputs), results, strict=True):
            np.testing.assert_array_equal(expected, got)
        return found


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def filling(x: Any, n: Any) -> Any:
    return while_loop(lambda i, y: i < n, lambda i, y: [i + 1, store(y, i, i * i)], [n * 0, x])[1]


def filling_by_scatter(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any) -> list[Any]:
        return [i + 1, tf.tensor_scatter_nd_add(y, [[i]], [i])]

    return while_loop(lambda i, y: i < n, body, [n * 0, x])[1]


def filling_where_even(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any) -> list[Any]:
        return [i + 1, *cond(i % 2 == 0, lambda: [store(y, i, 9)], lambda: [y])]

    return while_loop(lambda i, y: i < n, body, [n * 0, x])[1]


def filling_nested(x: Any, n: Any) -> Any:
    def inner(i: Any, y: Any) -> Any:
        return while_loop(lambda j, z: j < i, lambda j, z: [j + 1, store(z, j, i + z[j])], [n * 0, y])[1]

    return while_loop(lambda i, y: i < n, lambda i, y: [i + 1, inner(i, y)], [n * 0, x])[1]


def exchanging(x: Any, n: Any) -> Any:
    """Two arrays that change places in each turn."""

    def body(i: Any, a: Any, b: Any) -> list[Any]:
        return [i + 1, store(b, i, a[i]), store(a, i, i)]

    return list(while_loop(lambda i, a, b: i < n, body, [n * 0, x, x])[1:])


def swapping(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any) -> list[Any]:
        held = y[i]
        y = store(y, i, y[n - 1 - i])
        return [i + 1, store(y, n - 1 - i, held)]

    return while_loop(lambda i, y: i < n // 2, body, [n * 0, x])[1]


@pytest.mark.parametrize(
    ("function", "copies"),
    [(filling, 1), (filling_by_scatter, 1), (filling_where_even, 1), (filling_nested, 1), (exchanging, 2),
     (swapping, 1)],
)  # fmt: skip
def test_a_loop_of_stores_copies_only_at_its_start(function: Any, copies: int, counted: Counted) -> None:
    graph = graph_of(function, VECTOR, INT)
    for n in (10, 200):
        assert counted.of(graph, np.arange(n), n)[::2] == (0, copies)
        assert counted.stores >= n // 2


def test_what_the_graph_made_itself_is_not_copied(counted: Counted) -> None:
    graph = graph_of(lambda x, n: filling(x + 1, n), VECTOR, INT)
    assert counted.of(graph, np.arange(50), 50) == (0, 50, 0)


def test_rows_change_places_at_the_cost_of_a_row(counted: Counted) -> None:
    copies, stores, rows = counted.of(graph_of(swapping, MATRIX, INT), np.arange(30).reshape(10, 3), 10)
    assert (copies, stores, rows) == (0, 10, 11)


def test_stores_one_after_another_copy_once(counted: Counted) -> None:
    def function(x: Any) -> Any:
        for i in range(5):
            x = store(x, i, i)
        return x

    assert counted.of(graph_of(function, VECTOR), np.zeros(5)) == (1, 4, 0)


def test_through_tf_function(counted: Counted) -> None:
    @tf.function
    def primes(limit: Any) -> Any:
        prime = tf.fill((limit,), True)
        i = 2
        while i * i < limit:
            if prime[i]:
                for j in tf.range(i * i, limit, i):
                    prime[j] = False
            i += 1
        return prime

    graph = primes.get_concrete_function(tf.TensorSpec((), tf.int32)).graph
    copies, stores, others = counted.of(graph, 100)
    assert (copies, others) == (0, 0) and stores > 100
    assert np.flatnonzero(primes(tf.constant(30)).numpy()).tolist() == [0, 1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


def used_later(x: Any, n: Any) -> Any:
    y = x + 1
    return [store(y, 0, n), y, store(y, 1, n)]


def used_by_view(x: Any, n: Any) -> Any:
    y = x + 1
    view = y[::2]
    return [store(y, 0, n), view]


def pushed_onto_list(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any, handle: Any) -> list[Any]:
        items = TensorList(handle, int32, (None,)).push(y)
        return [i + 1, store(y, i, i + 5), items.handle]

    empty = TensorList.new(int32, (None,)).handle
    handle = while_loop(lambda i, y, h: i < n, body, [n * 0, x, empty])[2]
    return TensorList(handle, int32, (None,)).stack()


def one_array_twice(x: Any, n: Any) -> Any:
    y = x + 1
    return list(
        while_loop(lambda i, a, b: i < n, lambda i, a, b: [i + 1, store(a, i, 7), store(b, i, a[i])], [n * 0, y, y])
    )


def previous(x: Any, n: Any) -> Any:
    return list(
        while_loop(lambda i, new, old: i < n, lambda i, new, old: [i + 1, store(new, i, 7), new], [n * 0, x, x])
    )


def captured(x: Any, n: Any) -> Any:
    y = x + 1
    return while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s + store(y, i, 9)], [n * 0, x])[1]


def onto_itself(x: Any, n: Any) -> Any:
    y = x + 1
    return store(y, slice(1, None), y[:-1])


def in_one_branch(x: Any, n: Any) -> Any:
    y = x + 1
    return [*cond(n > 2, lambda: [store(y, 0, n)], lambda: [y]), y]


def from_constant(x: Any, n: Any) -> Any:
    return filling(tf.constant([0] * 6), n)


@pytest.mark.parametrize(
    "function",
    [used_later, used_by_view, pushed_onto_list, one_array_twice, previous, captured, onto_itself, in_one_branch,
     from_constant],
)  # fmt: skip
def test_no_store_is_seen_elsewhere(function: Any) -> None:
    graph = graph_of(function, VECTOR, INT)
    first = run(graph, np.arange(6), 5)
    assert run(graph, np.arange(6), 5) == first


def test_what_python_keeps_never_changes() -> None:
    kept: list[Any] = []

    def look(y: Any) -> None:
        kept.append((y, y.numpy().tolist()))

    def body(i: Any, y: Any) -> list[Any]:
        tf.py_function(look, [y], [])
        return [i + 1, store(y, i, 7)]

    graph = graph_of(lambda x: while_loop(lambda i, y: i < 4, body, [tf.constant(0), x + 1])[1], VECTOR)
    assert Plan(graph).run(np.arange(5, dtype=np.int32))[0].tolist() == [7, 7, 7, 7, 5]
    assert [y.numpy().tolist() for y, _ in kept] == [then for _, then in kept] and len(kept) == 4


@pytest.mark.parametrize("record, inputs, attributes", CASES)
def test_records_tell_the_truth_about_memory(record: Any, inputs: Any, attributes: Any) -> None:
    arrays = promoted(record, inputs)
    types = [type_of(x) for x in arrays if isinstance(x, (np.ndarray, np.generic))]
    fresh = record.fresh if isinstance(record.fresh, bool) else record.fresh(*types, **attributes)
    with np.errstate(all="ignore"):
        expected = outputs(record.numpy(*arrays, **attributes))
        if fresh:
            for result in expected:
                if isinstance(result, np.ndarray):
                    assert result.flags.writeable and not any(np.may_share_memory(result, x) for x in arrays)
        if record.in_place is not None:
            copies = [np.array(x) for x in arrays]
            (result,) = outputs(record.in_place(*copies, **attributes))
            np.testing.assert_array_equal(result, expected[0])
            assert result is copies[0]


def test_results_of_earlier_calls_stay() -> None:
    @tf.function
    def fill(x: Any, n: Any) -> Any:
        for i in tf.range(n):
            x[i] = n
        return x

    x = tf.constant([1, 2, 3])
    first, second = fill(x, tf.constant(1)), fill(x, tf.constant(3))
    assert isinstance(first, EagerTensor)
    assert (x.numpy().tolist(), first.numpy().tolist(), second.numpy().tolist()) == ([1, 2, 3], [1, 2, 3], [3, 3, 3])
