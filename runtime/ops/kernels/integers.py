"""Kernels in which integers can go wrong: division by zero and the like give NumPy's values with NumPy's warnings.

Executors silence NumPy, because infinities and NaN say enough about floats. An integer can't say that it is wrong, so
these kernels let NumPy warn, at the user's line.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.dtypes import Array
from ...tensors.trace import user_location

Kernel = Callable[..., Any]
# What has been warned of, by file, for the filter that shows a warning once for each place.
_shown: dict[str, dict[Any, Any]] = {}


def loud(kernel: Kernel, name: str) -> Kernel:
    """A kernel that warns when it divides integers by zero, or has a quotient that does not fit."""

    def handler(error: str, flag: int) -> None:
        warn(f"{error} encountered in {name}")

    def loud_kernel(x: Array, *rest: object) -> Any:
        if x.dtype.kind not in "iu":
            return kernel(x, *rest)
        with np.errstate(divide="call", over="call", call=handler):
            return kernel(x, *rest)

    return loud_kernel


def float_to_integer(x: Array, target: Any) -> Any:
    """Floats as integers: fractions are cut off, what does not fit gives some integer, and a warning."""

    def handler(error: str, flag: int) -> None:
        warn(f"{error} encountered in cast")

    with np.errstate(invalid="call", call=handler):
        if target.kind == "i":
            return x.astype(target)
        # A negative number has no C meaning as an unsigned one; by way of int64 it wraps as elsewhere.
        if target.itemsize < 8:
            return x.astype(np.int64).astype(target)
        large = x >= 2.0**63
        wrapped = np.where(large, 0, x).astype(np.int64).astype(target)
        return np.where(large, np.where(large, x, 0).astype(target), wrapped)


def warn(message: str) -> None:
    """Issue NumPy's warning at the line of the user's program that is running, in a plan or eagerly."""
    file, line = _place()
    warnings.warn_explicit(message, RuntimeWarning, file, line, registry=_shown.setdefault(file, {}))


def _place() -> tuple[str, int]:
    frame = sys._getframe(1)
    while frame is not None:
        nodes = frame.f_globals.get("plan_nodes")
        if nodes is not None:
            budget = frame.f_globals.get("budget")
            if budget is not None:  # this plan must not be stopped to be run again: the warning would come twice
                budget[0] = math.inf
            node = nodes[frame.f_lineno - 1]
            location = node.location if node is not None else None
            break
        frame = frame.f_back  # type: ignore[assignment]
    else:
        location = user_location()
    return (location.file, location.line) if location is not None else ("<graph>", 1)
