"""How much room the weights of a model may take that is made from a file, which anybody may have written."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from autograph.errors import InvalidArgumentError

__all__ = ["at_most", "taken"]


class _Local(threading.local):
    left: int | None = None


_local = _Local()


@contextlib.contextmanager
def at_most(size: int) -> Iterator[None]:
    """Weights that are made inside may take so many bytes together, and begin with zeros."""
    before = _local.left
    _local.left = size
    try:
        yield
    finally:
        _local.left = before


def taken(shape: Sequence[int], dtype: Any) -> bool:
    """Whether a new weight begins with zeros. Raises `InvalidArgumentError` where it takes more than is left."""
    if _local.left is None:
        return False
    _local.left -= math.prod(shape) * dtype.numpy.itemsize
    if _local.left < 0 or any(size < 0 for size in shape):
        raise InvalidArgumentError(f"a weight of shape {tuple(shape)} is larger than all weights that the file holds")
    return True
