"""Many threads at once, which change places as often as Python lets them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LONGEST = 60.0  # seconds: a deadlock, on any machine


@contextmanager
def restless() -> Iterator[None]:
    """Threads change places after a microsecond."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def crowd(*functions: Callable[[], Any]) -> None:
    """Run functions, each on a thread of its own, all from the same moment. Raises what one of them raises."""
    start, errors = threading.Barrier(len(functions)), []

    def run(function: Callable[[], Any]) -> None:
        start.wait()
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(function,), daemon=True) for function in functions]
    with restless():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONGEST)
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    if errors:
        raise errors[0]


def repeat(function: Callable[[], Any], times: int) -> Callable[[], None]:
    """A function that calls another one so often."""

    def run() -> None:
        for _ in range(times):
            function()

    return run
