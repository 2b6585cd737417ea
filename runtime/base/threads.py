"""How many threads a matrix product takes: one, unless it is large.

OpenBLAS, which NumPy's own products run on, divides a product of matrices among threads from some 250,000
multiplications on, that of a matrix and a vector from 9,200 on, and lets each thread wait busily for the others. That
is worth it when the cores are free. On a machine, or in a container, whose cores others use too, a product of a tenth
of a millisecond then waits for a thread that is not running: for several milliseconds, each time. So products of up to
`LARGE` multiplications, which one thread does in a few tenths of a millisecond, are done by one. Larger ones take what
OpenBLAS is set to. A BLAS without OpenBLAS's functions is left alone.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import threading
from typing import Any, NamedTuple

import numpy as np

__all__ = ["LARGE", "few_threads", "is_small", "matmul", "needs_one", "product_size", "setting"]

# Multiplications: up to the first two OpenBLAS takes one thread by itself for matrices and for vectors.
SMALL, SMALL_OF_VECTOR, LARGE = 2**17, 9_000, 2**24

_NAMES = ("scipy_openblas_{}64_", "openblas_{}64_", "scipy_openblas_{}", "openblas_{}")


class Setting(NamedTuple):
    """OpenBLAS's functions that tell and set its number of threads."""

    get: Any
    set: Any


@functools.cache
def setting() -> Setting | None:
    """The functions of the OpenBLAS that NumPy uses; None when it uses another library."""
    try:
        from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

        library = ctypes.PyDLL(_multiarray_umath.__file__)  # which keeps the lock of the interpreter
    except (ImportError, OSError):
        return None
    for name in _NAMES:
        get, set_ = (getattr(library, name.format(f"{verb}_num_threads"), None) for verb in ("get", "set"))
        if get is not None and set_ is not None:
            get.argtypes, get.restype = [], ctypes.c_int
            set_.argtypes, set_.restype = [ctypes.c_int], None
            return Setting(get, set_)
    return None


class _OneThread:
    """``with`` it, products take one thread. Several may be inside at once: the last one out restores the number.

    Handlers of signals may multiply too, at any place, and Ctrl-C may come at any: so who is inside is noted by thread,
    and what was left undone is made up for by the next one.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._inside: set[int] = set()
        self._before: int | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def __enter__(self) -> None:
        found = setting()
        assert found is not None
        with self._lock:
            self._inside.add(threading.get_ident())
            if self._before is None:
                self._before = found.get()
                found.set(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside.discard(threading.get_ident())
            self._restore()

    def _restore(self) -> None:
        found = setting()
        if self._inside or self._before is None or found is None:
            return
        if found.get() == 1:  # otherwise somebody else has set it meanwhile
            found.set(self._before)
        self._before = None

    def _forked(self) -> None:
        """In a child process no other thread will come out."""
        self._lock = threading.RLock()
        self._inside &= {threading.get_ident()}
        self._restore()


class _AsItIs:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


_one_thread, _as_it_is = _OneThread(), _AsItIs()


def needs_one(size: int, least: int = SMALL_OF_VECTOR) -> bool:
    """Whether a product of so many multiplications has to be told to take one thread."""
    return least < size <= LARGE and setting() is not None


def few_threads(size: int) -> Any:
    """A context in which a product of so many multiplications takes the threads that it is worth."""
    return _one_thread if needs_one(size) else _as_it_is


def product_size(x: tuple[int, ...], y: tuple[int, ...]) -> int:
    """The multiplications of the largest product that NumPy makes of arrays of some shapes."""
    return math.prod(x[-2:]) * (y[-1] if len(y) > 1 else 1)


def is_small(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    """Whether a product of arrays of some shapes takes one thread by itself."""
    of_vector = len(x) < 2 or len(y) < 2 or x[-2] == 1 or y[-1] == 1
    return product_size(x, y) <= (SMALL_OF_VECTOR if of_vector else SMALL)


def matmul(x: Any, y: Any, out: Any = None) -> Any:
    """``np.matmul(x, y, out)`` with the threads that it is worth."""
    shapes = x.shape, y.shape
    if is_small(*shapes) or not needs_one(product_size(*shapes)):
        return np.matmul(x, y, out)
    with _one_thread:
        return np.matmul(x, y, out)
