"""Shallow copies of objects that may change: taken, compared with the object later, and put back."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .locations import Attribute, Contents, Location, Mutable, StateOf, attributes_of, has_attributes
from .variables import UNDEFINED


class Snapshot:
    """A shallow copy of one object as it was."""

    __slots__ = ("copy", "early", "label", "obj")

    def __init__(self, obj: Any, copy: Any, label: str, early: bool) -> None:
        self.obj = obj
        self.copy = copy
        self.label = label
        self.early = early
        """Taken when the body was entered, so that the object is certainly older than the body."""


def copy_of(obj: Any) -> Any:
    """A shallow copy of what may change in an object; UNDEFINED for what a journal doesn't keep."""
    if isinstance(obj, (list, dict, set, deque, bytearray, np.ndarray)):
        return obj.copy()
    if isinstance(obj, Mutable):
        return obj.get_state()
    return attributes_of(obj) if has_attributes(obj) else UNDEFINED


def difference(snapshot: Snapshot, same: Callable[[Any, Any], bool]) -> Iterator[tuple[Location, Any, Any]]:
    """Location, old and new value of what has changed in an object; a bare `Location` can't be carried."""
    obj, old, label = snapshot.obj, snapshot.copy, snapshot.label
    if old is UNDEFINED:
        return
    if isinstance(obj, list):
        if len(obj) != len(old) or not all(map(same, obj, old)):
            yield Contents(obj, label), old, obj.copy()
    elif isinstance(obj, dict):
        if list(obj) != list(old) or not all(same(obj[key], old[key]) for key in old):
            yield Contents(obj, label), old, obj.copy()
    elif isinstance(obj, Mutable):
        if obj.get_state() is not old:
            yield StateOf(obj, label), old, obj.get_state()
    elif isinstance(obj, np.ndarray):
        if obj.shape != old.shape or obj.tobytes() != old.tobytes():
            yield Location(obj, label), old, obj
    elif isinstance(obj, (set, deque, bytearray)):
        if obj != old:
            yield Location(obj, label), old, obj
    else:
        new = attributes_of(obj)
        for name in old.keys() | new.keys():
            before, after = old.get(name, UNDEFINED), new.get(name, UNDEFINED)
            if not same(after, before) and not (before is UNDEFINED and _is_loaded(obj, after)):
                yield Attribute(obj, name, label), before, after


def _is_loaded(obj: Any, value: Any) -> bool:
    """Whether an attribute that an object has got is no change of state: a module's name that is loaded when it is
    first used, or a submodule that was imported."""
    return isinstance(obj, ModuleType) and (isinstance(value, ModuleType) or "__getattr__" in vars(obj))


def restore(snapshot: Snapshot) -> None:
    """Puts back what an object held."""
    obj, old = snapshot.obj, snapshot.copy
    if isinstance(obj, Mutable):
        obj.set_state(old)
    elif isinstance(obj, (list, bytearray)):
        obj[:] = old
    elif isinstance(obj, (dict, set)):
        obj.clear()
        obj.update(old)
    elif isinstance(obj, deque):
        obj.clear()
        obj.extend(old)
    elif isinstance(obj, np.ndarray):
        if obj.flags.writeable:
            obj[...] = old
    else:
        for location, before, _ in list(difference(snapshot, operator.is_)):
            location.set(before)
