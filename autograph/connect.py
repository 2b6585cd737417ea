"""Joins the two halves: what `tf.function` traces is converted first.

The runtime knows nothing of conversion; it is handed over here. The front half loads with the first trace.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from .operators.calls import call
from .operators.staging.control.origins import is_refusal
from .operators.staging.control.tracing import traced
from .operators.staging.outside.outside_places import place_of
from .pipeline import why_not_converted
from .runtime.functions.call_state import StatePlace, set_place_of
from .runtime.functions.function import function as function
from .runtime.functions.function import set_front_half
from .runtime.functions.unfinished import set_refusals
from .runtime.tensors.unconverted import set_explanation


def convert(python_function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a function that is being traced: its staged form (else its plain form).

    What the call writes into variables and objects of the user is written after each run of the graph instead.
    """
    return traced(python_function)


def staged_form(python_function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a function that becomes a part of the trace at hand."""
    return call(python_function)


def _why_not_converted(code: CodeType) -> str | None:
    return why_not_converted(code)


def _is_refusal(error: BaseException) -> bool:
    return is_refusal(error)


def _place_of(owner: Any, name: Any, template: Any, may_miss: bool) -> StatePlace:
    return place_of(owner, name, template, may_miss)


set_front_half(convert, staged_form)
set_explanation(_why_not_converted)
set_refusals(_is_refusal)
set_place_of(_place_of)
