"""Gradients, and functions of JAX's around converted ones and inside them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as tf
import autograph.jax

convert = tf.autograph.convert()


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def piecewise(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        total = total + (v**2 if v < 2 else 3 * v)
        if total > 10:
            break
    return total


def newton(x):
    guess = x
    for _ in jnp.arange(30):
        new = 0.5 * (guess + x / guess)
        if abs(new - guess) < 1e-6:
            break
        guess = new
    return guess


def test_a_concrete_tracer_runs_python():
    turns = []

    @convert
    def function(x):
        while x < 100:
            turns.append(1)
            x = x * x
        return x

    assert jax.grad(function)(3.0) == 8 * 3.0**7
    assert len(turns) == 3


@pytest.mark.parametrize("x", [[1.0, -2.0, 0.5, 3.0], [5.0, 5.0, 1.0]])
def test_gradients_of_loops_over_arrays(x):
    x = jnp.asarray(x)
    expected = jax.grad(piecewise)(x)  # eagerly, which runs Python
    np.testing.assert_allclose(jax.grad(autograph.jax.jit(piecewise))(x), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.grad(convert(piecewise)))(x), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.grad(jax.checkpoint(convert(piecewise))))(x), expected, rtol=1e-6)


def test_gradients_through_a_search():
    np.testing.assert_allclose(jax.jit(jax.grad(convert(newton)))(2.0), 0.5 / 2**0.5, rtol=1e-4)


def test_forward_mode_through_loops_of_unknown_length():
    found = jax.jit(lambda x, n: jax.jvp(lambda x: convert(power)(x, n), (x,), (1.0,)))(2.0, 3)
    assert found == (8.0, 12.0)


def test_maximum_iterations_gives_reverse_mode():
    @convert
    def function(x):
        steps = 0
        while x < 100:
            tf.autograph.experimental.set_loop_options(maximum_iterations=5)
            x = x * x
            steps += 1
        return x

    assert jax.jit(function)(3.0) == 6561.0
    np.testing.assert_allclose(jax.jit(jax.grad(function))(3.0), 8 * 3.0**7, rtol=1e-6)
    assert jax.jit(function)(1.0) == 1.0  # which would never end

    @convert
    def counted(x, n):
        for _ in range(n):
            tf.autograph.experimental.set_loop_options(maximum_iterations=10)
            x = x * 2
            if x > 50:
                break
        return x

    found = jax.jit(jax.value_and_grad(counted))
    assert found(3.0, 3) == (24.0, 8.0) and found(3.0, 40) == (96.0, 32.0) and found(3.0, 0) == (3.0, 1.0)


def test_custom_derivatives():
    @jax.custom_jvp
    @convert
    def clipped(x):
        return x if x < 1 else 1.0

    clipped.defjvp(convert(lambda primals, tangents: (clipped(*primals), tangents[0] if primals[0] < 1 else 0.0)))
    assert jax.jit(jax.grad(clipped))(0.5) == 1.0 and jax.jit(jax.grad(clipped))(2.0) == 0.0


def test_collectives_of_a_mapped_axis():
    @convert
    def function(x):
        if x > 0:
            x = x * 2
        return jax.lax.psum(x, "i")

    assert jax.vmap(function, axis_name="i")(jnp.asarray([1.0, -1.0, 3.0])).tolist() == [7.0, 7.0, 7.0]


def test_inside_of_laxs_own_loops():
    @convert
    def step(x):
        return x * 2 if x < 10 else x + 1

    found = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, y: step(y), x))(1.0)
    assert found == 17.0
