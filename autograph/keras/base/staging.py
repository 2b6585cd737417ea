"""Where the library calls code of the user: inside a trace it is converted, as everything that a traced function calls.

Keras stands on both halves of the project; this module is where it reaches the one that converts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph import connect as connect
from autograph.operators.calls import call
from autograph.operators.staging.control.tracing import traced
from autograph.operators.staging.folds import foldl, map_fn, scan
from autograph.operators.staging.functional import cond
from autograph.runtime.tensors import trace

__all__ = ["call_if", "converted_call", "fold_time", "map_time", "scan_time", "traced_call"]


def converted_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a method of the user: its staged form while a graph is being built, else itself."""
    if trace.current_graph() is None:
        return function

    return call(function)


def call_if(
    condition: object, function: Callable[[], object], otherwise: Callable[[], object] = lambda: None
) -> None:  # fmt: skip
    """Call one function where a condition holds, else another one; in a graph they are branches."""
    cond(condition, lambda: _called(function), lambda: _called(otherwise))


def _called(function: Callable[[], object]) -> None:
    function()


def traced_call(function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """Call a function in a graph of its own, which leaves no graph tensors behind in objects of the user."""
    return traced(function)(*args, **kwargs)


def scan_time(step: Callable[[Any, Any], Any], elements: object, initial: object) -> Any:
    """What ``state = step(state, element)`` gives after each element along the first axis, stacked."""
    return scan(step, elements, initial)


def fold_time(step: Callable[[Any, Any], Any], elements: object, initial: object) -> Any:
    """What ``state = step(state, element)`` gives after the last element along the first axis."""
    return foldl(step, elements, initial)


def map_time(function: Callable[[Any], Any], elements: object) -> Any:
    """What a function gives for each slice of the elements along the first axis, stacked."""
    return map_fn(function, elements)
