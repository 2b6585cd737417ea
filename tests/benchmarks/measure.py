"""Stopwatches and throw-away functions."""

from __future__ import annotations

import gc
import itertools
import linecache
import statistics
import time
from collections.abc import Callable
from types import FunctionType

_numbers = itertools.count()


def median_time(run: Callable[[], object], repeats: int, prepare: Callable[[], object] | None = None) -> float:
    """The median of the seconds that `run` takes; `prepare` runs before each and is not counted."""
    times = []
    for _ in range(repeats):
        if prepare is not None:
            prepare()
        gc.collect()
        gc.disable()
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
        gc.enable()
    return statistics.median(times)


def fresh_function(text: str) -> FunctionType:
    """A function made from source text that no cache has seen; its source can be looked up."""
    filename = f"<benchmark {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict = {}
    exec(compile(text, filename, "exec"), namespace)
    return next(value for value in namespace.values() if isinstance(value, FunctionType))
