"""A name that a function binds anywhere is its own everywhere in it, also where a global variable has that name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

each = 7


def before_a_loop(n: Any) -> Any:
    found = each
    for each in range(n):
        pass
    return found


def before_a_while(n: Any) -> Any:
    found = [each]
    while n > 3:
        each = n
        n = n - 1
    return found


def before_a_branch(n: Any) -> Any:
    found = f"{each}"
    if n > 2:
        each = 3
    return found


def before_a_match(n: Any) -> Any:
    found = each + n
    match n:
        case each:
            pass
    return found


def in_a_condition(n: Any) -> Any:
    if each > 3:
        each = n
    return n


def in_an_inner_function(n: Any) -> Any:
    def found() -> Any:
        return each

    result = found()
    for each in range(n):
        pass
    return result


def as_an_object(n: Any) -> Any:
    each.x = n
    for each in range(n):
        pass
    return n


def in_a_generator(n: Any) -> Any:
    def found() -> Any:
        yield each
        for each in range(n):
            pass

    return list(found())


def after_its_deletion(n: Any) -> Any:
    each = 3
    del each
    found = each
    if n > 2:
        each = n
    return found


def instead_of_a_builtin(n: Any) -> Any:
    largest = max(n, 2)
    for max in range(n):
        pass
    return largest


@pytest.mark.parametrize(
    "function",
    [
        before_a_loop, before_a_while, before_a_branch, before_a_match, in_a_condition, in_an_inner_function,
        as_an_object, in_a_generator, after_its_deletion, instead_of_a_builtin,
    ],
)  # fmt: skip
def test_a_variable_without_a_value_is_not_the_global_one(function: Callable[[Any], Any]) -> None:
    with pytest.raises(NameError, match="where it is not associated with a value"):
        function(2)
    with pytest.raises(NameError, match="where it is not associated with a value"):
        tf.function(function)(tf.constant(2))


def test_handlers_see_that_a_variable_has_no_value() -> None:
    def caught(n: Any) -> Any:
        try:
            found = each
        except UnboundLocalError:
            return -1
        for each in range(n):
            pass
        return found

    assert int(tf.function(caught)(tf.constant(2))) == caught(2)
