"""Datasets, iterators and tensor arrays as arguments and results of traced functions, and in structures."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import SignatureError

Dataset = tf.data.Dataset
NUMBER = tf.TensorSpec((), tf.int64)


def total(dataset: Any) -> Any:
    result = tf.constant(0, tf.int64)
    for x in dataset:
        result += x
    return result


# Datasets


def test_datasets_of_one_spec_share_a_trace() -> None:
    function = tf.function(total)
    datasets = Dataset.range(3), Dataset.range(5), Dataset.range(10).map(lambda x: x * 2), Dataset.range(4)
    assert [int(function(dataset)) for dataset in datasets] == [3, 10, 90, 6]
    assert function.experimental_get_tracing_count() == 1
    function(Dataset.range(3, output_type=tf.int32).map(lambda x: tf.cast(x, tf.int64)))
    assert function.experimental_get_tracing_count() == 1


def test_other_elements_trace_anew_and_explain_says_why() -> None:
    function = tf.function(lambda dataset, n: dataset.cardinality() + n)
    one, two = Dataset.range(3), Dataset.range(3).batch(2)
    pairs, dicts = Dataset.zip((one, one)), one.map(lambda x: {"a": x, "b": x})
    for dataset in (one, two, pairs, dicts):
        function(dataset, 1)
    assert function.experimental_get_tracing_count() == 4
    assert (
        "dataset: a value of DatasetSpec(TensorSpec(shape=(None,), dtype=tf.int64, name=None), TensorShape([])) "
        "(before: a value of DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([])))"
    ) in function.explain()


def test_a_dataset_in_a_structure_and_passed_on_changed() -> None:
    inner = tf.function(total)

    @tf.function
    def outer(data: Any, n: Any) -> Any:
        return inner(data["train"].map(lambda x: x * n).take(n)), inner(data["test"][0])

    for n in (2, 3):
        data = {"train": Dataset.range(10), "test": [Dataset.range(n)]}
        first, second = outer(data, tf.constant(n, tf.int64))
        assert (int(first), int(second)) == (n * sum(range(n)), sum(range(n)))
    assert (inner.experimental_get_tracing_count(), outer.experimental_get_tracing_count()) == (1, 1)


def test_a_dataset_streams_into_a_function_and_is_not_kept_alive() -> None:
    events: list[Any] = []

    def numbers() -> Iterator[int]:
        for i in range(10**9):
            events.append(i)
            yield i

    @tf.function
    def first_above(dataset: Any, limit: Any) -> Any:
        for x in dataset:
            if x > limit:
                break
        return x

    dataset = Dataset.from_generator(numbers, output_signature=NUMBER).map(lambda x: x + 1)
    assert int(first_above(dataset, tf.constant(2, tf.int64))) == 3
    assert events == [0, 1, 2]
    reference = weakref.ref(dataset)
    del dataset
    gc.collect()
    assert reference() is None


def test_the_order_of_a_shuffle_goes_on_from_call_to_call() -> None:
    @tf.function
    def collect(dataset: Any) -> Any:
        result = []
        for x in dataset:
            result.append(x)
        return tf.convert_to_tensor(result)

    def both(dataset: Any, run: Any) -> Any:
        return [run(dataset), run(dataset)]

    eager = both(Dataset.range(20).shuffle(20, seed=1), lambda data: [int(x) for x in data])
    staged = both(Dataset.range(20).shuffle(20, seed=1), lambda data: collect(data).numpy().tolist())
    assert staged == eager and eager[0] != eager[1]


def test_length_and_cardinality_are_those_of_the_run() -> None:
    @tf.function
    def sizes(dataset: Any) -> Any:
        return dataset.cardinality(), len(dataset.batch(2)), len(Dataset.range(7))

    assert [[int(x) for x in sizes(Dataset.range(n))] for n in (3, 6)] == [[3, 2, 7], [6, 3, 7]]
    assert sizes.experimental_get_tracing_count() == 1
    for dataset, message in (
        (Dataset.range(3).repeat(), "infinite"),
        (Dataset.range(3).filter(lambda x: x > 1), "unk"),
    ):
        with pytest.raises(TypeError, match=message):
            sizes(dataset)

    @tf.function
    def of_tensors(n: Any) -> Any:
        dataset = Dataset.range(n)
        return [
            dataset.cardinality(), dataset.shard(2, 1).cardinality(), dataset.skip(2).cardinality(),
            dataset.repeat().cardinality(), Dataset.from_tensor_slices(tf.range(n)).batch(n).cardinality(),
        ]  # fmt: skip

    assert [int(x) for x in of_tensors(tf.constant(5, tf.int64))] == [5, 2, 3, -1, 1]


def test_datasets_as_results() -> None:
    @tf.function
    def make(n: Any) -> Any:
        return {"dataset": Dataset.range(n).map(lambda x: x * n), "n": n}

    made = make(tf.constant(3, tf.int64))["dataset"]
    for _ in range(2):
        assert [int(x) for x in made] == [0, 3, 6]
    assert len(made) == 3 and made.element_spec == NUMBER
    again = make(tf.constant(2, tf.int64))["dataset"]
    assert [int(x) for x in again.concatenate(made)] == [0, 2, 0, 3, 6]

    @tf.function
    def use(n: Any) -> Any:
        return total(make(n)["dataset"])

    assert int(use(tf.constant(4, tf.int64))) == 24


def test_input_signatures_of_datasets() -> None:
    spec = tf.data.DatasetSpec(tf.TensorSpec((None,), tf.int64))

    @tf.function(input_signature=[spec, NUMBER])
    def rows(dataset: Any, n: Any) -> Any:
        result = n
        for x in dataset:
            result += tf.reduce_sum(x)
        return result

    datasets = Dataset.range(6).batch(4), Dataset.range(6).batch(3, drop_remainder=True)
    assert [int(rows(dataset, 1)) for dataset in datasets] == [16, 16]
    assert rows.experimental_get_tracing_count() == 1
    for bad in (Dataset.range(3), Dataset.zip((datasets[0], datasets[0])), tf.constant([1]), 3, iter(datasets[0])):
        with pytest.raises(SignatureError, match="rows"):
            rows(bad, 1)
    concrete = rows.get_concrete_function()
    assert int(concrete(datasets[0], tf.constant(0, tf.int64))) == 15
    assert concrete.structured_input_signature[0][0] == spec
    with pytest.raises(SignatureError, match="misses the argument 'dataset'"):
        concrete()


# Iterators


def test_iterators_of_one_spec_share_a_trace_and_keep_their_places() -> None:
    @tf.function
    def two(iterator: Any) -> Any:
        return next(iterator) * 10 + next(iterator)

    first, second = iter(Dataset.range(6)), iter(Dataset.range(5, 9).map(lambda x: x))
    assert [int(two(each)) for each in (first, second, first, second)] == [1, 56, 23, 78]
    assert two.experimental_get_tracing_count() == 1
    assert int(next(first)) == 4
    reference = weakref.ref(first)
    del first
    gc.collect()
    assert reference() is None

    @tf.function(input_signature=[tf.data.IteratorSpec(NUMBER)])
    def three(iterator: Any) -> Any:
        return two(iterator) * 10 + iterator.get_next()

    assert int(three(iter(Dataset.range(4)))) == 12


# Tensor arrays


def test_tensor_arrays_are_arguments_and_results() -> None:
    @tf.function
    def fill(array: Any, n: Any) -> Any:
        for i in tf.range(n):
            array = array.write(i, i * 7)
        return array, array.stack()

    for n in (2, 3):
        array = tf.TensorArray(tf.int32, size=n, element_shape=())
        filled, stacked = fill(array, tf.constant(n))
        assert stacked.numpy().tolist() == filled.stack().numpy().tolist() == [7 * i for i in range(n)]
        assert isinstance(filled, tf.TensorArray) and filled.element_shape == ()
        assert array.stack().numpy().tolist() == [0] * n  # arrays are values
    assert fill.experimental_get_tracing_count() == 1
    fill(tf.TensorArray(tf.int32, size=0, dynamic_size=True), tf.constant(2))
    assert fill.experimental_get_tracing_count() == 2


def test_a_trace_leaves_the_element_shape_of_its_argument_alone() -> None:
    write = tf.function(lambda array, x: array.write(0, x).stack())
    array = tf.TensorArray(tf.float32, size=1)
    for shape in ((2,), (3,)):
        np.testing.assert_array_equal(write(array, tf.zeros(shape)), np.zeros((1, *shape)))
    assert array.element_shape.rank is None


def test_gradients_through_a_function_of_tensor_arrays() -> None:
    write = tf.function(lambda array, x: array.write(0, x).write(1, x * x))

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(write(tf.TensorArray(tf.float32, size=2), x).stack())
        return tape.gradient(y, x)

    for run in (slope, tf.function(slope)):
        assert float(run(tf.constant(3.0))) == 7


def test_input_signatures_of_tensor_arrays() -> None:
    spec = tf.TensorArraySpec((None,), tf.float32)

    @tf.function(input_signature=[spec])
    def first(array: Any) -> Any:
        return array.read(0)

    for n in (1, 2):
        array = tf.TensorArray(tf.float32, size=1, element_shape=(n,)).unstack(tf.ones((1, n)))
        assert first(array).shape == (n,)
    assert first.experimental_get_tracing_count() == 1
    with pytest.raises(SignatureError, match="first"):
        first(tf.TensorArray(tf.int32, size=1, element_shape=(2,)))


# Structures


def test_composites_are_leaves_unless_expanded() -> None:
    array, dataset = tf.TensorArray(tf.int32, size=1).unstack([5]), Dataset.range(3)
    structure = {"a": array, "d": [dataset]}
    assert tf.nest.flatten(structure) == [array, dataset]
    mapped = tf.nest.map_structure(lambda each: type(each).__name__, structure)
    assert mapped == {"a": "TensorArray", "d": ["Range"]}
    parts = tf.nest.flatten(structure, expand_composites=True)
    assert [part.dtype for part in parts] == [tf.variant, tf.variant]
    packed = tf.nest.pack_sequence_as(structure, parts, expand_composites=True)
    assert packed["a"].stack().numpy().tolist() == [5] and [int(x) for x in packed["d"][0]] == [0, 1, 2]
    tf.nest.assert_same_structure(dataset, Dataset.range(5), expand_composites=True)
    with pytest.raises(TypeError, match="composite type"):
        tf.nest.assert_same_structure([dataset], [dataset.batch(2)], expand_composites=True)


def test_arrays_in_structures_are_written_by_a_staged_loop() -> None:
    @tf.function
    def run(n: Any) -> Any:
        arrays = (tf.TensorArray(tf.int32, size=n), tf.TensorArray(tf.int32, size=n))
        for i in tf.range(n):
            arrays = tf.nest.map_structure(lambda array, factor: array.write(i, i * factor), arrays, (1, 10))  # noqa: B023
        return tf.nest.map_structure(lambda array: array.stack(), arrays)

    assert [x.numpy().tolist() for x in run(tf.constant(3))] == [[0, 1, 2], [0, 10, 20]]
