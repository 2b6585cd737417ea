"""Datasets iterated in Python: elements, specs, cardinalities and errors as TensorFlow's."""

from __future__ import annotations

import collections
import itertools
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError
from tests.work import work

Dataset = tf.data.Dataset
Point = collections.namedtuple("Point", "a b")


def values(dataset: Any, limit: int = 20) -> Any:
    """The elements as Python values, at most some."""
    items = itertools.islice(dataset.as_numpy_iterator(), limit)
    return [tf.nest.map_structure(lambda leaf: leaf.tolist() if hasattr(leaf, "tolist") else leaf, x) for x in items]


def shown(dataset: Any) -> str:
    return repr(dataset.element_spec).replace("TensorSpec", "").replace(", name=None", "")


@pytest.mark.parametrize(
    "make, elements, spec, cardinality",
    [
        (lambda: Dataset.from_tensor_slices([1, 2]), [1, 2], "(shape=(), dtype=tf.int32)", 2),
        (lambda: Dataset.from_tensor_slices(([1, 2], [[1.0], [2.0]])), [(1, [1.0]), (2, [2.0])],
         "((shape=(), dtype=tf.int32), (shape=(1,), dtype=tf.float32))", 2),
        (lambda: Dataset.from_tensor_slices({"a": [1], "b": ["x"]}), [{"a": 1, "b": b"x"}],
         "{'a': (shape=(), dtype=tf.int32), 'b': (shape=(), dtype=tf.string)}", 1),
        (lambda: Dataset.from_tensors(([1, 2], 3)), [([1, 2], 3)],
         "((shape=(2,), dtype=tf.int32), (shape=(), dtype=tf.int32))", 1),
        (lambda: Dataset.range(2, 10, 3), [2, 5, 8], "(shape=(), dtype=tf.int64)", 3),
        (lambda: Dataset.range(5, 0, -2), [5, 3, 1], "(shape=(), dtype=tf.int64)", 3),
        (lambda: Dataset.range(2, output_type=tf.float32), [0.0, 1.0], "(shape=(), dtype=tf.float32)", 2),
        (lambda: Dataset.range(3).map(lambda x: (x, x + 1)).map(lambda a, b: a * b), [0, 2, 6],
         "(shape=(), dtype=tf.int64)", 3),
        (lambda: Dataset.range(2).map(lambda x: [x, x]), [(0, 0), (1, 1)],
         "((shape=(), dtype=tf.int64), (shape=(), dtype=tf.int64))", 2),
        (lambda: Dataset.range(2).map(lambda x: ([x, x], "a")), [([0, 0], b"a"), ([1, 1], b"a")],
         "((shape=(2,), dtype=tf.int64), (shape=(), dtype=tf.string))", 2),
        (lambda: Dataset.from_tensor_slices(Point([1, 2], [3, 4])).map(lambda p: Point(p.b, p.a)),
         [Point(3, 1), Point(4, 2)], "Point(a=(shape=(), dtype=tf.int32), b=(shape=(), dtype=tf.int32))", 2),
        (lambda: Dataset.range(5).batch(2), [[0, 1], [2, 3], [4]], "(shape=(None,), dtype=tf.int64)", 3),
        (lambda: Dataset.range(5).batch(2, drop_remainder=True), [[0, 1], [2, 3]], "(shape=(2,), dtype=tf.int64)", 2),
        (lambda: Dataset.range(3).batch(2).unbatch(), [0, 1, 2], "(shape=(), dtype=tf.int64)", -2),
        (lambda: Dataset.range(2).repeat(2), [0, 1, 0, 1], "(shape=(), dtype=tf.int64)", 4),
        (lambda: Dataset.range(2).repeat().take(3), [0, 1, 0], "(shape=(), dtype=tf.int64)", 3),
        (lambda: Dataset.range(0).repeat(), [], "(shape=(), dtype=tf.int64)", 0),
        (lambda: Dataset.range(5).take(-1).skip(3), [3, 4], "(shape=(), dtype=tf.int64)", 2),
        (lambda: Dataset.range(5).skip(-1), [], "(shape=(), dtype=tf.int64)", 0),
        (lambda: Dataset.zip((Dataset.range(3), Dataset.range(2).repeat())), [(0, 0), (1, 1), (2, 0)],
         "((shape=(), dtype=tf.int64), (shape=(), dtype=tf.int64))", 3),
        (lambda: Dataset.zip({"a": Dataset.range(3), "b": Dataset.range(1)}), [{"a": 0, "b": 0}],
         "{'a': (shape=(), dtype=tf.int64), 'b': (shape=(), dtype=tf.int64)}", 1),
        (lambda: Dataset.from_tensor_slices([[1, 2]]).concatenate(Dataset.from_tensors([3])), [[1, 2], [3]],
         "(shape=(None,), dtype=tf.int32)", 2),
        (lambda: Dataset.range(5).filter(lambda x: x % 2 == 0), [0, 2, 4], "(shape=(), dtype=tf.int64)", -2),
        (lambda: Dataset.from_tensor_slices(([1], [2])).enumerate(5), [(5, (1, 2))],
         "((shape=(), dtype=tf.int64), ((shape=(), dtype=tf.int32), (shape=(), dtype=tf.int32)))", 1),
        (lambda: Dataset.range(6).shard(3, 1), [1, 4], "(shape=(), dtype=tf.int64)", 2),
        (lambda: Dataset.range(4).cache().prefetch(2), [0, 1, 2, 3], "(shape=(), dtype=tf.int64)", 4),
        (lambda: Dataset.range(4).flat_map(lambda n: Dataset.range(n)), [0, 0, 1, 0, 1, 2],
         "(shape=(), dtype=tf.int64)", -2),
        (lambda: Dataset.range(1, 4).interleave(lambda n: Dataset.range(n * 10, n * 11), 2, block_length=2),
         [10, 20, 21, 30, 31, 32], "(shape=(), dtype=tf.int64)", -2),
        (lambda: Dataset.range(3).apply(lambda dataset: dataset.take(1)), [0], "(shape=(), dtype=tf.int64)", 1),
    ],
)  # fmt: skip
def test_elements_specs_and_cardinalities(make: Any, elements: Any, spec: str, cardinality: int) -> None:
    dataset = make()
    for _ in range(2):  # each iteration begins anew
        assert values(dataset) == elements
    assert shown(dataset) == spec
    assert int(dataset.cardinality()) == cardinality and dataset.cardinality().dtype is tf.int64
    assert bool(dataset)


@pytest.mark.parametrize(
    "act, error, match",
    [
        (lambda: Dataset.from_tensor_slices(5), ValueError, "only supported for rank >= 1"),
        (lambda: Dataset.from_tensor_slices(([1, 2], [1])), ValueError, "Dimensions 1 and 2 are not compatible"),
        (lambda: values(Dataset.range(0, 3, 0)), ValueError, "step cannot be zero"),
        (lambda: Dataset.range(7).batch(0), ValueError, "batch_size must be greater than zero"),
        (lambda: values(Dataset.range(3).map(lambda x: tf.ones([x])).batch(2)), ValueError,
         r"different shapes in component 0. First element had shape \[0\] and element 1 had shape \[1\]"),
        (lambda: Dataset.zip([Dataset.range(3)]), TypeError, "not a list"),
        (lambda: Dataset.range(2).concatenate(Dataset.from_tensors(1.0)), TypeError, "Incompatible dataset elements"),
        (lambda: Dataset.range(5).filter(lambda x: x), ValueError, "must return a `tf.bool` scalar"),
        (lambda: Dataset.range(6).shard(3, 3), ValueError, "Index must be between 0 and 2"),
        (lambda: Dataset.range(3).unbatch(), ValueError, "scalar components"),
        (lambda: Dataset.range(3).flat_map(lambda x: x), TypeError, "must return a `Dataset` object"),
        (lambda: Dataset.range(3).shuffle(0), ValueError, "buffer_size must be greater than zero"),
        (lambda: Dataset.range(5).reduce(0, lambda a, b: a + b), TypeError, "Expected tf.int32 but got tf.int64"),
        (lambda: len(Dataset.range(5).repeat()), TypeError, "The dataset is infinite"),
        (lambda: len(Dataset.range(5).filter(lambda x: x > 1)), TypeError, "The dataset length is unknown"),
        (lambda: Dataset.from_generator(5, tf.int32), TypeError, "must be a Python callable"),
        (lambda: Dataset.range(3).map(3), TypeError, "takes a function here, not 3"),
        (lambda: Dataset.range(3).map(lambda x: tf.Variable(1.0)), ValueError, "singleton tf.Variables"),
    ],
)  # fmt: skip
def test_errors(act: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        act()


@pytest.mark.parametrize("dataset", [Dataset.from_tensors, lambda x: Dataset.from_tensors(1.0).repeat()])
def test_gradients_tell_elements_from_what_they_were_made_of(dataset: Any) -> None:
    x = tf.constant(3.0)
    items = iter(dataset(x))
    with tf.GradientTape() as tape:
        first = next(items)
        tape.watch(x)
        tape.watch(first)
        others = next(iter(dataset(x))) if dataset is Dataset.from_tensors else next(items)
        y = x * others * first
    assert tape.gradient(y, x).numpy() == (others * first).numpy()


def test_generators_may_use_an_array_again() -> None:
    def rows() -> Iterator[Any]:
        row = np.zeros(2, np.float32)
        for i in range(3):
            row[:] = i
            yield row

    dataset = Dataset.from_generator(rows, output_signature=tf.TensorSpec((2,), tf.float32))
    assert values(dataset.batch(3)) == [[[0, 0], [1, 1], [2, 2]]]
    assert [x.numpy().tolist() for x in list(dataset)] == [[0, 0], [1, 1], [2, 2]]


def test_elements_are_tensors_of_their_own() -> None:
    dataset = Dataset.from_tensor_slices(np.arange(3))
    first = next(iter(dataset))
    assert repr(first) == "<tf.Tensor: shape=(), dtype=int64, numpy=0>"
    assert repr(dataset) == "<_TensorSliceDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    assert len(dataset) == 3


def test_iterators() -> None:
    iterator = iter(Dataset.range(3))
    assert int(next(iterator)) == 0 and int(iterator.get_next()) == 1
    assert [int(x) for x in iterator] == [2]
    assert next(iterator, None) is None
    with pytest.raises(OutOfRangeError, match="End of sequence"):
        iterator.get_next()


def test_errors_of_functions_and_generators_pass_through() -> None:
    def bad() -> Iterator[int]:
        yield 1
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        list(Dataset.from_generator(bad, tf.int32))
    table = tf.constant([1, 2])
    with pytest.raises(OutOfRangeError, match="index 2 is out of bounds"):  # not taken for the end
        list(Dataset.range(4).map(lambda i: table[i]))


def test_functions_are_converted_and_see_variables() -> None:
    v = tf.Variable(2)

    def branch(x: Any) -> Any:
        if x % 2 == 0:
            return x * tf.cast(v, tf.int64)
        return -x

    dataset = Dataset.range(4).map(branch)
    assert values(dataset) == [0, -1, 4, -3]
    v.assign(10)
    assert values(dataset) == [0, -1, 20, -3]
    doubled = Dataset.range(3).map(tf.function(lambda x: x * 2))
    assert values(doubled) == [0, 2, 4]


def test_reduce() -> None:
    assert int(Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x)) == 10
    count, last = Dataset.range(5).reduce((0.0, np.int64(9)), lambda state, x: (state[0] + 1.0, x))
    assert (float(count), int(last)) == (5, 4)
    grown = Dataset.range(3).reduce(tf.zeros([0], tf.int64), lambda state, x: tf.concat([state, [x]], 0))
    assert grown.numpy().tolist() == [0, 1, 2]


# Generators


def test_generators_are_called_for_each_iteration_and_stream() -> None:
    events: list[Any] = []

    def numbers(n: int) -> Iterator[int]:
        events.append("start")
        for i in range(n):
            events.append(i)
            yield i

    dataset = Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.int32), args=(1000,))
    for x in dataset.map(lambda x: x + 1).batch(2).take(1):
        events.append(x.numpy().tolist())
    assert events == ["start", 0, 1, [1, 2]]
    assert values(dataset, 2) == [0, 1]


@pytest.mark.parametrize(
    "items, arguments, elements",
    [
        ([1, 2], {"output_types": tf.float32}, [1.0, 2.0]),
        ([(1, [1, 2]), (2, [3])], {"output_types": (tf.int32, tf.int64), "output_shapes": ((), (None,))},
         [(1, [1, 2]), (2, [3])]),
        (["a", b"b"], {"output_types": tf.string}, [b"a", b"b"]),
        ([{"a": 1}], {"output_signature": {"a": tf.TensorSpec((), tf.int8)}}, [{"a": 1}]),
        ([[1, 2]], {"output_types": (tf.int32, tf.int32)}, [(1, 2)]),
        ([1.5], {"output_types": tf.int32}, "could not be converted to the expected type"),
        ([1], {"output_types": (tf.int32, tf.int32)}, "did not match the expected structure"),
        ([[1, 2]], {"output_signature": tf.TensorSpec((3,), tf.int32)},
         r"yielded an element of shape \(2,\) where an element of shape \(3,\) was expected"),
    ],
)  # fmt: skip
def test_what_generators_yield_is_checked(items: Any, arguments: Any, elements: Any) -> None:
    dataset = Dataset.from_generator(lambda: iter(items), **arguments)
    if isinstance(elements, str):
        with pytest.raises(InvalidArgumentError, match=elements):
            values(dataset)
    else:
        assert values(dataset) == elements


# Order and memory


def test_shuffled_elements_are_all_there() -> None:
    dataset = Dataset.range(50).shuffle(10)
    assert sorted(values(dataset, 50)) == list(range(50))
    # An element can't come before the buffer has reached it.
    assert all(x < i + 10 for i, x in enumerate(values(dataset, 50)))
    assert values(Dataset.range(5).shuffle(1)) == [0, 1, 2, 3, 4]


def test_each_iteration_has_another_order_unless_told_otherwise() -> None:
    again = Dataset.range(30).shuffle(30, seed=1)
    assert values(again, 30) != values(again, 30)
    fixed = Dataset.range(30).shuffle(30, seed=1, reshuffle_each_iteration=False)
    assert values(fixed, 30) == values(fixed, 30)
    epochs = values(Dataset.range(30).shuffle(30, seed=1).repeat(2), 60)
    assert sorted(epochs[:30]) == sorted(epochs[30:]) and epochs[:30] != epochs[30:]


@pytest.mark.parametrize("seed", [None, 3])
def test_seeds_reproduce_the_order(seed: int | None) -> None:
    def orders() -> Any:
        tf.random.set_seed(5)
        dataset = Dataset.range(20).shuffle(7, seed=seed)
        return values(dataset), values(dataset)

    assert orders() == orders()


def test_a_cache_runs_its_source_once() -> None:
    calls = []

    def numbers() -> Iterator[int]:
        calls.append(1)
        yield from range(3)

    dataset = Dataset.from_generator(numbers, tf.int32).cache()
    assert values(dataset, 1) == [0]  # not to the end: nothing is kept
    assert values(dataset) == values(dataset) == [0, 1, 2] and len(calls) == 2


def test_memory_is_bounded_by_buffers() -> None:
    def arrays() -> Iterator[Any]:
        for i in range(300):
            yield np.full(10_000, i, np.float64)

    dataset = Dataset.from_generator(arrays, output_signature=tf.TensorSpec((10_000,), tf.float64))
    tracemalloc.start()
    for _ in dataset.shuffle(5).map(lambda x: x + 1.0).batch(4).prefetch(2):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * 80_000


def test_a_loop_of_concatenate_is_one_row_of_datasets() -> None:
    def joined(count: int) -> Any:
        dataset = tf.data.Dataset.range(0)
        for i in range(count):
            dataset = dataset.concatenate(tf.data.Dataset.range(i, i + 2))
        return dataset

    long = joined(2000)
    assert int(long.cardinality()) == 4000
    assert [int(x) for x in long][:6] == [0, 1, 1, 2, 2, 3]
    few, many = joined(100), joined(1000)
    assert work(lambda: list(many)) < 11 * work(lambda: list(few))
