"""Many signatures, calls, threads and iterations: one trace for each signature, right answers, and no leaks.

Memory is what Python's allocators hold (`tracemalloc`), compared between equal rounds after caches have filled: a leak
grows with each round.
"""

from __future__ import annotations

import gc
import itertools
import linecache
import threading
import tracemalloc
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .work import work

pytestmark = pytest.mark.usefixtures("unwatched")
ITERATIONS = 100_000
KILOBYTE = 1024


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def _memory() -> Iterator[None]:
    yield
    tracemalloc.stop()


def growth(act: Callable[[], Any], warm: int = 2, rounds: int = 3) -> int:
    """By how many bytes at least the memory in use grows in each round, after some that fill caches.

    The least, since memory of all threads counts, also of those that other tests have left.
    """
    for _ in range(warm):
        act()
    gc.collect()
    tracemalloc.start()
    sizes = []
    for _ in range(rounds + 1):
        act()
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    return min(after - before for before, after in itertools.pairwise(sizes))


def in_threads(count: int, run: Callable[[int], Any]) -> None:
    """Runs a function on several threads at once; the first error is raised here."""
    barrier, errors = threading.Barrier(count), []

    def body(seed: int) -> None:
        barrier.wait()
        try:
            run(seed)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


# Signatures


def test_a_thousand_signatures_have_a_trace_each_and_slow_no_call() -> None:
    traced: list[Any] = []

    @tf.function
    def scale(x: Any, n: int) -> Any:
        traced.append((x.shape, n))
        if tf.reduce_sum(x) > 0:
            x = x * n
        return x

    tensors = [tf.ones((rows + 1,)) for rows in range(50)]

    def call(x: Any, n: int) -> None:
        assert scale(x, n).numpy().tolist() == [float(n)] * len(x)

    def cost(x: Any, n: int) -> int:
        for _ in range(5):
            scale(x, n)
        return work(lambda: scale(x, n))

    few = cost(tensors[0], 0)
    for n in range(20):
        for x in tensors:
            call(x, n)
    for n in range(20):
        for x in reversed(tensors):
            call(x, n)
    assert len(traced) == scale.experimental_get_tracing_count() == len(set(map(str, traced))) == 1000
    assert cost(tensors[0], 0) == cost(tensors[-1], 19) == few
    # The long way, of a call that is not like the ones before, has no more to do either.
    assert work(lambda: scale(tensors[20], 11)) < 10 * few + 500
    assert len(scale.pretty_printed_concrete_signatures(verbose=False).split("\n")) == 1000


@pytest.mark.usefixtures("_memory")
def test_dropped_traces_leave_no_memory_behind() -> None:
    numbers = iter(range(10**6))
    bounded = tf.function(lambda x, n: x * n + tf.reduce_sum(x), maximum_traces=10)
    unbounded = tf.function(lambda x, n: x * n + tf.reduce_sum(x))
    x = tf.ones((3,))

    def many_values() -> None:
        for _ in range(40):
            bounded(x, next(numbers))

    one_trace = growth(lambda: unbounded(x, next(numbers)), rounds=10)
    tracemalloc.stop()
    assert one_trace > 2 * KILOBYTE
    assert growth(many_values) < 5 * one_trace


@pytest.mark.usefixtures("_memory")
def test_functions_and_instances_that_are_gone_leave_no_memory_behind() -> None:
    class Scale:
        def __init__(self, factor: Any) -> None:
            self.factor = factor

        @tf.function
        def call(self, x: Any) -> Any:
            return x * self.factor

    big = 100 * KILOBYTE
    alive: list[Any] = []

    def use() -> None:
        table = tf.constant(np.ones(big // 8))
        function, instance = tf.function(lambda x: x + table), Scale(table)
        for x in (tf.constant(1.0, tf.float64), tf.ones((2, 1), tf.float64)):
            function(x)
            instance.call(x)
        alive.extend([weakref.ref(function), weakref.ref(instance)])

    assert growth(use) < big / 4
    assert all(reference() is None for reference in alive)


# Calls and threads


@pytest.mark.usefixtures("_memory")
def test_ten_thousand_calls_from_eight_threads() -> None:
    counter = tf.Variable(0)
    traced: list[Any] = []

    @tf.function
    def step(x: Any, n: int) -> Any:
        traced.append((x.shape, n))
        counter.assign_add(1)
        total = 0.0
        for value in x:
            if value > 0:
                total += value * n
        return total

    def calls(seed: int) -> None:
        generator = np.random.default_rng(seed)
        for rows, n in generator.integers(1, 6, (1250, 2)).tolist():
            assert float(step(tf.ones((rows,)), n)) == rows * n

    in_threads(8, calls)
    assert int(counter) == 10_000
    assert len(traced) == step.experimental_get_tracing_count() == len(set(map(str, traced))) == 25
    x = tf.ones((3,))
    assert growth(lambda: in_threads(2, lambda seed: [step(x, 2) for _ in range(150)]), warm=5) < 4 * KILOBYTE


def test_threads_convert_trace_and_call_at_once() -> None:  # L28
    def make(k: int) -> Any:
        namespace: dict[str, Any] = {}
        text = (
            f"def f(x):\n    for i in range({k % 3 + 1}):\n        if x > i:\n            x = x * {k}\n    return x\n"
        )
        name = f"<soak {k}>"
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        exec(compile(text, name, "exec"), namespace)
        return namespace["f"]

    plain = [make(k) for k in range(24)]
    functions = [tf.function(f) for f in plain]

    def run(seed: int) -> None:
        for k in np.random.default_rng(seed).permutation(len(plain)).tolist():
            assert int(functions[k](tf.constant(2))) == plain[k](2)
            fresh = tf.function(plain[k])
            assert int(fresh(tf.constant(1))) == plain[k](1)

    in_threads(8, run)
    for k in range(len(plain)):
        linecache.cache.pop(f"<soak {k}>")
    assert [f.experimental_get_tracing_count() for f in functions] == [1] * len(functions)


# Iterations


@tf.function
def plain_loop(n: Any) -> Any:
    i, total = 0, tf.constant(0, tf.int64)
    while i < n:
        if i % 2 == 0:
            total += tf.cast(i, tf.int64)
        i += 1
    return total


@tf.function
def short_list(n: Any) -> Any:
    recent: list[Any] = []
    total = tf.constant(0, tf.int64)
    for i in tf.range(n):
        recent.append(tf.cast(i, tf.int64))
        if len(recent) > 3:
            total += recent.pop(0)
    return total


@tf.function
def long_list(n: Any) -> Any:
    items: list[Any] = []
    for i in tf.range(n):
        items.append(tf.cast(i, tf.int64))
    return tf.reduce_sum(tf.convert_to_tensor(items))


@tf.function
def tensor_array(n: Any) -> Any:
    array = tf.TensorArray(tf.int64, size=n)
    for i in tf.range(n):
        array = array.write(i, tf.cast(i, tf.int64))
    return tf.reduce_sum(array.stack())


variable = tf.Variable(0, dtype=tf.int64)


@tf.function
def assigned(n: Any) -> Any:
    variable.assign(0)
    for i in tf.range(n):
        variable.assign_add(tf.cast(i, tf.int64))
    return variable.value()


@tf.function
def elements(n: Any) -> Any:
    total = tf.constant(0, tf.int64)
    for x in tf.data.Dataset.range(tf.cast(n, tf.int64)):
        total += x
    return total


def triangle(n: int) -> int:
    return n * (n - 1) // 2


LOOPS: dict[Any, Callable[[int], int]] = {
    plain_loop: lambda n: sum(range(0, n, 2)),
    short_list: lambda n: triangle(n - 3),
    long_list: triangle,
    tensor_array: triangle,
    assigned: triangle,
    elements: triangle,
}


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
@pytest.mark.usefixtures("_memory")
def test_a_hundred_thousand_iterations(loop: Any) -> None:
    assert int(loop(tf.constant(ITERATIONS))) == LOOPS[loop](ITERATIONS)
    assert growth(lambda: loop(tf.constant(400)), warm=4) < 4 * KILOBYTE  # 10 bytes for each iteration
    assert loop.experimental_get_tracing_count() == 1
    if loop in (long_list, tensor_array):  # what they hold grows
        return
    peaks = []
    for n in (1000, 4000):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        loop(tf.constant(n))
        peaks.append(tracemalloc.get_traced_memory()[1] - before)
    assert peaks[1] < peaks[0] + 3000 * 4 + 4 * KILOBYTE  # the numbers of tf.range themselves
