"""Shallow copies of objects that may change: taken, compared with the object later, and put back."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np

from ...variables import UNDEFINED
from .forms import contents_of, holds, set_contents
from .locations import (
    Attribute,
    Contents,
    HiddenAttribute,
    Location,
    Mutable,
    StateOf,
    Uncarried,
    attributes_of,
    has_attributes,
    hidden_attributes_of,
    is_plain_object,
)


class Snapshot:
    """A shallow copy of one object as it was."""

    __slots__ = ("attributes", "copy", "early", "hidden", "label", "obj")

    def __init__(self, obj: Any, copy: Any, label: str, early: bool) -> None:
        self.obj = obj
        self.copy = copy
        self.label = label
        self.attributes = attributes_of_container(obj)
        self.hidden = hidden_attributes_of(obj) if has_attributes(obj) else {}
        self.early = early
        """Taken when the body was entered, so that the object is certainly older than the body."""


def attributes_of_container(obj: object) -> dict[str, Any] | None:
    """The attributes of a list, dict, tuple or the like of a user's class; None for all other objects."""
    if type(obj) in _EXACT or not isinstance(obj, _CONTAINERS) or not is_plain_object(obj):
        return None
    return attributes_of(obj)


_CONTAINERS = (list, tuple, dict, set, deque, bytearray)
_EXACT = frozenset(_CONTAINERS)


def copy_of(obj: object) -> Any:
    """A shallow copy of what may change in an object; UNDEFINED for what a journal doesn't keep."""
    if isinstance(obj, (list, dict)):
        return contents_of(obj)
    if isinstance(obj, (set, deque, bytearray, np.ndarray)):
        return obj.copy()
    if isinstance(obj, Mutable):
        return obj.get_state()
    return attributes_of(obj) if has_attributes(obj) else UNDEFINED


def difference(snapshot: Snapshot, same: Callable[[Any, Any], bool]) -> Iterator[tuple[Location, Any, Any]]:
    """Location, old and new value of what has changed in an object; one that is `Uncarried` is refused."""
    obj, old, label = snapshot.obj, snapshot.copy, snapshot.label
    if old is UNDEFINED:
        return
    if snapshot.attributes is not None:
        yield from _changed_attributes(obj, snapshot.attributes, label, same)
    for name, (before, after) in _changed_hidden(snapshot, same).items():
        yield HiddenAttribute(obj, name), before, after
    if isinstance(obj, list):
        new = contents_of(obj)
        if not _same_items(new, old, same):
            yield Contents(obj, label), old, new
    elif isinstance(obj, dict):
        new = contents_of(obj)
        if list(new) != list(old) or not _same_items(list(new.values()), list(old.values()), same):
            yield Contents(obj, label), old, new
    elif isinstance(obj, Mutable):
        if obj.get_state() is not old:
            yield StateOf(obj, label), old, obj.get_state()
    elif isinstance(obj, np.ndarray):
        if obj.shape != old.shape or obj.tobytes() != old.tobytes():
            yield Uncarried(obj, label), old, obj
    elif isinstance(obj, (set, deque, bytearray)):
        if obj != old:
            yield Uncarried(obj, label), old, obj
    else:
        yield from _changed_attributes(obj, old, label, same)


def _same_items(new: list[Any], old: list[Any], same: Callable[[Any, Any], bool]) -> bool:
    """Whether two lists hold the same; that they hold the very same objects is soon found."""
    return len(new) == len(old) and (all(map(operator.is_, new, old)) or all(map(same, new, old)))


def _changed_attributes(
    obj: object, old: dict[str, Any], label: str, same: Callable[[Any, Any], bool]
) -> Iterator[tuple[Location, Any, Any]]:
    new = attributes_of(obj)
    for name in [*new, *(name for name in old if name not in new)]:  # the new ones as they have been set
        before, after = old.get(name, UNDEFINED), new.get(name, UNDEFINED)
        if not same(after, before) and not (before is UNDEFINED and _is_loaded(obj, after)):
            yield Attribute(obj, name, label), before, after


def _changed_hidden(snapshot: Snapshot, same: Callable[[Any, Any], bool]) -> dict[str, tuple[Any, Any]]:
    """By name what hidden attributes of an object held and hold, of those that have changed."""
    if not snapshot.hidden:
        return {}
    now = hidden_attributes_of(snapshot.obj)
    both = {name: (before, now.get(name, UNDEFINED)) for name, before in snapshot.hidden.items()}
    return {name: each for name, each in both.items() if not (same(*each) or _is_same_number(*each))}


def _is_same_number(new: object, old: object) -> bool:
    """Whether two numbers or texts, which what holds them may make anew each time, are equal."""
    return type(new) is type(old) and isinstance(new, (int, float, complex, str, bytes)) and new == old


def _is_loaded(obj: object, value: object) -> bool:
    """Whether an attribute that an object has got is no change of state: a module's name that is loaded when it is
    first used, or a submodule that was imported."""
    return isinstance(obj, ModuleType) and (isinstance(value, ModuleType) or "__getattr__" in vars(obj))


def _common(new: list[Any] | deque[Any], old: list[Any] | deque[Any]) -> tuple[int, int]:
    """How many items at the start, and how many of the rest at the end, two sequences have in common."""
    shorter = min(len(new), len(old))
    start = next((at for at, pair in enumerate(zip(new, old, strict=False)) if pair[0] is not pair[1]), shorter)
    rest = islice(zip(reversed(new), reversed(old), strict=False), shorter - start)
    return start, next((at for at, pair in enumerate(rest) if pair[0] is not pair[1]), shorter - start)


def restore(snapshot: Snapshot) -> None:
    """Puts back what an object held."""
    obj, old = snapshot.obj, snapshot.copy
    for name, (before, _) in _changed_hidden(snapshot, operator.is_).items():
        HiddenAttribute(obj, name).set(before)
    if snapshot.attributes is not None:
        for location, before, _ in list(_changed_attributes(obj, snapshot.attributes, snapshot.label, operator.is_)):
            location.set(before)
    if isinstance(obj, Mutable):
        obj.set_state(old)
    elif isinstance(obj, list):
        new = contents_of(obj)
        start, end = _common(new, old)
        list.__setitem__(obj, slice(start, len(new) - end), old[start : len(old) - end])
    elif isinstance(obj, dict):
        if not holds(obj, old):
            set_contents(obj, old)
    elif isinstance(obj, bytearray):
        obj[:] = old
    elif isinstance(obj, set):
        set.intersection_update(obj, old)
        set.update(obj, old)
    elif isinstance(obj, deque):
        start, end = _common(obj, old)
        for _ in range(len(obj) - end - start):
            del obj[start]
        for number in range(start, len(old) - end):
            obj.insert(number, old[number])
    elif isinstance(obj, np.ndarray):
        if obj.flags.writeable:
            obj[...] = old
    else:
        for location, before, _ in list(difference(snapshot, operator.is_)):
            location.set(before)
