"""NumPy's scalars and arrays in staged code: what only the graph knows yields to tensors as they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

WEIGHTS = np.array([0.5, 0.25, 2.0])


def rnn(x: Any, n: Any) -> Any:
    h = np.zeros((1, 2))
    for _ in range(n):
        h = tf.tanh(x + h @ tf.ones((2, 2)))
    return h


def sum_from_a_scalar(x: Any, n: Any) -> Any:
    total = np.float64(0)
    for _ in range(n):
        total += tf.reduce_sum(x)
    return total


def decayed_rate(x: Any, n: Any) -> Any:
    rate, turn = np.float64(0.5), 0
    while turn < n:
        x = x - rate * x
        rate = rate * 0.5
        turn += 1
    return x


def branch(x: Any, n: Any) -> Any:
    if n > 1:
        y = np.ones(2)
    else:
        y = x
    return y * x


def scalar_or_number(x: Any, n: Any) -> Any:
    return x * (np.float64(1.5) if n > 2 else 2.0) + x * (np.float32(3) if n > 2 else np.float64(4))


def function_of_a_number(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x / np.sqrt(i + 1) + np.float64(0.5) * i
    return x


def extreme(x: Any, n: Any) -> Any:
    most = np.float64(-np.inf)
    for i in range(n):
        most = np.maximum(most, x[0, 0] * i)
    return most


def array_with_an_index(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x * WEIGHTS[i]
    return x


def array_stored_into(x: Any, n: Any) -> Any:
    a = np.zeros(2)
    for i in range(n):
        a[i % 2] = i
    return x + a, x * a[0], x * a.sum(), x * a[::-1], x * np.mean(a)


def array_added_to(x: Any, n: Any) -> Any:
    a = np.ones(2)
    for _ in range(n):
        a += 1
    return x * a


def array_of_parts(x: Any, n: Any) -> Any:
    return x + np.array([0.5, n * 1.0])


def in_a_list(x: Any, n: Any) -> Any:
    rows = [x]
    for i in range(n):
        rows.append(x * np.float64(0.5) * i)
    return rows[-1]


def in_a_tuple(x: Any, n: Any) -> Any:
    state = (np.zeros(2), 0)
    for _ in range(n):
        state = (state[0] + 1.0, state[1] + 1)
    return x * state[0] * state[1]


def in_a_closure(x: Any, n: Any) -> Any:
    rate = np.float64(0.1)

    def decay() -> None:
        nonlocal rate
        rate *= 0.5

    for _ in range(n):
        decay()
    return x * rate


def through_a_helper(x: Any, n: Any) -> Any:
    def doubled(value: Any) -> Any:
        return value * 2 if n > 0 else value

    scale = np.float64(1)
    for _ in range(n):
        scale = doubled(scale)
    return x * scale


def loop_with_break(x: Any, n: Any) -> Any:
    for weight in WEIGHTS:
        if weight * n > 3:
            break
        x = x * weight
    return x


PROGRAMS = [
    rnn, sum_from_a_scalar, decayed_rate, branch, scalar_or_number, function_of_a_number, extreme, array_with_an_index,
    array_stored_into, array_added_to, array_of_parts, in_a_list, in_a_tuple, in_a_closure, through_a_helper,
    loop_with_break,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_float32_stays_float32(program: Callable[..., Any]) -> None:
    x = tf.constant([[1.0, 2.0]])
    expected, found = program(x, 3), tf.function(program)(x, tf.constant(3))
    for one, other in zip(tf.nest.flatten(expected), tf.nest.flatten(found), strict=True):
        assert one.dtype is other.dtype is tf.float32
        np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-6)


def test_arrays_keep_their_dtype_among_themselves() -> None:
    @tf.function
    def scaled(n: Any) -> Any:
        a = np.ones(2)
        for _ in range(n):
            a = a * 1.5 + np.float32(1)
        return a

    assert scaled(tf.constant(2)).dtype is tf.float64


def test_integers_that_only_the_run_knows_keep_a_dtype_that_holds_them() -> None:
    @tf.function
    def total(x: Any, n: Any) -> Any:
        count = np.int64(2**40)
        for _ in range(n):
            count = count + x
        return count

    assert total(tf.constant(1), tf.constant(3)).numpy() == 2**40 + 3


def test_arguments_are_tensors() -> None:
    function = tf.function(lambda x, y: x + y)
    assert function(tf.ones(2), np.ones(2)).dtype is tf.float64
