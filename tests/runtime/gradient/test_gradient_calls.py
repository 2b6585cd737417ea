"""Gradients through calls of traced functions, eager and in traces."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np

import autograph as tf
from autograph.runtime.gradient.call import DERIVATIVES

from .gradient_ways import check, difference, ways


@tf.function
def collatz(x, n):
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            x = x * x / 4.0
        else:
            n = 3 * n + 1
            x = tf.sin(x) + x
    return x


@tf.function
def cube(x):
    return x * x * x


@tf.function
def two_results(x, y):
    return {"product": x * y, "count": tf.constant(3), "first": x}


def test_calls_with_structures() -> None:
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        found = two_results(x, y)
    check(tape.gradient(found["product"], [x, y]), [5, 2])
    check(tape.gradient(found["first"], x), 1)
    assert tape.gradient(found["count"], x) is None


def test_seed_example() -> None:
    @tf.function
    def add(a, b):
        return a + b

    v = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(v)
        result = add(v, 1.0)
    check(tape.gradient(result, v), 1)


@ways
def test_calls_in_calls(way) -> None:
    @tf.function
    def outer(x, n):
        y = cube(x)
        for _ in tf.range(n):
            y = y + cube(y)
        return y

    def plain(x):
        y = x**3
        for _ in range(2):
            y = y + y**3
        return y

    _, g, second = way(outer, np.float64(0.7), tf.constant(2))
    slope = difference(plain, 0.7)
    check(g, slope)
    curve = difference(lambda x: difference(plain, x, 1e-4), 0.7, 1e-4)
    np.testing.assert_allclose(second, 2 * slope * curve, rtol=1e-4)


def test_a_captured_eager_tensor() -> None:
    c = tf.constant(2.0)

    @tf.function
    def scaled(y):
        for _ in tf.range(2):
            if y > 0.0:
                y = c * c * y
        return y

    with tf.GradientTape() as tape:
        tape.watch(c)
        z = scaled(tf.constant(3.0))
    check(tape.gradient(z, c), 3 * 4 * 8)


def test_second_order_without_a_second_tape() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        g = tape.gradient(cube(x), x)
    check(tape.gradient(g, x), 12)


def test_one_trace_and_one_derivative_serve_all_calls() -> None:
    @tf.function
    def cubed(x):
        return x * x * x

    for value in (1.0, 2.0, 3.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x)
        check(tape.gradient(y, x), 3 * value**2)
    assert cubed.experimental_get_tracing_count() == 1
    assert len(DERIVATIVES.of(cubed.get_concrete_function(tf.constant(1.0)).graph)) == 1


def test_many_threads_share_a_derivative() -> None:
    @tf.function
    def loop(x, n):
        for _ in tf.range(n):
            x = tf.sin(x) * x
        return x

    results: list = []

    def work() -> None:
        for _ in range(20):
            x = tf.constant(0.7)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = loop(x, tf.constant(3))
            results.append(float(tape.gradient(y, x)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 160 and len(set(results)) == 1


def test_no_graph_outlives_its_function() -> None:
    @tf.function
    def loop(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            for _ in tf.range(n):
                x = collatz(x, n) * x
        return x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loop(x, tf.constant(2))
    tape.gradient(y, x)
    concrete = loop.get_concrete_function(x, tf.constant(2))
    references = [weakref.ref(concrete.graph)]
    references += [weakref.ref(found.forward) for found in DERIVATIVES.of(concrete.graph).values()]
    assert len(references) == 2
    del loop, concrete, tape, y
    gc.collect()
    assert [reference() for reference in references] == [None, None]
