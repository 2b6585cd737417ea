"""Tries random programs about aliases: as in Python, or refused by name.

    python -m tests.programs.aliasing FIRST COUNT [--limits] [-j PROCESSES] [--seconds LIMIT] [--most SHOWN]

prints the programs that differ, made small, and a summary; on the way, on standard error, how far it is and the
numbers that differ. Program k is always the same. With ``--limits`` all limits
of the staging code are 3. Exits with 1 where a program differs.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial

from .aliasing_generator import program
from .aliasing_runner import Result, compare
from .lowered_limits import limits, lowered
from .shrinking import shrunk

CHUNK = 100
MEMORY = 8 << 30


def tried(first: int, low: bool, seconds: float, count: int = CHUNK) -> list[tuple[int, Result]]:
    """The results of programs `first` to `first + count - 1`."""
    with lowered() if low else contextlib.nullcontext():
        return [(seed, compare(program(seed), seconds)) for seed in range(first, first + count)]


def smallest(seed: int, low: bool, seconds: float) -> tuple[int, Result, str]:
    """A program that differs, made small; its result alone, which may be another than among others."""
    with lowered() if low else contextlib.nullcontext():
        result = compare(program(seed), seconds)
        source = program(seed)
        if result.wrong:
            # What takes too long is not tried as long again and again.
            limit = min(seconds, 5)
            source = shrunk(source, lambda text: same(text, result, limit), 30 if result.verdict == "different" else 90)
            result = compare(source, seconds)
    return seed, result, source


def same(source: str, wanted: Result, seconds: float) -> bool:
    try:
        result = compare(source, seconds)
    except Exception:  # a module without `f`
        return False
    return (result.verdict, result.kind) == (wanted.verdict, wanted.kind)


def start() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def results(first: int, count: int, low: bool, seconds: float, processes: int) -> Iterator[tuple[int, Result]]:
    """Each chunk runs in a process of its own, which nothing that came before can have harmed."""
    with multiprocessing.Pool(processes, start, maxtasksperchild=1) as pool:
        sizes = {at: min(CHUNK, first + count - at) for at in range(first, first + count, CHUNK)}
        for chunk in pool.imap(partial(_chunk, low=low, seconds=seconds), sizes.items()):
            yield from chunk


def _chunk(part: tuple[int, int], low: bool, seconds: float) -> list[tuple[int, Result]]:
    return tried(part[0], low, seconds, part[1])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--limits", action="store_true", help="all limits of the staging code are 3")
    parser.add_argument("-j", type=int, default=1, metavar="PROCESSES")
    parser.add_argument("--seconds", type=float, default=20, help="for one program")
    parser.add_argument("--most", type=int, default=20, help="programs that are made small and shown")
    options = parser.parse_args(arguments)
    if options.limits:
        print("Limits that are 3 instead:", *(f"  {name} = {value}" for name, value in limits().items()), sep="\n")
    began = time.monotonic()
    verdicts: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    wrong: list[int] = []
    for seed, result in results(options.first, options.count, options.limits, options.seconds, options.j):
        verdicts[result.verdict] += 1
        refusals[result.kind] += result.verdict == "refused"
        if result.wrong:
            wrong.append(seed)
        if result.wrong or verdicts.total() % 1000 == 0:
            print(f"{verdicts.total()} programs, {time.monotonic() - began:.0f} s, differing: {wrong}", file=sys.stderr)
    show(wrong[: options.most], options)
    print(f"\n{options.count} programs in {time.monotonic() - began:.0f} s: " + ", ".join(
        f"{verdicts[verdict]} {verdict}" for verdict in ("equal", "refused", "different", "endless", "invalid")))
    for kind, number in refusals.most_common(10):
        print(f"  {number:6} refused: {kind[:160]}")
    print("Differing:", wrong)
    return bool(wrong)


def show(seeds: list[int], options: argparse.Namespace) -> None:
    """Prints programs that differ, those that are alike once."""
    alike: dict[str, list[int]] = defaultdict(list)
    texts: dict[str, str] = {}
    with multiprocessing.Pool(options.j, start, maxtasksperchild=1) as pool:
        search = partial(smallest, low=options.limits, seconds=options.seconds)
        for seed, result, source in pool.imap(search, seeds, chunksize=1):
            alike[source].append(seed)
            texts[source] = f"{result.verdict}: {result.kind or 'only among others'}\n{result.detail}\n\n{source}\n"
    for source, text in sorted(texts.items(), key=lambda item: len(item[0])):
        print(f"\n----- {', '.join(map(str, alike[source]))}: {text}")


if __name__ == "__main__":
    sys.exit(main())
