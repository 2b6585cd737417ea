"""One workload of one contender, in a process of its own: `python -m tests.benchmarks.worker WORKLOAD CONTENDER …`.

It writes a JSON object in a line for each line that it reads, which is told from others by its first character: first
the arrays of the result are in a file, then come the seconds of one call, on the clock and of the processor, for each
``go``.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from typing import Any

from .contenders import choose

MARK = "@"


def main(name: str, contender: str, case: str, least: str, path: str) -> None:
    """``least``: how many seconds a sample takes at least; ``path``: of the file for the result."""
    workload = importlib.import_module(f"{__package__}.workloads.{name}")
    maker = choose(contender)
    fresh, cold = (getattr(workload, name, False) for name in ("FRESH", "COLD"))
    if cold:
        run, before = maker.cold_run_of(workload), 0.0
    else:
        if fresh:
            maker.warm_up()
        data = workload.data(int(case) if case else None)
        importlib.import_module(maker.library)
        before = peak_memory()
        run = maker.run_of(workload, data)
    for line in sys.stdin:
        answer: dict[str, Any] = {}
        if line.startswith("go"):
            gc.collect()
            if fresh:
                clock, processor, result = once(run)
                save(path, workload, result)
            else:
                clock, processor = repeated(run, float(least))
            answer = {"clock": clock, "processor": processor, "memory": peak_memory() - before}
        else:
            save(path, workload, run())
        print(MARK + json.dumps(answer), flush=True)


def once(run: Any) -> tuple[float, float, Any]:
    """The seconds of a call, of the clock and of the processor, and its result."""
    clock, processor = time.perf_counter(), time.process_time()
    result = run()
    return time.perf_counter() - clock, time.process_time() - processor, result


def repeated(run: Any, least: float) -> tuple[float, float]:
    """The mean seconds of as many calls as take the given time."""
    count = 1
    while True:
        turns = range(count)
        clock, processor = time.perf_counter(), time.process_time()
        for _ in turns:
            run()
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        if clock >= least:
            return clock / count, processor / count
        count = max(2 * count, int(1.2 * count * least / max(clock, 1e-9)) if clock > least / 50 else 10 * count)


def peak_memory() -> float:
    """The most megabytes that this process has held."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def save(path: str, workload: Any, result: Any) -> None:
    """Write the arrays of a result to a file, for the comparison with others'."""
    import numpy as np

    compared = getattr(workload, "compared", lambda result: result)
    np.savez(path, *[np.asarray(leaf) for leaf in leaves(compared(result))])


def leaves(result: Any) -> list[Any]:
    if isinstance(result, (list, tuple)):
        return [leaf for part in result for leaf in leaves(part)]
    if isinstance(result, dict):
        return [leaf for key in sorted(result) for leaf in leaves(result[key])]
    return [result]


if __name__ == "__main__":
    main(*sys.argv[1:])
