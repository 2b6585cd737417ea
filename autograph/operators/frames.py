"""`locals()`, `vars()` and `dir()` show the names of the user alone."""

from __future__ import annotations

from typing import Any


def user_names(names: Any) -> Any:
    """What a built-in has found in the caller's frame, without the name under which generated code knows autograph."""
    if isinstance(names, dict):
        names.pop("ag__", None)
    elif "ag__" in names:
        names.remove("ag__")
    return names
