"""NumPy's warnings of floating-point errors, off while kernels run: graphs compute, and don't look over their shoulder.

`np.errstate` takes longer than a small graph. What it does is to set a context variable, which is found here by looking
at what it changes, so that no private name of NumPy's is needed; where nothing is found, `np.errstate` does it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any

import numpy as np


def _entered() -> np.errstate:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _left(state: np.errstate) -> None:
    state.__exit__(None, None, None)


def _switches() -> tuple[Callable[[], Any], Callable[[Any], None]]:
    before = copy_context()
    with np.errstate(all="ignore"):
        after = copy_context()
    changed = [variable for variable in after if variable not in before or before[variable] is not after[variable]]
    if len(changed) != 1:
        return _entered, _left
    return partial(changed[0].set, after[changed[0]]), changed[0].reset


ignore, restore = _switches()
"""``token = ignore()`` turns the warnings off on this thread, ``restore(token)`` sets what held before."""
