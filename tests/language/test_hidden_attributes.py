"""What objects hold besides their own attributes (a function's defaults, an exception's arguments, the class of an
object) and a staged branch or loop sets: no graph can choose it, so it is refused, by name."""

from __future__ import annotations

import ctypes
import datetime
import decimal
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from autograph.errors import MutationError


def defaults(n: Any) -> Any:
    def found(value: int = 1) -> Any:
        return value

    if n > 1:
        found.__defaults__ = (7,)
    return found()


def defaults_in_a_loop(n: Any) -> Any:
    def found(value: int = 1) -> Any:
        return value

    for _ in range(n):
        found.__defaults__ = (found() + 1,)
    return found()


def defaults_by_keyword(n: Any) -> Any:
    def found(*, value: int = 1) -> Any:
        return value

    if n > 1:
        found.__kwdefaults__ = {"value": 7}
    return found()


def code(n: Any) -> Any:
    def found() -> Any:
        return 1

    def other() -> Any:
        return 2

    if n > 1:
        found.__code__ = other.__code__
    return found()


def by_a_builtin(n: Any) -> Any:
    def found(value: int = 1) -> Any:
        return value

    if n > 1:
        setattr(found, "__defaults__", (7,))
    return found()


def of_a_method(n: Any) -> Any:
    class Holder:
        def found(self, value: int = 1) -> Any:
            return value

    if n > 1:
        Holder.found.__defaults__ = (7,)
    return Holder().found()


def arguments_of_an_exception(n: Any) -> Any:
    error = ValueError(1)
    if n > 1:
        error.args = (1, 2)
    return len(error.args)


def class_of_an_object(n: Any) -> Any:
    class One:
        def found(self) -> int:
            return 1

    class Two:
        def found(self) -> int:
            return 2

    made: Any = One()
    if n > 1:
        made.__class__ = Two
    return made.found()


def bases_of_a_class(n: Any) -> Any:
    class One:
        def found(self) -> int:
            return 1

    class Two:
        def found(self) -> int:
            return 2

    class Derived(One):
        pass

    if n > 1:
        Derived.__bases__ = (Two,)
    return Derived().found()


def memory_of_another_language(n: Any) -> Any:
    number = ctypes.c_int(1)
    if n > 1:
        number.value = 2
    return number.value


@pytest.mark.parametrize(
    "function",
    [
        defaults, defaults_in_a_loop, defaults_by_keyword, code, by_a_builtin, of_a_method, arguments_of_an_exception,
        class_of_an_object, bases_of_a_class, memory_of_another_language,
    ],
)  # fmt: skip
def test_hidden_attributes_that_staged_code_sets_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(MutationError, match="is changed in a staged branch or loop"):
        tf.function(function)(tf.constant(1))


def test_hidden_attributes_may_be_set_where_nothing_is_staged() -> None:
    def found(value: int = 1) -> int:
        return value

    def set_in_a_trace(n: Any) -> Any:
        found.__defaults__ = (7,)
        return found() + n

    def set_in_the_branch_that_makes_it(n: Any) -> Any:
        result = 1
        if n > 1:

            def made(value: int = 1) -> int:
                return value

            made.__defaults__ = (7,)
            result = made()
        return result

    for function in (set_in_a_trace, set_in_the_branch_that_makes_it):
        assert [int(tf.function(function)(tf.constant(n))) for n in (0, 2)] == [function(0), function(2)]


def test_what_a_class_in_c_computes_is_no_change() -> None:
    class Day(datetime.date):
        pass

    class Number(decimal.Decimal):
        pass

    def changed(n: Any) -> Any:
        day: Any = Day(2000, 1, 1)
        number: Any = Number(3)
        memory: Any = ctypes.c_int(100_000)
        day.count = number.count = memory.count = 1
        if n > 1:
            day.count = n
            number.count = n + 1
            memory.count = n + 2
        return day.count + number.count + memory.count

    assert [int(tf.function(changed)(tf.constant(n))) for n in (0, 2)] == [3, 9]


def test_a_refused_change_is_taken_back() -> None:
    def found(value: int = 1) -> int:
        return value

    def changed(n: Any) -> Any:
        if n > 1:
            found.__defaults__ = (7,)
        return found()

    with pytest.raises(MutationError):
        tf.function(changed)(tf.constant(1))
    assert found() == 1
