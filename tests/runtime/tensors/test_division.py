"""`/` gives floats of TensorFlow's dtypes: of integers of 8 and 16 bits float32, of the others float64."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import autograph as tf

SMALL = ["int8", "uint8", "int16", "uint16"]
OTHERS = {"int32": "float64", "int64": "float64", "uint32": "float64", "float32": "float32", "float64": "float64"}
WAYS = {
    "a number of Python's": lambda x: (x / 4, 4 / x),
    "a fraction": lambda x: (x / 2.5, 2.5 / x),
    "another tensor": lambda x: (x / x, tf.divide(x, x)),
    "an array": lambda x: (x / x.numpy(), x.numpy() / x),
    "a function": lambda x: (tf.math.truediv(x, 4), np.divide(x, 4)),
    "in a graph": lambda x: tf.function(lambda y: (y / 4, 4 / y))(x),
    "in place": lambda x: (operator.itruediv(x, 4), operator.itruediv(x, x)),
}


@pytest.mark.parametrize("dtype", [*SMALL, *OTHERS])
@pytest.mark.parametrize("way", WAYS)
def test_the_dtype(way: str, dtype: str) -> None:
    x = tf.constant([1, 100, 3], dtype)
    wanted = "float32" if dtype in SMALL else OTHERS[dtype]
    for result, expected in zip(WAYS[way](x), WAYS[way](tf.constant(x.numpy().astype(wanted))), strict=True):
        assert tf.convert_to_tensor(result).dtype.name == wanted
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_of_two_dtypes_the_wider_one_decides() -> None:
    assert (tf.constant([2], tf.int8) / tf.constant([2], tf.uint16)).dtype == tf.float64  # they meet in int32
    assert (tf.constant([2], tf.int8) / tf.constant([2], tf.int16)).dtype == tf.float32
    assert (tf.constant([2], tf.uint8) / tf.constant([2.0])).dtype == tf.float32
    assert (tf.constant([2], tf.uint8) / tf.constant([2.0], tf.float64)).dtype == tf.float64


def test_pictures_stay_as_small_as_they_can() -> None:
    data = tf.data.Dataset.from_tensors(np.full((2, 2, 3), 51, np.uint8)).map(lambda image: image / 255)
    [image] = data
    assert image.dtype == tf.float32
    np.testing.assert_allclose(image, 0.2, rtol=1e-6)
