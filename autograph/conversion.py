"""What holds while a function is being converted: who waits for whom, and whose code runs meanwhile.

A conversion reads, parses and compiles with the standard library, and may import; that can run code of the user's: the
loader of a module, an import hook, a finaliser, a signal handler, a function put in the place of one of the library's.
All of it may ask for conversions. So that nothing waits for itself:

* A conversion holds no lock that another one needs. A thread that asks for a form that another thread is making waits
  for it, but not when it is converting itself, and never longer than `PATIENCE`: the other may be waiting for this one
  (for a module that this one imports), or be gone (after a fork). Then both make the form; that of the first is taken.
* A thread that needs a function to convert that very function runs the original (`is_under_way`).
* A conversion is no part of the trace that it happens in: what it runs is not staged.
* A converted function of the library serves the user's code and converted code; autograph and the library itself get
  the original where they call it (`picking`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType, ModuleType, TracebackType

from autograph.runtime.base.provided import Provided
from autograph.runtime.tensors.trace import building

NAMESPACE: Provided[Callable[[], ModuleType]] = Provided("operators")
"""`autograph.operators`, which generated code calls `ag__`."""

PATIENCE = 0.5
"""Seconds: a hundred times what converting a function takes as a rule."""


class _Local(threading.local):
    codes: tuple[CodeType, ...] = ()


_local = _Local()


def is_under_way(code: CodeType) -> bool:
    """Whether this thread is converting a function with this code."""
    return any(each is code for each in _local.codes)


class Turn:
    """``with turn.of(code):`` one thread converts, while others wait as long as that is safe."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def of(self, code: CodeType) -> _Converting:
        """A context in which this thread converts functions with this code, when it is entered."""
        return _Converting(code, self._lock)


class _Converting:
    __slots__ = ("_before", "_code", "_lock", "_mine", "_outside")

    def __init__(self, code: CodeType, lock: threading.Lock) -> None:
        self._code = code
        self._lock = lock
        self._outside = building(None)

    def __enter__(self) -> None:
        self._before = before = _local.codes
        self._mine = self._lock.acquire(timeout=0 if before else PATIENCE)
        _local.codes = (*before, self._code)
        self._outside.__enter__()

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._outside.__exit__(kind, error, traceback)
        _local.codes = self._before
        if self._mine:
            self._lock.release()
