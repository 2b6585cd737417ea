"""`tf.keras.datasets`: what Keras makes of the same files (`data/make_values.py`); the addresses are patched."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import autograph as tf
from autograph.errors import DataLossError
from autograph.keras.datasets import files

from .data.make_values_calls import CALLS, digests
from .stand_ins import write_all

GOLDEN = json.loads((Path(__file__).parent / "data" / "values.json").read_text())
datasets = tf.keras.datasets


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stand_ins")
    write_all(folder)
    return folder


@pytest.fixture
def loaded(stand_ins, tmp_path, monkeypatch):
    """Addresses and hashes of the stand-ins."""
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "cache"))
    for name in ("FOLDER", "CIFAR"):
        monkeypatch.setattr(files, name, f"{stand_ins.as_uri()}/")
    hashes = {name: hashlib.sha256((stand_ins / name).read_bytes()).hexdigest() for name in files.HASHES}
    monkeypatch.setattr(files, "HASHES", hashes)
    return tmp_path / "cache" / "datasets"


@pytest.mark.parametrize("name", CALLS)
def test_values(loaded, name):
    found = [digests(getattr(datasets, name).load_data(**options)) for options in CALLS[name]]
    assert found == GOLDEN[name]


def test_words_and_topics(loaded):
    assert datasets.imdb.get_word_index() == datasets.reuters.get_word_index() == {"the": 1, "thé": 2}
    names = datasets.reuters.get_label_names()
    assert len(names) == 46 and names[3] == "earn" and names[-1] == "lead"


def test_a_file_that_is_damaged_in_the_cache_is_loaded_anew(loaded, capsys):
    datasets.mnist.load_data()
    (loaded / "mnist.npz").write_bytes(b"damaged")
    (x, _), _ = datasets.mnist.load_data()
    assert x.shape == (6, 28, 28) and "it is loaded anew" in capsys.readouterr().out


class Evil:
    def __reduce__(self):
        return os.mkdir, ("/tmp/autograph-evil",)


@pytest.mark.parametrize("content", [pickle.dumps(Evil()), pickle.dumps([np.float64])])
def test_pickles_with_other_things_than_arrays_are_refused(stand_ins, loaded, monkeypatch, tmp_path, content):
    """Also with the right hash."""
    evil = tmp_path / "served"
    evil.mkdir()
    array = np.empty(1, object)
    array[0] = pickle.loads(content) if b"mkdir" not in content else Evil()
    np.savez(evil / "imdb.npz", x_train=array, y_train=array, x_test=array, y_test=array)
    monkeypatch.setattr(files, "FOLDER", f"{evil.as_uri()}/")
    monkeypatch.setattr(files, "HASHES", {})
    with pytest.raises(DataLossError, match="holds something other than arrays"):
        datasets.imdb.load_data()
    assert not os.path.exists("/tmp/autograph-evil")


def test_what_is_public():
    names = ["boston_housing", "california_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters"]
    assert dir(datasets) == names and dir(datasets.imdb) == ["get_word_index", "load_data"]
    assert all(len(each) in (32, 64) for each in files.HASHES.values())
