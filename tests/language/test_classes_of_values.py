"""A number, string or array that only a run knows answers as the value of its class that Python has, or is refused."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Colour(enum.StrEnum):
    RED = "r"
    BLUE = "b"


class Metres(float):
    def __str__(self) -> str:
        return f"{float(self)} m"


NEAR, FAR = Metres(1.0), Metres(2.0)


def as_bytes(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(as_bytes, value))
    return value.encode() if isinstance(value, str) else value


def check(function: Callable[..., Any]) -> None:
    """The staged function gives what the plain one does, in all runs of one graph."""
    staged = tf.function(function)
    for n in (1, 2, 3):
        expected, found = function(n), as_python(staged(tf.constant(n)))
        expected = expected if isinstance(expected, tuple) else (expected,)
        found = found if isinstance(found, tuple) else (found,)
        assert len(expected) == len(found)
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(as_bytes(one), as_bytes(other))


# Numbers and strings of classes of their own.


def chosen_member(n: Any) -> Any:
    return (Level.LOW if n > 1 else Level.HIGH).name


def member_of_a_variable(n: Any) -> Any:
    colour = Colour.RED
    if n > 1:
        colour = Colour.BLUE
    return colour.name


def member_or_number(n: Any) -> Any:
    level = 1
    if n > 1:
        level = Level.HIGH
    return isinstance(level, Level)


def member_of_a_loop(n: Any) -> Any:
    level = Level.LOW
    for _ in range(n):
        level = Level.HIGH
    return level is Level.LOW


def number_of_a_loop(n: Any) -> Any:
    distance = NEAR
    while n > 0:
        n -= 1
        distance = FAR
    return str(distance)


def member_of_an_object(n: Any) -> Any:
    held = {"level": Level.LOW}
    if n > 1:
        held["level"] = Level.HIGH
    return held["level"].name


def member_in_a_list(n: Any) -> Any:
    return [Level.LOW, Level.HIGH][n - 1].name


def member_in_a_dict(n: Any) -> Any:
    return {1: Colour.RED, 2: Colour.BLUE}[n].name


def member_by_key(n: Any) -> Any:
    return max([Level.LOW, Level.HIGH], key=lambda level: level * n).name


def first_member(n: Any) -> Any:
    return next(level for level in Level if level == n).name


def chosen_bytes(n: Any) -> Any:
    return (b"a" if n > 1 else b"bc")[0]


def bytes_or_text(n: Any) -> Any:
    text = "a"
    if n > 1:
        text = b"a"
    return text == "a"


def bytes_of_a_loop(n: Any) -> Any:
    made = b""
    for _ in range(n):
        made += b"x"
    return made[0]


def bytes_in_a_list(n: Any) -> Any:
    return [b"ab", b"cd"][n - 1][0]


@pytest.mark.parametrize(
    "function",
    [
        chosen_member, member_of_a_variable, member_or_number, member_of_a_loop, number_of_a_loop,
        member_of_an_object, member_in_a_list, member_in_a_dict, member_by_key, first_member, chosen_bytes,
        bytes_or_text, bytes_of_a_loop, bytes_in_a_list,
    ],
)  # fmt: skip
def test_choosing_among_values_of_such_classes_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.StagingError, match="can't be merged|differ|changes what"):
        tf.function(function)(tf.constant(2))


def member_without_a_choice(n: Any) -> Any:
    level = Level.LOW
    for _ in range(n):
        level = Level.LOW
    if n > 1:
        level = Level.LOW
    return level.name, isinstance(level, Level), level is Level.LOW, max(Level.LOW, Level.HIGH).name


def members_in_arithmetic(n: Any) -> Any:
    return n + Level.HIGH, n == Level.HIGH, n * Metres(2.0), sum([Level.LOW, n]), max(n, Level.HIGH)


def members_one_by_one(n: Any) -> Any:
    for level in Level:
        if level == n:
            return level.name
    return "none"


def members_in_a_list(n: Any) -> Any:
    levels = []
    for _ in range(n):
        levels.append(Level.HIGH)
    return levels[0].name, len(levels)


def plain_values(n: Any) -> Any:
    level = Level.LOW.value
    if n > 1:
        level = Level.HIGH.value
    return level, level == Level.HIGH


@pytest.mark.parametrize(
    "function",
    [member_without_a_choice, members_in_arithmetic, members_one_by_one, members_in_a_list, plain_values],
)
def test_such_values_without_a_choice(function: Callable[..., Any]) -> None:
    check(function)


# Attributes.


def of_a_number(n: Any) -> Any:
    number = 1.5 if n > 1 else 2.5
    try:
        return number.shape
    except AttributeError:
        return "none"


def asked_of_a_number(n: Any) -> Any:
    count, text = 0, "a" if n > 1 else "b"
    for i in range(n):
        count += i
    names = ("shape", "dtype", "name", "op", "numpy", "real", "imag", "upper", "__array__")
    answers = tuple(hasattr(value, name) for value in (count, text, not n > 1) for name in names)
    return *answers, getattr(count, "graph", 5), count.__class__ is int, count.real, text.upper()


def asked_of_an_array(n: Any) -> Any:
    values = np.arange(3.0) if n > 1 else np.arange(4.0)
    names = ("op", "name", "numpy", "get_shape", "shape", "T", "sum")
    return *(hasattr(values, name) for name in names), values.dtype.itemsize, values.dtype == np.float64, values.device


def of_a_tensor(n: Any) -> Any:
    number = tf.convert_to_tensor(1.5 if n > 1 else 2.5)
    total = tf.reduce_sum([n, n])
    for i in tf.range(n):
        total = total + i
    flag = n * tf.constant(1) > 1
    return tuple(hasattr(each, "shape") and each.dtype.name for each in (number, total, flag))


@pytest.mark.parametrize("function", [of_a_number, asked_of_a_number, asked_of_an_array, of_a_tensor])
def test_attributes(function: Callable[..., Any]) -> None:
    check(function)


def no_tensors(n: Any) -> Any:
    values = 1.5 if n > 1 else 2.5, "a" if n > 1 else "b", np.arange(3.0) if n > 1 else np.arange(4.0), str(n)
    return tuple(isinstance(each, tf.Tensor) or tf.is_tensor(each) for each in values)


def in_a_pattern(n: Any) -> Any:
    match 1.5 if n > 1 else 2.5:
        case object(shape=_):
            return 0.0
        case float(real=real):
            return real
    return 1.0


@pytest.mark.parametrize("function", [no_tensors, in_a_pattern])
def test_no_tensor_is_seen(function: Callable[..., Any]) -> None:
    check(function)


# Shapes of arrays.


def either(n: Any) -> Any:
    return np.arange(3.0) if n > 1 else np.arange(4.0)


def dimensions(n: Any) -> Any:
    values = either(n)
    (length,) = values.shape
    return values.shape[0], length, values.size, values.ndim, len(values.shape), values.shape[-1], values.nbytes


def compared(n: Any) -> Any:
    values = either(n)
    return values.shape == (3,), values.shape != (3,), values.shape == either(n).shape, values.shape[0] == 4


def as_a_class(n: Any) -> Any:
    shape = either(n).shape
    return isinstance(shape, tuple), isinstance(shape[0], int), str(shape)


def loops(n: Any) -> Any:
    table = np.ones((2, 3)) if n > 1 else np.ones((4, 3))
    rows, columns = table.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += table[i, j] * i
    return total, rows * columns


def of_views(n: Any) -> Any:
    values = either(n)
    return values[1:].shape[0], (values + 1).shape[0], values[:, None].shape[0], values.reshape(values.shape[0], 1)


def of_any_rank(n: Any) -> Any:
    values = np.arange(6).reshape(2, 3) if n > 1 else np.arange(4)
    return values.ndim, len(values.shape), values.shape[0], values.size, values.shape == (4,), values.shape == (2, 3)


@pytest.mark.parametrize("function", [dimensions, compared, as_a_class, loops, of_views, of_any_rank])
def test_shapes_that_only_the_run_knows(function: Callable[..., Any]) -> None:
    check(function)


# The classes of NumPy's numbers.


def classes(value: Any) -> Any:
    kinds = (float, int, np.floating, np.integer, np.float64, np.generic, np.ndarray)
    return *(isinstance(value, kind) for kind in kinds), type(value).__name__, value.__class__.__name__


def chosen_float(n: Any) -> Any:
    return classes(np.float64(1.5) if n > 1 else np.float64(2.5))


def chosen_int(n: Any) -> Any:
    return classes(np.int32(1) if n > 1 else np.int32(2))


def chosen_bool(n: Any) -> Any:
    value = np.bool_(True) if n > 1 else np.bool_(False)
    return *classes(value), ~value


def computed(n: Any) -> Any:
    value = np.float64(1.5) if n > 1 else np.float64(2.5)
    return *classes(np.sqrt(value)), *classes(value + 1), *classes(2 * value), *classes(-value)


def of_an_array(n: Any) -> Any:
    values = either(n)
    values[0] = 7.0
    return tuple(map(classes, (values, values[0], values.sum(), np.max(values), values @ values)))


def of_an_array_that_changes(n: Any) -> Any:
    values = np.zeros(3)
    if n > 1:
        values[0] = n
    return tuple(map(classes, (values, values[0], values.sum(), values + 1, values.max() * 2)))


def one_by_one(n: Any) -> Any:
    total = np.float64(0)
    for value in either(n):
        if isinstance(value, float):
            total += value
    return *classes(total), total


def of_text(n: Any) -> Any:
    word = np.array(["ab", "c", "d"])[n - 1]
    return isinstance(word, str), isinstance(word, np.str_), word.upper(), hasattr(word, "shape")


def matched(n: Any) -> Any:
    match np.float64(1.5) if n > 1 else np.float64(2.5):
        case float():
            return "float"
    return "other"


def as_pythons(n: Any) -> Any:
    value = np.float64(1.5) if n > 1 else np.float64(2.5)
    return *classes(value.item()), *classes(float(value)), *classes(either(n)[0].tolist())


@pytest.mark.parametrize(
    "function",
    [chosen_float, chosen_int, chosen_bool, computed, of_an_array, of_an_array_that_changes, one_by_one, of_text,
     matched, as_pythons],
)  # fmt: skip
def test_classes_of_numbers_of_numpy(function: Callable[..., Any]) -> None:
    check(function)


@pytest.mark.parametrize(
    ("ask", "make"),
    [
        (lambda value: isinstance(value, float), lambda n: np.array(1.5) if n > 1 else np.array(2.5)),
        (lambda value: type(value).__name__, lambda n: np.array(1.5) if n > 1 else np.array(2.5)),
        (lambda value: isinstance(value, int), lambda n: np.int64(1) if n > 1 else 2),
        (lambda value: isinstance(value, np.floating), lambda n: 1.5 if n > 1 else np.float64(2.5)),
    ],
)
def test_what_may_be_of_several_classes(ask: Callable[[Any], Any], make: Callable[[Any], Any]) -> None:
    def function(n: Any) -> Any:
        return ask(make(n))

    with pytest.raises(tf.errors.StagedValueError, match="is asked whether a value is an array, or a number"):
        tf.function(function)(tf.constant(1))
