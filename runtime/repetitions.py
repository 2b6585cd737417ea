"""What code prints, logs and warns of while a function is traced shows once, however often that code is traced.

A function, or the body of a loop in it, may have to be traced several times until its types are known; the first
attempt has shown what there is to see. So executions are counted, by the instruction of the user's code and the calls
that led to it. Where an attempt is thrown away the counts go back to what they were at its start. An execution shows if
its number is higher than that of all that have shown before.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

from .places import is_user_file

Key = tuple[tuple[tuple[CodeType, int], ...], tuple[int, ...]]
Counts = dict[Key, int]


class _Local(threading.local):
    def __init__(self) -> None:
        self.is_open = False
        self.counts: Counts = {}
        self.shown: Counts = {}
        self.kept: list[Any] = []
        """What the keys have the identities of."""


_local = _Local()


class Execution(NamedTuple):
    """One execution of an instruction that shows something."""

    key: Key
    number: int

    @property
    def is_repeated(self) -> bool:
        """Whether it has shown already, in another attempt."""
        return self.number <= _local.shown.get(self.key, 0)

    def done(self) -> None:
        """To be called when it has shown; one that raises does so again in the next attempt."""
        _local.shown[self.key] = max(self.number, _local.shown.get(self.key, 0))


@contextmanager
def scope() -> Iterator[None]:
    """In here nothing shows twice: one call that traces a function, with all that this one calls."""
    if _local.is_open:
        yield
        return
    _local.is_open = True
    try:
        yield
    finally:
        _local.is_open = False
        _local.counts, _local.shown, _local.kept = {}, {}, []


def mark() -> Counts:
    """The executions up to now, for `back`: to be called at the start of an attempt."""
    return dict(_local.counts)


def back(counts: Counts) -> None:
    """To be called when an attempt is thrown away, with what `mark` gave at its start."""
    _local.counts = dict(counts)


@contextmanager
def repeated() -> Iterator[None]:
    """In here code is traced that has been traced before, and is not thrown away, for other values."""
    before, _local.counts = _local.counts, {}
    try:
        yield
    finally:
        _local.counts = before


def execution(*targets: Any) -> Execution | None:
    """The execution that is about to show something; None where no function is traced.

    ``targets`` are what shows it: what goes to an object that an attempt has made is seen by that attempt alone.
    """
    if not _local.is_open:
        return None
    key = _calls(sys._getframe(1)), tuple(map(id, targets))
    if key not in _local.shown:
        _local.kept.append(targets)
    number = _local.counts[key] = _local.counts.get(key, 0) + 1
    return Execution(key, number)


def _calls(frame: FrameType | None) -> tuple[tuple[CodeType, int], ...]:
    """The user's instruction that runs, and those that called it, but for calls of functions by themselves."""
    calls = []
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            calls.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    last = {code: place for place, (code, _) in enumerate(calls)}
    found, place = [], 0
    while place < len(calls):
        found.append(calls[place])
        place = last[calls[place][0]] + 1
    return tuple(found)
