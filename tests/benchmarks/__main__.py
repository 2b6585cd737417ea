"""Prints what autograph costs, as ratios: `python -m tests.benchmarks [--quick] [--json FILE]`.

TensorFlow's AutoGraph and diastatic-malt stand beside it when they are installed (the extra `bench`).
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
from pathlib import Path

from .measurements import MEASUREMENTS, Row
from .peers import installed_converters


def main(arguments: list[str] | None = None) -> list[Row]:
    """Runs all measurements, prints the table, writes it to the file given by `--json`."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions: shows that everything runs")
    parser.add_argument("--json", type=Path, help="a file for the numbers")
    options = parser.parse_args(arguments)

    converters, missing = installed_converters()
    with tempfile.TemporaryDirectory() as directory:
        rows = [row for measure in MEASUREMENTS for row in measure(converters, Path(directory), options.quick)]
    print_table(rows, list(converters))
    print(f"\nCPython {platform.python_version()} on {platform.machine()}; each number is a ratio of medians.")
    for name, reason in missing.items():
        print(f"{name} left out: {reason}")
    if options.json is not None:
        options.json.write_text(json.dumps([row.__dict__ for row in rows], indent=2) + "\n")
    return rows


def print_table(rows: list[Row], columns: list[str]) -> None:
    """Prints one line per row; a dash where a column has no number."""
    width = max(len(row.name) for row in rows)
    widths = [max(len(column), 8) for column in columns]
    heads = "  ".join(f"{column:>{size}}" for column, size in zip(columns, widths, strict=True))
    print(f"{'':{width}}  {heads}  {'limit':>6}")
    for row in rows:
        cells = [f"{row.ratios[column]:.2f}" if column in row.ratios else "-" for column in columns]
        line = "  ".join(f"{cell:>{size}}" for cell, size in zip(cells, widths, strict=True))
        print(f"{row.name:{width}}  {line}  {row.limit or '':>6}")


if __name__ == "__main__":
    main()
