"""When PyTorch is tracing what converted code does, and what runs then: a recorded program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..functional import tracing
from . import dynamo, internals
from .captures import record
from .library import TORCH


def traces() -> bool:
    """Whether PyTorch is tracing on this thread."""
    return internals.is_tracing()


def is_read() -> bool:
    """Whether Dynamo reads the bytecode of converted code."""
    return internals.is_read()


def form_of(original: Any) -> Callable[..., Any]:
    """The form of a converted function that Dynamo reads."""
    return dynamo.form_of(original)


def run(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Calls a converted function that PyTorch traces."""
    if tracing.is_open(TORCH):
        return function(*arguments, **keywords)
    found = record(function, arguments, keywords)
    return found.run(found.operands)
