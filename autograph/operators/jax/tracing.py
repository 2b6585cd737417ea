"""When JAX is tracing what converted code does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..functional import tracing
from . import internals
from .library import JAX


def traces() -> bool:
    """Whether JAX is tracing on this thread."""
    return not internals.trace_state_clean()


def is_read() -> bool:
    """JAX reads no code."""
    return False


def form_of(original: object) -> None:
    """There is none, then."""


def run(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Calls a converted function that JAX traces."""
    with tracing.opened(JAX):
        return function(*arguments, **keywords)
