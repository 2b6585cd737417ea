"""Loops that Python runs while a graph is traced: a warning names those that put thousands of turns into it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Iterator
from operator import length_hint
from typing import TypeVar

from autograph.errors import StagingError
from autograph.runtime.base.places import Place, user_code

from .dispatch import Backend, active, open_traces

T = TypeVar("T")

LIMIT = 3000
"""Turns of a Python loop that each add graph nodes, after which a warning names the loop."""
MOST_TURNS = 1_000_000
"""Turns of a Python loop of unknown length after which a trace is refused: in a branch that no run takes, there may be
no end."""
MOST_UNROLLED = 50_000
"""The same of nodes that such a loop adds to the graph, if it does so in each turn."""
STEP = 100
"""Turns after which the nodes are counted."""


class UnrolledLoopWarning(UserWarning):
    """A Python loop has put thousands of copies of its body into a graph."""


class _Counts(threading.local):
    """The turns and the nodes that each loop of the trace under way has made; a negative number once it has warned."""

    def __init__(self) -> None:
        self.of: dict[tuple[object, int], tuple[int, int]] = {}


_counts = _Counts()


def forget_turns() -> None:
    """To be called when a trace ends: the next one counts anew."""
    _counts.of.clear()


def turns(iterator: Iterable[T]) -> Iterable[T]:
    """An iterator for a loop in Python; its turns are counted while a graph is traced."""
    backend = active() if open_traces else None
    place = user_code() if backend is not None else None
    return iterator if backend is None or place is None else _counted(iterator, backend, place)


def _counted(iterator: Iterable[T], backend: Backend, place: Place) -> Iterator[T]:
    turn, size = 0, backend.size()
    first, is_endless = size, length_hint(iterator, 0) == 0
    try:
        for turn, item in enumerate(iterator, 1):
            yield item
            if turn % STEP == 0:
                _count(place, STEP, backend.size() - size)
                size = backend.size()
                if is_endless:
                    check_end(place, turn, size - first)
    finally:
        _count(place, turn % STEP, backend.size() - size)


def check_end(place: Place, turns: int, nodes: int) -> None:
    """Refuses a loop of unknown length that has made so many turns, and put so many nodes into the graph.

    Raises:
        StagingError: they are too many.
    """
    if turns < MOST_TURNS and (nodes < MOST_UNROLLED or nodes < turns):
        return
    file, line, function = place.location
    raise StagingError(
        f"this loop has made {turns} turns of Python while it is traced, and may have no end",
        file=file,
        line=line,
        function=function,
        construct="while",
        remedy="make its test depend on a tensor, so that it becomes a loop of the graph, or loop over a range",
    )


def _count(place: Place, more: int, added: int) -> None:
    key = place.code, place.offset
    turns, nodes = _counts.of.get(key, (0, 0))
    if turns < 0:
        return
    turns, nodes = turns + more, nodes + max(added, 0)
    warned = turns > LIMIT and nodes >= turns
    _counts.of[key] = (-1, 0) if warned else (turns, nodes)
    if warned:
        file, line, _ = place.location
        warnings.warn_explicit(
            f"the loop in {file}, line {line}, is being unrolled: its {turns} turns so far have put {nodes} nodes into "
            "the graph. Loop over a tensor (`tf.range`, or the tensor itself) to have the body in the graph once",
            UnrolledLoopWarning,
            file,
            line,
        )
