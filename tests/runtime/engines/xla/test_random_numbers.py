"""Random numbers of seeds and of generators: bit for bit those of the plan, in code as optimised as users' code is."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.engines.numpy.plan import Plan
from tests.runtime.engines.xla.common import agree, region_of


def stateless(seed: Any, low: Any, high: Any, logits: Any) -> Any:
    """Numbers of all distributions and dtypes, between bounds that only a run knows."""
    r, found = tf.random, []
    for dtype in (tf.float32, tf.float64):
        ends = tf.cast(low, dtype), tf.cast(high, dtype)
        found += [f([20001], seed, *ends, dtype)
                  for f in (r.stateless_uniform, r.stateless_normal, r.stateless_truncated_normal)]  # fmt: skip
    found += [f([1001], seed, dtype=tf.float16)
              for f in (r.stateless_uniform, r.stateless_normal, r.stateless_truncated_normal)]  # fmt: skip
    for dtype in (tf.int8, tf.uint16, tf.int32, tf.uint32, tf.int64, tf.uint64):
        found += [r.stateless_uniform([101], seed, None, None, dtype),
                  r.stateless_uniform([101], seed, tf.cast(2, dtype), tf.cast(17, dtype), dtype)]  # fmt: skip
    return (*found, r.stateless_normal([101], seed, 0, 9, tf.int32), r.split(seed, 3), r.fold_in(seed, 5),
            r.stateless_shuffle(tf.range(1000), seed), r.stateless_categorical(logits, 1000, seed),
            r.stateless_bernoulli([1000], seed, 0.3))  # fmt: skip


GENERATOR = tf.random.Generator.from_state([-600, 7, 2**40])


def stateful(low: Any, high: Any) -> Any:
    """Numbers of a generator, whose counter runs over its first word."""
    total = 0.0
    for _ in tf.range(5):
        total += GENERATOR.normal([])
    return (GENERATOR.normal([1001], low, high), GENERATOR.uniform([1001], low, high),
            GENERATOR.uniform([33], -5, 2**40, tf.int64), GENERATOR.truncated_normal([1001], dtype=tf.float64),
            GENERATOR.uniform_full_int([77]), GENERATOR.make_seeds(3), GENERATOR.skip(-3), total)  # fmt: skip


def check() -> None:
    logits = np.random.default_rng(0).normal(size=(4, 50)).astype(np.float32)
    for seed in (np.array([1, 2], np.int32), np.array([-3, 2**40])):
        agree(stateless, seed, np.float64(-2.5), np.float64(0.7), logits)
    ends = np.float32(-2.5), np.float32(0.7)
    region = region_of(stateful, *map(tf.constant, ends))
    for _ in range(2):
        before = GENERATOR.state.numpy()
        got, after = region.run(*ends), GENERATOR.state.numpy()
        GENERATOR.reset(before)
        for expected, result in zip(Plan(region.graph).run(*ends), got, strict=True):
            np.testing.assert_array_equal(result, expected)
        assert GENERATOR.state.numpy().tolist() == after.tolist()
    assert region.is_compiled and not region.failures


def test_they_are_those_of_the_plan() -> None:
    """Also where XLA fuses products and sums."""
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    program = f"import {__name__} as test; test.check()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300, env=environment)


def test_none_are_drawn_and_some_of_a_shape_that_is_a_tensor() -> None:
    def draw(seed: Any) -> Any:
        shape = tf.shape(tf.zeros([2, 3]))
        r = tf.random
        return (r.stateless_uniform([0, 2], seed), r.stateless_truncated_normal([0], seed),
                r.stateless_normal(shape, seed), r.stateless_shuffle(tf.zeros([0, 2]), seed))  # fmt: skip

    agree(draw, np.array([5, 6]))


@pytest.mark.parametrize("ends", [(0.0, 1e-40), (1e-40, 1.0), (0.0, 1e-30)])
def test_numbers_that_are_too_small_for_xla_are_drawn_by_the_plan(ends: tuple[float, float]) -> None:
    def draw(low: Any, high: Any) -> Any:
        return tf.random.stateless_uniform([100], [1, 2], low, high)

    given = [np.float32(end) for end in ends]
    region = region_of(draw, *map(tf.constant, given))
    np.testing.assert_array_equal(region.run(*given)[0], draw(*given))
    assert region.failures == 1


def test_what_is_wrong_with_bounds_is_an_error_of_the_plan() -> None:
    region = region_of(lambda high: tf.random.stateless_uniform([3], [1, 2], 5, high, tf.int32), tf.constant(9))
    assert np.asarray(region.run(np.int32(9))[0]).shape == (3,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="minval 5 must be less than maxval 5"):
        region.run(np.int32(5))


@pytest.mark.parametrize(
    ("draw", "text"),
    [
        (lambda: GENERATOR.binomial([3], 5, 0.5), "binomial random numbers"),
        (lambda: GENERATOR.normal([3], 5.0, dtype=tf.float16), "of another mean or deviation than 0 and 1"),
        (lambda: GENERATOR.uniform([3], 5.0, 6.0, dtype=tf.float16), "of 16 bits between bounds"),
        (lambda: tf.random.stateless_poisson([3], GENERATOR.state[:2], 5.0), "'stateless_random_poisson' has no form"),
    ],
)
def test_what_the_plan_draws_in_its_own_way_is_left_to_it_by_name(draw: Any, text: str) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=text):
        region_of(draw).run()
