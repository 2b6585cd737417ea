"""Integers where they go wrong: NumPy's values, and NumPy's warnings at the user's line; floats stay silent."""

from __future__ import annotations

import inspect
import operator
import warnings
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

NUMBERS = [-(2**31), -7, -1, 0, 1, 3, 2**31 - 1]
PAIRS = np.array([(a, b) for a in NUMBERS for b in NUMBERS], np.int32)
DIVISIONS = [
    (operator.floordiv, np.floor_divide, "floor_divide"), (operator.mod, np.remainder, "remainder"),
    (tf.math.floordiv, np.floor_divide, "floor_divide"), (tf.math.floormod, np.remainder, "remainder"),
    (tf.truncatemod, np.fmod, "fmod"),
]  # fmt: skip


def traced(function: Any) -> Any:
    return tf.function(lambda x, y: function(x, y), autograph=False)


def caught(run: Any, *arguments: Any) -> tuple[Any, list[Any]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = run(*arguments)
    return result.numpy(), [(each.category, str(each.message)) for each in found]


@pytest.mark.parametrize("make", [lambda f: f, traced], ids=["eager", "staged"])
@pytest.mark.parametrize("function, reference, name", DIVISIONS)
def test_division_is_as_in_numpy(function: Any, reference: Any, name: str, make: Any) -> None:
    run = make(function)
    with np.errstate(all="ignore"):
        expected = reference(PAIRS[:, 0], PAIRS[:, 1])
    result, found = caught(run, PAIRS[:, 0], tf.constant(PAIRS[:, 1]))
    np.testing.assert_array_equal(result, expected)
    assert (RuntimeWarning, f"divide by zero encountered in {name}") in found
    for (a, b), wanted in zip(PAIRS, expected, strict=True):  # scalars take another way through plans
        result, found = caught(run, tf.constant(a), tf.constant(b))
        assert result == wanted and result.dtype == np.int32
        assert [text for _, text in found if "divide by zero" in text] == (
            [f"divide by zero encountered in {name}"] if b == 0 else []
        )


@pytest.mark.parametrize("kind", ["uint8", "int8", "uint64", "int64"])
def test_other_integers(kind: str) -> None:
    x, zero = tf.constant([5, 7], kind), tf.constant([0, 2], kind)
    result, found = caught(lambda: x // zero)
    assert result.tolist() == [0, 3] and result.dtype == kind and len(found) == 1
    assert caught(lambda: tf.truncatediv(x, zero)) == (pytest.approx([0, 3]), [
        (RuntimeWarning, "divide by zero encountered in truncatediv")])  # fmt: skip


def test_the_warning_names_the_users_line() -> None:
    def divide(x: Any, y: Any) -> Any:
        z = x + 1
        return z // y

    line = inspect.getsourcelines(divide)[1] + 2
    for run in (divide, tf.function(divide)):
        for x in (tf.constant(3), tf.constant([3, 4])):
            with pytest.warns(RuntimeWarning, match="divide by zero encountered in floor_divide") as found:
                run(x, tf.constant(0))
            assert [(each.filename, each.lineno) for each in found] == [(__file__, line)]


def test_a_loop_warns_once() -> None:
    @tf.function
    def loop(n: Any, y: Any) -> Any:
        total = 0
        for i in tf.range(n):
            total += i // y
        return total

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        assert loop(tf.constant(50), tf.constant(0)).numpy() == 0
    assert len(found) == 1


def test_a_warning_can_be_an_error() -> None:
    with warnings.catch_warnings(), pytest.raises(RuntimeWarning):
        warnings.simplefilter("error")
        traced(operator.floordiv)(tf.constant(1), tf.constant(0))


@pytest.mark.parametrize("make", [lambda f: f, traced], ids=["eager", "staged"])
def test_floats_are_silent(make: Any) -> None:
    x, y = tf.constant([1.0, -1.0, 0.0]), tf.constant([0.0, 0.0, 0.0])
    for function in (operator.truediv, operator.floordiv, operator.mod):
        with np.errstate(all="ignore"):
            expected = function(x.numpy(), y.numpy())
        result, found = caught(make(function), x, y)
        np.testing.assert_array_equal(result, expected)
        assert found == []


def test_a_known_divisor_costs_nothing() -> None:
    function = tf.function(lambda x: x // 2 % 5)
    assert "op_" not in function.get_concrete_function(tf.TensorSpec((), tf.int32)).plan_code()


@pytest.mark.parametrize("make", [lambda f: f, traced], ids=["eager", "staged"])
def test_powers_and_shifts(make: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="negative integer powers"):
        make(operator.pow)(tf.constant(2), tf.constant(-1))
    wrapped = np.array([3], np.int32) ** np.array([21], np.int32)
    assert make(operator.pow)(tf.constant(3), tf.constant(21)).numpy() == wrapped[0] < 3**21
    for x in (1, -8):
        for bits in (0, 3, 31, 32, 40):
            for function, reference in ((operator.lshift, np.left_shift), (operator.rshift, np.right_shift)):
                expected = reference(np.array([x], np.int32), np.array([bits], np.int32))
                assert make(function)(tf.constant([x]), tf.constant([bits])).numpy() == expected
                assert make(function)(tf.constant(x), tf.constant(bits)).numpy() == expected[0]


@pytest.mark.parametrize("target", ["int8", "int32", "int64", "uint8", "uint32", "uint64"])
def test_casts_of_what_fits_no_integer_warn(target: str) -> None:
    for bad in (np.nan, np.inf, -np.inf):
        _, found = caught(lambda: tf.cast(tf.constant([1.0, bad]), target))
        assert (RuntimeWarning, "invalid value encountered in cast") in found
    cast = tf.function(lambda x: tf.cast(x, target))
    result, found = caught(cast, tf.constant([1.9, 100.0, 0.0]))
    assert result.tolist() == [1, 100, 0] and found == []


def test_casts_to_unsigned_wrap() -> None:
    values = tf.constant([-1.0, 2.0**63, 5.0], tf.float64)
    result, found = caught(lambda: tf.cast(values, tf.uint64))
    assert result.tolist() == [2**64 - 1, 2**63, 5] and found == []
