"""Run a plain function and its staged self on the same values, and compare."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as tf


def as_python(value: Any) -> Any:
    """Tensors become NumPy arrays, at any depth; everything else stays."""
    if isinstance(value, tf.Tensor):
        return value.numpy()
    if isinstance(value, dict):
        made = copy.copy(value)
        made.update((key, as_python(item)) for key, item in value.items())
        return made
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(as_python, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(as_python, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **as_python(vars(value)))
    return value


def assert_same(actual: Any, expected: Any) -> None:
    """Equal values and structure; a stacked tensor equals the list that it stacks."""
    if isinstance(expected, dict):
        assert type(actual) is type(expected) and actual.keys() == expected.keys()
        for key in expected:
            assert_same(actual[key], expected[key])
    elif isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        assert len(actual) == len(expected)
        for left, right in zip(actual, expected, strict=True):
            assert_same(left, right)
    elif dataclasses.is_dataclass(expected):
        assert type(actual) is type(expected)
        assert_same(vars(actual), vars(expected))
    elif expected is None:
        assert actual is None
    elif isinstance(expected, str):
        assert actual in (expected, expected.encode())
    else:
        np.testing.assert_allclose(actual, expected, rtol=1e-5)


def check(function: Callable[..., Any], *inputs: Any) -> None:
    """For every input (a tuple of arguments, or one argument): plain Python and the staged function agree.

    One `tf.function` serves all inputs, so that one trace must be right for each of them.
    """
    staged = tf.function(function)
    for arguments in inputs:
        arguments = arguments if isinstance(arguments, tuple) else (arguments,)
        expected = function(*arguments)
        actual = staged(*[tf.constant(argument) for argument in arguments])
        assert_same(as_python(actual), expected)
