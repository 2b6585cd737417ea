"""Machine code that other threads forestall: it runs again, and at last the plan does."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.engines import region as regions
from autograph.runtime.engines import transaction
from autograph.runtime.engines.awaited import awaited_in
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.region import Region

from ...crowd import crowd, repeat
from .common import needs_llvm

pytestmark = needs_llvm


def region(function: Callable[..., Any], *arguments: Any, demanded: bool = True) -> Region:
    return Region(tf.function(function).get_concrete_function(*arguments).optimized_graph, NATIVE, demanded=demanded)


class Forestalled:
    """A region, whose code another thread forestalls the first few times that it runs."""

    def __init__(self, made: Region, times: int, assign: Callable[[], Any]) -> None:
        self.entry, self.times, self.assign, self.runs = made._entry, times, assign, 0
        made._entry = self

    def __call__(self, *arrays: Any) -> Any:
        self.runs += 1
        result = self.entry(*arrays)
        if self.runs <= self.times:
            crowd(self.assign)
        return result


@pytest.mark.parametrize("times", range(7))
def test_code_runs_again_when_a_variable_is_another(times: int) -> None:
    v, w = tf.Variable(0), tf.Variable([1.0, 2.0])

    def step(x: Any) -> Any:
        v.assign_add(x)
        w.assign(w * 2.0)
        return v + 1

    x, expected = np.array(5, np.int32), 0
    made = region(step, tf.constant(5))
    for _ in range(2):  # the first makes the code
        expected += 5
        assert made.run(x)[0] == expected + 1
    case = Forestalled(made, times, lambda: v.assign_add(100))
    assert made.run(x)[0] == expected + 100 * min(times, regions._MOST_CONFLICTS + 1) + 5 + 1
    assert case.runs == min(times, regions._MOST_CONFLICTS) + 1
    np.testing.assert_array_equal(w, [8.0, 16.0])
    assert made._transaction is not None and (made._transaction.turns > 0) == (times > 0)
    for _ in range(transaction._TURNS + 5):  # the turns come to an end
        made.run(x)
    assert made._transaction.turns == 0


def test_variables_that_are_only_read_may_be_others_by_the_end() -> None:
    v, rate = tf.Variable(1.0), tf.Variable(2.0)

    def step(x: Any) -> None:
        v.assign(v * rate + x)

    made = region(step, tf.constant(1.0))
    made.run(np.array(1, np.float32))
    case = Forestalled(made, 1, lambda: rate.assign(10.0))
    made.run(np.array(1, np.float32))
    made.run(np.array(1, np.float32))
    assert case.runs == 2 and float(v) == 71.0


def test_threads_with_long_loops_get_through() -> None:
    v = tf.Variable(0)

    @tf.function(jit_compile=True)
    def count(n: Any) -> None:
        for i in range(n):
            v.assign_add(i * i % 7 % 3)

    count(tf.constant(10))
    assert int(v) == 10
    v.assign(0)
    n = tf.constant(7_000_000)  # long enough for threads to change places
    started = time.perf_counter()
    count(n)
    once, alone = int(v), time.perf_counter() - started
    crowd(*[repeat(lambda: count(n), 5)] * 4)
    assert int(v) == 21 * once
    assert time.perf_counter() - started < 1 + 100 * alone  # the plan takes thousands of times as long


def test_nobody_waits_while_code_runs() -> None:
    v, w = tf.Variable(0), tf.Variable(0)

    @tf.function(jit_compile=True)
    def count(n: Any) -> None:
        for i in range(n):
            v.assign_add(i * i % 7 % 3)

    count(tf.constant(10))
    thread = threading.Thread(target=lambda: count(tf.constant(80_000_000)), daemon=True)
    thread.start()
    w.assign_add(1)
    v.assign(5)
    assert thread.is_alive() and (int(v), int(w)) == (5, 1)
    thread.join()
    assert int(v) != 5


def test_what_code_assigns_is_seen_at_one_moment() -> None:
    v, w, running = tf.Variable(0), tf.Variable(np.zeros(100, np.int32)), [True]

    @tf.function(jit_compile=True)
    def step(n: Any) -> None:
        for _ in range(n):
            v.assign_add(1)
            w.assign_add(tf.ones([100], tf.int32))

    @tf.function(jit_compile=True)
    def difference() -> Any:
        return tf.reduce_max(tf.abs(w - v))

    def write() -> None:
        try:
            repeat(lambda: step(n), 300)()
        finally:
            running[0] = False

    def read() -> None:
        while running[0]:
            assert int(difference()) == 0

    n = tf.constant(5)
    crowd(write, read, read)
    assert int(v) == 1500


def by_test(stop: Any, turns: Any) -> None:
    while not stop:
        turns.assign_add(1)


def by_break(stop: Any, turns: Any) -> None:
    while True:
        turns.assign_add(1)
        if stop:
            break


def by_state(stop: Any, turns: Any) -> None:
    last, goes = False, True
    while goes:
        goes = not last
        for _ in range(2):
            last = tf.logical_or(stop, tf.constant(False))


@pytest.mark.parametrize("loop", [by_test, by_break, by_state])
@pytest.mark.parametrize("demanded", [False, True])
def test_a_loop_that_waits_for_a_variable_ends(loop: Callable[[Any, Any], None], demanded: bool) -> None:
    stop, turns = tf.Variable(True), tf.Variable(0)
    function = tf.function(lambda: loop(stop, turns), jit_compile=True if demanded else None)
    function()
    stop.assign(False)
    timer = threading.Timer(0.3, lambda: stop.assign(True))
    timer.start()
    crowd(function)
    timer.join()
    assert not timer.is_alive()


def test_a_loop_that_waits_for_many_assignments_ends() -> None:
    count = tf.Variable(0)

    @tf.function(jit_compile=True)
    def wait(n: Any) -> Any:
        turns = 0
        while count < n:
            turns += 1
        return count + 0

    def add() -> None:
        for _ in range(10):
            time.sleep(0.02)
            count.assign_add(1)

    found: list[Any] = []
    crowd(lambda: found.append(int(wait(tf.constant(10)))), add)
    assert found == [10]


def awaited(function: Callable[..., Any], *arguments: Any) -> list[str]:
    graph = tf.function(function).get_concrete_function(*arguments).graph
    return sorted(variable.name for variable in awaited_in(graph))


def test_which_variables_loops_wait_for() -> None:
    w, rate, limit = (tf.Variable(1.0, name=name) for name in ("w", "rate", "limit"))

    def train(n: Any) -> None:
        for _ in range(n):
            w.assign(w * rate + limit)

    def until(n: Any) -> None:
        while w < limit:
            w.assign(w * rate)

    def with_break(n: Any) -> Any:
        x = 1.0
        for _ in range(n):
            x = x * rate
            if x > limit:
                break
        return x + w

    n = tf.constant(3)
    assert awaited(train, n) == []
    assert awaited(until, n) == ["limit:0"]
    assert awaited(with_break, n) == ["limit:0", "rate:0"]


@pytest.mark.parametrize("demanded", [False, True])
def test_what_was_assigned_before_an_error_counts(demanded: bool) -> None:
    v, w = tf.Variable(0), tf.Variable(0)

    @tf.function(jit_compile=True if demanded else None)
    def count(n: Any) -> None:
        for i in range(n):
            v.assign_add(1)
            assert i < 7, "too many"
            w.assign_add(2)

    n = tf.constant(10)
    for k in range(1, 4):
        with pytest.raises((AssertionError, tf.errors.InvalidArgumentError), match="too many"):
            count(n)
        assert (int(v), int(w)) == (8 * k, 14 * k)


def test_an_error_after_another_thread_came_between() -> None:
    """The plan runs once more on the variables themselves, and raises, or does not."""
    v = tf.Variable(0)

    def count(n: Any) -> None:
        for _ in range(n):
            v.assign_add(1)
            assert v < 5, "too many"

    made = region(count, tf.constant(10), demanded=False)
    plan = made._counting
    assert plan is not None and plan[1] is not None
    run, seen = plan[0].run, []

    def forestalled(*inputs: Any) -> Any:
        try:
            return run(*inputs)
        finally:
            if not seen:
                seen.append(crowd(lambda: v.assign(-100)))

    plan[0].run = forestalled  # type: ignore[method-assign]
    made.run(np.int32(10))
    assert int(v) == -90


def test_interrupted_code_leaves_all_as_it_was() -> None:
    v, w = tf.Variable(3), tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def count(n: Any) -> None:
        while n > 0:
            v.assign_add(1)
            w.assign_add([1.0, 1.0])
            n = n + v % 2

    count(tf.constant(0))
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        count(tf.constant(1))
    timer.join()
    crowd(lambda: v.assign_add(1), lambda: w.assign_add([1.0, 1.0]), lambda: count(tf.constant(0)))
    assert int(v) == 4 and w.numpy().tolist() == [2.0, 3.0]
