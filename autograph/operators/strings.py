"""f-strings and `%`: Python's own on plain values, staged strings on staged ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import arithmetic
from .dispatch import active, backend_of

_CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}
_PLAIN = frozenset((str, int, float, bool, complex, bytes, type(None)))


def format_value(value: object, conversion: str | None = None, specification: Any = "") -> Any:
    """``f"{value!conversion:specification}"``."""
    if type(value) not in _PLAIN or type(specification) is not str:
        backend = backend_of(value, specification) or active()
        if backend is not None:
            return backend.format_value(value, conversion, specification)
    if conversion is not None:
        value = _CONVERSIONS[conversion](value)
    return format(value, specification)


def joined_string(*parts: Any) -> Any:
    """The concatenation of the parts of an f-string."""
    backend = backend_of(*parts)
    return "".join(parts) if backend is None else backend.join_strings(list(parts))


def mod(left: object, right: object) -> Any:
    """``left % right``, which formats when `left` is a string."""
    if isinstance(left, (str, bytes)):
        backend = active()
        if backend is not None:
            return backend.percent(left, right)
    return arithmetic.mod(left, right)


def imod(left: object, right: object) -> Any:
    """What ``left %= right`` gives `left`."""
    return mod(left, right) if isinstance(left, (str, bytes)) else arithmetic.imod(left, right)
