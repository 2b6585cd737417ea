"""Poisson and gamma numbers: shapes, moments, seeds, gradients and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError


def test_poisson() -> None:
    tf.random.set_seed(0)
    for way in (tf.random.poisson, tf.function(tf.random.poisson)):
        counts = way([20000], tf.constant([0.5, 4.0]))
        assert counts.shape == (20000, 2) and counts.dtype == tf.float32
        values = np.asarray(counts)
        np.testing.assert_allclose(values.mean(0), [0.5, 4], rtol=0.05)
        np.testing.assert_allclose(values.var(0), [0.5, 4], rtol=0.05)
        assert (values == np.round(values)).all()
    assert tf.random.poisson((), 3.0, tf.int64).dtype == tf.int64


def test_gamma() -> None:
    tf.random.set_seed(0)
    numbers = np.asarray(tf.random.gamma([20000], [1.0, 3.0], [[2.0], [0.5]]))
    assert numbers.shape == (20000, 2, 2) and (numbers > 0).all()
    np.testing.assert_allclose(numbers.mean(0), [[0.5, 1.5], [2, 6]], rtol=0.05)
    np.testing.assert_allclose(numbers.var(0), [[0.25, 0.75], [4, 12]], rtol=0.1)
    assert tf.random.gamma([2], 1.0, dtype=tf.float64).dtype == tf.float64


def test_seeds() -> None:
    for function in (tf.random.poisson, tf.random.gamma):
        drawn = []
        for _ in range(2):
            tf.random.set_seed(3)
            drawn.append([np.asarray(function([4], 5.0)).tolist(), np.asarray(function([4], 5.0, seed=1)).tolist()])
        assert drawn[0] == drawn[1] and drawn[0][0] != drawn[0][1]
    for stateless in (tf.random.stateless_poisson, tf.random.stateless_gamma):
        first, again, other = (np.asarray(stateless([3, 2], seed, [1.0, 20.0])) for seed in ([1, 2], [1, 2], [3, 4]))
        assert first.shape == (3, 2) and (first == again).all() and (first != other).any()
        staged = tf.function(lambda shape: stateless(shape, [1, 2], [1.0, 20.0]))
        assert (np.asarray(staged(tf.constant([3, 2]))) == first).all()
    assert tf.random.stateless_poisson([2], [1, 2], 3.0).dtype == tf.int32


def test_shapes_that_are_known_at_run_time() -> None:
    for function in (tf.random.poisson, tf.random.gamma):
        staged = tf.function(lambda shape, p: function(shape, p), input_signature=[
            tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.float32)])  # fmt: skip
        assert staged(tf.constant([2, 3]), tf.constant([1.0, 2.0])).shape == (2, 3, 2)
        assert staged(tf.constant([], tf.int32), tf.constant([1.0])).shape == (1,)


def test_gradients() -> None:
    alpha, beta = tf.constant([2.0]), tf.constant([4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([alpha, beta])
        numbers = tf.random.stateless_gamma([5, 1], [1, 2], 2.0, beta)
        refused = tf.random.stateless_gamma([5, 1], [1, 2], alpha)
    np.testing.assert_allclose(tape.gradient(numbers, beta), [-np.asarray(numbers).sum() / 4], rtol=1e-6)
    with pytest.raises(LookupError, match="gamma"):
        tape.gradient(refused, alpha)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: tf.random.poisson([2], -1.0), "can't be negative"), (lambda: tf.random.gamma([2], 0.0), "above zero"),
        (lambda: tf.random.gamma([2], 1.0, dtype=tf.int32), "int32"),
        (lambda: tf.random.poisson([2], tf.constant(1)), "floating, not int32"),
        (lambda: tf.random.stateless_poisson([3], [1, 2], [1.0, 2.0]), "broadcast"),
        (lambda: tf.random.stateless_poisson([2], [1, 2, 3], 1.0), "two integers"),
        (lambda: tf.random.stateless_gamma([2], [1.0, 2.0], 1.0), "seed"),
    ],
)  # fmt: skip
def test_what_does_not_fit(call: Any, text: str, staged: bool) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        (tf.function(call) if staged else call)()


@pytest.mark.parametrize("make", [lambda f: f, tf.function])
def test_seeds_are_made_of_seeds(make) -> None:
    def seeds(seed, step):
        return tf.random.split(seed, 3), tf.random.fold_in(seed, step)

    parts, folded = make(seeds)(tf.constant([1, 2], tf.int64), tf.constant(7))
    again = seeds([1, 2], 7)
    assert parts.dtype is folded.dtype is tf.int64 and again[0].dtype is tf.int32
    assert parts.shape == (3, 2) and folded.shape == (2,) and int(folded[1]) == 7
    numbers = {float(tf.random.stateless_uniform([], seed)) for seed in [*tf.unstack(parts), folded]}
    assert len(numbers) == 4
    np.testing.assert_array_equal(parts, make(seeds)(tf.constant([1, 2], tf.int64), 8)[0])
    assert tf.random.experimental.stateless_split is tf.random.split
    with pytest.raises(ValueError, match="made of integers"):
        tf.random.split([1.0, 2.0])
