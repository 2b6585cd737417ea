"""Optional elements, ignored errors, datasets in folders, and `tf.data.experimental`."""

from __future__ import annotations

import collections
import json
import random

import numpy as np
import pytest

import autograph as tf
from autograph.errors import DataLossError, InvalidArgumentError, NotFoundError, SavedFileError

Dataset = tf.data.Dataset


def values(dataset):
    return list(dataset.as_numpy_iterator())


# Optional elements


def test_optional_elements_eagerly():
    iterator = iter(Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}))
    assert isinstance(iterator, tf.data.Iterator)
    found = tf.data.experimental.get_next_as_optional(iterator)
    assert found.has_value() and found.get_value()["a"] == 1 and found.get_value()["b"] == b"x"
    assert found.element_spec == {"a": tf.TensorSpec((), tf.int32), "b": tf.TensorSpec((), tf.string)}
    assert iterator.get_next_as_optional().has_value()
    empty = iterator.get_next_as_optional()
    assert not empty.has_value() and isinstance(empty, tf.data.experimental.Optional)
    with pytest.raises(InvalidArgumentError, match="does not have a value"):
        empty.get_value()


def test_optional_values():
    optional = tf.data.experimental.Optional
    made = optional.from_value((1, [2.0, 3.0]))
    assert made.get_value()[0] == 1 and made.element_spec[1] == tf.TensorSpec((2,), tf.float32)
    assert not optional.empty(tf.TensorSpec((None, 2))).has_value()


def test_optional_elements_in_a_graph():
    dataset = Dataset.from_tensor_slices({"a": [1.0, 2.0, 3.0]})

    @tf.function
    def total(iterator):
        result = 0.0
        found = iterator.get_next_as_optional()
        while found.has_value():
            result += found.get_value()["a"]
            found = iterator.get_next_as_optional()
        return result, found

    result, last = total(iter(dataset))
    assert result == 6 and not last.has_value()

    @tf.function
    def first(iterator):
        return iterator.get_next_as_optional().get_value()

    assert first(iter(dataset))["a"] == 1
    with pytest.raises(InvalidArgumentError, match="does not have a value"):
        first(iter(dataset.take(0)))


# Errors


def risky():
    return Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.debugging.check_numerics(1 / x, "bad"))


def test_elements_that_raise_are_left_out():
    assert values(risky().ignore_errors()) == [1.0, 0.5]
    assert values(risky().apply(tf.data.experimental.ignore_errors())) == [1.0, 0.5]
    assert np.concatenate(values(risky().batch(1).ignore_errors())).tolist() == [1.0, 0.5]
    assert values(risky().filter(lambda x: x < 0.7).ignore_errors()) == [0.5]
    assert risky().ignore_errors().cardinality() == tf.data.UNKNOWN_CARDINALITY
    with pytest.warns(RuntimeWarning, match="left out: bad"):
        values(risky().ignore_errors(log_warning=True))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: d.take(2), [1.0, 0.5]),
        (lambda d: d.skip(1), [0.5]),
        (lambda d: d.repeat(2), [1.0, 0.5, 1.0, 0.5]),
        (lambda d: d.shard(2, 0), [1.0, 0.5]),
        (lambda d: d.shuffle(1), [1.0, 0.5]),
        (lambda d: d.cache(), [1.0, 0.5]),
        (lambda d: d.prefetch(2), [1.0, 0.5]),
        (lambda d: d.interleave(lambda x: Dataset.from_tensors(x)), [1.0, 0.5]),
        (lambda d: Dataset.range(2).flat_map(lambda i: d), [1.0, 0.5, 1.0, 0.5]),
        (lambda d: d.concatenate(d), [1.0, 0.5, 1.0, 0.5]),
        (lambda d: Dataset.zip((d, Dataset.range(9))), [(1.0, 0), (0.5, 2)]),
        (lambda d: d.enumerate(), [(0, 1.0), (2, 0.5)]),
        (lambda d: d.map(lambda x: x * 2), [2.0, 1.0]),
        (lambda d: d.filter(lambda x: tf.debugging.check_numerics(1 / (x - 0.5), "worse") > 0), [1.0]),
        (lambda d: d.take_while(lambda x: x > 0.7), [1.0]),
        (lambda d: d.scan(0.0, lambda s, x: (s + x, s + x)), [1.0, 1.5]),
        (lambda d: d.map(lambda x: tf.cast(x, tf.int32)).unique(), [1, 0]),
        (lambda d: d.map(lambda x: tf.stack([x, x])).unbatch(), [1.0, 1.0, 0.5, 0.5]),
        (lambda d: d.concatenate(d).batch(2), [[0.5, 1.0], [0.5]]),
        (lambda d: d.concatenate(d).padded_batch(2), [[0.5, 1.0], [0.5]]),
        (lambda d: d.concatenate(d).batch(1).rebatch(2), [[0.5, 1.0], [0.5]]),
        (lambda d: d.concatenate(d).window(2).flat_map(lambda w: w.batch(2)), [[0.5, 1.0], [0.5]]),
        (
            lambda d: d.group_by_window(lambda x: tf.constant(0, tf.int64), lambda _, w: w.batch(9), 9),
            [[1.0, 0.5]],
        ),
        (
            lambda d: d.bucket_by_sequence_length(lambda x: tf.constant(1), [5], [9, 9]),
            [[1.0, 0.5]],
        ),
        (
            lambda d: Dataset.choose_from_datasets([d, d], Dataset.range(2).repeat(3)),
            [1.0, 1.0, 0.5, 0.5],
        ),
        (lambda d: d.apply(tf.data.experimental.assert_cardinality(2)), [1.0, 0.5]),
    ],
)
def test_datasets_go_on_after_an_error(change, expected):
    dataset = change(risky()).ignore_errors()
    for _ in range(2):
        assert [np.array(x).tolist() for x in values(dataset)] == [np.array(x).tolist() for x in expected]
    with pytest.raises(InvalidArgumentError, match=r"bad : Tensor had Inf values") as caught:
        values(change(risky()))
    assert caught.value.line is not None


def test_what_has_no_value_without_an_element_raises_its_error():
    for make in (
        lambda: risky().reduce(0.0, lambda s, x: s + x), lambda: risky().skip(1).take(1).get_single_element(),
        lambda: next(iter(risky().skip(1))),
    ):  # fmt: skip
        with pytest.raises(InvalidArgumentError, match="bad : Tensor had Inf values"):
            make()
    iterator = iter(risky())
    assert float(next(iterator)) == 1.0
    with pytest.raises(InvalidArgumentError):
        next(iterator)
    assert float(next(iterator)) == 0.5  # as in TensorFlow


def test_functions_in_pipelines_that_fail():
    def fails(x):
        return tf.debugging.check_numerics(1 / (x - 1), "worse")

    numbers = Dataset.from_tensor_slices([0.0, 1.0, 2.0])
    assert values(numbers.scan(0.0, lambda s, x: (s + fails(x), s)).ignore_errors()) == [0.0, -1.0]
    assert values(numbers.flat_map(lambda x: Dataset.from_tensors(fails(x))).ignore_errors()) == [-1.0, 1.0]
    grouped = numbers.group_by_window(lambda x: tf.cast(fails(x), tf.int64), lambda key, w: w.batch(2), 2)
    assert values(grouped.ignore_errors()) == [[0.0], [2.0]]
    ragged = Dataset.range(1, 4).map(lambda n: tf.ones([n])).batch(2)
    assert [len(x) for x in values(ragged.ignore_errors())] == [1]
    with pytest.raises(InvalidArgumentError, match="different shapes in component 0"):
        values(ragged)


def test_a_generator_that_raises_is_at_its_end():
    def numbers():
        yield 1
        raise ValueError("over")

    made = Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.int32))
    assert values(made.ignore_errors()) == [1]
    with pytest.raises(ValueError, match="over"):
        values(made)


def test_a_cache_without_all_elements_is_not_kept(tmp_path):
    asked = []

    def numbers():
        asked.append(1)
        yield from [1.0, 0.0, 2.0]

    risky = Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.float32))
    risky = risky.map(lambda x: tf.debugging.check_numerics(1 / x, "bad"))
    for filename in ("", str(tmp_path / "cache")):
        asked.clear()
        dataset = risky.cache(filename).ignore_errors()
        assert [values(dataset), values(dataset)] == [[1.0, 0.5]] * 2
        assert len(asked) == 2
    assert list(tmp_path.iterdir()) == []
    asked.clear()
    dataset = risky.ignore_errors().cache(str(tmp_path / "cache"))
    assert [values(dataset), values(dataset)] == [[1.0, 0.5]] * 2
    assert len(asked) == 1


# Folders

Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "dataset",
    [
        Dataset.range(5), Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "yy", ""]}),
        Dataset.range(4).map(lambda i: (tf.ones([i]), Point(i, tf.cast(i, tf.float16)))), Dataset.range(0),
        Dataset.from_tensors((True, 1 + 2j)),
    ],
    ids=["numbers", "dicts", "ragged", "nothing", "kinds"],
)  # fmt: skip
def test_datasets_come_back(tmp_path, dataset):
    dataset.save(tmp_path / "saved")
    loaded = Dataset.load(tmp_path / "saved")
    assert len(loaded) == dataset.reduce(0, lambda n, *_: n + 1)
    assert str(loaded.element_spec) == str(dataset.element_spec)
    for found, wanted in zip(values(loaded), values(dataset), strict=True):
        tf.nest.map_structure(np.testing.assert_array_equal, tuple(tf.nest.flatten(found)),
                              tuple(tf.nest.flatten(wanted)))  # fmt: skip
    again = tf.function(lambda: loaded.reduce(0, lambda n, *_: n + 1))
    assert again() == len(loaded)


def test_what_can_not_be_saved_or_loaded(tmp_path):
    with pytest.raises(NotFoundError, match="no saved dataset"):
        Dataset.load(tmp_path / "nothing")
    with pytest.raises(InvalidArgumentError, match="without compression"):
        Dataset.range(3).save(tmp_path / "a", compression="GZIP")
    with pytest.raises(TypeError, match="made of tensors"):
        Dataset.range(3).window(2).save(tmp_path / "a")
    with pytest.raises(InvalidArgumentError, match="while a graph is being traced"):
        tf.function(lambda: Dataset.range(3).save(tmp_path / "a"))()
    Dataset.range(3).save(tmp_path / "a")
    with pytest.raises(InvalidArgumentError, match="has elements of"):
        Dataset.load(tmp_path / "a", element_spec=tf.TensorSpec((), tf.int32))
    assert len(Dataset.load(tmp_path / "a", element_spec=tf.TensorSpec((), tf.int64))) == 3


def test_damaged_folders(tmp_path):
    Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "yy", ""]}).save(tmp_path / "d")
    files = {name: (tmp_path / "d" / name).read_bytes() for name in ("dataset.json", "elements")}
    content = json.loads(files["dataset.json"])
    for change in ({"count": -1}, {"count": 9}, {"bytes": 1}, {"version": 7}, {"element_spec": {"spec": [1, 2]}},
                   {"element_spec": {"variable": 0}}, {"element_spec": {"graph": 0}}, {"format": "x"}):  # fmt: skip
        (tmp_path / "d" / "dataset.json").write_text(json.dumps({**content, **change}))
        with pytest.raises((SavedFileError, DataLossError)):
            values(Dataset.load(tmp_path / "d"))
    generator = random.Random(1)
    for number in range(150):
        for name, good in files.items():
            bad = bytearray(good)
            if number % 3 == 0:
                bad = bad[: generator.randrange(len(bad))]
            else:
                bad[generator.randrange(len(bad))] ^= 1 << generator.randrange(8)
            (tmp_path / "d" / name).write_bytes(bytes(bad))
            try:
                values(Dataset.load(tmp_path / "d"))  # a flipped bit of a number gives another number
            except (SavedFileError, DataLossError, NotFoundError):
                pass
            (tmp_path / "d" / name).write_bytes(good)


# The experimental names


def test_experimental_names():
    experimental = tf.data.experimental
    numbers = Dataset.range(6)
    assert sorted(values(numbers.apply(experimental.shuffle_and_repeat(6, 1)))) == list(range(6))
    assert values(numbers.apply(experimental.map_and_batch(lambda x: x + 1, 3)))[1].tolist() == [4, 5, 6]
    assert values(numbers.batch(2).apply(experimental.unbatch())) == list(range(6))
    assert values(numbers.apply(experimental.take_while(lambda x: x < 2))) == [0, 1]
    assert values(numbers.apply(experimental.enumerate_dataset(3)).take(1)) == [(3, 0)]
    assert experimental.cardinality(numbers) == 6 and experimental.get_structure(numbers).dtype is tf.int64
    assert values(experimental.from_list([(1, "a"), (2, "b")])) == [(1, b"a"), (2, b"b")]
    assert len(experimental.from_list([1, 2, 3])) == 3
    counted = numbers.filter(lambda x: x < 3).apply(experimental.assert_cardinality(3))
    assert counted.cardinality() == 3 and values(counted) == [0, 1, 2]
    for count, text in ((2, "contained more"), (4, "contained only 3")):
        with pytest.raises(tf.errors.FailedPreconditionError, match=text):
            values(numbers.filter(lambda x: x < 3).apply(experimental.assert_cardinality(count)))
