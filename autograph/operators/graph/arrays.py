"""NumPy arrays that staged code stores into: they become tensors, provided that no other name sees the array.

A store changes an array under all its names, but a tensor takes the place of just one variable (or attribute).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.tensor import SymbolicTensor

from ..state import Attribute, Cell, stack
from .errors import where

_ROOT = "autograph.operators.graph.tracing"


class _Local(threading.local):
    def __init__(self) -> None:
        self.origins: dict[int, tuple[Any, np.ndarray[Any, Any]]] = {}


_local = _Local()


def register(tensor: Any, array: Any) -> None:
    """Notes that a loop's parameter stands for an array that the loop may store into."""
    if isinstance(tensor, SymbolicTensor) and isinstance(array, np.ndarray):
        _local.origins[id(tensor.value)] = tensor.value, array


def forget() -> None:
    """Called when a trace ends."""
    _local.origins.clear()


def check_alone(container: Any) -> None:
    """Refuses a store into an array, or the tensor in the place of one, that another name sees.

    Raises:
        MutationError: there is another name.
    """
    array = container
    if isinstance(container, SymbolicTensor):
        origin = _local.origins.get(id(container.value))
        if origin is None or origin[0] is not container.value:
            return
        array = origin[1]
    names = list(_names(array))
    known = {location.label for location in _places(array)}
    attributes = {label for label in known if "." in label}
    others = attributes if names or container is not array else set(sorted(attributes)[1:])
    allowed = 0 if container is not array else 1
    if len(names) > allowed or others:
        shown = ", ".join(f"`{name}`" for name in dict.fromkeys([*names, *sorted(others)]))
        raise MutationError(
            f"an array is stored into by staged code, but is also known as {shown}, which would not see the change",
            **where(),
            construct="item store",
            remedy="use the array under one name, and return it from functions that change it",
        )


def is_old(array: Any) -> bool:
    """Whether a staged body that is open has not made the array itself."""
    return next(_places(array), None) is not None


def _places(array: Any) -> Iterator[Any]:
    for journal in stack():
        if not journal.outermost:
            for location in list(journal.places()):
                if isinstance(location, (Cell, Attribute)) and location.get() is array:
                    yield location


def _names(array: Any) -> Iterator[str]:
    """The variables of the running functions that hold an array, or another with the same memory.

    A variable that inner functions share counts once.
    """
    frame: FrameType | None = sys._getframe(1)
    shared: dict[str, CodeType] = {}
    while frame is not None and frame.f_globals.get("__name__") != _ROOT:
        code = frame.f_code
        if not frame.f_globals.get("__name__", "").startswith("autograph."):
            for name, value in frame.f_locals.items():
                if value is array or _shares_memory(value, array):
                    inner = shared.pop(name, None)
                    if inner is None or inner not in code.co_consts:
                        yield name
                    if name in code.co_freevars:
                        shared[name] = code
        frame = frame.f_back


def _shares_memory(value: Any, array: Any) -> bool:
    return isinstance(value, np.ndarray) and value.size > 0 and np.may_share_memory(value, array)
