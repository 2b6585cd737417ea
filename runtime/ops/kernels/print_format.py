"""Arrays as `tf.print` shows them.

>>> print(format_array(np.arange(8), 3), format_array(np.float32(1 / 3), 3), format_array(np.array([True]), 3))
[0 1 2 ... 5 6 7] 0.333333343 [1]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.dtypes import Array


def format_array(array: np.ndarray[Any, Any], summarize: int) -> str:
    """The text of an array; ``summarize`` items at each end of each dimension, -1 for all."""
    if array.ndim == 0:
        return _item(array[()])
    return _rows(array, summarize, 1)


def _rows(array: np.ndarray[Any, Any], summarize: int, depth: int) -> str:
    count = len(array)
    cut = summarize >= 0 and 2 * summarize < count
    shown = [*range(summarize), *range(count - summarize, count)] if cut else range(count)
    if array.ndim == 1:
        parts = [_item(array[i]) for i in shown]
        separator = " "
    else:
        parts = [_rows(array[i], summarize, depth + 1) for i in shown]
        separator = "\n" * (array.ndim - 1) + " " * depth
    if cut:
        parts.insert(summarize, "...")
    return f"[{separator.join(parts)}]"


def _item(value: Array) -> str:
    if isinstance(value, bytes):
        return f'"{value.decode("utf-8", "replace")}"'
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, np.floating):
        return _shortest(value)
    return str(value)


def _shortest(value: np.floating[Any]) -> str:
    """As C++ prints it: 6 (float64: 15) digits where they are exact, else 9 (17)."""
    few, many = (15, 17) if value.dtype == np.float64 else (6, 9)
    text = f"{float(value):.{few}g}"
    return text if type(value)(text) == value or value != value else f"{float(value):.{many}g}"
