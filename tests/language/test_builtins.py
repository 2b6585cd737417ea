"""L18: built-in functions on tensors, where Python's numbers, iterables and errors are easily missed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python, assert_same, check
from .test_heap_regressions import equal_or_refused

NAN = math.nan


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """The value, or the exception as text."""
    try:
        return as_python(function(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def same_outcomes(function: Callable[..., Any], *inputs: tuple[Any, ...]) -> None:
    staged = tf.function(function)
    for values in inputs:
        assert_same(outcome(staged, *map(tf.constant, values)), outcome(function, *values))


@pytest.mark.parametrize("convert", [int, math.floor, math.ceil, math.trunc, round])
def test_floats_without_an_integer(convert: Callable[[Any], Any]) -> None:
    same_outcomes(lambda x: convert(x), (2.75,), (-2.75,), (NAN,), (math.inf,), (-math.inf,))


@pytest.mark.parametrize(("convert", "dtype"), [(int, "int32"), (math.floor, "int32"), (round, "int64")])
def test_floats_that_are_too_large(convert: Callable[[Any], Any], dtype: str) -> None:
    staged = tf.function(lambda x: convert(x))
    assert int(staged(tf.constant(-(2.0**31)))) == -(2**31)
    with pytest.raises(OverflowError, match=f"float too large to convert to {dtype}"):
        staged(tf.constant(1e30))
    assert int(staged(tf.constant(6.0, tf.float16))) == 6


def test_a_handler_of_what_int_raises_is_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        try:
            return int(x)
        except ValueError:
            return 0

    with pytest.raises(tf.errors.StagingError, match="ValueError"):
        f(tf.constant(1.5))


def test_extremes_pass_over_nan_as_python_does() -> None:
    def of_two(a: Any, b: Any) -> Any:
        return max(a, b), min(a, b), max([a, b, 0.0]), math.copysign(1.0, max(a, b))

    same_outcomes(of_two, (NAN, 1.0), (1.0, NAN), (0.0, -0.0), (-0.0, 0.0), (2.0, 3.0))

    def of_all(xs: Any) -> Any:
        return max(xs), min(xs), max(xs, default=5.0)

    staged = tf.function(of_all, input_signature=[tf.TensorSpec([None], tf.float64)])
    for xs in ([NAN, 1.0, 2.0], [1.0, NAN, 2.0], [3.0, 1.0]):
        assert_same(as_python(staged(np.array(xs))), of_all(xs))


def test_the_gradient_of_an_extreme() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = max(x, x * x) + min([x, 3.0 * x]) + max(tf.stack([x, 2.0 * x]))
        return tape.gradient(y, x)

    assert float(f(tf.constant(3.0))) == 6.0 + 1.0 + 2.0


def test_extremes_and_truth_of_rows_are_not_those_of_columns() -> None:
    for known in ([2, 2], None):
        for function in (max, min, any, all):
            with pytest.raises((ValueError, tf.errors.StagedValueError, tf.errors.InvalidArgumentError)):
                tf.function(lambda xs, f=function: f(xs), input_signature=[tf.TensorSpec(known, tf.int32)])(
                    tf.constant([[1, 2], [3, 4]])
                )


def test_sum_keeps_the_dtype_of_the_items() -> None:
    @tf.function
    def f(xs: Any) -> Any:
        return sum(xs), sum(xs, 1)

    for dtype in (tf.int32, tf.int64, tf.uint8, tf.float32):
        assert [each.dtype for each in f(tf.constant([1, 2], dtype))] == [dtype, dtype]


def test_items_of_ranges() -> None:
    same_outcomes(lambda i: range(2, 11, 3)[i], (0,), (2,), (-1,), (-3,), (3,), (-4,))
    same_outcomes(lambda n, i: range(n)[i], (5, 4), (5, -5), (5, 5), (5, -6), (0, 0))
    same_outcomes(lambda n: (range(n)[0], range(n)[-1], range(n)[2]), (5,), (2,))
    with pytest.raises(tf.errors.StagedValueError, match="slice of a range"):
        tf.function(lambda n: range(n)[1:3])(tf.constant(5))


def test_letters_of_strings() -> None:
    same_outcomes(lambda i: "abc"[i], (0,), (-1,))
    with pytest.raises(tf.errors.StagedValueError, match=r"round\(\) to a number of digits"):
        tf.function(lambda digits: round(2.5678, digits))(tf.constant(2))


def numbers(x: Any) -> Iterator[Any]:
    yield x
    yield x - 4
    yield 7


def test_generators_of_staged_values() -> None:
    check(lambda x: (max(numbers(x)), min(numbers(x), key=abs), sum(numbers(x))), 3, 9, -20)
    check(lambda x: (np.stack(sorted(numbers(x))), max(map(abs, [x, -9]))), 3, 9, -20)
    check(lambda x: (any(v > 3 for v in numbers(x)), all(v > 3 for v in numbers(x))), 3, 9, -20)


def test_a_loop_that_ends_for_certain_after_a_staged_break() -> None:
    def f(x: Any) -> Any:
        for value in numbers(x):
            x = x + 1
            if value == 7 or value > 5:
                break
        return x

    check(f, 3, 9, -20)


class Interval:
    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = low, high

    def __iter__(self) -> Iterator[Any]:
        yield self.low
        yield self.high

    def __divmod__(self, other: Any) -> Any:
        return (self.low, other) if self.low > other else (other, self.low)

    def __rdivmod__(self, other: Any) -> Any:
        return divmod(self, other)

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        power = self.low**other if self.low > 0 else other
        return power if modulo is None else power % modulo


def test_objects_of_users() -> None:
    check(lambda x: (max(Interval(x, 2)), min(Interval(x, 2)), max(Interval(x, 2), key=abs)), 3, -3)
    check(lambda x: (divmod(Interval(x, 2), 1), divmod(1, Interval(x, 2))), 3, -3)
    check(lambda x: (pow(Interval(x, 2), 2), pow(Interval(x, 2), 2, 5), pow(x, 2)), 3, -3)


def test_objects_that_are_iterable_are_compared_as_they_are() -> None:
    with pytest.raises(TypeError, match="'>' not supported between instances of 'Interval' and 'Interval'"):
        tf.function(lambda x: max(Interval(x, 2), Interval(2, x)))(tf.constant(3))


class Bag:
    """A list with a class around it."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def put(self, value: Any) -> Bag:
        if value > 0:
            self.values.append(value)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)


def test_iter_of_staged_values() -> None:
    def of_a_tensor(xs: Any) -> Any:
        total, values = 0, iter(xs)
        for value in values:
            total = total * 10 + value
        return total, sum(iter(xs)), max(iter(xs), default=7), iter(values) is values

    staged = tf.function(of_a_tensor, input_signature=[tf.TensorSpec([None], tf.int32)])
    for xs in ([3, 1], []):
        assert_same(as_python(staged(np.array(xs, np.int32))), of_a_tensor(np.array(xs, np.int32)))

    def of_a_list(n: Any) -> Any:
        bag, total = Bag().put(n).put(2).put(n - 1), 0
        for value in bag:
            total = total * 10 + value
        return total, sum(bag), [value + 1 for value in bag][0]

    check(of_a_list, 3, -2, 1)


def test_an_iterator_serves_one_loop() -> None:
    @tf.function
    def f(xs: Any) -> Any:
        total, values = 0, iter(xs)
        for value in values:
            total += value
        for value in values:
            total += value
        return total

    with pytest.raises(tf.errors.StagingError, match="for the second time"):
        f(tf.constant([1, 2]))


@pytest.mark.parametrize("use", [list, sum, max, lambda it: 3 in it, lambda it: [x + 1 for x in it]])
def test_an_iterator_over_a_list_that_the_run_knows_goes_on_in_the_loop_over_it(use: Callable[[Any], Any]) -> None:
    def f(n: Any) -> Any:
        a = [2, 3]
        if n > 0:
            a.append(3)
        it, found = iter(a), []
        for _ in it:
            found.append(use(it))
            break
        return found

    equal_or_refused(f, 0, 1)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e19])
def test_round_of_what_no_integer_holds_raises_with_and_without_a_graph(number: float) -> None:
    with pytest.raises((ValueError, OverflowError)) as expected:
        round(tf.constant(number))
    with pytest.raises((ValueError, OverflowError)) as raised:
        tf.function(lambda x: round(x))(tf.constant(number))
    assert raised.type is expected.type
    assert str(raised.value).split(";")[0] == str(expected.value).split(";")[0]


ZIPPED: dict[str, Callable[[Any, Any], Any]] = {
    "iter": lambda n, b: zip(iter(range(n)), b),
    "enumerate": lambda n, b: zip(enumerate(range(n)), b),
    "zip": lambda n, b: zip(zip(range(n), b), b),
    "reversed": lambda n, b: zip(reversed(range(n)), b),
    "nested": lambda n, b: enumerate(zip(enumerate(range(n)), iter(iter(range(n))))),
    "behind a map": lambda n, b: zip(map(lambda v: v + 1, range(n)), enumerate(range(n)), b),
    "a map inside": lambda n, b: zip(enumerate(map(lambda v: v + 1, range(n))), enumerate(range(n)), b),
    "chosen": lambda n, b: zip(iter(b if n else [7]), b),
}


@pytest.mark.parametrize("made", ZIPPED.values(), ids=ZIPPED)
def test_zip_has_parts_of_all_kinds_in_all_places(made: Callable[[Any, Any], Any]) -> None:
    def f(n: Any) -> Any:
        out = []
        for each in made(n, [4, 5, 6]):
            out.append(each)
        return out

    check(f, 0, 1, 2, 5)
