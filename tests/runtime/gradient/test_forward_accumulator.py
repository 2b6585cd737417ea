"""`tf.autodiff.ForwardAccumulator`: derivatives along a direction, eagerly and in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import FailedPreconditionError, InvalidArgumentError

ForwardAccumulator = tf.autodiff.ForwardAccumulator


def along(function: Any, x: Any, tangent: Any) -> Any:
    with ForwardAccumulator(x, tangent) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def powers(x: Any) -> Any:
    while tf.reduce_sum(x) < 100.0:
        x = x * x if x[0] < 3.0 else x * 2.0
    return x, {"sum": tf.reduce_sum(tf.tanh(x))}


@pytest.mark.parametrize("staged", [False, True])
def test_it_is_the_derivative_along_the_tangent(staged: bool) -> None:
    x, tangent = np.array([1.2, 2.5]), np.array([1.0, -0.5])
    run = tf.function(lambda x, t: along(powers, x, t)) if staged else lambda x, t: along(tf.function(powers), x, t)
    whole, parts = run(tf.constant(x), tf.constant(tangent))
    small = 1e-6
    after, before = (powers(tf.constant(x + sign * small * tangent)) for sign in (1, -1))
    np.testing.assert_allclose(whole, (after[0] - before[0]) / (2 * small), rtol=1e-5)
    np.testing.assert_allclose(parts["sum"], (after[1]["sum"] - before[1]["sum"]) / (2 * small), rtol=1e-5, atol=1e-9)


def test_variables_and_several_directions() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    x = tf.constant([[1.0], [1.0]])
    with ForwardAccumulator([v, {"x": x}], [tf.ones((2, 2)), {"x": tf.constant([[0.5], [0.0]])}]) as accumulator:
        y = v @ x
    assert accumulator.jvp(y).numpy().tolist() == [[2.5], [3.5]]


def test_hessians_times_vectors() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with ForwardAccumulator(x, tf.constant([1.0, 0.0, 0.0])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3) * x[1]
        gradient = tape.gradient(y, x)
    assert accumulator.jvp(gradient).numpy().tolist() == [12.0, 3.0, 0.0]  # as TensorFlow's
    x = tf.constant(2.0)
    with ForwardAccumulator(x, tf.constant(1.0)) as outer:
        with ForwardAccumulator(x, tf.constant(1.0)) as inner:
            y = x**3
        first = inner.jvp(y)
    assert (float(first), float(outer.jvp(first))) == (12.0, 12.0)


def test_what_does_not_depend_on_the_primals() -> None:
    x, other = tf.constant([2.0, 3.0]), tf.constant([1.0, 1.0])
    with ForwardAccumulator(x, tf.ones(2)) as accumulator:
        y = other * 2.0
        whole = tf.cast(x, tf.int32)
    assert accumulator.jvp(y) is None and accumulator.jvp(whole) is None
    assert accumulator.jvp(y, unconnected_gradients="zero").numpy().tolist() == [0.0, 0.0]
    assert accumulator.jvp(x).numpy().tolist() == [1.0, 1.0]


def test_wrong_use() -> None:
    with pytest.raises(InvalidArgumentError, match=r"a tangent of shape \(2,\) does not fit \(\)"):
        ForwardAccumulator(tf.constant(1.0), tf.ones(2))
    with pytest.raises(ValueError, match="nested structure"):
        ForwardAccumulator([tf.constant(1.0)], tf.constant(1.0))
    accumulator = ForwardAccumulator(tf.constant(1.0), tf.constant(1.0))
    with accumulator:
        pass
    with pytest.raises(FailedPreconditionError, match="can't be entered twice"), accumulator:
        pass
