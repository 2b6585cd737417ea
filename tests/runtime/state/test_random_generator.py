"""Generators of random numbers: the same numbers for the same state, eagerly and in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf

Generator = tf.random.Generator


def test_a_seed_gives_the_same_numbers_eagerly_and_in_graphs() -> None:
    generator = Generator.from_seed(7)

    def draw(n: Any) -> Any:
        return (
            generator.normal([n]), generator.uniform([2, n], -1, 1), generator.uniform([n], 0, 100, tf.int64),
            generator.truncated_normal([n], 5.0, 0.1), generator.uniform_full_int([n]),
            generator.binomial([n], [9.0], [0.5]),
        )  # fmt: skip

    expected = draw(3)
    for n in (3, tf.constant(3)):
        generator.reset_from_seed(7)
        for eager, staged in zip(expected, tf.function(draw)(n), strict=True):
            np.testing.assert_array_equal(eager, staged)
            assert eager.dtype is staged.dtype


def test_each_run_of_a_graph_draws_further_numbers() -> None:
    generator = Generator.from_seed(1)

    @tf.function
    def total() -> Any:
        result = 0.0
        for _ in tf.range(3):
            result += generator.normal([])
        return result

    first, second = float(total()), float(total())
    assert first != second
    generator.reset_from_seed(1)
    assert first == pytest.approx(sum(float(generator.normal([])) for _ in range(3)), rel=1e-6)


@pytest.mark.parametrize(
    "make, state",
    [
        (lambda: Generator.from_seed(1), [1, 0, 0]),
        (lambda: Generator.from_seed(-1), [-1, -1, -1]),
        (lambda: Generator.from_seed([4, 5]), [4, 5, 0]),
        (lambda: Generator.from_state([1, 2, 3], alg="philox"), [1, 2, 3]),
        (lambda: Generator.from_key_counter(5, [1, 2], "philox"), [1, 2, 5]),
        (lambda: Generator(copy_from=Generator.from_seed(3)), [3, 0, 0]),
    ],
)
def test_states_are_those_of_tensorflow(make: Any, state: list[int]) -> None:
    generator = make()
    assert generator.state.numpy().tolist() == state
    generator.normal([2])
    assert int(generator.state[0]) - state[0] == 512  # 256 for each number
    assert int(generator.key) == state[2]


def test_skip_and_split() -> None:
    one, other = Generator.from_seed(1), Generator.from_seed(1)
    one.normal([5])
    assert other.skip(5).numpy().tolist() == [1, 0, 0]
    np.testing.assert_array_equal(one.normal([2]), other.normal([2]))
    first, second = one.split(2)
    assert first.normal([]).numpy() != second.normal([]).numpy()
    assert one.make_seeds(3).shape == (2, 3)


def test_the_counter_carries_over() -> None:
    generator = Generator.from_state([-1, 0, 0])
    generator.skip(1)
    assert generator.state.numpy().tolist() == [255, 1, 0]


def test_gradients_reach_the_parameters() -> None:
    mean = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = Generator.from_seed(1).normal([4], mean=mean)
    assert float(tape.gradient(y, mean)) == 4


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="unsupported value x"):
        Generator.from_seed(1, alg="x")
    with pytest.raises(ValueError, match="maxval"):
        Generator.from_seed(1).uniform([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="int32"):
        Generator.from_seed(1).normal([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="three int64"):
        Generator.from_state([1, 2])


def test_the_global_generator_can_be_set() -> None:
    generator = Generator.from_seed(9)
    before = tf.random.get_global_generator()
    tf.random.set_global_generator(generator)
    assert tf.random.get_global_generator() is generator
    tf.random.set_global_generator(before)


def test_set_seed_reproduces_eager_and_staged_numbers() -> None:
    def draw() -> Any:
        shuffled = tf.random.shuffle(tf.range(10))
        return tf.random.uniform([2]), tf.random.normal([2], seed=4), shuffled

    tf.random.set_seed(3)
    expected = draw()
    tf.random.set_seed(3)
    for eager, staged in zip(expected, tf.function(draw)(), strict=True):
        np.testing.assert_array_equal(eager, staged)
