"""`make_csv_dataset` (values are those that TensorFlow 2.21 gave) and `rejection_resample`."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

Dataset, make = tf.data.Dataset, tf.data.experimental.make_csv_dataset
ONCE = {"shuffle": False, "num_epochs": 1}


@pytest.fixture
def files(tmp_path):
    rows = [f"{i},{i * 0.5},x{i},{i * 10**9},{'' if i % 2 else 7}\n" for i in range(5)]
    (tmp_path / "t.csv").write_text("a,b,c,d,e\n" + "".join(rows))
    rows = [f"{i},{i * 0.5},x{i},{i * 10**9},NA\n" for i in range(5, 8)]
    (tmp_path / "u.csv").write_text("a,b,c,d,e\n" + "".join(rows))
    return [str(tmp_path / "u.csv"), str(tmp_path / "t.csv")]


def listed(dataset):
    return [tf.nest.map_structure(lambda x: x.tolist(), element) for element in dataset.as_numpy_iterator()]


def test_batches_of_rows(files):
    table = make(files[1], 2, **ONCE)
    assert listed(table)[1:] == [
        {"a": [2, 3], "b": [1.0, 1.5], "c": [b"x2", b"x3"], "d": [2 * 10**9, 3 * 10**9], "e": [7, 0]},
        {"a": [4], "b": [2.0], "c": [b"x4"], "d": [4 * 10**9], "e": [7]},
    ]
    types = {name: (spec.dtype.name, spec.shape.as_list()) for name, spec in table.element_spec.items()}
    assert types == {"a": ("int32", [None]), "b": ("float32", [None]), "c": ("string", [None]),
                     "d": ("int64", [None]), "e": ("int32", [None])}  # fmt: skip


def test_labels_and_chosen_columns(files):
    found = listed(make(files[1], 3, label_name="a", select_columns=["d", "a", 1], **ONCE))
    assert found == [({"b": [0.0, 0.5, 1.0], "d": [0, 10**9, 2 * 10**9]}, [0, 1, 2]),
                     ({"b": [1.5, 2.0], "d": [3 * 10**9, 4 * 10**9]}, [3, 4])]  # fmt: skip
    chosen = make(files[1], 3, column_defaults=[0, tf.float64], select_columns=["a", "b"], **ONCE)
    assert chosen.element_spec["b"].dtype is tf.float64 and listed(chosen)[0] == {"a": [0, 1, 2], "b": [0.0, 0.5, 1.0]}


def test_several_files(files):
    options = {"select_columns": ["a", "e"], **ONCE}
    in_turn = make(files, 8, na_value="NA", num_parallel_reads=2, **options)
    assert listed(in_turn) == [{"a": [0, 5, 1, 6, 2, 7, 3, 4], "e": [7, 0, 0, 0, 7, 0, 0, 7]}]
    assert listed(make(files, 8, **options)) == [
        {"a": [0, 1, 2, 3, 4, 5, 6, 7], "e": [b"7", b"", b"7", b"", b"7", b"NA", b"NA", b"NA"]}
    ]


def test_files_without_names_of_columns(files):
    table = make(files[1], 3, column_names=["z", "y", "x", "w", "v"], header=False, **ONCE)
    assert list(table.element_spec) == ["z", "y", "x", "w", "v"]
    assert listed(table)[0]["z"] == [b"a", b"0", b"1"]


def test_rows_without_end_are_whole_batches(files):
    table = make(files[1], 2, shuffle=False)
    assert table.element_spec["a"].shape == (2,)
    assert [x["a"] for x in listed(table.take(4))] == [[0, 1], [2, 3], [4, 0], [1, 2]]
    shuffled = make(files[1], 5, shuffle_seed=3)
    orders = [x["a"] for x in listed(shuffled.take(20))]
    assert len({tuple(order) for order in orders}) > 1
    assert sorted(x for order in orders for x in order) == sorted([*range(5)] * 20)


def test_rows_that_do_not_fit_and_compressed_files(files, tmp_path):
    (tmp_path / "v.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100 + b"x,3\n4,5\n"))
    table = make(str(tmp_path / "v.csv.gz"), 101, compression_type="GZIP", ignore_errors=True, **ONCE)
    assert listed(table) == [{"a": [1] * 100 + [4], "b": [2] * 100 + [5]}]
    with pytest.raises(InvalidArgumentError, match="Field 0 in record 101 is not a valid int32"):
        listed(make(str(tmp_path / "v.csv.gz"), 101, compression_type="GZIP", **ONCE))


def test_a_staged_loop_over_a_table(files):
    @tf.function
    def total():
        result = tf.constant(0.0)
        for features, labels in make(files, 3, label_name="a", shuffle=False, num_epochs=1):
            result += tf.reduce_sum(features["b"]) + tf.cast(tf.reduce_sum(labels), tf.float32)
        return result

    assert total() == 28 * 1.5


# rejection_resample


def classes(dataset):
    return np.array([int(each) for each, _ in dataset])


@pytest.mark.parametrize("initial", [[0.8, 0.2], None])
@pytest.mark.parametrize("target", [[0.5, 0.5], [0.0, 1.0], [0.8, 0.2]])
def test_classes_come_as_often_as_they_should(initial, target):
    source = Dataset.range(4000).map(lambda i: (i, tf.cast(i % 5 == 0, tf.int32)))
    made = source.rejection_resample(lambda i, label: label, target, initial, seed=5)
    assert made.element_spec == (tf.TensorSpec((), tf.int32), source.element_spec)
    found = list(made.as_numpy_iterator())
    assert all(place == label and label == (i % 5 == 0) for place, (i, label) in found)
    share = np.mean([place for place, _ in found])
    assert len(found) > 500 and abs(share - target[1]) < (0.04 if initial else 0.08)


def test_what_comes_often_enough_is_not_left_out():
    source = Dataset.range(10)
    made = source.rejection_resample(lambda i: i % 2, [0.5, 0.5], [0.5, 0.5])
    assert [(int(place), int(i)) for place, i in made] == [(i % 2, i) for i in range(10)]


def test_draws_by_a_seed():
    source = Dataset.range(200)

    def draw(seed):
        made = source.apply(tf.data.experimental.rejection_resample(lambda i: i % 2, [0.9, 0.1], [0.5, 0.5], seed))
        return [int(i) for _, i in made]

    assert draw(1) == draw(1) != draw(2)


def test_a_staged_loop_over_resampled_elements():
    made = Dataset.range(1000).rejection_resample(lambda i: tf.cast(i % 2, tf.int32), [0.0, 1.0], [0.5, 0.5])

    @tf.function
    def count():
        zeros, ones = tf.constant(0), tf.constant(0)
        for place, i in made:
            if place == 0:
                zeros += 1
            else:
                ones += tf.cast(i % 2, tf.int32)
        return zeros, ones

    zeros, ones = count()
    assert zeros == 0 and ones > 300
