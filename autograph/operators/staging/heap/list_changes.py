"""How often lists have been changed while elements of them are known by an index that only a run tells.

An element that was taken from a place is the one at this place as long as nothing has moved. The counts belong to the
list, and stay when it gets a staged form, or another one where branches merge.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from . import heap

Contents = Callable[[Any], list[Any]]


class ListChanges:
    """How often a list has been changed."""

    __slots__ = ("_before", "_contents", "_inside", "_moves", "_writes", "is_looked_at")

    def __init__(self) -> None:
        self._moves = [0]
        self._writes = 0
        self._before: list[Any] = []
        self._inside: list[Any] = []
        self._contents: Contents = list
        self.is_looked_at = False
        """Whether what is in the list is looked through now: with an element of it in it again, that would not end."""

    def moved(self, depth: int) -> None:
        """Elements of lists that are so deep in the list have got other places."""
        self._moves.extend([0] * (depth + 1 - len(self._moves)))
        self._moves[depth] += 1

    def written(self) -> None:
        """An element has been changed itself."""
        self._writes += 1

    def moves(self, depth: int) -> tuple[int, ...]:
        """How often elements of the lists down to a depth have got other places."""
        known = self._moves[:depth]
        return (*known, *[0] * (depth - len(known)))

    @property
    def writes(self) -> int:
        """How often an element has been changed itself."""
        return self._writes

    @property
    def seen(self) -> tuple[int, ...]:
        """Tells apart what the list has held."""
        return self._moves[0], self._writes, len(self._before)

    def start(self, values: Any, contents: Contents) -> None:
        """Has what Python code does to a list count from now on."""
        self.is_looked_at = True
        try:
            self._before, self._contents, self._inside = list(values), contents, contents(values)
        finally:
            self.is_looked_at = False

    def look(self, values: object) -> None:
        """Counts what Python code has done to a list, or to its elements, since the last look."""
        self.look_for_moves(values)
        if self._contents(self._before) != self._inside:
            self.written()
        self.start(values, self._contents)

    def look_for_moves(self, values: Any) -> None:
        """Counts that Python code has put other elements into a list since the last look."""
        if not heap.are_same(self._before, values[: len(self._before)]):
            self.moved(0)


class _Local(threading.local):
    def __init__(self) -> None:
        self.changes: dict[int, tuple[Any, ListChanges]] = {}
        """By identity, the Python lists that have been asked for an element under an index that only a run tells."""


_local = _Local()


def forget() -> None:
    """Called when a trace ends."""
    _local.__init__()  # type: ignore[misc]


def watch(values: object, contents: Contents) -> ListChanges:
    """The changes of a Python list, which are counted from now on.

    ``contents`` gives what differs when a list, or one that is an element in it, holds something else.
    """
    known = _local.changes.get(id(values))
    if known is None:
        known = _local.changes[id(values)] = values, ListChanges()
        known[1].start(values, contents)
    elif not heap.has_form(values):
        known[1].look(values)
    return known[1]


def about_to_stage(values: object, changes: ListChanges) -> ListChanges:
    """The changes of a Python list that gets a staged form, which has counted some itself."""
    _, known = _local.changes.setdefault(id(values), (values, changes))
    if known is not changes and not heap.has_form(values):
        known.look(values)
    return known


def about_to_restore(values: object) -> None:
    """To be called before what a body has done to a list in Python is taken back: where it merges, it is done again."""
    known = _local.changes.get(id(values))
    if known is not None and not heap.has_form(values):
        known[1].look_for_moves(values)
