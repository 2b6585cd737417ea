"""Which objects an object may stand for that merging branches, or the turns of a loop, has made.

Merging makes a new object of the parts of two. Python would have one of the two instead: whether that is another
object, only the run could tell, so that `is`, and `==` of classes without `__eq__`, are refused between them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.trace import user_location

from .locations import Mutable

_TABLES = (dict, set, frozenset)


class _Local(threading.local):
    def __init__(self) -> None:
        self.sources: dict[int, tuple[Any, list[Any]]] = {}
        self.of_turns: dict[int, Any] = {}
        self.references: dict[int, int] = {}
        """How often the two hold an object, by identity."""


_local = _Local()


def note_source(made: Any, source: Any) -> None:
    """Notes an object that another one may stand for, which merging has made."""
    if made is not source:
        if id(made) not in _local.sources:
            _local.sources[id(made)] = made, []
            _count(made)
        _local.sources[id(made)][1].append(source)
        _count(source)


def note_turn(made: Any) -> None:
    """Notes an object that a loop has at the start of each turn: it may be any that an earlier turn has left."""
    if id(made) not in _local.of_turns:
        _local.of_turns[id(made)] = made
        _count(made)


def _count(obj: Any) -> None:
    _local.references[id(obj)] = _local.references.get(id(obj), 0) + 1


def forget() -> None:
    """Called when a trace ends."""
    _local.sources.clear()
    _local.of_turns.clear()
    _local.references.clear()


def is_merged(value: Any) -> bool:
    """Whether an object stands for others."""
    return id(value) in _local.sources or id(value) in _local.of_turns


def references(key: int) -> int:
    """How many references this module keeps to an object, by identity."""
    return _local.references.get(key, 0)


def same(left: Any, right: Any) -> bool:
    """``left is right``.

    Raises:
        StagedValueError: only the run could tell.
    """
    if left is right:
        return True
    may_be_same = type(left) is type(right) or isinstance(left, Mutable) or isinstance(right, Mutable)
    if not may_be_same or not _may_be_one(left, right):
        return False
    raise StagedValueError(
        f"whether two objects of class `{_class_of(left, right)}` are the same one is asked, of which a staged "
        "condition or loop has chosen one; a graph has copies of their attributes",
        **_where(),
        construct="is",
        remedy="give the objects a number that tells them apart, and compare that; or compare in the branches",
    )


def _may_be_one(left: Any, right: Any) -> bool:
    if any(isinstance(each, Mutable) and each.is_element for each in (left, right)):
        return all(isinstance(each, (list, Mutable)) for each in (left, right))
    if not (is_merged(left) or is_merged(right)):
        return False
    mine, others = _may_be(left), _may_be(right)
    return not mine.isdisjoint(others) or any(each in _local.of_turns for each in (*mine, *others))


def _class_of(left: Any, right: Any) -> str:
    name = type(right if isinstance(left, Mutable) else left).__name__
    staged = isinstance(left, Mutable) and isinstance(right, Mutable)
    return name.removeprefix("Staged").removesuffix("Element").lower() if staged else name


def check_key(container: Any, key: Any) -> None:
    """Refuses an object as a key of a dict or set, where the key would be the object that it stands for.

    Raises:
        StagedValueError: it is one that merging has made.
    """
    if isinstance(container, _TABLES) and is_merged(key) and type(key).__hash__ is object.__hash__:
        raise StagedValueError(
            f"an object of class `{type(key).__name__}` that a staged condition or loop has chosen is used as a "
            "key, which needs to know which one it is",
            **_where(),
            construct="dict",
            remedy="use a number or a string of the object as key, or look it up in the branches",
        )


def checking_key(table: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a dict or set that takes a key, or an element, as its first argument."""
    if not (_local.sources or _local.of_turns):
        return function

    def checked(*arguments: Any, **keywords: Any) -> Any:
        for each in arguments[:1]:
            check_key(table, each)
        return function(*arguments, **keywords)

    return checked


def _may_be(value: Any) -> set[int]:
    found: set[int] = set()
    pending = [value]
    while pending:
        each = pending.pop()
        if id(each) not in found:
            found.add(id(each))
            pending.extend(_local.sources.get(id(each), (each, ()))[1])
    return found


def _where() -> dict[str, Any]:
    place = user_location()
    return {} if place is None else place._asdict()
