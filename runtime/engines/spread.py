"""Programs over several devices at once: what is known of that where no engine is loaded.

While a `Spread` is in effect, graphs that are run for the first time become programs of its engine, for all of its
devices: each does a part of every operation, as the layouts of what it is given say, and the compiler adds what they
have to tell each other. The graph stays as it is, and means what it means on one device.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Spread(Protocol):
    """How arrays lie on devices.

    Attributes
    ----------
    engine: the name of the engine that makes such programs.
    """

    engine: str

    def layout_of(self, variable: Any) -> Any:
        """How the array of a variable lies, in the engine's terms; None: one that each device has all of."""


class _Here(threading.local):
    spread: Spread | None = None


_here = _Here()


def in_effect() -> Spread | None:
    """The spread for which graphs become programs on this thread, if there is one."""
    return _here.spread


def put_in_effect(spread: Spread | None) -> Spread | None:
    """Have a spread in effect on this thread from now on; None: programs are for one device. Returns what was."""
    before, _here.spread = _here.spread, spread
    return before


@contextmanager
def spread_over(spread: Spread | None) -> Iterator[None]:
    """Have a spread in effect for a while."""
    before = put_in_effect(spread)
    try:
        yield
    finally:
        put_in_effect(before)
