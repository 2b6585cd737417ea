"""Runs a workload's contenders in turn, each in processes of its own, after a look whether their results are equal."""

from __future__ import annotations

import importlib
import json
import select
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import numpy as np

from .contenders import CONTENDERS, ENGINES, OWN, environment
from .worker import MARK

_ROOT = Path(__file__).parents[2]
_PATIENCE = 600  # seconds for an answer


class Failed(Exception):
    """A contender could not run."""


@dataclass
class Samples:
    """What was measured of one contender: seconds for each call and peak memory in megabytes."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    memory: float = 0.0

    def add(self, answer: dict[str, float]) -> None:
        self.clock.append(answer["clock"])
        self.processor.append(answer["processor"])
        self.memory = max(self.memory, answer["memory"])

    @property
    def median(self) -> float:
        return statistics.median(self.clock)


@dataclass
class Race:
    """One row: a workload, at one size and number of threads."""

    workload: str
    title: str
    threads: str
    samples: dict[str, Samples] = field(default_factory=dict)
    out: dict[str, str] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """The time of autograph's calls in units of the fastest peer's."""
        own = OWN, *ENGINES.values()
        peers = [samples.median for name, samples in self.samples.items() if name not in (*own, "NumPy", "Numba")]
        others = peers or [samples.median for name, samples in self.samples.items() if name not in own]
        return self.samples[OWN].median / min(others) if others and OWN in self.samples else None


class _Process:
    """A worker: see `worker.main`."""

    def __init__(self, workload: str, contender: str, case: str, threads: str, least: float, path: Path) -> None:
        self.path = path.with_suffix(".npz")
        program = [sys.executable, "-m", "tests.benchmarks.worker"]
        command = [*program, workload, contender, case, str(least), str(self.path)]
        self._errors = path.with_suffix(".txt").open("w+")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                                         text=True, cwd=_ROOT, env=environment(threads, contender))  # fmt: skip

    def ask(self, what: str) -> dict[str, float]:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            print(what, file=self._process.stdin, flush=True)
            deadline = time.monotonic() + _PATIENCE
            while select.select([self._process.stdout], [], [], max(deadline - time.monotonic(), 0))[0]:
                line = self._process.stdout.readline()
                if line.startswith(MARK):
                    return json.loads(line[len(MARK) :])
                if not line:
                    break
            else:
                raise Failed(f"no answer in {_PATIENCE} seconds")
        except BrokenPipeError:
            pass
        self._process.wait()
        self._errors.seek(0)
        raise Failed((self._errors.read().strip().splitlines() or ["it ended"])[-1])

    def result(self) -> list[np.ndarray]:
        with np.load(self.path) as arrays:
            return [arrays[name] for name in arrays.files]

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()


def cases(workload: ModuleType, quick: bool) -> dict[str, str]:
    """The sizes of a workload by their titles."""
    if quick and hasattr(workload, "QUICK"):
        return {"quick": str(workload.QUICK)}
    found = {name: str(size) for name, size in getattr(workload, "CASES", {"": ""}).items()}
    return dict(list(found.items())[:1]) if quick else found


def races(name: str, contenders: list[str], threads: str, quick: bool, directory: Path) -> list[Race]:
    """The rows of a workload."""
    workload = importlib.import_module(f"{__package__}.workloads.{name}")
    title = (workload.__doc__ or name).strip().splitlines()[0]
    rows = []
    for case, size in cases(workload, quick).items():
        race = Race(name, f"{title}: {case}" if case else title, threads)
        present = [each for each in contenders if hasattr(workload, CONTENDERS[each].function)]
        present = [each for each in present if each not in getattr(workload, "WITHOUT", ())]
        for each, limit in getattr(workload, "LIMITS", {}).items():
            if each in present and size and int(size) > limit:
                present.remove(each)
                race.out[each] = f"takes too long beyond {limit:,}"
        _run(race, workload, present, size, quick, directory)
        rows.append(race)
    return rows


def _run(race: Race, workload: ModuleType, contenders: list[str], size: str, quick: bool, directory: Path) -> None:
    rounds, least = (1, 0.001) if quick else (7, 0.1)
    is_fresh = getattr(workload, "FRESH", False)
    processes: dict[str, _Process] = {}

    def start(contender: str) -> _Process:
        path = directory / f"{race.workload}-{contender}"
        return _Process(race.workload, contender, size, race.threads, least, path)

    results: dict[str, list[np.ndarray]] = {}
    try:
        for turn in range(rounds):
            for contender in [each for each in contenders if each not in race.out]:
                try:
                    process = processes.get(contender)
                    if process is None:
                        process = processes[contender] = start(contender)
                        if not is_fresh:
                            process.ask("result")
                    race.samples.setdefault(contender, Samples()).add(process.ask("go"))
                    if contender not in results:
                        results[contender] = process.result()
                except Failed as failure:
                    race.out[contender] = str(failure)
                    race.samples.pop(contender, None)
                if is_fresh:
                    processes.pop(contender).end()
            if turn == 0:
                _compare(race, results, getattr(workload, "TOLERANCE", 1e-5))
    finally:
        for process in processes.values():
            process.end()


def _compare(race: Race, results: dict[str, list[np.ndarray]], tolerance: float) -> None:
    """Leave out who computes something else than NumPy, or than autograph where NumPy does not run."""
    judge = next((name for name in ("NumPy", OWN) if name in results), None)
    for name, arrays in results.items():
        expected = results[judge] if judge else arrays
        equal = len(arrays) == len(expected) and all(
            a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance)
            for a, b in zip(arrays, expected, strict=True)
        )
        if not equal:
            race.out[name] = f"the result differs from that of {judge}"
            race.samples.pop(name, None)
