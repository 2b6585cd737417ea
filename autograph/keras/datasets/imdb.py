"""`tf.keras.datasets.imdb`: reviews of films. A. Maas et al., Learning Word Vectors for Sentiment Analysis, 2011."""

from __future__ import annotations

import json

import numpy as np

from .files import Split, fetch, load_arrays
from .sequences import Words, shuffled

__all__ = ["get_word_index", "load_data"]
__dir__ = __all__.copy


def load_data(
    path: str = "imdb.npz", num_words: int | None = None, skip_top: int = 0, maxlen: int | None = None,
    seed: int = 113, start_char: int | None = 1, oov_char: int | None = 2, index_from: int = 3
) -> Split:  # fmt: skip
    """``(x_train, y_train), (x_test, y_test)``: 25,000 and 25,000 lists of the numbers of words, and 1 for praise.

    Numbers go by how often words occur. ``num_words``: the frequent ones that are kept, ``skip_top``: the most frequent
    that are not; both stand as ``oov_char``, or not at all when that is None. Lists begin with ``start_char``, words
    with ``index_from``; only lists shorter than ``maxlen`` are kept. ``seed`` is that of their order.

    Raises `InvalidArgumentError` when none is kept; for others see `tf.keras.utils.get_file`.
    """
    found = load_arrays(fetch("imdb.npz", path))
    generator = np.random.RandomState(seed)
    words = Words(num_words, skip_top, maxlen, start_char, oov_char, index_from)
    texts, labels = [], []
    for part in ("train", "test"):
        x, y = shuffled(found[f"x_{part}"], found[f"y_{part}"], generator)
        kept, y = words.short(words.moved(x), y)
        texts.append(kept)
        labels.append(y)
    known = words.known([*texts[0], *texts[1]])
    count = len(texts[0])
    return (np.array(known[:count], object), labels[0]), (np.array(known[count:], object), labels[1])


def get_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """The numbers of words, before ``index_from`` is added."""
    with open(fetch("imdb_word_index.json", path), encoding="utf-8") as file:
        found: dict[str, int] = json.load(file)
    return found
