"""f-strings: `format` on plain values, staged strings on staged ones; `%` is refused on staged ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.trace import user_location

from .dispatch import backend_of, staging

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


def percent(template: str, values: Any) -> Any:
    """``template % values``; refused for staged values, of which it would write the names into the graph."""
    parts = values if isinstance(values, tuple) else values.values() if isinstance(values, Mapping) else (values,)
    if backend_of(*parts) is not None and staging():
        place = user_location()
        error = StagedValueError("`%` formats a staged value", construct="%", remedy="write an f-string or str.format")
        raise error if place is None else error.at(place.file, place.line, place.function)
    return template % values
