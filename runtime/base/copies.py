"""Copies between the memory of Python and that of devices: all are made here, counted, and told to who records them.

The memory of virtual devices of one CPU is that of Python, so that a copy may cost nothing there; it is counted all the
same. What a program itself tells Python with each run (whether something has failed) is no copy of the user's.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from time import perf_counter_ns as clock
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Count", "clock", "count", "keep", "note", "original", "to_host"]


class Count(NamedTuple):
    """How many arrays have been copied so far, and how many bytes."""

    to_host: int = 0
    to_host_bytes: int = 0
    to_device: int = 0
    to_device_bytes: int = 0


_count = Count()
_lock = threading.Lock()
listener: Callable[[str, int, int], None] | None = None
"""Is told of each copy while a profile is taken: what it was, when it started, and the bytes."""


def count() -> Count:
    """The copies of this process so far."""
    return _count


def note(what: str, started: int, arrays: int, size: int, is_to_host: bool) -> None:
    """So many arrays have been copied, of a size in bytes; ``started`` by `clock`."""
    global _count
    with _lock:
        one, two, three, four = _count
        _count = Count(one + arrays, two + size, three, four) if is_to_host else Count(
            one, two, three + arrays, four + size)  # fmt: skip
    if listener is not None:
        listener(what, started, size)


def to_host(held: Any, name: str) -> np.ndarray[Any, Any]:
    """What an array of JAX's holds; it can't be written to. ``name``: of its device.

    As long as an array with that is there, it is given again, and nothing is copied.
    """
    found = _arrays.get(id(held))
    known = None if found is None else found()
    if known is not None:
        return known
    started = clock()
    array = np.asarray(held)
    note(f"copy from {name}", started, 1, array.nbytes, True)
    keep(array, held)
    _arrays[id(held)] = weakref.ref(array)
    return array


_arrays: dict[int, weakref.ref[np.ndarray[Any, Any]]] = {}
"""By the identity of an array of JAX's, which is there as long as this is; see `keep`."""
_originals: dict[int, tuple[weakref.ref[np.ndarray[Any, Any]], Any]] = {}


def keep(array: np.ndarray[Any, Any], held: Any) -> None:
    """Remember, as long as an array is there, that one of JAX's holds the same. Neither is ever written to."""
    key, other = id(array), id(held)
    forget_one, forget_other = _originals.pop, _arrays.pop  # modules end before arrays do

    def forget(reference: object) -> None:
        forget_one(key, None)
        forget_other(other, None)

    _originals[key] = weakref.ref(array, forget), held


def original(array: Any) -> Any:
    """The array of JAX's that holds the same as one of NumPy's, if that is known; else that itself."""
    found = _originals.get(id(array))
    return found[1] if found is not None and found[0]() is array else array
