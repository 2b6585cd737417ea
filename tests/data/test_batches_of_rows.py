"""Batches of slices of tensors, chosen and reordered before: the same as of elements that are made one by one."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf

CHOICES = {
    "all": lambda data: data,
    "in another order": lambda data: data.shuffle(100, seed=3),
    "from a small buffer": lambda data: data.shuffle(4, seed=3),
    "several times": lambda data: data.shuffle(100, seed=3).repeat(3),
    "without end": lambda data: data.repeat().take(25),
    "a part": lambda data: data.skip(3).take(5),
    "every third": lambda data: data.shard(3, 1),
    "nothing": lambda data: data.take(0),
    "of all kinds": lambda data: data.shuffle(5, seed=1).skip(2).repeat(2).shard(2, 0).take(6).repeat(2),
}


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("name", CHOICES)
def test_they_are_what_stacked_elements_are(name: str, drop: bool) -> None:
    tensors = {"x": np.arange(22, dtype=np.float32).reshape(11, 2), "text": np.array([f"row {i}" for i in range(11)])}

    def batches(one_by_one: bool) -> list[tuple[list, list]]:
        tf.random.set_seed(7)
        data = tf.data.Dataset.from_tensor_slices(tensors)
        if one_by_one:
            data = data.map(lambda row: row)  # what a function gives is no row of an array
        found = CHOICES[name](data).batch(4, drop_remainder=drop)
        return [(each["x"].numpy().tolist(), each["text"].numpy().tolist()) for each in found]

    assert batches(False) == batches(True)
    assert name == "nothing" or len(batches(False)) > 0


def test_each_iteration_shuffles_anew_and_as_before() -> None:
    def rounds(map_first: bool) -> list[list[int]]:
        tf.random.set_seed(5)
        data = tf.data.Dataset.from_tensor_slices(np.arange(20))
        data = (data.map(lambda x: x) if map_first else data).shuffle(20).batch(20)
        return [next(iter(data)).numpy().tolist() for _ in range(3)]

    found = rounds(False)
    assert found == rounds(True)
    assert found[0] != found[1] != found[2]


def test_batches_are_arrays_of_their_own() -> None:
    values = np.arange(6)
    data = tf.data.Dataset.from_tensor_slices(values).batch(3)
    for batch in data.as_numpy_iterator():
        batch[:] = -1
    values[:] = -2
    assert [each.tolist() for each in data.as_numpy_iterator()] == [[0, 1, 2], [3, 4, 5]]


def test_in_a_graph() -> None:
    data = tf.data.Dataset.from_tensor_slices((np.arange(10.0), np.arange(10))).shuffle(10, seed=1).batch(4)

    @tf.function
    def total(data):
        found = tf.constant(0.0, tf.float64)
        for x, i in data:
            found += tf.reduce_sum(x * tf.cast(i, tf.float64))
        return found

    assert float(total(data)) == sum(i * i for i in range(10))
