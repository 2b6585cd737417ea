"""On tensors a program that is one graph gives what it gives on NumPy and Python values."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from tests.programs.profile import examples
from tests.programs.tensor_generator import tensor_programs

_numbers = itertools.count()
VALUES = [3, 0, 2, 7]


@examples(80)
@given(tensor_programs(), st.lists(st.integers(-1, 8), min_size=2, max_size=2))
def test_graphs_are_the_programs(source, sizes):
    filename = f"<tensor program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, filename, "exec"), namespace)
    staged = tf.function(namespace["program"])
    try:
        for n in sizes:
            wanted = outcome(lambda: namespace["program"](n, np.array(VALUES)))
            found = outcome(lambda: staged(tf.constant(n, tf.int64), tf.constant(VALUES, tf.int64)))
            assert alike(found, wanted), f"\n{source}\nn = {n}\nstaged: {found!r}\nplain:  {wanted!r}"
    finally:
        del linecache.cache[filename]


def outcome(run) -> Any:
    """The value that `run()` gives, or the exception."""
    try:
        return numbers(run())
    except Exception as error:
        return error


def numbers(value: Any) -> Any:
    """Lists of Python numbers for tensors, arrays, and structures of them."""
    if isinstance(value, (list, tuple)):
        return [numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, tf.Tensor):
        return value.numpy().tolist()
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def alike(found: Any, wanted: Any) -> bool:
    """Whether two outcomes are equal; of exceptions, the staged one must be caught where the plain one is."""
    if isinstance(wanted, Exception):
        return isinstance(found, type(wanted))
    return not isinstance(found, Exception) and found == wanted
