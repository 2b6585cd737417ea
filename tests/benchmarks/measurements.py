"""What is measured; each measurement returns rows of the table."""

from __future__ import annotations

import ast
import inspect
import itertools
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from . import subjects
from .measure import fresh_function, median_time
from .peers import OWN, Converter

_numbers = itertools.count()


@dataclass
class Row:
    """A line of the table: the ratio of each converter to plain Python, and the most that is allowed of autograph."""

    name: str
    ratios: dict[str, float]
    limit: float | None = None


def fresh_namespace(function: FunctionType, directory: Path) -> dict[str, Any]:
    """The namespace of a new file that holds a function only, so that no cache knows of it.

    A constant in it is new too: code objects that differ only in their file are equal, and TensorFlow's cache
    would take one for the other.
    """
    number = next(_numbers)
    path = directory / f"subject_{number}.py"
    head, body = inspect.getsource(function).split("\n", 1)
    path.write_text(f"{head}\n    number = {number}\n{body}")
    namespace: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace


def conversion(converters: dict[str, Converter], directory: Path, quick: bool) -> list[Row]:
    """The time to convert a function, in units of the time to find, parse and compile its source."""
    fresh: list[dict[str, Any]] = []

    def prepare() -> None:
        fresh.append(fresh_namespace(subjects.nested, directory))

    def plain() -> None:
        tree = ast.parse(inspect.getsource(fresh[-1]["nested"]))
        compile(tree, "<nested>", "exec")

    base = median_time(plain, 5 if quick else 60, prepare)
    ratios = {}
    for name, convert in converters.items():
        convert(fresh_namespace(subjects.nested, directory), "nested")  # what is loaded on first use is not counted
        repeats = 3 if quick else 40 if name in OWN else 10
        ratios[name] = median_time(lambda: convert(fresh[-1], "nested"), repeats, prepare) / base
    return [Row("converting 30 lines / finding, parsing, compiling them", ratios, 10)]


def running(converters: dict[str, Converter], directory: Path, quick: bool) -> list[Row]:
    """The time that converted functions take on plain numbers, in units of the originals' time."""
    rows = []
    for function, size, limit, name in (
        (subjects.fib, 14, 8, "recursive fib / plain"),
        (subjects.loops_and_branches, 60, 4, "30 lines of loops and branches / plain"),
    ):
        base = median_time(lambda: function(size), 5 if quick else 60)
        ratios = {}
        for converter, convert in converters.items():
            other = convert(fresh_namespace(function, directory), function.__name__)
            if other(size) != function(size):
                raise AssertionError(f"{converter}: wrong value of {function.__name__}")
            repeats = 3 if quick else 40 if converter in OWN else 3
            ratios[converter] = median_time(lambda: other(size), repeats) / base
        rows.append(Row(name, ratios, limit))
    return rows


def imports(converters: dict[str, Converter], directory: Path, quick: bool) -> list[Row]:
    """The time of `import autograph` after NumPy, in units of NumPy's own."""
    program = ("import time; start = time.perf_counter(); import numpy; middle = time.perf_counter(); "
               "import autograph; print((time.perf_counter() - middle) / (middle - start))")
    command = [sys.executable, "-c", program]
    root = Path(__file__).parents[2]
    ratios = [float(subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout)
              for _ in range(3 if quick else 15)]
    return [Row("import autograph after NumPy / import numpy", {"autograph": statistics.median(ratios)}, 0.5)]


def scaling(converters: dict[str, Converter], directory: Path, quick: bool) -> list[Row]:
    """The time per statement of large functions, in units of that of small ones."""
    sizes: tuple[tuple[str, Callable[[int], str], int, int], ...] = (
        ("consecutive", subjects.consecutive, 20, 200 if quick else 2000), ("nested", subjects.deep, 5, 50))
    rows = []
    for name, text, small, large in sizes:
        ratios = {}
        for converter in OWN:
            per_statement = []
            for size in (small, large):
                fresh: list[FunctionType] = []
                seconds = median_time(
                    lambda: converters[converter]({"f": fresh[-1], "__name__": None}, "f"),
                    3 if quick or size == 2000 else 15,
                    lambda: fresh.append(fresh_function(text(size))),
                )
                per_statement.append(seconds / size)
            ratios[converter] = per_statement[1] / per_statement[0]
        rows.append(Row(f"converting {large} {name} ifs / {small}, per statement", ratios))
    return rows


MEASUREMENTS = (conversion, running, imports, scaling)
