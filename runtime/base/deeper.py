"""Room for code that is nested deep: what works on it calls itself for each level."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_open: list[int] = []


@contextmanager
def deeper(levels: int) -> Iterator[None]:
    """Lets calls nest deeper by `levels` than Python's limit, at least; on all threads, as the limit is theirs too."""
    with _lock:
        before = sys.getrecursionlimit() - max(_open, default=0)
        _open.append(levels)
        sys.setrecursionlimit(before + max(_open))
    try:
        yield
    finally:
        with _lock:
            before = sys.getrecursionlimit() - max(_open)
            _open.remove(levels)
            sys.setrecursionlimit(before + max(_open, default=0))
