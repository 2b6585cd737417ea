"""What code does while a function is traced is done once, however often that code is traced.

A function, or the body of a loop in it, may have to be traced several times until its types are known. What the code
prints, logs and warns of, the first attempt has shown. So executions are counted, by the instruction of the user's code
and the calls that led to it. Where an attempt is thrown away the counts go back to what they were at its start. An
execution shows if its number is higher than that of all that have shown before.

What an attempt has changed of objects that are older than it is taken back when it is thrown away: see `done`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..base.places import is_user_file

Key = tuple[tuple[tuple[CodeType, int], ...], tuple[int, ...]]
Counts = dict[Key, int]
Undoings = dict[Hashable, Callable[[], None]]
"""By place, what takes the change of that place back."""


class _Trace:
    """The key of a trace that is kept, among those of places."""


class Mark(NamedTuple):
    """What has been done up to the start of an attempt."""

    counts: Counts
    effects: int


class _Local(threading.local):
    def __init__(self) -> None:
        self.is_open = False
        self.is_of_trial: Callable[[Any], bool] | None = None
        self.counts: Counts = {}
        self.shown: Counts = {}
        self.kept: list[Any] = []
        """What the keys have the identities of."""
        self.results: dict[tuple[Key, int], Any] = {}
        self.effects: list[Undoings] = []
        """What traces have changed, in their order."""


_local = _Local()


class Execution(NamedTuple):
    """One execution of an instruction that shows something."""

    key: Key
    number: int

    @property
    def is_repeated(self) -> bool:
        """Whether it has shown already, in another attempt, or comes in its place later."""
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
        _local.counts, _local.shown, _local.kept, _local.results, _local.effects = {}, {}, [], {}, []


def mark() -> Mark:
    """What has been done up to now, for `back`: to be called at the start of an attempt."""
    return Mark(dict(_local.counts), len(_local.effects))


def back(before: Mark) -> None:
    """To be called when an attempt is thrown away, with what `mark` gave at its start: takes back what it has done."""
    _local.counts = dict(before.counts)
    while len(_local.effects) > before.effects:
        _take_back(_local.effects.pop())


def done(effects: Undoings, before: Mark) -> None:
    """To be called at the end of a trace with what it has changed, itself or through others that it has called."""
    found = {**_traces_since(before), **effects}
    del _local.effects[before.effects :]
    if _local.is_open and found:
        _local.effects.append(found)


def kept(before: Mark, forget_trace: Callable[[], None]) -> None:
    """To be called for a trace that later calls use: it is made again if what it has changed is taken back."""
    if len(_local.effects) > before.effects:
        _local.effects[-1][_Trace()] = forget_trace


def taken_back(before: Mark) -> None:
    """To be called when what has been changed since `mark` gave something has been taken back otherwise."""
    del _local.effects[before.effects :]


def _traces_since(before: Mark) -> Undoings:
    return {key: undo for each in _local.effects[before.effects :] for key, undo in each.items() if type(key) is _Trace}


def show_no_more(before: Mark) -> None:
    """To be called when an attempt is to be made once more that has done what it has done: that stays."""
    _local.counts = dict(before.counts)


def take_back_both(first: Mark, second: Mark) -> bool:
    """Takes back what an attempt has changed again that the one before it had changed already; whether it has."""
    earlier, later = _local.effects[first.effects : second.effects], _local.effects[second.effects :]
    again = {place for each in later for place in each} & {place for each in earlier for place in each}
    if not again:
        return False
    while len(_local.effects) > second.effects:
        _take_back(_local.effects.pop())
    for each in reversed(earlier):
        _take_back({place: each.pop(place) for place in each.keys() & again})
    return True


def _take_back(effects: Undoings) -> None:
    for undo in reversed(effects.values()):
        undo()


@contextmanager
def repeated() -> Iterator[None]:
    """In here code is traced that has been traced before, and is not thrown away, for other values."""
    before, _local.counts = _local.counts, {}
    try:
        yield
    finally:
        _local.counts = before


@contextmanager
def trial(is_new: Callable[[Any], bool]) -> Iterator[None]:
    """In here code is tried which comes in its place later: it shows nothing, but to what is new in it."""
    before, _local.is_of_trial = _local.is_of_trial, is_new
    try:
        yield
    finally:
        _local.is_of_trial = before


def execution(*targets: object) -> Execution | None:
    """The execution that is about to show something; None where no function is traced.

    ``targets`` are what shows it: what goes to an object that an attempt has made is seen by that attempt alone.
    """
    if not _local.is_open:
        return None
    key = _calls(sys._getframe(1)), tuple(map(id, targets))
    if _local.is_of_trial is not None and not any(map(_local.is_of_trial, targets)):
        return Execution(key, 0)
    if key not in _local.shown:
        _local.kept.append(targets)
    number = _local.counts[key] = _local.counts.get(key, 0) + 1
    return Execution(key, number)


def once(compute: Callable[[], Any], *targets: object) -> Any:
    """What ``compute`` gives, which can't be taken back: a repetition gives the same and does nothing."""
    this = execution(*targets)
    if this is None:
        return compute()
    if this.number == 0:
        return compute()
    if not this.is_repeated:
        _local.results[this] = compute()
        this.done()
    return _local.results[this]


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
