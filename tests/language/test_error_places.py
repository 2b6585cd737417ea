"""Errors name the user's line: those of what a function returns, the line of its `return`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf


class Thing:
    pass


def an_object(n):
    thing = Thing()
    thing.x = n
    return thing  # here


def a_set(n):
    return {i for i in range(n)}  # here


def a_function(n):
    if n > 0:
        n += 1
    return lambda: n  # here


def in_a_tuple(n):
    thing = Thing()

    return (  # here
        n,
        thing,
    )


def lists_of_two_shapes(n):
    items = []
    for _ in range(n):
        items.append(np.zeros(2))
    items.append(np.zeros((3, 2)))
    return items  # here


def times_a_float(n):
    items = []
    for i in range(n):
        items.append(i)
    items *= 1.5
    return items


def a_list_times(n):
    items = [1, 2]
    items *= n  # here
    return items


FUNCTIONS = [
    an_object, a_set, a_function, in_a_tuple, lists_of_two_shapes, a_list_times,
]  # fmt: skip


def line_of(function: Callable[..., Any]) -> int:
    """The line with the mark."""
    lines, first = inspect.getsourcelines(function)
    return first + next(number for number, line in enumerate(lines) if "# here" in line)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_an_error_names_the_line(function: Callable[..., Any]) -> None:
    with pytest.raises((tf.errors.StagingError, tf.errors.InvalidArgumentError)) as caught:
        tf.function(function)(tf.constant(2))
    error = caught.value
    assert (error.file, error.line, error.function) == (__file__, line_of(function), function.__name__)


def test_a_list_times_a_float_is_an_error_as_in_python() -> None:
    with pytest.raises(TypeError, match="can't multiply sequence by non-int of type 'float'"):
        tf.function(times_a_float)(tf.constant(2))
