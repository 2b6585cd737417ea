"""Sequences of several lengths, as one array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike

__all__ = ["pad_sequences"]


def pad_sequences(
    sequences: Any, maxlen: int | None = None, dtype: DTypeLike = "int32", padding: str = "pre",
    truncating: str = "pre", value: object = 0.0
) -> np.ndarray[Any, Any]:  # fmt: skip
    """Sequences of several lengths as one array (len(sequences), maxlen, ...), with ``value`` where there is none.

    ``maxlen`` is the length of the longest one when left out. ``"pre"`` pads or cuts off at the beginning, ``"post"``
    at the end. Raises `ValueError` for other words, and for items of different shapes.
    """
    for name, word in (("padding", padding), ("truncating", truncating)):
        if word not in ("pre", "post"):
            raise InvalidArgumentError(f'{name} must be "pre" or "post", not {word!r}')
    arrays = [np.asarray(sequence) for sequence in sequences]
    longest = max(map(len, arrays), default=0) if maxlen is None else maxlen
    shape = next((array.shape[1:] for array in arrays if len(array)), ())
    padded = np.full((len(arrays), longest, *shape), value, dtype=np.dtype(dtype))
    for row, array in zip(padded, arrays, strict=True):
        if not len(array):
            continue
        if array.shape[1:] != shape:
            raise InvalidArgumentError(
                f"the items of one sequence have shape {array.shape[1:]}, those of another {shape}"
            )
        kept = array[max(0, len(array) - longest) :] if truncating == "pre" else array[:longest]
        if padding == "post":
            row[: len(kept)] = kept
        else:
            row[longest - len(kept) :] = kept
    return padded
