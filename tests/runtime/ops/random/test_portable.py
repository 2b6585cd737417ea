"""Stateless numbers and those of generators: TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf

# What TensorFlow 2.21 gives on a CPU.
SEED, LARGE = [1, 2], [-3, 2**40]


def exactly(got: Any, expected: list[Any]) -> None:
    assert np.asarray(got).ravel().tolist() == np.array(expected, got.dtype.as_numpy_dtype).tolist()


def test_integers_are_tensorflow_s() -> None:
    exactly(tf.random.split(SEED, 3), [1105988140, 1738052849, -335576002, 370444179, 10670227, -246211131])
    exactly(tf.random.fold_in(SEED, 7), [1105988140, 7])
    exactly(tf.random.split(tf.constant(SEED, tf.int64)),
            [7464880146280614444, 1591045637757961278, -1057468755545501549, 2524363516007002203])  # fmt: skip
    generator = tf.random.Generator.from_seed(7)
    generator.skip(7)
    exactly(generator.uniform([3], 0, 100, tf.int64), [36, 10, 60])
    exactly(generator.uniform_full_int([2]), [6002981072787626489, 13085704969418779076])
    generator.skip(3)
    exactly(generator.make_seeds(2), [-9040846318248127215, 480603099407688001, 0, 0])
    assert int(generator.split(2)[1].key) == 8225006262598551713
    assert generator.state.numpy().tolist() == [4871, 0, 0]


def test_uniform_floats_are_tensorflow_s() -> None:
    generator = tf.random.Generator.from_seed(7)
    generator.skip(3)
    exactly(generator.uniform([4]), [0.46447873, 0.76275814, 0.315513, 0.6101129])
    exactly(tf.random.Generator.from_seed(1).uniform([2], -1.0, 3.0), [2.1499805, 0.5626044])


def test_normal_numbers_are_tensorflow_s_but_for_rounding() -> None:
    generator = tf.random.Generator.from_seed(7)
    np.testing.assert_allclose(generator.normal([3]), [-1.3240396, 0.28785667, -0.8757901], rtol=1e-6)
    generator.skip(9)
    np.testing.assert_allclose(generator.truncated_normal([3]), [0.5261569, -0.3341134, -1.4255022], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_moments(dtype: str) -> None:
    for seed in (SEED, LARGE):
        uniform = np.asarray(tf.random.stateless_uniform([40001], seed, -1, 3, dtype)).astype(float)
        normal = np.asarray(tf.random.stateless_normal([40001], seed, 1, 2, dtype)).astype(float)
        truncated = np.asarray(tf.random.stateless_truncated_normal([40001], seed, dtype=dtype)).astype(float)
        assert abs(uniform.mean() - 1) < 0.03 and abs(uniform.std() - 4 / 12**0.5) < 0.02 and uniform.max() < 3
        assert abs(normal.mean() - 1) < 0.05 and abs(normal.std() - 2) < 0.03
        assert abs(truncated.mean()) < 0.03 and abs(truncated.std() - 0.88) < 0.02 and abs(truncated).max() <= 2


def test_the_first_numbers_do_not_depend_on_how_many_there_are() -> None:
    for function in (tf.random.stateless_uniform, tf.random.stateless_normal, tf.random.stateless_truncated_normal):
        many = np.asarray(function([20000], SEED))
        for count in (1, 5, 33, 8193):
            np.testing.assert_array_equal(function([count], SEED), many[:count])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_integers_of_all_dtypes(dtype: str) -> None:
    info = np.iinfo(dtype)
    whole = np.asarray(tf.random.stateless_uniform([2000], LARGE, None, None, dtype)).astype(object)
    assert whole.dtype == object and min(whole) < info.min * 0.9 + info.max * 0.1 and max(whole) > info.max * 0.9
    ends = np.array([info.max - 3, info.max], dtype)
    small = np.asarray(tf.random.stateless_uniform([2000], LARGE, *ends, dtype))
    assert small.dtype == dtype and {*small.tolist()} == {info.max - 3, info.max - 2, info.max - 1}


def test_a_shuffle_is_fair_and_all_there() -> None:
    places = np.zeros((4, 4))
    for i in range(400):
        shuffled = np.asarray(tf.random.stateless_shuffle(tf.range(4), [i, 0]))
        assert sorted(shuffled) == [0, 1, 2, 3]
        places[shuffled, range(4)] += 1
    assert abs(places - 100).max() < 45  # five standard deviations


def test_choices_have_their_probabilities() -> None:
    chosen = np.asarray(tf.random.stateless_categorical([[0.0, np.log(3.0), -np.inf]], 20000, SEED))
    assert abs((chosen == 1).mean() - 0.75) < 0.02 and chosen.max() == 1


def test_parameters_of_a_generator_broadcast_and_have_gradients() -> None:
    mean, deviation = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        drawn = tf.random.Generator.from_seed(1).normal([4, 1], mean, deviation)
    assert drawn.shape == (4, 2)
    expected = (np.asarray(drawn) - [1, 2]).sum() / 3
    by_mean, by_deviation = tape.gradient(drawn, [mean, deviation])
    assert by_mean.numpy().tolist() == [4, 4]
    assert float(by_deviation) == pytest.approx(expected, rel=1e-5)
