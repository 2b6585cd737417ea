"""Ways to take first and second gradients of a traced function, for tests."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf


def check(found: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-4, atol=1e-6)


def eager(function, *arguments):
    """First and second gradients of a traced function that is called eagerly, by its first argument."""
    x = tf.constant(arguments[0])
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = function(x, *arguments[1:])
        g = first.gradient(y, x)
        total = tf.reduce_sum(g * g)
    return y, g, second.gradient(total, x, unconnected_gradients="zero")


def staged(function, *arguments):
    """The same inside a trace."""
    return tf.function(lambda x, *others: in_trace(function, x, *others))(tf.constant(arguments[0]), *arguments[1:])


def in_trace(function, x, *others):
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = function(x, *others)
        g = first.gradient(y, x)
        total = tf.reduce_sum(g * g)
    return y, g, second.gradient(total, x, unconnected_gradients="zero")


def inlined(function, *arguments):
    """The same, with the function's own nodes in the trace of the tapes."""
    return staged(function.python_function, *arguments)


ways = pytest.mark.parametrize("way", [eager, staged, inlined])


def difference(function, x, step=1e-5):
    return (function(x + step) - function(x - step)) / (2 * step)
