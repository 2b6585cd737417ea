"""Numbers of which a run alone tells whether they are True or False, or numbers of another kind: branches that merge
make one number of both. They count the same; their class and their text are others."""

from __future__ import annotations

import threading
from typing import Any

from autograph.errors import StagedValueError

from ...base.places import user_location
from ...ir.graph import Value
from ...tensors.tensor import SymbolicTensor


class _Local(threading.local):
    def __init__(self) -> None:
        self.values: dict[int, Value] = {}
        """By identity."""


_local = _Local()


def note(tensor: Any) -> Any:
    """Notes that a graph tensor is such a number; returns it."""
    if type(tensor) is SymbolicTensor:
        _local.values[id(tensor.value)] = tensor.value
    return tensor


def is_one(tensor: object) -> bool:
    """Whether a graph tensor is such a number."""
    return type(tensor) is SymbolicTensor and id(tensor.value) in _local.values


def check(tensor: object, what: str) -> None:
    """Refuses to tell what such a number is.

    Raises:
        StagedValueError: it is one.
    """
    if is_one(tensor):
        place = user_location()
        raise StagedValueError(
            f"{what} is asked for of what is True or False in some runs and a number in others, as a staged branch or "
            "loop decides: a graph has one number for both",
            **({} if place is None else place._asdict()),
            construct="bool",
            remedy="give it a number in all of them: int(test), 1 or 0; or write int(x) here for the number alone",
        )


def forget() -> None:
    """Called when a trace ends."""
    _local.values.clear()
