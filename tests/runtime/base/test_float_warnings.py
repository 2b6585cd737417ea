"""NumPy's floating-point warnings are off while kernels run, and as they were afterwards."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import float_warnings


@pytest.mark.parametrize("ignore, restore", [
    (float_warnings.ignore, float_warnings.restore), (float_warnings._entered, float_warnings._left),
], ids=["context variable", "errstate"])  # fmt: skip
def test_ignored_and_restored(ignore, restore):
    zero = np.zeros(1)
    with np.errstate(divide="raise"):
        before = np.geterr()
        token = ignore()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isinf(1 / zero)
        assert set(np.geterr().values()) == {"ignore"}
        restore(token)
        assert np.geterr() == before
        with pytest.raises(FloatingPointError):
            1 / zero


def test_the_context_variable_is_found():
    assert float_warnings.ignore is not float_warnings._entered


def test_nothing_is_raised_in_a_run_and_all_is_restored_after_an_error():
    f = tf.function(lambda x, i: tf.gather(1 / x, i))
    x = tf.constant([0.0])
    with np.errstate(all="raise"):
        for _ in range(6):
            assert np.isinf(f(x, tf.constant(0)).numpy())
            assert np.isinf((1 / x).numpy()).all()
            with pytest.raises(tf.errors.OutOfRangeError):
                f(x, tf.constant(5))
            with pytest.raises(tf.errors.OutOfRangeError):
                tf.gather(x, 5)
            assert set(np.geterr().values()) == {"raise"}
