"""Datasets that group, choose, remember and run ahead: elements, specs, cardinalities and errors as TensorFlow's."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import DataLossError, InvalidArgumentError

Dataset = tf.data.Dataset
NUMBER = tf.TensorSpec((), tf.int64)


def values(dataset: Any, limit: int = 12) -> Any:
    """The elements as Python values, at most some; those of datasets in them as lists."""

    def value(leaf: Any) -> Any:
        if isinstance(leaf, Dataset):
            return values(leaf)
        array = leaf.numpy()
        return array.tolist() if hasattr(array, "tolist") else array

    return [tf.nest.map_structure(value, element) for element in dataset.take(limit)]


def rows() -> Any:
    return Dataset.from_tensor_slices([1, 3, 2]).map(lambda n: tf.fill([n], n))


def ragged(kind: Any = tf.int32) -> Any:
    return Dataset.from_generator(lambda: iter([[1], [2, 3]]), kind)


def pairs(count: int = 3) -> Any:
    return Dataset.range(count).map(lambda n: (tf.fill([n], n), tf.as_string(n)))


def chosen(*places: int, **options: Any) -> Any:
    choices = Dataset.from_tensor_slices(np.array(places, np.int64))
    return Dataset.choose_from_datasets([Dataset.range(3), Dataset.range(10, 12)], choices, **options)


def bucketed(sizes: list[int], boundaries: Any = (3, 6), **options: Any) -> Any:
    dataset = Dataset.from_tensor_slices([1, 5, 2, 7, 3, 6]).map(lambda n: tf.fill([n], n))
    return dataset.bucket_by_sequence_length(lambda x: tf.shape(x)[0], boundaries, sizes, **options)


def by_parity(**options: Any) -> Any:
    return Dataset.range(7).group_by_window(lambda x: x % 2, lambda key, group: group.batch(9), **options)


@pytest.mark.parametrize(
    "make, elements, shapes, cardinality",
    [
        # Padded batches
        (lambda: rows().padded_batch(2), [[[1, 0, 0], [3, 3, 3]], [[2, 2]]], (None, None), 2),
        (lambda: rows().padded_batch(2, [4]), [[[1, 0, 0, 0], [3, 3, 3, 0]], [[2, 2, 0, 0]]], (None, 4), 2),
        (lambda: rows().padded_batch(2, (None,), -1, drop_remainder=True), [[[1, -1, -1], [3, 3, 3]]], (2, None), 1),
        (lambda: ragged().padded_batch(2, [None]), [[[1, 0], [2, 3]]], (None, None), -2),
        (lambda: pairs().padded_batch(2, padding_values=(np.int64(9), "z")),
         [([[9], [1]], [b"0", b"1"]), ([[2, 2]], [b"2"])], ((None, None), (None,)), 2),
        (lambda: pairs().padded_batch(3, ([3], [])), [([[0] * 3, [1, 0, 0], [2, 2, 0]], [b"0", b"1", b"2"])],
         ((None, 3), (None,)), 1),
        (lambda: Dataset.range(2).map(lambda n: {"a": tf.fill([n, n], "x")}).padded_batch(2),
         [{"a": [[[b""]], [[b"x"]]]}], {"a": (None, None, None)}, 1),
        # Windows
        (lambda: Dataset.range(7).window(3), [[0, 1, 2], [3, 4, 5], [6]], None, 3),
        (lambda: Dataset.range(6).window(3, shift=1, drop_remainder=True),
         [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]], None, 4),
        (lambda: Dataset.range(7).window(3, 2, 2), [[0, 2, 4], [2, 4, 6], [4, 6], [6]], None, 4),
        (lambda: Dataset.range(10).window(2, 4, 2, True), [[0, 2], [4, 6]], None, 2),
        (lambda: Dataset.range(9).window(1, 4), [[0], [4], [8]], None, 3),
        (lambda: Dataset.range(4).map(lambda x: (x, {"a": -x})).window(3),
         [([0, 1, 2], {"a": [0, -1, -2]}), ([3], {"a": [-3]})], None, 2),
        (lambda: Dataset.range(5).window(3, 1, 1, True).flat_map(lambda w: w.batch(3)),
         [[0, 1, 2], [1, 2, 3], [2, 3, 4]], (None,), -2),
        (lambda: Dataset.range(7).map(lambda x: (x, x)).window(3)
         .flat_map(lambda a, b: Dataset.zip((a.batch(2), b.skip(1).batch(2)))), [([0, 1], [1, 2]), ([3, 4], [4, 5])],
         ((None,), (None,)), -2),
        (lambda: Dataset.range(2).repeat().window(3).take(2), [[0, 1, 0], [1, 0, 1]], None, 2),
        (lambda: Dataset.from_tensors((Dataset.range(2), Dataset.range(3))), [([0, 1], [0, 1, 2])], None, 1),
        # Other batches and groups
        (lambda: Dataset.range(7).batch(4).rebatch(3), [[0, 1, 2], [3, 4, 5], [6]], (None,), -2),
        (lambda: Dataset.range(7).batch(4).rebatch(3, drop_remainder=True), [[0, 1, 2], [3, 4, 5]], (3,), -2),
        (lambda: Dataset.range(7).batch(4).rebatch([3, 1]), [[0, 1, 2], [3], [4, 5, 6]], (None,), -2),
        (lambda: by_parity(window_size=2), [[0, 2], [1, 3], [4, 6], [5]], (None,), -2),
        (lambda: by_parity(window_size=9), [[0, 2, 4, 6], [1, 3, 5]], (None,), -2),
        (lambda: by_parity(window_size_func=lambda key: key + 1), [[0], [2], [1, 3], [4], [6], [5]], (None,), -2),
        (lambda: bucketed([2, 2, 2]), [[[1, 0], [2, 2]], [[5, 5, 5, 5, 5], [3, 3, 3, 0, 0]], [[7] * 7, [6] * 6 + [0]]],
         (None, None), -2),
        (lambda: bucketed([3, 2, 2], drop_remainder=True),
         [[[5, 5, 5, 5, 5], [3, 3, 3, 0, 0]], [[7] * 7, [6] * 6 + [0]]], (None, None), -2),
        (lambda: bucketed([2, 2, 9], boundaries=[3, 8], pad_to_bucket_boundary=True, padding_values=-1),
         [[[1, -1], [2, 2]], [[5] * 5 + [-1] * 2, [7] * 7], [[3] * 3 + [-1] * 4, [6] * 6 + [-1]]], (None, None), -2),
        # Element by element
        (lambda: Dataset.range(7).take_while(lambda x: x < 3), [0, 1, 2], (), -2),
        (lambda: Dataset.range(5).scan(np.int64(0), lambda s, x: (s + x, s * 2)), [0, 0, 2, 6, 12], (), 5),
        (lambda: Dataset.range(2).scan((np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1]), (x, s[1]))),
         [(0, 1.0), (1, 1.0)], ((), ()), 2),
        (lambda: Dataset.range(3).scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), s)),
         [[], [0], [0, 1]], (None,), 3),
        (lambda: Dataset.from_tensor_slices([1, 2, 1, 3, 2]).unique(), [1, 2, 3], (), -2),
        (lambda: Dataset.from_tensor_slices(["a", "b", "a"]).unique(), [b"a", b"b"], (), -2),
        (lambda: Dataset.from_tensor_slices([[1, 2], [2, 1], [1, 2]]).unique(), [[1, 2], [2, 1]], (2,), -2),
        (lambda: Dataset.range(3).map(lambda x: Dataset.range(x)), [[], [0], [0, 1]], None, 3),
        # From several
        (lambda: chosen(0, 1, 1, 1, 0, 0), [0, 10, 11], (), -2),
        (lambda: chosen(0, 1, 1, 1, 0, 0, stop_on_empty_dataset=False), [0, 10, 11, 1, 2], (), -2),
        (lambda: Dataset.sample_from_datasets([Dataset.range(3), Dataset.range(9)], weights=[1.0, 0.0]), [0, 1, 2], (),
         3),
        (lambda: Dataset.zip(Dataset.range(2), Dataset.range(3)), [(0, 0), (1, 1)], ((), ()), 2),
        (lambda: Dataset.counter(2, 3).take(3), [2, 5, 8], (), 3),
        (lambda: Dataset.range(3).prefetch(tf.data.AUTOTUNE).prefetch(0).prefetch(9), [0, 1, 2], (), 3),
    ],
)  # fmt: skip
def test_elements_shapes_and_cardinalities(make: Any, elements: Any, shapes: Any, cardinality: int) -> None:
    dataset = make()
    for _ in range(2):  # each iteration begins anew
        assert values(dataset) == elements
    if shapes is None:
        assert all(isinstance(spec, tf.data.DatasetSpec) for spec in tf.nest.flatten(dataset.element_spec))
    else:
        leaves = [tuple(spec.shape.as_list()) for spec in tf.nest.flatten(dataset.element_spec)]
        assert tf.nest.pack_sequence_as(dataset.element_spec, leaves) == shapes
    assert int(dataset.cardinality()) == cardinality


@pytest.mark.parametrize(
    "act, error, match",
    [
        (lambda: values(rows().padded_batch(2, [2])), DataLossError, "pad to a smaller size than the input element"),
        (lambda: rows().padded_batch(2, padding_values=1.5), TypeError, "values type tf.float32 does not match"),
        (lambda: pairs().padded_batch(2, padding_values=7), TypeError, "tf.int32 does not match type tf.int64"),
        (lambda: rows().padded_batch(0), ValueError, "Batch size must be greater than zero"),
        (lambda: ragged().padded_batch(2), ValueError, "component 0 has unknown rank"),
        (lambda: rows().padded_batch(2, [None, None]), ValueError, "not compatible with the shape"),
        (lambda: pairs().padded_batch(2, [None]), TypeError, "has not the structure"),
        (lambda: Dataset.range(5).window(0), ValueError, "Window size must be greater than zero"),
        (lambda: Dataset.range(5).window(2, shift=0), ValueError, "Window shift must be greater than zero"),
        (lambda: Dataset.range(5).window(2, stride=0), ValueError, "Window stride must be greater than zero"),
        (lambda: bucketed([2, 2]), ValueError, r"must equal `len\(bucket_boundaries\) \+ 1`"),
        (lambda: bucketed([2, 2, 2], boundaries=[6, 3]), ValueError, "must increase"),
        (lambda: values(bucketed([2, 2, 2], no_padding=True)), ValueError, "different shapes without padding"),
        (lambda: values(bucketed([2, 2, 2], pad_to_bucket_boundary=True)), ValueError, "must have length < max"),
        (lambda: setattr(tf.data.Options(), "determinstic", True), AttributeError, "Cannot set the property"),
        (lambda: Dataset.range(5).take_while(lambda x: x), ValueError, "must return a `tf.bool` scalar tensor"),
        (lambda: Dataset.range(5).scan(0, lambda s, x: s + 1), TypeError, "a pair consisting of new state and the"),
        (lambda: Dataset.range(5).scan(0, lambda s, x: (x, s)), TypeError, "Expected tf.int32 but got tf.int64"),
        (lambda: Dataset.from_tensor_slices([1.0]).unique(), TypeError, "does not support type tf.float32"),
        (lambda: pairs().unique(), ValueError, "single component"),
        (lambda: by_parity(), ValueError, "Either the `window_size` argument or"),
        (lambda: by_parity(window_size=0).get_single_element(), ValueError, "Window size must be greater than zero"),
        (lambda: Dataset.range(3).group_by_window(lambda x: 1.5, lambda k, d: d, 2), ValueError, "Invalid `key_func`"),
        (lambda: Dataset.range(3).group_by_window(lambda x: x, lambda k, d: k, 2), TypeError, "Invalid `reduce_func`"),
        (lambda: values(chosen(0, 5)), ValueError, "Selector index out of range: 5 >= 2"),
        (lambda: Dataset.choose_from_datasets([], Dataset.range(1)), ValueError, "should not be empty"),
        (lambda: Dataset.choose_from_datasets([rows(), pairs()], Dataset.range(1)), TypeError, "compatible element"),
        (lambda: Dataset.choose_from_datasets([rows()], rows()), TypeError, "scalar `tf.int64` tensors"),
        (lambda: Dataset.sample_from_datasets([rows(), rows()], [0.5]), ValueError, r"len\(weights\)=1"),
        (lambda: Dataset.sample_from_datasets([rows(), rows()], [0.0, 0.0]), ValueError, "positive numbers"),
        (lambda: Dataset.range(2).get_single_element(), ValueError, "more than one element"),
        (lambda: Dataset.range(0).get_single_element(), ValueError, "Dataset was empty"),
        (lambda: Dataset.range(2).prefetch(-2), ValueError, "buffer_size must be >= 0"),
        (lambda: Dataset.range(5).window(2).batch(2), TypeError, "`batch` takes elements made of tensors, not of"),
        (lambda: Dataset.range(5).window(2).padded_batch(2), TypeError, "`padded_batch` takes elements made of"),
        (lambda: Dataset.range(5).window(2).unbatch(), TypeError, "`unbatch` takes elements made of tensors"),
        (lambda: Dataset.range(5).window(2).as_numpy_iterator(), TypeError, "`as_numpy_iterator` takes elements"),
        (lambda: Dataset.from_tensor_slices(Dataset.range(5)), ValueError, "only supported for rank >= 1"),
        (lambda: Dataset.range(2).apply(lambda dataset: 5), TypeError, "must return a `tf.data.Dataset` object"),
    ],
)  # fmt: skip
def test_errors(act: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        act()


def test_methods_in_a_traced_function_take_its_tensors() -> None:
    @tf.function
    def run(n: Any, data: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for window in data.window(n, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(n)):
            total = total * 10 + tf.reduce_max(window)
        grouped = data.group_by_window(lambda x: x % n, lambda key, group: group.batch(n), window_size=n)
        padded = data.map(lambda x: tf.fill([x], x)).padded_batch(n, padding_values=n)
        running = data.scan(n, lambda state, x: (state + x, state)).take_while(lambda x: x < 3 * n)
        for row in grouped.prefetch(n).skip(1).take(1):
            total = total * 100 + tf.reduce_sum(row)
        for row in padded.skip(1).take(1):
            total = total * 100 + tf.reduce_sum(row)
        return total, running.reduce(tf.constant(0, tf.int64), lambda a, b: a + b), data.take(1).get_single_element()

    got = [int(x) for x in run(tf.constant(2, tf.int64), Dataset.range(4))]
    assert got == [123 * 10**4 + (1 + 3) * 100 + (2 + 2 + 2 + 3 + 3 + 3), 2 + 2 + 3 + 5, 0]


def test_samples_follow_weights_and_seeds() -> None:
    def sample(weights: Any, **options: Any) -> Any:
        sources = [Dataset.range(1).repeat(), Dataset.range(1, 2).repeat()]
        return Dataset.sample_from_datasets(sources, weights, **options)

    drawn = values(sample([0.9, 0.1], seed=3), 500)
    assert 20 < sum(drawn) < 90
    assert values(sample([0.9, 0.1], seed=3), 500) == drawn != values(sample([0.9, 0.1], seed=4), 500)
    again = sample(None, seed=3, rerandomize_each_iteration=True)
    assert values(again, 100) != values(again, 100)
    ended = Dataset.sample_from_datasets([Dataset.range(5), Dataset.range(10, 13)], seed=1)
    assert sorted(values(ended)) == [0, 1, 2, 3, 4, 10, 11, 12]
    numbers = Dataset.random(seed=1)
    assert values(numbers) == values(numbers) and all(0 <= x < 2**32 for x in values(numbers))


def test_options_are_given_back() -> None:
    options, more = tf.data.Options(), tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    more.threading.max_intra_op_parallelism = 2
    dataset = Dataset.range(3).with_options(options).map(lambda x: x + 1).with_options(more)
    assert values(dataset) == [1, 2, 3] and len(dataset) == 3
    found = dataset.options()
    assert found.deterministic is False and found.autotune.enabled is None
    assert (found.threading.private_threadpool_size, found.threading.max_intra_op_parallelism) == (3, 2)
    assert found == options.merge(more) != options and Dataset.range(2).options() == tf.data.Options()


# Running ahead


def prefetching() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "prefetch"]


def wait_until(holds: Any) -> bool:
    for _ in range(1000):
        if holds():
            return True
        time.sleep(0.01)
    return False


def counted(limit: int, made: list[int]) -> Any:
    def numbers() -> Iterator[int]:
        for i in range(limit):
            made.append(i)
            yield i

    return Dataset.from_generator(numbers, output_signature=NUMBER)


def test_a_thread_makes_elements_before_they_are_asked_for() -> None:
    made: list[int] = []
    iterator = iter(counted(100, made).prefetch(3))
    assert made == [] and prefetching() == []
    assert int(next(iterator)) == 0
    assert wait_until(lambda: len(made) == 4)  # the one that was taken, and three ahead
    assert int(next(iterator)) == 1
    assert wait_until(lambda: len(made) == 5)
    time.sleep(0.05)
    assert len(made) == 5 and len(prefetching()) == 1
    assert [int(x) for x in iterator] == list(range(2, 100))
    assert next(iterator, None) is None
    assert wait_until(lambda: prefetching() == [])


def test_an_iteration_that_is_given_up_ends_its_thread() -> None:
    closed = threading.Event()

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    dataset = Dataset.from_generator(endless, output_signature=NUMBER).prefetch(2).batch(2).prefetch(1)
    for _ in dataset:
        break
    list(dataset.take(3))

    @tf.function
    def first(data: Any) -> Any:
        for x in data:
            return x

    first(dataset)
    gc.collect()
    assert closed.wait(10) and wait_until(lambda: prefetching() == [])


def test_an_error_comes_in_the_place_of_its_element() -> None:
    inverse = Dataset.range(-1, 2).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x, tf.float32), "bad"))
    iterator = iter(inverse.prefetch(5))
    assert float(next(iterator)) == -1
    with pytest.raises(InvalidArgumentError, match="bad"):
        next(iterator)
    assert float(next(iterator)) == 1 and next(iterator, None) is None

    def breaking() -> Iterator[int]:
        yield 1
        raise KeyError("broken")

    iterator = iter(Dataset.from_generator(breaking, output_signature=NUMBER).prefetch(5))
    assert int(next(iterator)) == 1
    with pytest.raises(KeyError, match="broken"):
        next(iterator)
    assert wait_until(lambda: prefetching() == [])


# Caches in files


def words(calls: list[int]) -> Any:
    def items() -> Iterator[Any]:
        calls.append(1)
        for i in range(3):
            yield {"n": i, "words": ["x" * i, "\0"], "row": [float(i)] * i}

    specs = {"n": NUMBER, "words": tf.TensorSpec((2,), tf.string), "row": tf.TensorSpec((None,), tf.float32)}
    return Dataset.from_generator(items, output_signature=specs)


def test_a_cache_in_a_file_is_read_by_others(tmp_path: Path) -> None:
    calls: list[int] = []
    expected = values(words([]))
    dataset = words(calls).cache(str(tmp_path / "words"))
    iterator = iter(dataset)
    next(iterator)
    del iterator  # given up: nothing is kept
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    assert values(dataset) == values(dataset) == expected and len(calls) == 2
    assert values(words(calls).cache(tmp_path / "words")) == expected and len(calls) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["words.elements"]
    with pytest.raises(InvalidArgumentError, match="does not hold elements with the specs"):
        values(Dataset.range(3).cache(str(tmp_path / "words")))
    with pytest.raises(TypeError, match="a file can't hold"):
        Dataset.range(3).window(2).cache(str(tmp_path / "windows"))


def test_a_damaged_cache_is_refused(tmp_path: Path) -> None:
    dataset = words([]).cache(str(tmp_path / "words"))
    expected = values(dataset)
    path = tmp_path / "words.elements"
    whole = path.read_bytes()
    generator = np.random.default_rng(1)
    for place in range(len(whole) - 1, 0, -37):
        path.write_bytes(whole[:place])
        shorter = None
        try:
            shorter = values(dataset)
        except (DataLossError, InvalidArgumentError):
            pass
        assert shorter is None or shorter == expected[: len(shorter)]
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(generator.integers(8))
        path.write_bytes(flipped)
        try:
            values(dataset)
        except (DataLossError, InvalidArgumentError):
            pass
