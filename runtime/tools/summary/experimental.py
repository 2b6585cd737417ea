"""The step that summaries get when none is given."""

from __future__ import annotations

from typing import Any

from .writer import local

__all__ = ["get_step", "set_step"]


def set_step(step: object) -> None:
    """Set the default step of this thread: a number, an integer tensor or variable, or None."""
    local.step = step


def get_step() -> Any:
    """The default step of this thread, None when there is none."""
    return local.step
