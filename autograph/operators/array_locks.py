"""NumPy arrays that are older than a staged body: NumPy itself refuses to change them while the body is traced."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.trace import is_user_file

_TEXT = "read-only"


class _Local(threading.local):
    locked = 0


_local = _Local()


def is_by_lock(error: BaseException) -> bool:
    """Whether an error is, or may be, NumPy's refusal to change an array that this thread has locked."""
    return _local.locked > 0 and isinstance(error, ValueError) and _TEXT in str(error)


class Locked:
    """Arrays that can't be written for a while, neither they nor what is known of the arrays that they are views of."""

    __slots__ = ("arrays",)

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []

    def lock(self, arrays: Iterable[np.ndarray[Any, Any]]) -> None:
        """Makes arrays unwritable, where they are not already."""
        for array in arrays:
            owner: Any = array
            while isinstance(owner, np.ndarray):
                if owner.flags.writeable:
                    self.arrays.append(owner)
                owner = owner.base
        for array in self.arrays:
            array.flags.writeable = False
        _local.locked += len(self.arrays)

    def unlock(self, error: BaseException | None = None) -> MutationError | None:
        """Makes them writable again; returns what to raise when `error` says that one was written."""
        locked = bool(self.arrays)
        _local.locked -= len(self.arrays)
        # A view can only be writable when what it is a view of is.
        for array in sorted(self.arrays, key=_views):
            array.flags.writeable = True
        self.arrays = []
        if not locked or not isinstance(error, ValueError) or _TEXT not in str(error):
            return None
        return MutationError(
            "a NumPy array is changed in place in a staged branch or loop; a graph can't carry that change",
            construct="NumPy array",
            remedy="write `a = a + b` in place of `a += b`, use a tensor (tf.constant), or make the change outside",
            **_place(error.__traceback__),
        )


def _views(array: Any) -> int:
    depth = 0
    while isinstance(array, np.ndarray):
        depth, array = depth + 1, array.base
    return depth


def _place(trace: TracebackType | None) -> dict[str, Any]:
    place: dict[str, Any] = {}
    while trace is not None:
        code = trace.tb_frame.f_code
        if is_user_file(code.co_filename):
            place = {"file": code.co_filename, "line": trace.tb_lineno, "function": code.co_name}
        trace = trace.tb_next
    return place
