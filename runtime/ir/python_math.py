"""Which function of Python's `math` an op of floats is, and where that raises: the field ``python`` of records."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Fails(enum.Enum):
    NEVER = "never"
    WHERE_INFINITE = "where infinite"
    """It becomes infinite, or NaN, where it is not defined."""
    WHERE_TOO_LARGE = "where too large"
    """It becomes NaN where it is not defined, and infinite where its result is too large."""


class PythonMath(NamedTuple):
    """The name of the function, and which numbers it raises for."""

    name: str
    fails: Fails
