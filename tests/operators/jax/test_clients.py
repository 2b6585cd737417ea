"""Programs of users with Python's control flow beside those that a person writes with `jax.lax`: values and costs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph as tf


def slope(t, y):
    return jnp.asarray([y[1], -y[0] * (1 + 0.1 * t)])


def step_of(t, y, h):
    """An embedded pair of Runge and Kutta (Bogacki and Shampine, 1989): the next value and its error, about."""
    k1 = slope(t, y)
    k2 = slope(t + h / 2, y + h / 2 * k1)
    k3 = slope(t + 3 * h / 4, y + 3 * h / 4 * k2)
    new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
    k4 = slope(t + h, new)
    return new, jnp.abs(h * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - k4 / 8)).max()


def adaptive(y, end):
    t, h, taken = 0.0, 0.1, 0
    while t < end:
        h = jnp.minimum(h, end - t)
        new, error = step_of(t, y, h)
        if error < 1e-4:
            t, y, taken = t + h, new, taken + 1
        h = h * jnp.clip(0.9 * (1e-4 / (error + 1e-12)) ** (1 / 3), 0.2, 5.0)
    return y, taken


def adaptive_by_hand(y, end):
    def turn(state):
        t, h, y, taken = state
        h = jnp.minimum(h, end - t)
        new, error = step_of(t, y, h)
        t, y, taken = lax.cond(error < 1e-4, lambda: (t + h, new, taken + 1), lambda: (t, y, taken))
        return t, h * jnp.clip(0.9 * (1e-4 / (error + 1e-12)) ** (1 / 3), 0.2, 5.0), y, taken

    _, _, y, taken = lax.while_loop(lambda state: state[0] < end, turn, (0.0, 0.1, y, 0))
    return y, taken


def metropolis(key, x, steps):
    total, accepted = 0.0, 0
    for _ in range(steps):
        key, of_step, of_choice = jax.random.split(key, 3)
        proposal = x + jax.random.normal(of_step)
        if jnp.log(jax.random.uniform(of_choice)) < (x**2 - proposal**2) / 2:
            x = proposal
            accepted += 1
        total = total + x
    return total / steps, accepted


def metropolis_by_hand(key, x, steps):
    def turn(_, state):
        key, x, total, accepted = state
        key, of_step, of_choice = jax.random.split(key, 3)
        proposal = x + jax.random.normal(of_step)
        x, accepted = lax.cond(
            jnp.log(jax.random.uniform(of_choice)) < (x**2 - proposal**2) / 2,
            lambda: (proposal, accepted + 1),
            lambda: (x, accepted),
        )
        return key, x, total + x, accepted

    _, _, total, accepted = lax.fori_loop(0, steps, turn, (key, x, 0.0, 0))
    return total / steps, accepted


def descent(w, xs, ys):
    """Gradient descent that stops when the loss has got worse in three steps together."""
    best, bad, epoch = jnp.inf, 0, 0
    while epoch < 200:
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean((xs @ w - ys) ** 2))(w)
        if loss < best - 1e-6:
            best, bad = loss, 0
        else:
            bad += 1
            if bad == 3:
                break
        w = w - 0.1 * gradient
        epoch += 1
    return w, epoch


def descent_by_hand(w, xs, ys):
    def turn(state):
        w, best, bad, epoch, _ = state
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean((xs @ w - ys) ** 2))(w)
        best, bad = lax.cond(loss < best - 1e-6, lambda: (loss, 0), lambda: (best, bad + 1))
        stop = bad == 3
        w, epoch = lax.cond(stop, lambda: (w, epoch), lambda: (w - 0.1 * gradient, epoch + 1))
        return w, best, bad, epoch, stop

    start = w, jnp.asarray(jnp.inf, w.dtype), 0, 0, False
    w, _, _, epoch, _ = lax.while_loop(lambda state: (state[3] < 200) & ~state[4], turn, start)
    return w, epoch


def data():
    xs = jnp.asarray(np.random.default_rng(0).normal(size=(64, 3)), "float32")
    return jnp.zeros(3), xs, xs @ jnp.asarray([1.0, -2.0, 0.5])


CLIENTS = [
    (adaptive, adaptive_by_hand, lambda: (jnp.asarray([1.0, 0.0]), 10.0)),
    (metropolis, metropolis_by_hand, lambda: (jax.random.key(0), 0.5, 500)),
    (descent, descent_by_hand, data),
]
FIRST_TURN_APART = {descent}
"""Programs whose test is known at first (`0 < 200`): the first turn stands before the loop, once more."""


@pytest.mark.parametrize(("program", "by_hand", "arguments"), CLIENTS, ids=[each[0].__name__ for each in CLIENTS])
def test_a_client(program, by_hand, arguments):
    ours, theirs = (jax.jit(each).lower(*arguments()).compile() for each in (tf.autograph.convert()(program), by_hand))
    for one, other in zip(ours(*arguments()), theirs(*arguments()), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    if program not in FIRST_TURN_APART:
        assert ours.cost_analysis()["flops"] <= 1.05 * theirs.cost_analysis()["flops"]


def test_the_gradient_of_an_adaptive_solver():
    def value(y):
        found, _ = tf.autograph.convert()(adaptive)(y, 3.0)
        return found[0]

    y = jnp.asarray([1.0, 0.0])
    _, along = jax.jit(lambda y: jax.jvp(value, (y,), (jnp.asarray([1.0, 0.0]),)))(y)
    _, by_hand = jax.jvp(lambda y: adaptive_by_hand(y, 3.0)[0][0], (y,), (jnp.asarray([1.0, 0.0]),))
    np.testing.assert_allclose(along, by_hand, rtol=1e-5)
