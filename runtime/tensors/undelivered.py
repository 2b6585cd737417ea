"""Refusals that code which is not converted may swallow: ``try: return float(x)`` / ``except Exception: return 0.0``.

Converted code lets them pass by itself. What library code asks of a graph tensor and can't get is noted here, so that
a trace that ends well in spite of it is refused after all: the library has gone on without the value.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar
from weakref import WeakKeyDictionary

from autograph.errors import AutographError

from ..base.places import user_location
from ..ir.graph import Graph

Error = TypeVar("Error", bound=AutographError)
_DEBUGGERS = ("bdb", "pdb", "pydevd", "debugpy")


class _Local(threading.local):
    def __init__(self) -> None:
        self.notes: list[AutographError] = []


_local = _Local()
_of_threads: WeakKeyDictionary[Graph, AutographError] = WeakKeyDictionary()
"""By the graph that another thread builds, what a thread has raised that has used a tensor of it."""


def note(error: Error) -> Error:
    """Notes a refusal that is about to be raised; returns it."""
    location = user_location()
    if location is not None:
        error.at(*location)
    # `list` and others of Python's ask for the length first, and go on without.
    if not _local.notes and error.construct != "with len()" and not _is_debugged():
        _local.notes.append(_without_traceback(error))
    return error


def _without_traceback(error: AutographError) -> AutographError:
    """A copy of an error: its traceback would keep the objects of the program alive."""
    kept = AutographError.__new__(type(error))
    kept.__dict__.update(error.__dict__)
    kept.args = error.args
    return kept


def note_in_thread(graph: Graph | None, error: AutographError) -> None:
    """Notes a refusal in a thread that uses a tensor of a graph while another one builds that, and is to be told."""
    while graph is not None:
        _of_threads.setdefault(graph, _without_traceback(error))
        graph = graph.parent


def _is_debugged() -> bool:
    """Whether a debugger asks, for its user."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if any(path.endswith(f"{os.sep}{name}.py") or f"{os.sep}{name}{os.sep}" in path for name in _DEBUGGERS):
            return True
        frame = frame.f_back
    return False


def forget() -> None:
    """To be called where a trace begins that stands in no other."""
    _local.notes.clear()


@contextmanager
def attempt() -> Iterator[None]:
    """Forgets what is noted in its body if that raises a refusal, which is suppressed: something else is tried then."""
    before = noted()
    try:
        yield
    except AutographError:
        only(before)


def noted() -> list[AutographError]:
    """What is noted so far, for `only`."""
    return list(_local.notes)


def only(notes: list[AutographError]) -> None:
    """Forgets what has been noted since `noted` gave some notes: what has raised it is tried in another way."""
    _local.notes[:] = notes


def disown(error: BaseException) -> None:
    """Forgets the note of an error that is none of the graph's: a run raises it where it gets there."""
    only([each for each in _local.notes if type(each) is not type(error) or each.args != error.args])


def deliver(graph: Graph) -> None:
    """Raises what has been noted since, if anything: to be called where the trace of a graph ends well."""
    error = _local.notes.pop() if _local.notes else _of_threads.pop(graph, None)
    if error is not None:
        raise error
