"""Joins the two halves: what `tf.function` traces is converted first.

The runtime knows nothing of conversion; what it asks of it is handed over here. The front half loads with the first
trace, so that what runs saved models does without it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING, Any

from .runtime.tensors.front_half import CONNECTED, CONVERTED, IS_REFUSAL, PLACE_OF, STAGED_FORM, WHY_NOT_CONVERTED

if TYPE_CHECKING:
    from .runtime.functions.typed import function as function
else:
    from .runtime.functions.function import function as function


@CONNECTED.give
def _connected() -> None:
    """There is nothing to do: this module is loaded."""


@CONVERTED.give
def _converted(python_function: Callable[..., Any]) -> Callable[..., Any]:
    from .operators.staging.control.tracing import traced

    return traced(python_function)


@STAGED_FORM.give
def _staged_form(python_function: Callable[..., Any]) -> Callable[..., Any]:
    from .operators.calls import call

    form: Callable[..., Any] = call(python_function)
    return form


@WHY_NOT_CONVERTED.give
def _why_not_converted(code: CodeType) -> str | None:
    from .pipeline import why_not_converted

    return why_not_converted(code)


@IS_REFUSAL.give
def _is_refusal(error: BaseException) -> bool:
    from .operators.staging.control.plain_trials import is_refusal

    return is_refusal(error)


@PLACE_OF.give
def _place_of(owner: object, name: str, template: object, may_miss: bool) -> Any:
    from .operators.staging.outside.outside_places import place_of

    return place_of(owner, name, template, may_miss)
