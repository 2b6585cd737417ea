"""Bars that show how far a staged loop has come: tqdm's, made and moved while the graph runs.

The loop's own nodes are what they would be without a bar. Beside them stand three nodes, which run in program order:
`progress_begin` makes the bar, `progress_turn` counts a turn, `progress_end` closes it. Where a run fails, the bar is
closed as it is dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ...base.dtypes import Array, variant
from ...ir.effects import Effects
from ...ir.graph import Type
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors import trace

__all__ = ["Progress", "begin", "end", "turn"]

_SECONDS = 0.1
"""Between two updates of what is shown."""
_UNSAVABLE = "save a function without the bar, which is an object of this program"


class Progress:
    """A bar, and the turns that it has not been told of yet."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._turns = 0
        self._is_closed = False
        self._told = time.perf_counter()

    def count(self) -> None:
        """One more turn."""
        self._turns += 1
        now = time.perf_counter()
        if now - self._told >= _SECONDS:
            self._told = now
            self._tell()

    def close(self) -> None:
        """There are no more turns."""
        if not self._is_closed:
            self._is_closed = True
            self._tell()
            self._bar.close()

    def _tell(self) -> None:
        turns, self._turns = self._turns, 0
        self._bar.update(turns)

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<progress>"


class _NoBar:
    """For tests of ops: shows nothing."""

    def update(self, turns: int) -> None:
        """Takes the number of turns."""

    def close(self) -> None:
        """There is nothing to close."""


def _no_bar(total: int | None) -> _NoBar:
    return _NoBar()


def _begin(*total: Array, make: Callable[[int | None], Any], known: int | None) -> Progress:
    count = known if not total else int(total[0])
    return Progress(make(None if count is None or count < 0 else count))


def _turn(progress: Progress, *left: Array) -> tuple[()]:
    if not (left and left[0]):
        progress.count()
    return ()


def _end(progress: Progress) -> tuple[()]:
    progress.close()
    return ()


BEGIN = op("progress_begin", infer=lambda *total, make, known: Type(variant, ()), numpy=_begin, effects=Effects.HOST,
           gradient=NOT_DIFFERENTIABLE, samples=lambda: [((), {"make": _no_bar, "known": 3})], unsavable=_UNSAVABLE,
           doc="A bar that ``make`` gives for the number of turns: the input, or else the ``known`` one.")  # fmt: skip
TURN = op("progress_turn", infer=lambda progress, *left: (), numpy=_turn, effects=Effects.HOST,
          gradient=NOT_DIFFERENTIABLE, samples=lambda: [((Progress(_NoBar()),), {})], unsavable=_UNSAVABLE,
          doc="Counts a turn, unless it has left the loop.")  # fmt: skip
END = op("progress_end", infer=lambda progress: (), numpy=_end, effects=Effects.HOST, gradient=NOT_DIFFERENTIABLE,
         samples=lambda: [((Progress(_NoBar()),), {})], unsavable=_UNSAVABLE, doc="Closes the bar.")  # fmt: skip


def begin(make: Callable[[int | None], Any], total: Any) -> Any:
    """The bar of a loop in the current graph. ``total``: how many turns, a number, a tensor, or None."""
    is_known = total is None or isinstance(total, int)
    inputs = [] if is_known else [total]
    return trace.apply(BEGIN, *inputs, name="progress", make=make, known=total if is_known else None)


def turn(progress: Any, left: Any) -> None:
    """Counts a turn, unless ``left`` (a bool, maybe a tensor) says that it has left the loop."""
    if left is not True:
        trace.apply(TURN, progress, *([] if left is False else [left]), name="progress_turn")


def end(progress: Any) -> None:
    """Closes the bar."""
    trace.apply(END, progress, name="progress_end")
