"""Texts as lists of the numbers of their words: what IMDB and Reuters share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.dtypes import Array

__all__ = ["Words", "shuffled"]


class Words(NamedTuple):
    """Which words are kept, and as which numbers."""

    num_words: int | None
    skip_top: int
    maxlen: int | None
    start_char: int | None
    oov_char: int | None
    index_from: int

    def moved(self, texts: Iterable[Any]) -> list[list[Any]]:
        """Texts with the number of the start, and words moved up to make room for it."""
        start = [] if self.start_char is None else [self.start_char]
        return [[*start, *[word + self.index_from for word in text]] for text in texts]

    def short(self, texts: list[list[Any]], labels: Array) -> tuple[list[list[Any]], Array]:
        """Those with fewer words than ``maxlen``."""
        if not self.maxlen:
            return texts, labels
        kept = [i for i, text in enumerate(texts) if len(text) < self.maxlen]
        if not kept:
            raise InvalidArgumentError(
                f"After filtering for sequences shorter than maxlen={self.maxlen}, no sequence was kept. Increase "
                "maxlen."
            )
        return [texts[i] for i in kept], labels[kept]

    def known(self, texts: list[list[Any]]) -> list[list[Any]]:
        """Texts with ``oov_char`` for words that are too rare or too frequent; without these when it is None."""
        limit = self.num_words or max(map(max, texts))
        if self.oov_char is None:
            return [[word for word in text if self.skip_top <= word < limit] for text in texts]
        return [[word if self.skip_top <= word < limit else self.oov_char for word in text] for text in texts]


def shuffled(texts: Array, labels: Array, generator: np.random.RandomState) -> tuple[Array, Array]:
    """Both in one order."""
    order = np.arange(len(texts))
    generator.shuffle(order)
    return texts[order], labels[order]
