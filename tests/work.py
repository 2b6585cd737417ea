"""How much work a piece of code is, counted rather than timed: the same on every machine, however busy."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def no_collection() -> Iterator[None]:
    """In here nothing is collected: what tests before have left is none of the work that is counted."""
    gc.collect()
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def work(function: Callable[[], Any], lines: bool = True) -> int:
    """Runs a function and returns the number of lines of Python and calls into C that it executed on this thread.

    ``lines``: False to count calls alone, which is much quicker.
    """
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return line

    def call(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += 1

    before = sys.gettrace(), sys.getprofile()
    with no_collection():
        sys.setprofile(call)
        if lines:
            sys.settrace(line)
        try:
            function()
        finally:
            sys.settrace(before[0])
            sys.setprofile(before[1])
    return count
