"""Gradients through functions that call themselves: as those of the same code run eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from tests.work import work


def power(x: Any, n: Any) -> Any:
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def tree(x: Any, n: Any) -> Any:
    if n == 0:
        return x
    return tf.sin(tree(x * 0.5, n - 1)) + tree(x + 1.0, n - 1)


def accumulated(x: Any, n: Any, total: Any = 0.5) -> Any:
    if n == 0:
        return total
    return accumulated(x, n - 1, total * x + 1.0)


def even(x: Any, n: Any) -> Any:
    if n == 0:
        return x
    return odd(x * x, n - 1)


def odd(x: Any, n: Any) -> Any:
    if n == 0:
        return -x
    return even(x * 3.0, n - 1)


def in_a_loop(x: Any, n: Any) -> Any:
    total = x
    for i in range(n):
        total = total + in_a_loop(x * 0.5, i) * x
    return total


def two_results(x: Any, n: Any) -> Any:
    if n == 0:
        return {"a": x, "b": (x * x, n)}
    rest = two_results(x * 0.9, n - 1)
    return {"a": rest["b"][0] + x, "b": (rest["a"] * x, n)}


def vector(x: Any, n: Any) -> Any:
    total = two_results(tf.stack([x, 2.0 * x]), n)
    return tf.reduce_sum(total["a"] * total["b"][0])


weight = tf.Variable(1.5)


def with_a_variable(x: Any, n: Any) -> Any:
    if n == 0:
        return x
    return weight * with_a_variable(x, n - 1) + x


def derivatives(function: Callable[..., Any], x: Any, n: Any) -> list[Any]:
    """The value, the derivatives by `x` and the weight, and the second derivative by `x`."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x, n)
        first, by_weight = inner.gradient(y, [x, weight])
    return [y, first, by_weight, outer.gradient(first, x)]


@pytest.mark.parametrize("function", [power, tree, accumulated, even, odd, in_a_loop, vector, with_a_variable])
@pytest.mark.parametrize("how", ["around", "inside"])
def test_derivatives(function: Callable[..., Any], how: str) -> None:
    if how == "around":
        staged = tf.function(function)
        found = [derivatives(staged, tf.constant(1.3), tf.constant(n)) for n in (1, 2, 5)]
    else:
        traced = tf.function(lambda x, n: derivatives(function, x, n))
        found = [traced(tf.constant(1.3), tf.constant(n)) for n in (1, 2, 5)]
    for n, values in zip((1, 2, 5), found, strict=True):
        for actual, expected in zip(values, derivatives(function, tf.constant(1.3), n), strict=True):
            # A graph knows only of its shape whether it depends on something, not of its depth.
            np.testing.assert_allclose(0 if actual is None else actual, 0 if expected is None else expected, rtol=1e-5)


def test_the_cost_is_linear_in_the_depth() -> None:
    @tf.function
    def gradient(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x, n)
        return tape.gradient(y, x)

    gradient(tf.constant(1.0), tf.constant(2))
    short = work(lambda: gradient(tf.constant(1.0), tf.constant(20)))
    long = work(lambda: gradient(tf.constant(1.0), tf.constant(80)))
    assert long < 5 * short
