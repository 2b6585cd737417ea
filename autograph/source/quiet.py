"""Python's parser and compiler without their warnings.

The user saw the warnings when Python compiled the file; with ``-W error`` they would be errors here.  Silence
changes the state of all of Python's warnings for a moment (each that was shown once may be shown again), so it is
for the first time that a file is met; who knows that there is nothing to silence calls the compiler as it is.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from typing import Any

_lock = threading.RLock()


def quietly(function: Callable[..., Any], *arguments: object, **options: object) -> tuple[Any, bool]:
    """What the function returns, and whether it warned."""
    with _lock, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return function(*arguments, **options), bool(caught)


if hasattr(os, "register_at_fork"):
    # A child process must not begin with silent warnings, nor with a lock that a thread has which is not there.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
