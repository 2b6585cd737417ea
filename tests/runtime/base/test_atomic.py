"""Assignments are atomic, and so is what makes a value of the old one: eagerly, in plans and in machine code.

What several assignments do together is not, as in TensorFlow: the programs here count, and counts come out the same in
any order.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import atomic, threads
from autograph.runtime.base.list_value import ListValue
from autograph.runtime.ops.host import state

from ..crowd import crowd, repeat

WAYS: dict[str, Callable[..., Any]] = {
    "eager": lambda function: function,
    "plan": lambda function: tf.function(function, jit_compile=False),
    "chosen": tf.function,
}
try:
    import llvmlite  # noqa: F401

    WAYS["machine code"] = lambda function: tf.function(function, jit_compile=True)
except ImportError:
    pass
way = pytest.mark.parametrize("way", WAYS)
THREADS, CALLS = 6, 60


def in_sequence(v: Any, w: Any, n: Any) -> None:
    v.assign_add(1)
    w.assign_add(tf.ones([50], tf.int64))
    v.assign_sub(3)
    w.assign_sub(2 * tf.ones([50], tf.int64))
    v.assign_add(3)


def in_a_loop(v: Any, w: Any, n: Any) -> None:
    for i in tf.range(n):
        v.assign_add(1)
        if i % 10 == 0:
            w.assign_sub(tf.ones([50], tf.int64))
        else:
            v.assign_sub(tf.cast(i % 2, tf.int64))


def in_branches(v: Any, w: Any, n: Any) -> None:
    if n > 100:
        v.assign(0)
    elif n > 10:
        v.assign_add(2)
    if n < 0:
        w.assign_add(tf.ones([50], tf.int64))


def in_nested_functions(v: Any, w: Any, n: Any) -> None:
    @tf.function
    def inner(m: Any) -> Any:
        v.assign_add(m)
        return m

    inner(tf.constant(2, tf.int64))
    w.assign_add(tf.ones([50], tf.int64) * inner(tf.constant(3, tf.int64)))


def in_places(v: Any, w: Any, n: Any) -> None:
    w[3].assign_add(4)
    w[10:20].assign_sub(tf.ones([10], tf.int64))
    v.assign_add(1)


def in_scattered_places(v: Any, w: Any, n: Any) -> None:
    w.scatter_nd_add([[0], [7], [7]], tf.constant([1, 2, 3], tf.int64))
    w.scatter_sub(tf.IndexedSlices(tf.constant([5], tf.int64), [49]))


@way
@pytest.mark.parametrize(
    "program", [in_sequence, in_a_loop, in_branches, in_nested_functions, in_places, in_scattered_places]
)
def test_no_thread_loses_an_update(way: str, program: Callable[..., None]) -> None:
    if way == "machine code" and program in (in_nested_functions, in_scattered_places):
        pytest.skip("has no form in machine code")

    def variables() -> tuple[Any, Any]:
        return tf.Variable(0, dtype=tf.int64), tf.Variable(np.zeros(50, np.int64))

    n, calls = tf.constant(20), CALLS // 10 if way == "eager" else CALLS
    once, (v, w) = variables(), variables()
    program(*once, n)
    function = WAYS[way](lambda n: program(v, w, n))
    crowd(*[repeat(lambda: function(n), calls)] * THREADS)
    assert int(v) == THREADS * calls * int(once[0])
    np.testing.assert_array_equal(w.numpy(), THREADS * calls * once[1].numpy())


def test_updates_of_a_loop_and_of_straight_code() -> None:
    v, w = tf.Variable(0, dtype=tf.int64), tf.Variable(np.zeros(1000, np.float32))

    @tf.function
    def count(n: Any) -> None:
        for _ in range(n):
            v.assign_add(1)

    @tf.function
    def add() -> None:
        w.assign_add(tf.ones([1000]))
        w.assign_add(tf.ones([1000]))

    n = tf.constant(100)
    crowd(*[repeat(lambda: count(n), 300)] * 8)
    assert int(v) == 8 * 300 * 100
    crowd(*[repeat(add, 1000)] * 8)
    assert set(w.numpy().tolist()) == {8 * 1000 * 2.0}


def test_a_loop_that_becomes_machine_code_while_it_runs() -> None:
    """What the plan has done by then was never to be seen, and takes nothing back that others have done."""
    v, running = tf.Variable(0), [True]

    @tf.function
    def count(n: Any) -> None:
        for _ in range(n):
            v.assign_add(1)

    def look() -> None:
        last = 0
        while running[0]:
            now = int(v)
            assert last <= now
            last = now

    def add() -> None:
        try:
            for _ in range(3):
                repeat(lambda: v.assign_add(1), 300)()
        finally:
            running[0] = False

    n = tf.constant(400_000)
    crowd(lambda: count(n), look, add)
    assert int(v) == 400_000 + 900


@way
def test_gradient_and_optimizer_steps(way: str) -> None:
    w = tf.Variable(np.zeros(8, np.float32))
    optimizer = tf.keras.optimizers.SGD(1.0)
    optimizer.build([w])

    def by_hand() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * 2.0)
        w.assign_sub(tape.gradient(loss, w))

    def by_optimizer() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * 3.0)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])

    first, second = WAYS[way](by_hand), WAYS[way](by_optimizer)
    calls = 15 if way == "eager" else 60
    crowd(*[repeat(first, calls), repeat(second, calls)] * 3)
    assert int(optimizer.iterations) == 3 * calls
    assert set(w.numpy().tolist()) == {-5.0 * 3 * calls}


@way
def test_variables_in_different_orders(way: str) -> None:
    variables = [tf.Variable(100), tf.Variable(100), tf.Variable(100)]

    def move(k: int, m: int) -> Callable[[Any], Any]:
        a, b = variables[k], variables[m]

        def run(n: Any) -> Any:
            for _ in range(n):
                a.assign_sub(1)
                b.assign_add(1)
            return a + b

        return WAYS[way](run)

    n = 5 if way == "eager" else tf.constant(5)
    functions = [move(0, 1), move(1, 0), move(1, 2), move(2, 1), move(2, 0), move(0, 2)]
    crowd(*[repeat(lambda f=f: f(n), 10 if way == "eager" else 100) for f in functions])  # type: ignore[misc]
    assert [int(v) for v in variables] == [100, 100, 100]


def test_python_code_that_assigns_the_same_variable() -> None:
    v = tf.Variable(0)

    @tf.function
    def other(n: Any) -> Any:
        for _ in range(n):
            v.assign_add(1)
        return n

    def in_python(n: Any) -> Any:
        v.assign_add(1)
        return other(n)

    @tf.function
    def outer(n: Any) -> Any:
        v.assign_add(1)
        m = tf.py_function(in_python, [n], tf.int32)
        for _ in range(m):
            v.assign_add(1)
        return m

    n = tf.constant(3)
    crowd(*[repeat(lambda: outer(n), 20), repeat(lambda: other(n), 20)] * 3)
    assert int(v) == 3 * 20 * (1 + 1 + 3 + 3) + 3 * 20 * 3


def test_recursion() -> None:
    v = tf.Variable(0)

    @tf.function
    def count(n: Any) -> Any:
        v.assign_add(1)
        return tf.constant(0) if n == 0 else count(n - 1) + 1

    n = tf.constant(9)
    crowd(*[repeat(lambda: count(n), 20)] * 4)
    assert int(v) == 4 * 20 * 10


@way
def test_reads_are_of_one_value_and_never_go_back(way: str) -> None:
    v, w, running = tf.Variable(0), tf.Variable(np.zeros(20_000, np.int64)), [True]
    change = WAYS[way](lambda: (v.assign_add(1), w.assign_add(tf.ones([20_000], tf.int64)))[0])
    read = WAYS[way](lambda: (tf.identity(v), tf.reduce_min(w), tf.reduce_max(w)))

    def look() -> None:
        last = 0
        while running[0]:
            count, *_ = (int(x) for x in read())
            array = w.numpy()
            assert array.min() == array.max()
            assert last <= count
            last = count

    def write() -> None:
        try:
            repeat(change, 50)()
        finally:
            running[0] = False

    crowd(look, look, write)
    assert int(v) == 50 == w.numpy().max()


@way
def test_other_shapes_meanwhile(way: str) -> None:
    v = tf.Variable([1.0], shape=[None])

    def replace(x: Any) -> None:
        v.assign(x)

    def double() -> Any:
        v.assign(v * 1.0)
        v.assign(v + 0.0)
        return tf.reduce_max(v) - tf.reduce_min(v)

    replaced, doubled = WAYS[way](replace), WAYS[way](double)
    values = [tf.fill([n], float(n)) for n in (1, 3, 4, 7)]

    def write() -> None:
        for i in range(60):
            replaced(values[i % 4])

    crowd(write, repeat(doubled, 60), write)
    found = v.numpy()
    assert set(found.tolist()) == {float(len(found))}


def test_generators_draw_nothing_twice() -> None:
    generator = tf.random.Generator.from_seed(3)
    staged, drawn = tf.function(lambda: generator.uniform_full_int([2], tf.int64)), []

    def eager() -> None:
        drawn.extend(generator.uniform_full_int([2], tf.int64).numpy().tolist())

    def in_graph() -> None:
        drawn.extend(staged().numpy().tolist())

    crowd(*[repeat(eager, 20), repeat(in_graph, 20)] * 3)
    assert len(set(drawn)) == len(drawn) == 6 * 20 * 2
    again = tf.random.Generator.from_seed(3)
    for _ in range(120):
        again.skip(2)
    assert generator.state.numpy().tolist() == again.state.numpy().tolist()


class Forestalled:
    """A variable's value that another thread replaces while something is made of it, the first few times."""

    def __init__(self, times: int) -> None:
        self.variable, self.times, self.seen = tf.Variable(0), times, 0

    def add(self, target: Any, old: Any, value: Any) -> Any:
        self.seen += 1
        if self.seen <= self.times:
            self.variable.assign_add(100)
        return np.asarray(old + value)


@pytest.mark.parametrize("times", [0, 1, 3])
def test_what_is_made_of_a_value_that_is_gone_is_made_again(times: int) -> None:
    case = Forestalled(times)
    atomic.change(case.variable, case.add, np.int32(1))
    assert int(case.variable) == 100 * times + 1 and case.seen == times + 1


def test_an_error_leaves_the_lock_open() -> None:
    v = tf.Variable([1, 2], shape=[None])
    for _ in range(2):
        with pytest.raises(ValueError, match="shapes must be equal"):
            state.ASSIGN_ADD.numpy(np.array([1, 2, 3], np.int32), target=v)  # type: ignore[misc]
    crowd(lambda: v.assign_add([1, 1]))
    assert v.numpy().tolist() == [2, 3]


@contextmanager
def interruptions(handle: Callable[..., None]) -> Iterator[None]:
    """The main thread is interrupted by a signal, with this handler, every millisecond."""
    if not hasattr(signal, "pthread_kill"):
        pytest.skip("there are no signals to threads")
    stop, main = threading.Event(), threading.get_ident()

    def interrupt() -> None:
        while not stop.wait(0.001):
            signal.pthread_kill(main, signal.SIGUSR1)

    before, thread = signal.signal(signal.SIGUSR1, handle), threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)


def test_handlers_of_signals_may_do_what_they_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    x, calls = np.ones((80, 80), np.float32), [0]

    def work() -> None:
        for _ in range(50):
            values = ListValue.of([1])
            older, values = values, values.push(2)
            assert (len(older), len(values), older[0]) == (1, 2, 1)
            tf.random.uniform([])
            tf.linalg.matmul(x, x)

    def handle(*_: Any) -> None:
        calls[0] += 1
        ListValue.of([1]).push(2)
        tf.random.uniform([])
        tf.linalg.matmul(x, x)

    monkeypatch.setattr(threads, "_is_alone", lambda: True)
    before = tf.config.threading.get_intra_op_parallelism_threads()
    with interruptions(handle):
        while calls[0] < 300:
            work()
    assert tf.config.threading.get_intra_op_parallelism_threads() == before


@way
def test_handlers_of_signals_may_assign(way: str) -> None:
    v, calls = tf.Variable(0), [0]

    def count(n: Any) -> None:
        for _ in range(n):
            v.assign_add(1)

    def handle(*_: Any) -> None:
        calls[0] += 1
        v.assign_add(1)

    function, n, runs = WAYS[way](count), 3000 if way == "eager" else tf.constant(3000), 1
    function(n)  # while it is traced, a handler would add to the graph
    with interruptions(handle):
        while calls[0] < 100 and runs < 2000:
            function(n)
            runs += 1
    assert int(v) == 3000 * runs + calls[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_threads_and_a_fork() -> None:
    v, stop = tf.Variable(0), threading.Event()

    def count() -> None:
        while not stop.is_set():
            v.assign_add(1)

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    try:
        for _ in range(10):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                child = os.fork()
            if not child:
                try:
                    signal.signal(signal.SIGALRM, signal.SIG_DFL)
                    signal.alarm(10)
                    v.assign_add(1)
                    os._exit(0)
                finally:
                    os._exit(1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()
