"""Numbers that are Python's in plain code stay so in a graph: they adapt to tensors, and are ints, floats and bools."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf


def by_loop_index(x: Any, n: Any) -> Any:
    total = x
    for i in range(n):
        total = total + x * i
    return total


def by_branch(x: Any, n: Any) -> Any:
    factor = 2
    if n > 2:
        factor = 3
    return x * factor


def by_counter(x: Any, n: Any) -> Any:
    count, scale = 0, 0.5
    while count < n:
        count += 1
        scale = scale * 2
    return x * count + scale


def by_length(x: Any, n: Any) -> Any:
    values = []
    for i in range(n):
        values.append(i)
    return x * len(values) * len(str(n))


def by_enumeration(x: Any, n: Any) -> Any:
    total = x
    for i, value in enumerate(tf.range(n), 1):
        if value > 0:
            total = total * i
    return total


def by_conversion(x: Any, n: Any) -> Any:
    return x * int(n) + float(n) + bool(n) - x // int(n + 1)


def by_expression(x: Any, n: Any) -> Any:
    return x * (1 if n > 2 else -1) + (0 if n > 2 else 0.5) - (not n > 2)


def by_list(x: Any, n: Any) -> Any:
    numbers = [1, 2]
    for i in range(n):
        numbers.append(i)
    return x * numbers[n] + x * numbers[-1]


def by_extreme(x: Any, n: Any) -> Any:
    count = 0
    for i in range(n):
        count += 1
    return x * max(count, 1) + x * min([count, 7]) - max([i for i in range(n + 1)]) + max([], default=count)


def by_mixture(x: Any, n: Any) -> Any:
    whole = 1
    for i in range(n):
        whole = -(whole * 3 + i) // 2 % 7
    return x + whole / 2 + (whole > 1) * abs(whole) ** 2


def by_none(x: Any, n: Any) -> Any:
    best = None
    for i in range(n):
        if best is None or i > best:
            best = i
    return x if best is None else x * best


FUNCTIONS = [by_loop_index, by_branch, by_counter, by_length, by_enumeration, by_conversion, by_expression, by_list,
             by_extreme, by_mixture, by_none]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64, tf.complex64], ids=lambda dtype: dtype.name)
def test_they_adapt_to_the_tensor(function: Callable[..., Any], dtype: tf.DType) -> None:
    if dtype is tf.complex64 and function is by_conversion:
        pytest.skip("complex numbers have no //")
    staged = tf.function(function)
    for n in (1, 4):
        x = tf.constant(1.5, dtype)
        expected, actual = function(x, n), staged(x, tf.constant(n))
        assert actual.dtype == expected.dtype == dtype
        np.testing.assert_allclose(actual, expected, rtol=1e-3)


@pytest.mark.parametrize("function", [by_loop_index, by_branch, by_list], ids=lambda function: function.__name__)
def test_they_adapt_to_small_integers(function: Callable[..., Any]) -> None:
    x = tf.constant(3, tf.int8)
    expected, actual = function(x, 4), tf.function(function)(x, tf.constant(4))
    assert actual.dtype == expected.dtype == tf.int8 and actual.numpy() == expected.numpy()


def test_tensors_made_of_them_do_not() -> None:
    def function(x: Any, n: Any) -> Any:
        k = 1
        if n > 2:
            k = 2
        made = [tf.cast(k, tf.int32), tf.convert_to_tensor(k), tf.identity(k), tf.add(k, 1), tf.range(3)[k]]
        return [x * each for each in made]

    x = tf.constant(1.5, tf.float16)
    expected, actual = function(x, 3), tf.function(function)(x, tf.constant(3))
    assert [each.dtype for each in actual] == [each.dtype for each in expected]
    assert all(each.dtype == tf.float64 for each in actual)


def test_what_is_a_tensor_in_python_is_one_in_the_graph() -> None:
    def function(x: Any, n: Any) -> Any:
        total, first = x, n
        for i in tf.range(n):
            total = total + x * tf.cast(i, x.dtype)
            first = i
        return total, x * first

    x = tf.constant(1.5)
    expected, actual = function(x, tf.constant(3)), tf.function(function)(x, tf.constant(3))
    assert [each.dtype for each in actual] == [each.dtype for each in expected] == [tf.float32, tf.float64]


def kinds(value: Any) -> list[bool]:
    return [isinstance(value, kind) for kind in (bool, int, float, str, (int, float))]


def test_isinstance_type_and_match() -> None:
    def name(value: Any) -> str:
        match value:
            case bool():
                return "bool"
            case int():
                return "int"
            case float():
                return "float"
            case str():
                return "str"
            case _:
                return "other"

    def function(n: Any) -> Any:
        whole, part, flag, text = 1, 0.5, False, "a"
        if n > 2:
            whole, part, flag, text = 2, 1.5, True, f"{whole}"
        values = [whole, part, flag, text, whole + 1, whole / 2, whole * part, whole > 1, int(n), len(str(n)), not flag]
        return [(kinds(value), name(value), type(value) is int) for value in values]

    expected, actual = function(3), tf.function(lambda n: str(function(n)))(tf.constant(3)).numpy().decode()
    assert actual == str(expected)


def test_they_are_numbers_of_their_own_size() -> None:
    def function(n: Any) -> Any:
        big = 2**40
        if n > 2:
            big = 2**41
        return big + 1, big * 0.5

    whole, half = tf.function(function)(tf.constant(3))
    assert whole.numpy() == 2**41 + 1 and half.numpy() == 2**40


def powers(base: Any, n: Any, start: Any) -> Any:
    result = start
    for _ in range(n):
        result = result * base
    return result


@pytest.mark.parametrize(("start", "expected", "dtype"), [
    (1, 0, tf.int32),  # where Python's ints grow, those of a graph wrap around
    (2**31, 2**71 % 2**64, tf.int64),  # one that is larger is wider
    (tf.constant(1, tf.int64), 2**40, tf.int64),
    (1.0, 2.0**40, tf.float32),
])  # fmt: skip
def test_integers_wrap_around_as_in_tensorflow(start: Any, expected: Any, dtype: tf.DType) -> None:
    result = tf.function(powers)(2, tf.constant(40), start)
    assert result.dtype == dtype and result.numpy() == expected


def test_sums_wrap_around_as_in_tensorflow() -> None:
    @tf.function
    def f(n: Any, total: Any) -> Any:
        for i in range(n):
            total += i * i
        return total

    plain = sum(i * i for i in range(3000))
    assert plain >= 2**32
    assert int(f(tf.constant(3000), 0)) % 2**32 == plain % 2**32
    assert int(f(tf.constant(3000), tf.constant(0, tf.int64))) == plain


def doubled(n: Any) -> Any:
    result = 1.0
    for _ in range(n):
        result = result * 2.0
    return result


FUNCTIONS_OF_NUMBERS: list[Callable[[Any, Any], Any]] = [
    lambda n, x: x * round(doubled(n)),
    lambda n, x: x * round(doubled(n) / 3.0, 1),
    lambda n, x: x * math.sqrt(doubled(n)),
    lambda n, x: x * math.sqrt(x),
    lambda n, x: x * math.floor(doubled(n) / 3),
    lambda n, x: x + math.gcd(n, 6),
    lambda n, x: x * math.log(n, 2.0),
    lambda n, x: x * math.isfinite(doubled(n)),
    lambda n, x: x * math.fsum([doubled(n), 0.5]),
    lambda n, x: x * math.prod([doubled(n), 2]),
    lambda n, x: math.prod([x, 2]) * 2.0,
]


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64, tf.int8, tf.int32])
@pytest.mark.parametrize("function", FUNCTIONS_OF_NUMBERS)
def test_round_and_math_give_python_numbers(function: Callable[[Any, Any], Any], dtype: tf.DType) -> None:
    n, x = tf.constant(4), tf.constant(3, dtype)
    result, expected = tf.function(function)(n, x), function(n, x)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-3 if dtype == tf.float16 else 1e-6)
