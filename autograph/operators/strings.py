"""f-strings: `format` on plain values, staged strings on staged ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dispatch import backend_of

_CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


def format_value(value: Any, conversion: str | None = None, specification: str = "") -> Any:
    """``f"{value!conversion:specification}"``.

    A staged specification is refused by ``format``, which takes a plain string alone.
    """
    backend = backend_of(value)
    if backend is not None:
        return backend.format_value(value, conversion, specification)
    if conversion is not None:
        value = _CONVERSIONS[conversion](value)
    return format(value, specification)


def joined_string(*parts: Any) -> Any:
    """The concatenation of the parts of an f-string."""
    backend = backend_of(*parts)
    return "".join(parts) if backend is None else backend.join_strings(list(parts))
