"""`locals()`, `vars()` and `dir()` show the names of the user alone."""

from __future__ import annotations

from typing import Any


def user_names(names: Any) -> Any:
    """What a built-in has found in the caller's frame, without the names under which generated code knows autograph."""
    for own in ("ag__", "ag__entry"):
        if isinstance(names, dict):
            names.pop(own, None)
        elif own in names:
            names.remove(own)
    return names
