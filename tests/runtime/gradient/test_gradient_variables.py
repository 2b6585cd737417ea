"""Gradients of variables: every read counts, wherever it happens; assignments let none through."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf


def check(found: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


def test_variables_that_are_read_are_followed() -> None:
    v, frozen = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v * frozen
    assert tape.watched_variables() == (v,)
    check(tape.gradient(y, v), 12)
    assert tape.gradient(y, frozen) is None
    with tf.GradientTape() as tape:
        tape.watch(frozen)
        y = frozen * frozen
    check(tape.gradient(y, frozen), 4)


def test_only_what_is_watched_when_asked_for() -> None:
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    found = tape.gradient(y, {"v": v, "w": w})
    check(found["v"], 2)
    assert found["w"] is None


def test_a_variable_that_a_trace_captures() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def scaled(x, n):
        for _ in tf.range(n):
            if tf.reduce_sum(x) > 0.0:
                x = x * v
        return tf.reduce_sum(x)

    for _ in range(2):  # the second call runs no Python
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = scaled(tf.constant(1.0), tf.constant(3))
            g = tape.gradient(y, v)
        check(g, [3, 12])
        check(outer.gradient(g, v), [6, 12])


def test_every_turn_counts_with_its_own_value() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def grow(x, n):
        for _ in tf.range(n):
            x = x * v
            v.assign_add(1.0)
        return x

    with tf.GradientTape() as tape:
        y = grow(tf.constant(1.0), tf.constant(3))
    check(y, 2 * 3 * 4)
    check(tape.gradient(y, v), 12 + 8 + 6)
    check(v, 5)


def test_assignments_let_no_gradient_through() -> None:
    v, x = tf.Variable(1.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        v.assign(x)
        y = v * 3.0
    assert tape.gradient(y, x) is None
    check(tape.gradient(y, v), 3)


def test_training_in_a_staged_loop() -> None:
    v = tf.Variable([0.0, 9.0])

    @tf.function
    def train(steps):
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((v - 5.0) ** 2)
            v.assign_sub(0.25 * tape.gradient(loss, v))
        return loss

    check(train(tf.constant(40)), 0.0)
    check(v, [5, 5])


def test_a_loop_over_a_dataset() -> None:
    w = tf.Variable(2.0)
    values = np.arange(4, dtype=np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((values, values * 3))

    @tf.function
    def total():
        result = 0.0
        for x, y in dataset:
            result = result + (w * x - y) ** 2
        return result

    with tf.GradientTape() as tape:
        loss = total()
    check(loss, 14)
    check(tape.gradient(loss, w), -28)


def test_jacobian_of_a_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
    check(tape.jacobian(y, v), [[2, 0], [0, 4]])


def test_custom_gradient_gets_the_variables_it_reads() -> None:
    v, x = tf.Variable(3.0, name="scale"), tf.constant(2.0)

    @tf.custom_gradient
    def scaled(x):
        def gradient(upstream, variables):
            assert len(variables) == 1
            return upstream * 10.0, [upstream * 100.0]

        return x * v, gradient

    @tf.custom_gradient
    def careless(x):
        return x * v, lambda upstream: upstream

    for function in (scaled, tf.function(scaled)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x) * 2.0
        found = tape.gradient(y, [x, v])
        check(found[0], 20)
        check(found[1], 200)
    with pytest.raises(TypeError, match="'variables'. It uses scale:0"):
        careless(x)


def test_a_variable_depends_on_itself_whether_or_not_it_was_read() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = v * 2
    assert float(tape.gradient(v, v)) == float(tape.gradient(w, w)) == 1
    assert float(tape.gradient([v, y], v)) == 3
    assert tape.gradient(w, v) is None and tape.gradient(v, [v, w])[1] is None
    with tf.GradientTape() as unread:
        pass
    assert float(unread.gradient(v, [v])[0]) == 1

    @tf.function
    def both():
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient([y, v], v)

    assert float(both()) == 5
