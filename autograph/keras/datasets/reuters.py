"""`tf.keras.datasets.reuters`: news of 1987, by 46 topics. Reuters-21578."""

from __future__ import annotations

import json

import numpy as np

from .files import Split, fetch, load_arrays
from .sequences import Words, shuffled

__all__ = ["get_label_names", "get_word_index", "load_data"]
__dir__ = __all__.copy

_TOPICS = """
    cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves ship cotton carcass crude
    nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin strategic-metal livestock retail ipi iron-steel
    rubber heat jobs lei bop zinc orange pet-chem dlr gas silver wpi hog lead
    """


def load_data(
    path: str = "reuters.npz", num_words: int | None = None, skip_top: int = 0, maxlen: int | None = None,
    test_split: float = 0.2, seed: int = 113, start_char: int | None = 1, oov_char: int | None = 2,
    index_from: int = 3
) -> Split:  # fmt: skip
    """``(x_train, y_train), (x_test, y_test)``: 11,228 lists of the numbers of words, and their topics.

    ``test_split`` of them are to test with. For the others, and for errors, see `tf.keras.datasets.imdb.load_data`.
    """
    found = load_arrays(fetch("reuters.npz", path))
    words = Words(num_words, skip_top, maxlen, start_char, oov_char, index_from)
    x, y = shuffled(found["x"], found["y"], np.random.RandomState(seed))
    texts, y = words.short(words.moved(x), y)
    known = words.known(texts)
    count = int(len(known) * (1 - test_split))
    return (np.array(known[:count], object), y[:count]), (np.array(known[count:], object), y[count:])


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """The numbers of words, before ``index_from`` is added."""
    with open(fetch("reuters_word_index.json", path), encoding="utf-8") as file:
        found: dict[str, int] = json.load(file)
    return found


def get_label_names() -> tuple[str, ...]:
    """The names of the topics, by their numbers."""
    return tuple(_TOPICS.split())
