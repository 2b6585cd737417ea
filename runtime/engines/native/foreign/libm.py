"""The C library's mathematics, as far as machine code calls it: the one file that knows its functions."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import math
from collections.abc import Callable
from typing import Any

__all__ = ["addresses", "obstacle"]

_TRIED: dict[str, tuple[Callable[..., float], tuple[float, ...]]] = {
    "fmod": (math.fmod, (7.5, -2.0)), "pow": (math.pow, (2.5, 3.0)),
    "sin": (math.sin, (0.5,)), "cos": (math.cos, (0.5,)), "tan": (math.tan, (0.5,)),
}  # fmt: skip
"""The functions, what Python has in their place, and arguments to try them with."""


@functools.cache
def _functions() -> dict[str, Any]:
    """The functions of doubles, and those of floats, whose names end in f."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    found = {name: getattr(library, name) for base in _TRIED for name in (base, base + "f")}
    for name, function in found.items():
        number = ctypes.c_double if name in _TRIED else ctypes.c_float
        function.restype, function.argtypes = number, [number] * len(_TRIED[name.removesuffix("f")][1])
    return found


def addresses() -> dict[str, int]:
    """Where the functions are."""
    found = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in _functions().items()}
    return {name: place for name, place in found.items() if place is not None}


def obstacle() -> str | None:
    """Which function does not compute what its name says; None if all do."""
    for base, (expected, arguments) in _TRIED.items():
        for name in (base, base + "f"):
            if not math.isclose(_functions()[name](*arguments), expected(*arguments), rel_tol=1e-6):
                return f"the C library's {name} computes something else"
    return None
