"""How many threads a matrix product of NumPy's takes: as many as its BLAS is set to, or one, through threadpoolctl.

OpenBLAS divides a product of more than some 500,000 multiplications among threads, which wait for each other busily.
That is worth it when the cores are free. On a machine, or in a container, whose cores others use too, a product of a
tenth of a millisecond then waits for a thread that is not running, for several milliseconds, each time. Measured with
OpenBLAS 0.3.31 and two threads, in microseconds (median; float32):

=======================  ============  ===========  =========================
product                  free cores,   with one     another process on one of
                         two threads   thread       the two cores, two threads
=======================  ============  ===========  =========================
20 x 784 by 784 x 64               28           24                 26 to 1,700
200 x 200 by 200 x 200             83          108                      24,000
250 x 250 by 250 x 250            135          203         137, one in ten 24,000
=======================  ============  ===========  =========================

So one thread pays for products of up to `LARGE` multiplications, at the price of half as much again when cores are
free. But the number belongs to the process: OpenBLAS has none for each thread. It is changed only through
threadpoolctl (the extra ``threads``), only while one product runs, and only while the process has no other thread
of Python's that could see it, or multiply with it. Otherwise, and without threadpoolctl, it is left alone. Products in
machine code that are not large have one thread by themselves; see `engines.native.ops.products`.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import Any

import numpy as np

__all__ = ["LARGE", "few_threads", "is_small", "matmul", "needs_one", "pool", "product_size", "set_number"]

# Multiplications: up to the first OpenBLAS takes one thread by itself, for matrices (2 * 2**18) and vectors (460,800).
SMALL, LARGE = 450_000, 2**24


@functools.cache
def pool() -> Any:
    """What threadpoolctl knows of NumPy's BLAS, to tell and set its number of threads; None without threadpoolctl."""
    try:
        from threadpoolctl import ThreadpoolController

        found = ThreadpoolController().select(user_api="blas").lib_controllers
    except Exception:  # a broken installation must not break products
        return None
    return next((each for each in found if "numpy" in each.filepath), found[0] if found else None)


def set_number(number: int) -> None:
    """Set the number of threads of NumPy's BLAS, in this process. There must be a `pool`."""
    found = pool()
    found.set_num_threads(number)
    if hasattr(found, "clear_controlling_thread"):  # since threadpoolctl 3.8 other threads could not set it otherwise
        found.clear_controlling_thread()


def _is_alone() -> bool:
    """Whether no other thread can see what this one sets."""
    return threading.active_count() == 1


class _OneThread:
    """``with`` it, products take one thread.

    Handlers of signals may multiply too, at any place, and Ctrl-C may come at any: what was left undone is made up for
    by the next one.
    """

    before: int | None = None

    def __enter__(self) -> None:
        if self.before is None:
            self.before = pool().get_num_threads()
        pool().set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        if self.before is not None and pool().get_num_threads() == 1:  # otherwise a handler has set it meanwhile
            set_number(self.before)
        self.before = None


class _AsItIs:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


_one_thread, _as_it_is = _OneThread(), _AsItIs()


def needs_one(size: int) -> bool:
    """Whether a product of so many multiplications is to be told to take one thread."""
    if not SMALL < size <= LARGE or pool() is None or not _is_alone():
        return False
    return _one_thread.before is not None or pool().get_num_threads() > 1


def few_threads(size: int) -> Any:
    """A context in which a product of so many multiplications takes the threads that it is worth."""
    return _one_thread if needs_one(size) else _as_it_is


def product_size(x: tuple[int, ...], y: tuple[int, ...]) -> int:
    """The multiplications of the largest product that NumPy makes of arrays of some shapes."""
    return math.prod(x[-2:]) * (y[-1] if len(y) > 1 else 1)


def is_small(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    """Whether a product of arrays of some shapes takes one thread by itself."""
    return product_size(x, y) <= SMALL


def matmul(x: Any, y: Any, out: Any = None) -> Any:
    """``np.matmul(x, y, out)`` with the threads that it is worth."""
    if not needs_one(product_size(x.shape, y.shape)):
        return np.matmul(x, y, out)
    with _one_thread:
        return np.matmul(x, y, out)
