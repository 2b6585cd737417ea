"""Gradients through branches, loops, lists and effects, of first and second order."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

import autograph as tf

from .gradient_ways import check, difference, eager, inlined, staged, ways


@tf.function
def branches(x, limit):
    if tf.reduce_sum(x) > limit:
        y = x * x
        if x[0] > 0.0:
            y = y * x
    else:
        y = -x
    return tf.reduce_sum(y)


@ways
def test_branches(way) -> None:
    x = np.array([1.0, 2.0], np.float32)
    _, g, second = way(branches, x, tf.constant(0.0))
    check(g, 3 * x**2)
    check(second, 36 * x**3)
    _, g, second = way(branches, x, tf.constant(9.0))
    check(g, [-1, -1])
    check(second, [0, 0])


@tf.function
def power(x, n):
    y = tf.constant(1.0)
    for _ in tf.range(n):
        y = y * x
    return y


@ways
@pytest.mark.parametrize("n", [0, 1, 4])
def test_loop(way, n: int) -> None:
    y, g, second = way(power, np.float32(2), tf.constant(n))
    check(y, 2.0**n)
    check(g, n * 2.0 ** (n - 1))
    check(second, 2 * n * 2.0 ** (n - 1) * n * (n - 1) * 2.0 ** (n - 2))


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


def collatz_numpy(x, n):
    while n != 1:
        n, x = (n // 2, x * x / 4.0) if n % 2 == 0 else (3 * n + 1, np.sin(x) + x)
    return x


@pytest.mark.parametrize("n", [1, 2, 5, 6])
@ways
def test_loop_with_branches(way, n: int) -> None:
    y, g, second = way(collatz, np.float64(1.3), tf.constant(n))
    check(y, collatz_numpy(1.3, n))
    slope = difference(lambda x: collatz_numpy(x, n), 1.3)
    check(g, slope)
    curve = difference(lambda x: difference(lambda z: collatz_numpy(z, n), x, 1e-4), 1.3, 1e-4)
    np.testing.assert_allclose(second, 2 * slope * curve, rtol=1e-3, atol=1e-5)


@tf.function
def nested(x, n):
    total = tf.zeros_like(x)
    for i in tf.range(n):
        y = x
        for j in tf.range(i):
            if j % 2 == 0:
                y = y * x
            else:
                y = y + total
        total = total + y
    return tf.reduce_sum(total)


def nested_numpy(x, n):
    total = np.zeros_like(x)
    for i in range(n):
        y = x
        for j in range(i):
            y = y * x if j % 2 == 0 else y + total
        total = total + y
    return total


@ways
def test_nested_loops(way) -> None:
    x = np.array([0.5, 1.5])
    y, g, second = way(nested, x, tf.constant(5))
    check(y, nested_numpy(x, 5).sum())
    slope = difference(lambda x: nested_numpy(x, 5), x)
    check(g, slope)
    curve = difference(lambda x: difference(lambda z: nested_numpy(z, 5), x, 1e-4), x, 1e-4)
    np.testing.assert_allclose(second, 2 * slope * curve, rtol=1e-3)


@tf.function
def lists(x, n):
    kept = []
    for i in tf.range(n):
        kept.append(x[i] * x[i])
        if i % 2 == 1:
            last = kept.pop()
            kept.append(last * x[0])
    return tf.reduce_sum(tf.stack(kept))


@ways
def test_lists(way) -> None:
    x = np.array([2.0, 3.0, 5.0, 7.0])
    y, g, second = way(lists, x, tf.constant(4))
    check(y, 4 + 9 * 2 + 25 + 49 * 2)
    check(g, [4 + 9 + 49, 2 * 3 * 2, 10, 2 * 7 * 2])
    a = np.array([[2, 6, 0, 14], [6, 4, 0, 0], [0, 0, 2, 0], [14, 0, 0, 4]])
    check(second, 2 * a @ np.asarray(g))


@tf.function
def stores(x, n):
    y = tf.zeros_like(x)
    for i in tf.range(n):
        y[i] = x[i] * y[i - 1] + x[n - 1 - i]
        y[0:2] += x[0:2] * y[i]
    return tf.reduce_sum(y * y)


def stores_numpy(x):
    n = len(x)
    y = np.zeros_like(x)
    for i in range(n):
        y[i] = x[i] * y[i - 1] + x[n - 1 - i]
        y[0:2] += x[0:2] * y[i]
    return (y * y).sum()


@ways
def test_stores_at_dynamic_places(way) -> None:
    x = np.array([0.3, 0.7, -0.4, 0.9])
    y, g, _ = way(stores, x, tf.constant(4))
    check(y, stores_numpy(x))
    check(g, [difference(lambda d, i=i: stores_numpy(x + d * np.eye(4)[i]), 0.0) for i in range(4)])


def test_what_may_be_none_or_undefined() -> None:
    @tf.function
    def best(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = None
            for value in x:
                if found is None or value * value > found:
                    found = value * value
                    where = value * 2.0
            result = found + where
        return tape.gradient(result, x)

    check(best(tf.constant([1.0, -3.0, 2.0])), [0, -4, 0])


def test_random_numbers_and_printing_are_not_repeated(capfd) -> None:
    @tf.function
    def noisy(x, n):
        for i in tf.range(n):
            if i % 2 == 0:
                x = x * tf.random.uniform([])
            else:
                for _ in tf.range(2):
                    x = x + x * tf.random.uniform([])
            tf.print("turn", i)
        return x

    for way in (eager, staged, inlined):
        capfd.readouterr()
        y, g, second = way(noisy, np.float64(2), tf.constant(5))
        check(g * 2.0, y)
        check(second, 0)
        assert capfd.readouterr().err.count("turn") == 5


def test_a_branch_that_raises() -> None:
    @tf.function
    def guarded(x):
        y = x * x
        if x > 100.0:
            raise ValueError("too large")
        for _ in tf.range(2):
            if y > 1e6:
                raise ValueError("too large")
            y = y * x
        return y

    _, g, _ = eager(guarded, np.float32(2))
    check(g, 4 * 8)
    with pytest.raises(ValueError, match="too large"):
        eager(guarded, np.float32(200))


def test_a_gradient_in_a_branch_of_what_is_outside() -> None:
    @tf.function
    def compute(x, flag):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x
            if flag:
                z = y * 3.0
                g = tape.gradient(z, x)
            else:
                g = tape.gradient(y, x)
        return g

    check(compute(tf.constant(2.0), tf.constant(True)), 3 * 32)
    check(compute(tf.constant(2.0), tf.constant(False)), 32)


def test_tapes_in_staged_loops() -> None:
    @tf.function
    def descend(w, n):
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = tf.reduce_sum((w - 3.0) ** 2)
            w = w - 0.25 * tape.gradient(loss, w)
        return w

    check(descend(tf.constant([1.0, 5.0]), tf.constant(30)), [3, 3])


def test_shapes_that_change_in_a_loop() -> None:
    @tf.function
    def grow(x, n):
        y = x
        for _ in tf.range(n):
            y = tf.concat([y, y[:1] * x[:1]], 0)
        return tf.reduce_sum(y)

    _, g, second = eager(grow, np.array([2.0, 3.0]), tf.constant(2))
    check(g, [1 + 2 * 2 * 2, 1])
    check(second, [2 * 9 * 4, 0])


def test_state_of_several_types_and_structures() -> None:
    @tf.function
    def walk(x, n):
        state = {"count": 0, "pair": (x, [x * 2.0]), "name": tf.constant("a")}
        for _ in tf.range(n):
            first, (second,) = state["pair"]
            state = {"count": state["count"] + 1, "pair": (second, [first * x]), "name": state["name"] + "b"}
        return state["pair"][0] * tf.cast(state["count"], x.dtype)

    _, g, second = eager(walk, np.float64(3), tf.constant(3))  # x, 2x, x^2, 2x^2: 3 turns give 2x^2
    check(g, 3 * 4 * 3)
    check(second, 2 * 36 * 12)


def test_memory_grows_by_what_a_turn_needs() -> None:
    @tf.function
    def gradient(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                y = tf.sin(y) * 1.01
        return tape.gradient(y, x)

    x = tf.constant(np.ones(1000, np.float32))
    gradient(x, tf.constant(1))
    peaks = []
    for n in (200, 400, 800):
        tracemalloc.start()
        gradient(x, tf.constant(n))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    turn = (peaks[2] - peaks[1]) / 400
    assert 0.9 * turn < (peaks[1] - peaks[0]) / 200 < 1.1 * turn
    assert turn < 3 * x.numpy().nbytes


def test_reading_elements_in_a_loop_takes_time_in_proportion() -> None:
    @tf.function
    def total(x):
        result = 0.0
        for value in x:
            result = result + value * value
        return result

    def seconds(n: int) -> float:
        x = tf.constant(np.ones(n, np.float32))
        best = 1e9
        for _ in range(2):
            start = time.perf_counter()
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = total(x)
            check(tape.gradient(y, x), np.full(n, 2.0))
            best = min(best, time.perf_counter() - start)
        return best

    assert seconds(60000) < 60 * seconds(4000)  # 225 times as long if each turn made a whole tensor


@pytest.mark.parametrize("store", ["item", "scatter"])
def test_stores_in_a_loop_keep_no_copies_of_the_gradient(store: str) -> None:
    @tf.function
    def total(x, n):
        y = tf.zeros((n,))
        for i in tf.range(n):
            if store == "item":
                y[i] = x
            else:
                y = tf.tensor_scatter_nd_update(y, tf.reshape(i, [1, 1]), tf.reshape(x, [1]))
        return tf.reduce_sum(y)

    def peak(n: int) -> int:
        x = tf.constant(1.0)
        tracemalloc.start()
        with tf.GradientTape() as second:  # keeps what the way back of the first may need
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = total(x, tf.constant(n))
            gradient = first.gradient(y, x)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        check(gradient, n)
        return most

    peak(3)
    assert peak(1000) < 1000 * 1000  # 4 bytes for each element in each turn would be four times as much


def turns(x, n):
    for _ in tf.range(n):
        x = tf.sin(x) * x if x > 0.0 else -x
    return x


def test_a_gradient_does_not_edit_the_graphs_that_it_goes_through() -> None:
    @tf.function
    def derived(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.autograph.to_graph(turns)(x, n)
        loop = y.op
        text = str(loop.body), str(loop.test)
        found = tape.gradient(y, x)
        assert (str(loop.body), str(loop.test)) == text and y.op is not loop
        assert y.op.name == loop.name and y.op.count > loop.count
        return found

    check(derived(tf.constant(2.0), tf.constant(1)), np.cos(2.0) * 2 + np.sin(2.0))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_tape_goes_through_gradients_that_were_asked_of_the_graph(sign) -> None:
    @tf.function
    def second(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                y = y * x
            y = y * y if x > 0.0 else y * x
            (first,) = tf.gradients(y, x)
        return first, tape.gradient(first, x)

    first, found = second(tf.constant(2.0 * sign), tf.constant(3))
    check([first, found], [8 * 2.0**7, 56 * 2.0**6] if sign > 0 else [5 * 2.0**4, -20 * 2.0**3])


def test_what_is_stored_into_in_a_loop_is_known_after_its_gradient() -> None:
    @tf.function
    def stores(a, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in tf.range(3):
                a[i] = 1.0
                y = y * x
        return tape.gradient(y, x)

    with pytest.raises(ValueError, match="modified: a"):
        stores(np.zeros(3, np.float32), tf.constant(2.0))


def test_eager_tensors_in_a_loop_are_told_after_its_gradient() -> None:
    kept = tf.constant(3.0)

    @tf.function
    def adds(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x + kept
        return tape.gradient(y, x)

    assert any(each is kept for each in adds.get_concrete_function(tf.constant(2.0)).captured_inputs)
