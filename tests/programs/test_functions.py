"""Every function of `functions.py`, in every mode."""

from __future__ import annotations

import inspect
import itertools
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.pipeline import converted
from tests.printed import executed
from tests.programs import functions

FUNCTIONS = [
    value
    for name, value in vars(functions).items()
    if isinstance(value, FunctionType) and value.__defaults__ and not name.startswith("helper_")
]
ON_TENSORS = [function for function in FUNCTIONS if not function.__name__.startswith("plain_")]


def variations(function: FunctionType) -> list[tuple]:
    """The defaults, and for each number among them its neighbours."""
    choices = [[default - 1, default, default + 1] if isinstance(default, int) else [default]
               for default in inspect.getfullargspec(function).defaults]
    return list(itertools.product(*choices))


@pytest.mark.parametrize("form", ["plain", "staged", "printed"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_python_values(function, form):
    other = executed(function) if form == "printed" else converted(function, staged=form == "staged")
    for arguments in variations(function):
        assert other(*arguments) == function(*arguments), arguments


@pytest.mark.parametrize("form", ["staged", "printed"])
@pytest.mark.parametrize("function", ON_TENSORS, ids=lambda function: function.__name__)
def test_tensors(function, form):
    staged = tf.function(executed(function) if form == "printed" else function)
    for arguments in variations(function):
        tensors = [tf.constant(argument) for argument in arguments]
        np.testing.assert_equal(as_python(staged(*tensors)), as_python(function(*arguments)), str(arguments))
    assert staged.experimental_get_tracing_count() == 1, "Python ran where the graph should have"


def as_python(value: Any) -> Any:
    """Numbers and lists of them for tensors; tuples for lists."""
    if isinstance(value, tf.Tensor):
        return as_python(value.numpy().tolist())
    return tuple(map(as_python, value)) if isinstance(value, (list, tuple)) else value
