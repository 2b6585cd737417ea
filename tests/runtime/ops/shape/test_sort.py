"""The k largest of many elements are found without putting all in order; the answer is that of the whole order."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf


@pytest.mark.parametrize("shape", [(1000,), (3, 2000), (2, 2, 1500), (0, 1000), (999,)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "bool", "int64"])
@pytest.mark.parametrize("k", [0, 1, 5, 100])
def test_the_largest_of_many(shape, dtype, k):
    numbers = np.random.default_rng(0).normal(size=shape) * 3
    x = numbers.astype(dtype)
    if dtype == "float32":
        x[numbers > 4] = np.nan
        x[numbers < -1] = -0.0
        x[(numbers > 1) & (numbers < 1.3)] = np.inf
    order = tf.argsort(x, direction="DESCENDING").numpy()[..., :k]
    values, indices = tf.math.top_k(x, k)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))


def test_all_are_equal_or_nan():
    for x in (np.zeros(5000), np.full(5000, np.nan), np.where(np.arange(5000) % 2, np.nan, 1.0)):
        order = tf.argsort(x, direction="DESCENDING").numpy()[:7]
        np.testing.assert_array_equal(tf.math.top_k(x, 7).indices, order)
