"""What machine code takes for granted of what others own, tried once, before the first code is made.

Where anything is not as it is known here nothing becomes machine code: all graphs run through their plans, with the
same results, and the log and `report` say what it was. Only a BLAS that is not found leaves the rest as it is.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable

from ....base.deeper import deeper
from . import cpython, libm, llvm, ndarrays

Check = Callable[[], str | None]
_DEEPER = 1_000
_lock = threading.RLock()


def obstacle(trial: Check) -> str | None:
    """Why nothing can become machine code here, in words; None if it can. ``trial``: tries a whole call at last."""
    with _lock:
        return _found(trial)


@functools.cache
def _found(trial: Check) -> str | None:
    checks = cpython.obstacle, ndarrays.obstacle, libm.obstacle, _link, trial
    with deeper(_DEEPER):  # how deep the user's calls nest must not decide
        return next(filter(None, map(_reason, checks)), None)


def _reason(check: Check) -> str | None:
    try:
        return check()
    except Exception as error:  # what others have changed, or a broken installation, must not break graphs
        return f"{type(error).__name__}: {error}"


def _link() -> None:
    """Lets code find the functions of others."""
    llvm.add_symbols(cpython.addresses() | libm.addresses())
