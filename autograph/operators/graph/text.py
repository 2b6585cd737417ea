"""Text of staged values: f-strings, `str`, `format`."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import StagedValueError
from autograph.runtime import dtypes
from autograph.runtime.ir import Type
from autograph.runtime.op import NOT_DIFFERENTIABLE, OPS, op
from autograph.runtime.tensor import Tensor

from .errors import where
from .iterables import StagedIterable
from .lists import StagedList
from .maybe import Maybe

_CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


def _format(array: Any, *, conversion: str | None, specification: str) -> bytes:
    value = _number(np.asarray(array)[()]) if np.ndim(array) == 0 else array
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if conversion is not None:
        value = _CONVERSIONS[conversion](value)
    return format(value, specification).encode()


def _number(value: Any) -> Any:
    """The Python value of a NumPy scalar; a float is the one with the same shortest text."""
    return float(str(value)) if isinstance(value, (np.float16, np.float32)) else value.item()


FORMAT = op(
    "format", gradient=NOT_DIFFERENTIABLE,
    infer=lambda x, conversion, specification: Type(dtypes.string, ()),
    numpy=_format,
    samples=lambda: [((np.array(1.5),), {"conversion": None, "specification": ".2f"})],
    doc="The text of a tensor, as Python formats a number or NumPy an array.",
)


def format_value(value: Any, conversion: str | None, specification: str) -> Any:
    """The text of one staged value: a string tensor."""
    if isinstance(value, Maybe):
        value = value.checked("is formatted")
    if isinstance(value, (StagedList, StagedIterable)):
        raise StagedValueError(
            f"{value!r} is formatted: its text is known only when the graph runs",
            **where(),
            remedy="stack it (tf.stack) and format the tensor, or print it with tf.print",
        )
    if isinstance(value, Tensor) and value.dtype is dtypes.string and conversion in (None, "s") and not specification:
        return value
    return FORMAT(value, conversion=conversion, specification=specification)


def join_strings(parts: list[Any]) -> Any:
    """The concatenation of strings; a plain string when none of them is staged."""
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)
    result = parts[0]
    for part in parts[1:]:
        result = OPS["add"](result, part)
    return result


def format_text(template: str, *arguments: Any, **keywords: Any) -> Any:
    """``template.format(…)`` with staged arguments."""
    formatter = string.Formatter()
    parts: list[Any] = []
    position = 0
    for literal, field, specification, conversion in formatter.parse(template):
        parts.append(literal)
        if field is None:
            continue
        if field == "":
            field, position = str(position), position + 1
        value = formatter.get_field(field, arguments, keywords)[0]
        staged = isinstance(value, (Tensor, Maybe, StagedList))
        if staged:
            parts.append(format_value(value, conversion, specification or ""))
        else:
            parts.append(format(formatter.convert_field(value, conversion), specification or ""))
    return join_strings([part for part in parts if not (isinstance(part, str) and part == "")] or [""])
