"""Sample inputs of ops: what the generic tests run each op over.

A sample is a pair of input arrays and attributes. Each function here returns a list of them, made when asked for, so
that importing the ops costs nothing. Among them are zero-size, 0-d, negative, mixed and special values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[tuple[Any, ...], dict[str, Any]]


def sample(*inputs: Any, **attributes: Any) -> Sample:
    """One sample: the inputs as arrays (text as bytes objects), and the attributes."""
    return tuple(array(value) for value in inputs), attributes


def array(value: object) -> Any:
    """`value` as an array of a dtype that tensors have: Python floats are float32, ints int32."""
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    result = np.asarray(value)
    if result.dtype.kind in "US":
        return strings(value)
    default = {"f": np.float32, "i": np.int32}.get(result.dtype.kind, result.dtype)
    return result.astype(default)


def strings(value: object) -> Any:
    """Nested lists of str or bytes as an object array of bytes."""
    text = np.asarray(value, dtype=object)
    encoded = [v.encode() if isinstance(v, str) else v for v in text.ravel()]
    result = np.empty(text.shape, dtype=object)
    result.ravel()[:] = encoded
    return result


def _f(*shape: int, dtype: Any = np.float32) -> Any:
    """Distinct positive numbers between 0.1 and 0.9, in a fixed disorder."""
    size = int(np.prod(shape))
    order = (np.arange(size) * 7 + 3) % max(size, 1) if size % 7 else np.arange(size)
    return (0.1 + 0.8 * (order + 0.5) / max(size, 1)).reshape(shape).astype(dtype)


def _i(*shape: int, dtype: Any = np.int32) -> Any:
    """The numbers -2, -1, 0, ... in the given shape."""
    return (np.arange(int(np.prod(shape))) - 2).reshape(shape).astype(dtype)


SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
COMPLEX = np.array([1 + 2j, -0.5j, 0, -3 + 0.25j], np.complex64)


def unit_interval() -> list[Sample]:
    """Floats strictly between 0 and 1, where every function of analysis is smooth."""
    return [sample(_f(2, 3)), sample(_f(dtype=np.float64)), sample(_f(0, 2)), sample(_f(3, dtype=np.float16))]


def floats() -> list[Sample]:
    """Floats of every size, negative and special ones too."""
    return [*unit_interval(), sample(_f(4) * 6 - 3), sample(SPECIAL), sample(_f(2, 2, dtype=np.float64) - 0.45)]


def reals() -> list[Sample]:
    """Floats and integers."""
    return [*floats(), sample(_i(5)), sample(_i(2, 2, dtype=np.int64)), sample(_i(3, dtype=np.int8))]


def numbers() -> list[Sample]:
    """Floats, integers, complex numbers."""
    return [*reals(), sample(np.arange(3, dtype=np.uint8)), sample(COMPLEX), sample(COMPLEX.astype(np.complex128)[0])]


def analytic() -> list[Sample]:
    """What `exp` and the like take: integers give floats."""
    return [*floats(), sample(_i(4) + 3), sample(np.array([1, 2], np.int8)), sample(COMPLEX)]


def complexes() -> list[Sample]:
    return [sample(COMPLEX), sample(COMPLEX.astype(np.complex128).reshape(2, 2)), sample(_f(3)),
            sample(_f(3, dtype=np.float64))]


def booleans() -> list[Sample]:
    return [sample([True, False]), sample(True), sample(np.zeros((0, 2), bool))]


def integers() -> list[Sample]:
    return [sample(_i(5)), sample(_i(2, 2, dtype=np.int64)), sample(np.array(200, np.uint8)), sample(_i(0))]


def boolean_pairs() -> list[Sample]:
    t = np.array([[True, False], [True, True]])
    return [sample(t, ~t), sample(t, True), sample(t[0], t[:, :1]), sample(np.zeros((0, 2), bool), True)]


def integer_pairs() -> list[Sample]:
    big = np.array([np.iinfo(np.int32).max, np.iinfo(np.int32).min], np.int32)
    return [
        sample(_i(6) * 3, np.array([1, -2, 3, -4, 5, 7], np.int32)), sample(7, -2), sample(_i(2, 1), _i(3) + 3),
        sample(big, np.array([1, -1], np.int32)), sample(_i(3, dtype=np.int8), np.array([5, 6, 7], np.int64)),
        sample(_i(0, 2), 1), sample(np.arange(4, dtype=np.uint8), np.array(3, np.uint8)),
        sample(_i(2), np.zeros(2, np.int32)),
    ]


def float_pairs() -> list[Sample]:
    """Pairs of positive floats that broadcast."""
    return [
        sample(_f(2, 3), _f(2, 3) + 1), sample(_f(2, 3), _f(3)), sample(_f(2, 1), _f(1, 3)), sample(_f(3), 0.5),
        sample(_f(dtype=np.float64), _f(dtype=np.float64)), sample(_f(0, 3), _f(3)),
        sample(_f(2), _f(2, dtype=np.float64)),
    ]


def special_pairs() -> list[Sample]:
    return [*float_pairs(), sample(SPECIAL, 2.0), sample(2.0, SPECIAL), sample(_f(3) - 0.5, _f(3) - 0.3)]


def real_pairs() -> list[Sample]:
    return [*special_pairs(), *integer_pairs(), sample(_i(3), _f(3))]


def number_pairs() -> list[Sample]:
    return [*real_pairs(), sample(COMPLEX, COMPLEX[::-1].copy()), sample(COMPLEX, _f(4, dtype=np.float64))]


def power_pairs() -> list[Sample]:
    return [*special_pairs(), sample(_i(3), np.array([0, 1, 2], np.int32)), sample(COMPLEX, 2.0)]


def equality_pairs() -> list[Sample]:
    return [*number_pairs(), *boolean_pairs(), sample(["a", "b"], ["a", "c"]), sample("a", ["a", "b"]),
            sample("a", "a")]


def order_pairs() -> list[Sample]:
    return [*real_pairs(), *boolean_pairs(), sample(["a", "b"], "ab")]


def shift_pairs() -> list[Sample]:
    return [sample(_i(5), 3), sample(1, [0, 31, 40]), sample(_i(2, 2, dtype=np.int64), np.array(2, np.int64)),
            sample(_i(0), 1)]


def logits() -> list[Sample]:
    """Float arrays with an axis, as softmax takes them."""
    return [
        sample(_f(2, 3) * 5), sample(_f(4, dtype=np.float64)), sample(_f(0, 3)), sample(_f(2, 3, 2), axis=1),
        sample(np.array([1000.0, -1000.0], np.float32)), sample(_f(3, dtype=np.float16)),
    ]


def above_one() -> list[Sample]:
    return [sample(_f(2, 3) + 1), sample(_f(dtype=np.float64) + 2), sample(_f(0)), sample(np.array([1, 2], np.int32))]


def order_numbers() -> list[Sample]:
    return [*real_pairs(), *boolean_pairs()]


def bits() -> list[Sample]:
    return [*integers(), *booleans()]


def bit_pairs() -> list[Sample]:
    return [*integer_pairs(), *boolean_pairs()]


def sum_pairs() -> list[Sample]:
    return [*number_pairs(), sample(["a", "b"], "c"), sample("a", "b")]
