"""Windows of steps and texts of folders: what Keras gives (`data/make_values.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from .data.calls import FOLDERS, GENERATORS, STEPS, TARGETS, WINDOWS, results, write_folder

GOLDEN = json.loads((Path(__file__).parent / "data" / "values.json").read_text())
utils = tf.keras.utils


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("texts")
    write_folder(made)
    return made


@pytest.fixture(scope="module")
def found(folder):
    return json.loads(json.dumps(results(tf.keras, folder)))


@pytest.mark.parametrize("i", range(2 * len(WINDOWS)))
def test_windows(found, i):
    assert found["windows"][i] == GOLDEN["windows"][i]


@pytest.mark.parametrize("i", range(len(GENERATORS)))
def test_generators(found, i):
    assert found["generators"][i] == GOLDEN["generators"][i]


@pytest.mark.parametrize("i", range(len(FOLDERS)))
def test_folders(found, i):
    assert found["folders"][i] == GOLDEN["folders"][i]


def test_windows_in_random_order():
    made = utils.timeseries_dataset_from_array(STEPS, TARGETS, 3, batch_size=5, shuffle=True, seed=1)
    passes = [np.concatenate([y for _, y in made.as_numpy_iterator()]) for _ in range(2)]
    assert (passes[0] != passes[1]).any()
    for each in passes:
        assert sorted(each) == [10.0 * i for i in range(18)]
    for x, y in made.as_numpy_iterator():
        assert (x[:, 0, 0] * 5 == y).all() and (np.diff(x, axis=1) == 2).all()


def test_texts_in_random_order(folder, capsys):
    options = {"batch_size": None, "seed": 3, "validation_split": 0.4}
    train, rest = utils.text_dataset_from_directory(folder, subset="both", **options)
    shown = capsys.readouterr().out.splitlines()
    assert shown == ["Found 5 files belonging to 2 classes.", "Using 3 files for training.",
                     "Using 2 files for validation."]  # fmt: skip
    texts = [text for each in (train, rest) for text, _ in each.as_numpy_iterator()]
    assert len(texts) == 5 and set(texts) == {b"one", "twö".encode(), b"three", b"", b"five"}
    again = utils.text_dataset_from_directory(folder, subset="validation", verbose=False, **options)
    assert sorted(again.as_numpy_iterator()) == sorted(rest.as_numpy_iterator())


def test_a_model_learns_from_windows():
    """The next number of a row: what the guides do."""
    row = np.arange(60, dtype=np.float32) / 60
    windows = utils.timeseries_dataset_from_array(row[:-4], row[4:], 4, batch_size=8)
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(windows, epochs=3, verbose=0).history["loss"]
    assert history[-1] < history[0]
    generator = tf.keras.preprocessing.sequence.TimeseriesGenerator(row, row, 4, batch_size=8)
    assert model.evaluate(generator, verbose=0) >= 0


def test_padding_by_both_names():
    pad = tf.keras.preprocessing.sequence.pad_sequences
    assert pad([[1], [2, 3]]).tolist() == utils.pad_sequences([[1], [2, 3]]).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("options", "text"),
    [({"start_index": 20}, "start_index"), ({"start_index": -1}, "start_index"), ({"end_index": 20}, "end_index"),
     ({"start_index": 4, "end_index": 4}, "end_index"), ({"sampling_rate": 0}, "sampling_rate"),
     ({"sampling_rate": 20}, "sampling_rate"), ({"sequence_stride": 0}, "sequence_stride"),
     ({"format": "grain"}, "grain")],
)  # fmt: skip
def test_windows_that_do_not_fit(options, text):
    with pytest.raises(InvalidArgumentError, match=text):
        utils.timeseries_dataset_from_array(STEPS, TARGETS, 3, **options)


@pytest.mark.parametrize(
    ("options", "text"),
    [({"labels": "some"}, "labels"), ({"labels": [1]}, "match the number of files"),
     ({"labels": None, "class_names": ["a"]}, "class_names"), ({"class_names": ["c"]}, "did not match"),
     ({"label_mode": "float"}, "label_mode"), ({"validation_split": 2, "subset": "both", "seed": 1}, "between 0 and 1"),
     ({"subset": "both"}, "must be set"), ({"validation_split": 0.5, "subset": "rest", "seed": 1}, "subset"),
     ({"validation_split": 0.5, "subset": "both"}, "provide a `seed`"), ({"format": "grain"}, "grain"),
     ({"label_mode": "binary", "class_names": ["a"]}, "exactly 2"),
     ({"validation_split": 0.1, "subset": "validation", "seed": 1}, "No text files found")],
)  # fmt: skip
def test_folders_that_do_not_fit(folder, options, text):
    with pytest.raises(InvalidArgumentError, match=text):
        utils.text_dataset_from_directory(folder, **options)
