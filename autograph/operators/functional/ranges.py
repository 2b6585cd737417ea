"""Ranges of which only the run knows the bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

from autograph.errors import StagedTypeError

from ..staging.heap.locations import where


class Numbers:
    """A range of which only the run knows the bounds."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Any, stop: Any, step: int = 1) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    def length(self) -> Any:
        """How many items there are: an array."""
        if self.step == 1:
            return self.stop if _is_zero(self.start) else self.stop - self.start  # a loop makes no turn for less than 0
        return -((self.start - self.stop) // self.step)


def _is_zero(value: object) -> bool:
    return type(value) is int and value == 0


class Items(NamedTuple):
    """The items of a range, by their position."""

    start: object
    step: int

    def at(self, position: Any) -> Any:
        """The item at a position."""
        item = position if self.step == 1 else position * self.step
        return item if _is_zero(self.start) else self.start + item


def check_step(step: int | None) -> None:
    """Refuses the step of a ``range`` if it is None, as only the run knows it, or 0.

    Raises:
        StagedTypeError: it is None.
        ValueError: it is 0, as in Python.
    """
    if step is None:
        raise StagedTypeError(
            "only the run knows the step of this range",
            **where(),
            construct="range",
            remedy="loop over range(n), and compute the item: start + i * step",
        )
    if not step:
        raise ValueError("range() arg 3 must not be zero")
