"""`tf.train.Checkpoint(iterator=…)`: an iterator over a dataset goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, SavedFileError, SavingError

DATASETS: dict[str, Callable[[], tf.data.Dataset]] = {
    "in order": lambda: tf.data.Dataset.range(20),
    "shuffled": lambda: tf.data.Dataset.range(20).shuffle(7).map(lambda x: x * 2).prefetch(2),
    "with a seed": lambda: tf.data.Dataset.range(20).shuffle(20, seed=3),
    "repeated": lambda: tf.data.Dataset.range(5).shuffle(5).repeat().batch(3),
    "twice": lambda: tf.data.Dataset.range(5).shuffle(5).repeat(4).shuffle(6),
    "kept": lambda: tf.data.Dataset.range(20).cache().shuffle(4),
    "of datasets": lambda: tf.data.Dataset.range(6).shuffle(6).flat_map(lambda i: tf.data.Dataset.range(i, i + 3)),
    "sampled": lambda: tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(9), tf.data.Dataset.range(9)]),
    "generated": lambda: tf.data.Dataset.from_generator(lambda: iter(range(20)), output_types=tf.int32),
}


def taken(iterator: Any, count: int = 5) -> list[Any]:
    return [next(iterator).numpy().tolist() for _ in range(count)]


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("before", [0, 1, 4])
def test_an_iterator_goes_on_where_it_was(name: str, before: int, tmp_path: Path) -> None:
    iterator = iter(DATASETS[name]())
    taken(iterator, before)
    checkpoint = tf.train.Checkpoint(step=tf.Variable(before), iterator=iterator)
    path = checkpoint.save(tmp_path / "ckpt")
    following = taken(iterator)
    checkpoint.restore(path).assert_consumed()
    assert taken(iterator) == following
    other, step = iter(DATASETS[name]()), tf.Variable(9)
    tf.train.Checkpoint(step=step, iterator=other).restore(path).assert_consumed()
    assert taken(other) == following and int(step) == before


def test_iterators_that_a_traced_function_takes_from(tmp_path: Path) -> None:
    iterator = iter(tf.data.Dataset.range(9).shuffle(9))

    @tf.function
    def total(iterator: Any) -> Any:
        return next(iterator) + next(iterator) * 10

    total(iterator)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.save(tmp_path / "ckpt")
    following = [int(total(iterator)), int(total(iterator))]
    checkpoint.restore(path)
    assert [int(total(iterator)), int(total(iterator))] == following


def test_the_end_is_a_place(tmp_path: Path) -> None:
    iterator = iter(tf.data.Dataset.range(3))
    assert len(list(iterator)) == 3
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    checkpoint.restore(checkpoint.save(tmp_path / "ckpt"))
    assert list(iterator) == []


def test_a_place_in_another_dataset_is_refused_and_nothing_changed(tmp_path: Path) -> None:
    shuffled = tf.train.Checkpoint(v=tf.Variable(1), iterator=iter(tf.data.Dataset.range(5).shuffle(3)))
    path = shuffled.save(tmp_path / "ckpt")
    v, iterator = tf.Variable(2), iter(tf.data.Dataset.range(5))
    with pytest.raises(SavedFileError, match="in a dataset of 1 shuffles and caches, not of 0"):
        tf.train.Checkpoint(v=v, iterator=iterator).restore(path)
    iterator = iter(tf.data.Dataset.range(5))
    taken(iterator, 4)
    path = tf.train.Checkpoint(v=v, iterator=iterator).save(tmp_path / "ckpt")
    short = iter(tf.data.Dataset.range(3))
    v.assign(7)
    with pytest.raises(SavedFileError, match="after 4 elements, and the dataset has 3"):
        tf.train.Checkpoint(v=v, iterator=short).restore(path)
    assert int(v) == 7 and taken(short, 3) == [0, 1, 2]


def test_orders_that_nothing_keeps_are_refused(tmp_path: Path) -> None:
    inside = tf.data.Dataset.range(3).interleave(lambda i: tf.data.Dataset.range(5).shuffle(3)).batch(2)
    with pytest.raises(SavingError, match="whose functions shuffle"):
        tf.train.Checkpoint(iterator=iter(inside)).save(tmp_path / "ckpt")


@pytest.mark.parametrize("value", [5, 1.5, "text", tf.constant(1), lambda: 1])
def test_what_checkpoints_do_not_keep_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="expecting x to be a trackable object"):
        tf.train.Checkpoint(x=value)
