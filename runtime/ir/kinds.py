"""What the attributes of nodes may be: records have the kind of each in their field ``attributes``.

A kind is a test. Most attributes mean the same for all ops that have them: `kinds` finds these by their names.

>>> kinds("axis keepdims")["axis"]((0, -1)), BOOL(0)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.dtypes import DType
from ..base.list_value import ListValue

Kind = Callable[[Any], bool]
MAX_RANK = 64


def is_variable(value: object) -> bool:
    """Whether the value is a variable: any object whose type says ``__variable__ = True``."""
    return getattr(type(value), "__variable__", False) is True


def BOOL(value: object) -> bool:
    return type(value) is bool


def INT(value: object) -> bool:
    return type(value) is int


def NUMBER(value: object) -> bool:
    return type(value) in (int, float)


def TEXT(value: object) -> bool:
    return type(value) is str


def RANK(value: object) -> bool:
    """A number of dimensions, or one of them."""
    return type(value) is int and abs(value) <= MAX_RANK


def DTYPE(value: object) -> bool:
    return isinstance(value, DType)


def ARRAY(value: object) -> bool:
    return isinstance(value, (np.ndarray, ListValue))


def PLAIN(value: object) -> bool:
    """Data of Python, in tuples too."""
    if type(value) is tuple:
        return all(map(PLAIN, value))
    return value is None or isinstance(value, (bool, int, float, str, DType))


def optional(kind: Kind) -> Kind:
    return lambda value: value is None or kind(value)


def either(*kinds: Kind) -> Kind:
    return lambda value: any(kind(value) for kind in kinds)


def tuple_of(kind: Kind) -> Kind:
    return lambda value: type(value) is tuple and all(map(kind, value))


def one_of(*texts: str) -> Kind:
    return lambda value: TEXT(value) and value in texts


def SOURCE(value: Any) -> bool:
    """Whose gradient a pullback gives: a variable or an input, and whether it is connected."""
    is_pair = type(value) is tuple and len(value) == 2
    return is_pair and (value[0] is None or is_variable(value[0])) and BOOL(value[1])


AXES = optional(either(RANK, tuple_of(RANK)))
DIMS = optional(tuple_of(optional(INT)))
COUNT = optional(INT)
_BY_NAME: dict[str, Kind] = {
    **dict.fromkeys(("keepdims", "exclusive", "reverse", "descending", "endpoint", "equal_nan", "full"), BOOL),
    **dict.fromkeys(("k", "num", "depth", "decimals", "order", "arguments", "results", "upper", "summarize"), INT),
    **dict.fromkeys(("count", "length", "minlength", "maxlength", "maxlen", "maxsplit", "seed"), COUNT),
    **dict.fromkeys(("shape", "size", "multiples"), DIMS),
    **dict.fromkeys(("equation", "mode", "side", "unit", "separator", "encoding", "pattern", "rewrite"), TEXT),
    **dict.fromkeys(("spec", "width", "conversion", "kind", "sep"), optional(TEXT)),
    **dict.fromkeys(("rtol", "atol", "ddof"), NUMBER),
    **dict.fromkeys(("variable", "target"), is_variable),
    **dict.fromkeys(("axis", "perm"), AXES),
    **dict.fromkeys(("key", "strides", "padding", "dilations"), PLAIN),
    "batch_dims": RANK,
    "axes": either(RANK, tuple_of(tuple_of(RANK))),
    "dtype": optional(DTYPE),
    "ord": optional(either(NUMBER, TEXT)),
    "sizes": either(INT, tuple_of(INT)),
    "paddings": optional(tuple_of(tuple_of(INT))),
    "pieces": tuple_of(TEXT),
    "sources": tuple_of(SOURCE),
    "value": ARRAY,
}


def kinds(names: str, **others: Kind) -> dict[str, Kind]:
    """The kinds of some attributes; ``others`` are those that only one op has."""
    return {**{name: _BY_NAME[name] for name in names.split()}, **others}
