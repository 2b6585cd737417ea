"""Statements that fail in Python, of every kind: they fail in the runs that get there, and nowhere else (L15).

`data/failing_statements.txt` has one a line, with ``\\n`` for further lines. Those after ``!`` are refused while the
function is traced: a graph could not do them even if they did not fail, or it can't be told that they would.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import AutographError

from . import failing_names

LINES = (Path(__file__).parent / "data/failing_statements.txt").read_text(encoding="utf-8").splitlines()
STATEMENTS = [line for line in LINES if line and not line.startswith("#")]
KINDS = (
    TypeError, ValueError, AttributeError, LookupError, NameError, ArithmeticError, StopIteration, AssertionError,
    ImportError, OSError, RecursionError, NotImplementedError, ExceptionGroup, Exception,
)  # fmt: skip

SOURCE = """\
from tests.language.failing_names import *
from tests.language.failing_names import (
    Abstract, Bad, Colour, Own, Pair, Point, Slotted, Thing, graph, graph_fails, graph_two, keyword, positional, seen,
    take, two, use,
)

def branch(n, v):
    xs, d, t, p, s = [n, n + 1], {"a": n, "c": v}, (n, [v, n]), Point(n, v), Thing(n)
    r = n + 1
    if n > 100:
        seen.assign(n)
        r = n + 2
STATEMENT
        r = n + 3
    return r

def handled(n, v, kind):
    xs, d, t, p, s = [n, n + 1], {"a": n, "c": v}, (n, [v, n]), Point(n, v), Thing(n)
    r = n + 1
    try:
        if n > 100:
            r = n + 2
    STATEMENT
            r = n + 3
    except kind:
        r = r * 2
    return r
"""


def functions(statement: str, folder: Path) -> Any:
    """A module with the functions that hold a statement."""
    lines = statement.replace("\\n", "\n").split("\n")
    source = SOURCE.replace("    STATEMENT", "\n".join(" " * 12 + line for line in lines))
    source = source.replace("STATEMENT", "\n".join(" " * 8 + line for line in lines))
    path = folder / "statement.py"
    path.write_text(source, encoding="utf-8")
    module = ModuleType("statement")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, str(path), "exec"), vars(module))  # noqa: S102
    return module


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return np.asarray(function(*arguments)).tolist()
    except Exception as error:
        return error


def kind_of(error: Exception) -> type[Exception]:
    """The class of Python's that a handler names."""
    return next(kind for kind in KINDS if isinstance(error, kind))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", STATEMENTS)
def test_a_statement_that_fails(line: str, tmp_path: Path) -> None:
    module = functions(line.removeprefix("! "), tmp_path)
    array = np.array([1, 2, 3], np.int32)
    one, many, vector = tf.constant(1), tf.constant(101), tf.constant([1, 2, 3])
    expected = outcome(module.branch, 101, array)
    assert module.branch(1, array) == 2 and isinstance(expected, Exception), "a statement that does not fail"
    staged = tf.function(module.branch)
    found = outcome(staged, one, vector)
    if line.startswith("! "):
        assert isinstance(found, Exception)
        return
    assert found == 2
    failing_names.seen.assign(0)
    assert isinstance(outcome(staged, many, vector), kind_of(expected))
    assert failing_names.seen.numpy() == 101
    for n, tensor in ((1, one), (101, many)):
        found = outcome(tf.function(module.handled), tensor, vector, kind_of(expected))
        assert isinstance(found, AutographError) or found == outcome(module.handled, n, array, kind_of(expected))
