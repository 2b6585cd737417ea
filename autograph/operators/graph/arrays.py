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
from autograph.runtime.in_place import set_check, viewed
from autograph.runtime.tensor import SymbolicTensor

from ..locations import Global
from ..state import Attribute, Cell, stack
from .aliases import holders
from .errors import where

_ROOT = "autograph.operators.graph.tracing"


class _Local(threading.local):
    def __init__(self) -> None:
        self.origins: dict[int, tuple[Any, np.ndarray[Any, Any]]] = {}


_local = _Local()


def register(tensor: Any, array: Any) -> None:
    """Notes that a tensor stands for an array: a loop's parameter, or what a store has made of it."""
    if isinstance(tensor, SymbolicTensor):
        array = _array_of(array) if isinstance(array, SymbolicTensor) else array
        if isinstance(array, np.ndarray):
            _local.origins[id(tensor.value)] = tensor.value, array


def _array_of(tensor: SymbolicTensor) -> Any:
    """The array that a tensor stands for, or of which it would be a view; None for all other tensors."""
    value = tensor.value
    while True:
        known = _local.origins.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        inner = viewed(value)
        if inner is None:
            return None
        value = inner


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
        array = _array_of(container)
        if array is None:
            return
        if viewed(container.value) is not None and id(container.value) not in _local.origins:
            raise MutationError(
                "a view of an array is stored into by staged code; the array would not see the change",
                **where(),
                construct="item store",
                remedy="store into the array itself, or into a copy of the view (x.copy())",
            )
    names = list(_names(array, container))
    known = {location.label for location in _places(array)}
    attributes = {label for label in known if "." in label}
    others = attributes if names or container is not array else set(sorted(attributes)[1:])
    others |= {holder for holder in _other_holders(array, container) if holder not in names}
    allowed = 1
    if len(names) > allowed or others:
        shown = ", ".join(f"`{name}`" for name in dict.fromkeys([*names, *sorted(others)]))
        raise MutationError(
            f"an array is stored into by staged code, but is also known as {shown}, which would not see the change",
            **where(),
            construct="item store",
            remedy="use the array under one name, and return it from functions that change it",
        )


def _other_holders(array: Any, container: Any) -> Iterator[str]:
    """The attributes, items and other holders of an array, and of the tensor that stands for it, but one."""
    found = [holder for each in {id(array): array, id(container): container}.values() for holder in holders(each)]
    labels = [each if isinstance(each, str) else each.label for each in found if not isinstance(each, (Cell, Global))]
    names = any(True for _ in _names(array, container))
    return iter(labels if names else labels[1:])


set_check(check_alone)


def is_old(array: Any) -> bool:
    """Whether a staged body that is open has not made the array itself."""
    return next(_places(array), None) is not None


def _places(array: Any) -> Iterator[Any]:
    for journal in stack():
        if not journal.outermost:
            for location in list(journal.places()):
                if isinstance(location, (Cell, Attribute)) and location.get() is array:
                    yield location


def _names(array: Any, container: Any) -> Iterator[str]:
    """The variables of the running functions that hold an array, or another with the same memory.

    A variable that inner functions share counts once.
    """
    frame: FrameType | None = sys._getframe(1)
    shared: dict[str, CodeType] = {}
    while frame is not None and frame.f_globals.get("__name__") != _ROOT:
        code = frame.f_code
        if not frame.f_globals.get("__name__", "").startswith("autograph."):
            for name, value in frame.f_locals.items():
                if value is array or value is container or _shares_memory(value, array):
                    inner = shared.pop(name, None)
                    if inner is None or inner not in code.co_consts:
                        yield name
                    if name in code.co_freevars:
                        shared[name] = code
        frame = frame.f_back


def _shares_memory(value: Any, array: Any) -> bool:
    return isinstance(value, np.ndarray) and value.size > 0 and np.may_share_memory(value, array)
