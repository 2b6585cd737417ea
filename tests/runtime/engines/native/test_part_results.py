"""Parts of a graph that wait to become machine code run through NumPy: what they give may be somebody else's array.

A store into it, after the part, must not reach that array: an argument, a constant, what a variable holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as tf
from tests.runtime.engines.native.common import needs_llvm

pytestmark = needs_llvm

ORDERED = tf.constant([3, 1, 2])


def busy(n: Any) -> Any:
    """Enough nodes for a part of their own."""
    m = n * 2 + 1 - n + 3
    return m * m


def changed(x: Any, n: Any) -> tuple[Any, Any]:
    """A store after something that no machine code has a form of, so that the part ends there."""
    k = busy(n)
    order = tf.argsort(ORDERED)
    return tf.tensor_scatter_nd_update(x, [[0, 0]], [k]), order


def test_a_view_of_an_argument() -> None:
    f = tf.function(lambda a, n: changed(tf.expand_dims(tf.reshape(a, [-1]), 0), n))
    a = tf.constant([[1, 2], [3, 4]])
    made, _ = f(a, tf.constant(1))
    assert made.numpy().tolist() == [[25, 2, 3, 4]] and a.numpy().tolist() == [[1, 2], [3, 4]]


def test_a_view_of_what_a_variable_holds() -> None:
    v = tf.Variable([1, 2, 3])
    f = tf.function(lambda n: changed(tf.reshape(v.read_value(), [1, 3]), n))
    made, _ = f(tf.constant(1))
    assert made.numpy().tolist() == [[25, 2, 3]] and v.numpy().tolist() == [1, 2, 3]


def test_what_a_variable_is_given() -> None:
    v = tf.Variable([[0, 0, 0]])

    @tf.function
    def f(x, n):
        y = x + busy(n)
        v.assign(y)
        return changed(y, n)

    made, _ = f(tf.constant([[1, 2, 3]]), tf.constant(1))
    assert made.numpy().tolist() == [[25, 27, 28]] and v.numpy().tolist() == [[26, 27, 28]]


def test_constants_of_branches() -> None:
    @tf.function
    def f(n):
        held = [1]
        x = np.arange(3)
        for _ in range(2):
            if n in held:
                held.sort()
                x[:2] = 0
            held.append(x[n % 2])
        return held

    assert [[int(each) for each in f(tf.constant(n))] for n in (0, 3)] == [[0, 1, 0], [1, 1, 1]]
