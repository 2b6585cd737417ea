"""The tokens of lookup layers: in the order of their indices, and sorted, for the search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

__all__ = ["Vocabulary", "inverse_document_frequencies", "listed"]


class Vocabulary:
    """Tokens, `str` or `int`, as arrays: ``array`` in their order; ``sorted``, and the ``order`` that sorts them."""

    def __init__(self, values: list[Any], dtype: str) -> None:
        self.values = values
        if dtype == "string":
            self.array = np.empty(len(values), object)
            self.array[:] = [value.encode("utf-8", "surrogateescape") for value in values]
        else:
            self.array = np.array(values, np.int64)
        self.order = np.argsort(self.array, kind="stable").astype(np.int64)
        self.sorted = self.array[self.order]


def listed(tokens: Any, dtype: str) -> list[Any]:
    """Tokens of a list, array or tensor, of any shape, or of the lines of a file: a list of `str` or `int`."""
    if isinstance(tokens, str):
        return _lines(tokens, dtype)
    flat = np.asarray(tokens, object).reshape(-1).tolist() if isinstance(tokens, (list, tuple)) else _flat(tokens)
    if dtype != "string":
        return [int(token) for token in flat]
    return [token.decode("utf-8", "surrogateescape") if isinstance(token, bytes) else token for token in flat]


def _flat(tokens: Any) -> list[Any]:
    return list(np.asarray(tokens).reshape(-1).tolist())


def _lines(path: str, dtype: str) -> list[Any]:
    if not Path(path).is_file():
        raise InvalidArgumentError(f"Vocabulary file {path} does not exist.")
    lines = Path(path).read_text("utf-8", "surrogateescape").splitlines()
    return lines if dtype == "string" else [int(line) for line in lines]


def inverse_document_frequencies(counts: Sequence[int], documents: int) -> Any:
    """`log(1 + documents / (1 + count))` of the counts of documents that hold tokens."""
    return np.log(1 + documents / (1 + np.asarray(counts, np.float64)))
