"""Unconverted code that can reach more objects than are looked through: at the top of a trace it runs, once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf


class Box:
    def __init__(self, value: Any = None) -> None:
        self.value = value
        self.count = 0


MANY = 30_000
BIG = {number: Box([Box(number)]) for number in range(MANY)}
LOG: list[Any] = []


@tf.autograph.experimental.do_not_convert
def marking(number: int) -> int:
    """Sets an item of an item, which its instructions do not tell of what."""
    BIG[number].value[0].count += 1
    LOG.append(number)
    return int(BIG[number].value[0].count)


@tf.autograph.experimental.do_not_convert
def keeping(value: Any) -> None:
    BIG[0].value[0].value = value


@pytest.fixture(autouse=True)
def _fresh() -> None:
    LOG.clear()
    for number in range(10):
        BIG[number].value[0].count = 0


def test_it_runs_once_at_the_top_of_a_trace() -> None:
    @tf.function
    def f(n: Any) -> Any:
        first = marking(1)
        if n > 0:
            n = n + 1
        return n + first + marking(2) + marking(2)

    assert [int(f(tf.constant(3))), int(f(tf.constant(4)))] == [8, 9]
    assert LOG == [1, 2, 2] and BIG[2].value[0].count == 2


def test_it_is_refused_where_the_function_has_to_be_traced_again() -> None:
    box = Box(0)

    @tf.function
    def f(n: Any) -> Any:
        marking(1)
        box.value = box.value + n
        return n

    with pytest.raises(tf.errors.MutationError, match="this function has to be traced more than once") as caught:
        f(tf.constant(3))
    line = f.__wrapped__.__code__.co_firstlineno
    assert (caught.value.file, caught.value.line) == (__file__, line + 2) and caught.value.remedy


def test_it_is_refused_in_a_branch_on_its_line() -> None:
    @tf.function
    def f(n: Any) -> Any:
        if n > 0:
            marking(1)
        return n

    with pytest.raises(tf.errors.MutationError, match="whether one of them changes can't be told") as caught:
        f(tf.constant(3))
    line = f.__wrapped__.__code__.co_firstlineno
    assert (caught.value.file, caught.value.line) == (__file__, line + 3) and caught.value.remedy
    assert LOG == [] and BIG[1].value[0].count == 0


def test_it_is_refused_after_an_array_has_changed_in_the_graph() -> None:
    @tf.function
    def f(n: Any) -> Any:
        array = np.zeros(3, np.int32)
        array[0] = n
        marking(1)
        return array

    with pytest.raises(tf.errors.MutationError, match="whether one of them changes can't be told"):
        f(tf.constant(3))


def test_a_list_that_staged_code_has_changed_is_seen_anyhow() -> None:
    @tf.function
    def f(n: Any) -> Any:
        box = Box([1])
        if n > 0:
            box.value.append(n)
        marking(1)
        changing(box)
        return len(box.value)

    with pytest.raises(tf.errors.MutationError, match="has changed `box.value`"):
        f(tf.constant(3))


@tf.autograph.experimental.do_not_convert
def changing(box: Box) -> None:
    BIG[1].value[0].count += 1
    box.value.append(7)


def test_a_tensor_that_it_keeps_is_refused_where_it_is_used() -> None:
    @tf.function
    def f(n: Any) -> Any:
        keeping(n * 2)
        return n

    f(tf.constant(3))
    with pytest.raises(tf.errors.InaccessibleTensorError, match="outside the graph") as caught:
        BIG[0].value[0].value + 1
    assert caught.value.remedy


def test_an_argument_of_which_much_can_be_reached() -> None:
    class Model:
        def __init__(self) -> None:
            self.table = BIG
            self.count, self.last = tf.Variable(0), tf.constant(0)

        @tf.function
        def step(self, n: Any) -> Any:
            self.last = n
            return n + self.count + marking(1)

    model = Model()
    assert int(model.step(tf.constant(3))) == 4 and int(model.last) == 3


class Counter:
    def __init__(self) -> None:
        self.parts = [[Box()]]


COUNTER = Counter()


@tf.autograph.experimental.do_not_convert
def counting() -> None:
    COUNTER.parts[0][0].count += 1


def test_many_calls_that_reach_much_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograph.operators.staging.outside.far_reach._MOST_IN_ALL", 50)
    box = Box(0)

    @tf.function
    def once(n: Any) -> Any:
        for _ in range(40):
            counting()
        return n

    @tf.function
    def twice(n: Any) -> Any:
        for _ in range(40):
            counting()
        box.value = box.value + n
        return n

    COUNTER.parts[0][0].count = 0
    assert int(once(tf.constant(3))) == 3 and COUNTER.parts[0][0].count == 40
    with pytest.raises(tf.errors.MutationError, match="this function has to be traced more than once"):
        twice(tf.constant(3))
    monkeypatch.undo()
    assert int(twice(tf.constant(3))) == 3 and int(box.value) == 3
