"""What to write where Python asks a graph tensor for its value: the front half tells why the code is not converted."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from . import trace


def _unknown(code: CodeType) -> str | None:
    return None


_explain: Callable[[CodeType], str | None] = _unknown


def set_explanation(explain: Callable[[CodeType], str | None]) -> None:
    """Let ``explain`` say why a code object is not converted: "" when it is, None when that is not known."""
    global _explain
    _explain = explain


def is_converted(code: CodeType) -> bool:
    """Whether a code object is known to be the result of a conversion."""
    return _explain(code) == ""


def remedy(purpose: str, instead: str) -> str:
    """The remedy for the code of the user that is running: to convert it, for a purpose, or to write something else."""
    found = trace.user_code()
    reason = None if found is None else _explain(found[0])
    if reason is None:
        return f"convert the function (tf.function, to_graph) {purpose}, or {instead}"
    return f"{reason}; or {instead}" if reason else instead
