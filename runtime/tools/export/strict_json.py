"""JSON that may come from anywhere: read strictly, written so that the strict reader takes it.

>>> loads(b'{"a": [1, 2.5, null]}', "x.json")
{'a': [1, 2.5, None]}
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from .file_errors import damaged_error

__all__ = ["dumps", "loads"]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def dumps(value: object) -> bytes:
    """A value of dicts with string keys, lists, strings, finite numbers, bools and None as UTF-8."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def loads(data: bytes, name: str) -> Any:
    """The value of a JSON text; ``name`` is the file's, for messages.

    Raises `SavedFileError` for what is no UTF-8 or no JSON, for duplicate keys, NaN and infinities, texts that are
    no Unicode, and nesting deeper than Python's recursion limit.
    """
    try:
        text = data.decode()
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_float=_finite, parse_constant=_refuse_constant)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise damaged_error(f"{name} is nested too deeply") from None
    except ValueError as error:
        raise damaged_error(f"{name} is not valid JSON: {error}") from None
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}")
    return result


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is out of range")
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")
