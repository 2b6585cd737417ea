"""Prints what autograph costs, beside its peers: `python -m tests.benchmarks [NAME …] [--quick] [--json FILE]`.

Names are those of the files in `workloads/`, and of the functions in `measurements.py`, which compare converted
functions with their originals; none: all. Peers that are not installed (the extra `bench`) are left out and named.
Each contender runs in a process of its own, and they take turns; results are compared first. Times are medians in
microseconds; `ratio` is autograph's time in units of that of the fastest peer (TensorFlow, XLA, JAX; where there is
none: NumPy, Numba), so that less than 1 is faster. With `--beside FOLDER` the peer is the autograph of another copy of
the project: `git worktree add ../before COMMIT`, then `python -m tests.benchmarks --beside ../before`. With
`--device GPU:0` XLA's graphs and JAX run there: `python -m tests.benchmarks --engines xla --device GPU:0`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .contenders import BEFORE, CONTENDERS, ENGINES, OWN, compare_with, put_on
from .measurements import MEASUREMENTS, Row
from .peers import installed_converters
from .race import Race, races

WORKLOADS = sorted(
    path.stem for path in (Path(__file__).parent / "workloads").glob("*.py") if path.stem not in ("__init__", "warm_up")
)


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """Runs what is chosen, prints the tables, writes the numbers to the file given by `--json`; returns them."""
    options = _options(arguments)
    names = options.names or [*(each.__name__ for each in MEASUREMENTS), *WORKLOADS]
    found: dict[str, Any] = {"machine": _machine(), "measurements": [], "races": []}
    with tempfile.TemporaryDirectory() as directory:
        chosen = [each for each in MEASUREMENTS if each.__name__ in names]
        if chosen:
            converters, missing = installed_converters()
            rows = [row for measure in chosen for row in measure(converters, Path(directory), options.quick)]
            _print_ratios(rows, list(converters), missing)
            found["measurements"] = [row.__dict__ for row in rows]
        for threads in ("one", "default") if options.threads == "both" else (options.threads,):
            found["races"] += _race([name for name in names if name in WORKLOADS], threads, options, Path(directory))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return found


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    known = [each.__name__ for each in MEASUREMENTS] + WORKLOADS
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="small sizes and one round: shows that everything runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="a file for all numbers, with every sample")
    parser.add_argument("--threads", choices=("one", "default", "both"), default="both",
                        help="threads of matrix products and of the peers' runtimes")  # fmt: skip
    peers = [name for name in CONTENDERS if name not in (BEFORE, *ENGINES.values())]
    parser.add_argument("--contenders", default=",".join(peers), help=f"some of: {','.join(peers)}")
    parser.add_argument("--engines", default="", help=f"autograph with one engine alone, too: {','.join(ENGINES)}")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another copy of the project, the only peer")
    parser.add_argument("--device", default="", help="where autograph's XLA programs run, and JAX: GPU:0")
    options = parser.parse_args(arguments)
    if options.device:
        put_on(options.device)
    if options.beside is not None:
        if not (options.beside / "autograph" / "__init__.py").is_file():
            parser.error(f"{options.beside} holds no copy of the project")
        compare_with(options.beside)
        options.contenders = f"{OWN},{BEFORE}"
    for engine in filter(None, options.engines.split(",")):
        if engine not in ENGINES:
            parser.error(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
        options.contenders += f",{ENGINES[engine]}"
    for wrong in [name for name in options.names if name not in known]:
        parser.error(f"there is no {wrong!r}; there are {', '.join(known)}")
    return options


def _machine() -> str:
    return f"CPython {platform.python_version()} on {platform.machine()}, {os.cpu_count()} processors"


def _race(names: list[str], threads: str, options: argparse.Namespace, directory: Path) -> list[dict[str, Any]]:
    wanted = options.contenders.split(",")
    present = [name for name in wanted if CONTENDERS[name].is_installed]
    rows: list[Race] = []
    if not names:
        return []
    head = [*present, "ratio", "MB"]
    there = f"; XLA's and JAX's programs on {options.device}" if options.device else ""
    print(f"\nmicroseconds, {'one thread' if threads == 'one' else 'default threads'}; {_machine()}{there}")
    _print_line("", [f"{name:>14}" for name in head])
    for name in names:
        for row in races(name, present, threads, options.quick, directory):
            rows.append(row)
            _print_race(row, present)
    for missing in [name for name in wanted if name not in present]:
        print(f"{missing} left out: it is not installed")
    return [asdict(row) | {"ratio": row.ratio} for row in rows]


def _print_race(row: Race, present: list[str]) -> None:
    times = [f"{row.samples[name].median * 1e6:14,.1f}" if name in row.samples else f"{'-':>14}" for name in present]
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    memory = f"{row.samples[OWN].memory:.0f}" if OWN in row.samples else "-"
    _print_line(row.title, [*times, f"{ratio:>14}", f"{memory:>14}"])
    for name, reason in row.out.items():
        print(f"    {name}: {reason}", flush=True)


def _print_line(title: str, cells: list[str]) -> None:
    print(f"{title:72}", *cells, flush=True)


def _print_ratios(rows: list[Row], columns: list[str], missing: dict[str, str]) -> None:
    """One line per row, the ratios to plain Python; a dash where a column has no number."""
    width = max(len(row.name) for row in rows)
    widths = [max(len(column), 8) for column in columns]
    heads = "  ".join(f"{column:>{size}}" for column, size in zip(columns, widths, strict=True))
    print(f"{'':{width}}  {heads}  {'limit':>6}")
    for row in rows:
        cells = [f"{row.ratios[column]:.2f}" if column in row.ratios else "-" for column in columns]
        line = "  ".join(f"{cell:>{size}}" for cell, size in zip(cells, widths, strict=True))
        print(f"{row.name:{width}}  {line}  {row.limit or '':>6}")
    print(f"\n{_machine()}; each number is a ratio of medians.")
    for name, reason in missing.items():
        print(f"{name} left out: {reason}")


if __name__ == "__main__":
    main()
