"""The user's lines in errors of exporters."""

from __future__ import annotations

import linecache

from ...base.places import Location

__all__ = ["told"]


def told(shown: Location, location: Location) -> str:
    """A place, and the source that stands there."""
    source = linecache.getline(location.file, location.line).strip()
    return f"{shown}" + (f"\n  {source}" if source else "")
