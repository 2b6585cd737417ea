"""On plain values both converted forms mean what the function means: values, evaluations in order, errors."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

from autograph.pipeline import converted

from .programs import calls, comprehensions, conditions, control_flow, matching, stores, walrus

MODULES = (calls, comprehensions, conditions, control_flow, matching, stores, walrus)
FUNCTIONS = [
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, FunctionType) and value.__module__ == module.__name__
]


def behaviour(function: Callable[..., Any]) -> tuple[Any, list[Any]]:
    """What a function returns or raises, and what it evaluates."""
    noted: list[Any] = []

    def t(name: Any, value: Any = None) -> Any:
        noted.append(name if isinstance(name, str) else repr(name))
        return value

    stores.shared["count"] = walrus.counter = matching.counter = control_flow.total = 0
    try:
        result = ("returned", repr(function(t)))
    except Exception as error:
        result = ("raised", f"{type(error).__name__}: {error}")
    return result, noted


@pytest.mark.parametrize("staged", [False, True], ids=["plain", "staged"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: f"{function.__module__[26:]}-{function.__name__}")
def test_same_behaviour(function: Callable[..., Any], staged: bool) -> None:
    assert behaviour(converted(function, staged=staged)) == behaviour(function)
