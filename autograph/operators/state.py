"""What a staged body may change, where it is kept, and how the changes of one branch are collected and undone."""

from __future__ import annotations

import threading
from typing import Any

from .dispatch import Thunk


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: list[Any] = []


_local = _Local()


def stack() -> list[Any]:
    """The journals of the staged bodies that this thread is tracing, outermost first."""
    return _local.stack


def about_to_change(obj: Any) -> None:
    """Notes in every open journal what `obj` holds before it changes."""
    for journal in _local.stack:
        journal.note(obj)


def outer_writes(load: Thunk) -> None:
    """Notes in every open journal the variables that a function reads through `load`."""
    for journal in _local.stack:
        journal.note_variables(load)


def replace_array(container: Any) -> Any:
    """Returns `container`, or the tensor that takes the place of an array in a staged body."""
    return container
