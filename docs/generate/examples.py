"""Examples for the reference where a docstring has none: calls that are run when the pages are made."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import autograph as tf

CALLS = Path(__file__).parents[1] / "data" / "calls.txt"
"""One call a line, which shows the function that it begins with."""

CANDIDATES = (
    ("[0.25, 0.5]", "[1.0, 2.0]", "[0.5, 0.5]"),
    ("[1, 2]", "[3, 2]", "[2, 2]"),
    ("[True, False]", "[True, True]", "[False, True]"),
    ('["a", "B"]', '["c", "d"]', '["e", "f"]'),
    ("[[2.0, 1.0], [1.0, 2.0]]", "[[1.0], [2.0]]", "[[1.0], [1.0]]"),
    ("[[2.0, 1.0], [1.0, 2.0]]", "[1.0, 2.0]", "[1.0, 1.0]"),
)
"""Arguments to try for functions that take nothing but tensors."""


def calls() -> dict[str, str]:
    """The written calls, by the public names of what they show."""
    lines = CALLS.read_text().splitlines()
    return {line.partition("(")[0]: line for line in lines if line}


def example(name: str, function: Callable[..., object]) -> list[str]:
    """A call of a public function or class, with what it gives, as lines of a session; [] where there is none."""
    for call in _tried(name, function):
        found = _result(call)
        if found is not None and "nan" not in found and found == _result(call):  # what draws numbers has no example
            return [f">>> {call}", *found.splitlines()]
    return []


def _tried(name: str, function: Callable[..., object]) -> Iterator[str]:
    written = calls().get(f"tf.{name}")
    if written:
        yield written
    elif not inspect.isclass(function):
        count = _count_of_tensors(function)
        for values in CANDIDATES if count in {1, 2, 3} else ():
            yield f"tf.{name}({', '.join(values[:count])})"


def _count_of_tensors(function: Callable[..., object]) -> int:
    """How many tensors a function has to be given; 0 where it asks for something else."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 0
    needed = [each for each in parameters if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD]
    return len(needed) if all(str(each.annotation) == "TensorLike" for each in needed) else 0


def _result(call: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            value = eval(call, {"tf": tf})
    except Exception:  # these arguments are not for it
        return None
    return None if value is None else repr(value)
