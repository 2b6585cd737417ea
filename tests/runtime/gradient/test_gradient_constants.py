"""Gradients by constants: watched ones of the trace and of outside, used by loops, branches and calls.

Each program gives a number for ``w``; its gradient in a trace is that of eager mode and the slope.
"""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf

from .gradient_ways import check, difference


def loop(w):
    y = tf.constant(1.0, tf.float64)
    for _ in tf.range(3):
        y = y * w
    return y


def loop_from_itself(w):
    y = w
    for _ in tf.range(3):
        y = y * w + 0.5
    return y


def loop_with_equal_constants(w):
    y = tf.constant(1.2, tf.float64)
    for _ in tf.range(3):
        y = y * w * 1.2 + tf.constant(1.2, tf.float64)
    return y


def nested_loops(w):
    y = tf.constant(1.0, tf.float64)
    for _ in tf.range(2):
        for _ in tf.range(2):
            y = y * w
    return y


def loop_in_branch_in_loop(w):
    y = tf.constant(1.0, tf.float64)
    for i in tf.range(4):
        if i % 2 == 0:
            for _ in tf.range(2):
                y = y * w
        else:
            y = y + w
    return y


def loop_with_break(w):
    y = tf.constant(1.0, tf.float64)
    for _ in tf.range(20):
        if y > 3.0:
            break
        y = y * w
    return y


def branch(w):
    return w * w if tf.constant(2) > 1 else w


def folded(w):
    v = w * w + 1.0
    y = tf.constant(1.0, tf.float64)
    for _ in tf.range(3):
        y = y * v
    return y


def swapped(w):
    x, y = tf.constant(2.0, tf.float64), tf.constant(5.0, tf.float64)
    for _ in tf.range(3):
        x, y = y, x * w
    return x + y


def overwritten(w):
    y = tf.constant(1.0, tf.float64)
    for _ in tf.range(3):
        y = w
        y = y * w
    return y


def while_loop(w):
    start = tf.constant(0), tf.constant(1.0, tf.float64)
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w), start)[1]


def map_fn(w):
    return tf.reduce_sum(tf.map_fn(lambda x: x * w, tf.constant([1.0, 2.0], tf.float64)))


def scan(w):
    return tf.reduce_sum(tf.scan(lambda y, x: y * x * w, tf.constant([1.0, 2.0, 3.0], tf.float64)))


def foldl(w):
    return tf.foldl(lambda y, x: y * x * w, tf.constant([1.0, 2.0, 3.0], tf.float64))


def tensor_array(w):
    array = tf.TensorArray(tf.float64, 3)
    for i in tf.range(3):
        array = array.write(i, w * w)
    return tf.reduce_sum(array.stack())


def closure(w):
    @tf.function
    def inner(y):
        for _ in tf.range(2):
            y = y * w
        return y

    y = tf.constant(1.0, tf.float64)
    for _ in tf.range(2):
        y = inner(y)
    return y


@tf.custom_gradient
def product(x, y):
    return x * y, lambda g: (g * y, g * x)


def custom_gradient(w):
    y = tf.constant(1.0, tf.float64)
    for _ in tf.range(3):
        y = product(y, w)
    return y


PROGRAMS = [
    loop, loop_from_itself, loop_with_equal_constants, nested_loops, loop_in_branch_in_loop, loop_with_break, branch,
    folded, swapped, overwritten, while_loop, map_fn, scan, foldl, tensor_array, closure, custom_gradient,
]  # fmt: skip
START = 1.2


def orders(program, w):
    """The first and second derivative by tapes, and the first forwards."""
    with tf.GradientTape() as second:
        second.watch(w)
        with tf.GradientTape() as first:
            first.watch(w)
            y = program(w)
        g = first.gradient(y, w)
    return g, second.gradient(g, w, unconnected_gradients="zero")


def of_trace(program):
    return tf.function(lambda: orders(program, tf.constant(START, tf.float64)))()


def from_outside(program):
    w = tf.constant(START, tf.float64)
    return tf.function(lambda: orders(program, w))()


def of_array(program):
    array = np.array(START)
    return tf.function(lambda: orders(program, tf.convert_to_tensor(array)))()


def around_call(program):
    w = tf.constant(START, tf.float64)
    return orders(lambda w: tf.function(lambda: program(w))(), w)


def in_call(program):
    w = tf.constant(START, tf.float64)
    inner = tf.function(lambda: program(w))
    return tf.function(lambda: orders(lambda w: inner(), w))()


@pytest.mark.parametrize("way", [of_trace, from_outside, of_array, around_call, in_call])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_watched_constant(program, way) -> None:
    first, second = way(program)
    eager = orders(program, tf.constant(START, tf.float64))
    check(eager[0], difference(lambda w: program(tf.constant(w, tf.float64)).numpy(), START))
    check(first, eager[0])
    check(second, eager[1])


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_by_a_constant_without_a_tape(program) -> None:
    def slope():
        w = tf.constant(START, tf.float64)
        return tf.gradients(program(w), w)

    check(tf.function(slope)()[0], orders(program, tf.constant(START, tf.float64))[0])


@pytest.mark.parametrize("program", PROGRAMS)
def test_forwards_along_a_constant(program) -> None:
    def slope():
        w = tf.constant(START, tf.float64)
        with tf.autodiff.ForwardAccumulator(w, tf.constant(1.0, tf.float64)) as accumulator:
            y = program(w)
        return accumulator.jvp(y)

    check(tf.function(slope)(), slope())


def watched_between():
    w = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for _ in tf.range(3):
            y = y * w
        tape.watch(w)
        for _ in tf.range(3):
            y = y * w
    return tape.gradient(y, w)


def watched_in_the_loop():
    w = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for _ in tf.range(3):
            tape.watch(w)
            y = y * w
    return tape.gradient(y, w)


def tape_in_a_loop():
    w, total = tf.constant(2.0), tf.constant(0.0)
    for _ in tf.range(2):
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.constant(1.0)
            for _ in tf.range(3):
                y = y * w
        total += tape.gradient(y, w)
    return total


def persistent():
    w = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(w)
        y = tf.constant(1.0)
        for _ in tf.range(3):
            y = y * w
        z = y * w
    return tape.gradient(y, w), tape.gradient(z, w), tape.gradient(z, y)


def stopped():
    w = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = tf.constant(1.0)
        for _ in tf.range(3):
            y = y * w + tf.stop_gradient(y * w)
    return tape.gradient(y, w)


def by_elements():
    w = tf.constant([[2.0, 3.0], [1.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(w)
        y = tf.ones([2, 2])
        for _ in tf.range(3):
            y = y * w
    return tape.jacobian(y, w), tape.batch_jacobian(y, w)


@pytest.mark.parametrize("program", [watched_between, watched_in_the_loop, tape_in_a_loop, persistent, stopped,
                                     by_elements])  # fmt: skip
def test_other_uses_of_tapes(program) -> None:
    for found, expected in zip(tf.nest.flatten(tf.function(program)()), tf.nest.flatten(program()), strict=True):
        check(found, expected.numpy())


def test_only_what_is_watched() -> None:
    def program():
        v, w = tf.constant(2.0), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.constant(2.0)
            for _ in tf.range(3):
                y = y * v * w
        return tape.gradient(y, [v, w])

    by_v, by_w = tf.function(program)()
    assert by_v is None
    check(by_w, 192.0)
