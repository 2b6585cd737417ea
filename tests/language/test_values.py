"""L01, L08, L11, L17, L18: what staged values are equal to, are instances of, are, and look like."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import check


def test_staged_lists_compare_like_lists() -> None:
    def f(n):
        values = []
        for i in range(n):
            values.append(i)
        return (
            values == [0, 1, 2],
            values == [0, 1],
            values == [0, 1, 5],
            values == [],
            values != [0, 1, 2],
            [0, 1, 2] == values,
            values == "a",
        )

    check(f, 3, 0, 2)


def test_staged_lists_are_lists() -> None:
    def f(n):
        values = []
        while n > 0:
            values.append(n)
            n -= 1
        return isinstance(values, list), isinstance(values, tuple), isinstance(values, (int, list))

    check(f, 3, 0)


def test_what_may_be_none_is_an_instance_of_its_type_when_it_is() -> None:
    def f(x):
        found = None
        if x > 0:
            found = x
        return isinstance(found, type(None)), isinstance(found, (str, type(None))), isinstance(found, str)

    check(f, 1, -1)


@pytest.mark.parametrize("literal", [True, False])
def test_identity_of_a_staged_bool_is_refused(literal: bool) -> None:
    def f(x):
        flag = True
        if x > 0:
            flag = False
        return flag is literal

    with pytest.raises(tf.errors.StagedValueError, match=f"is {literal}"):
        tf.function(f)(tf.constant(1))


def test_numbers_are_in_mixed_containers() -> None:
    def f(x):
        return x in [1, "a", None, 2], x not in (1, "b"), "a" in ["a", x], "b" in ["a", x], None in [x, None]

    check(f, 1, 2, 9)


@pytest.mark.parametrize("number", [0.1, 2.5, 1e20, -3.0, 1e-7, 16777216.0, float("inf")])
def test_str_of_a_float32_is_that_of_the_number_it_was_made_of(number: float) -> None:
    def f(x):
        return str(x), repr(x), f"{x!r}", f"{x!s:>12}", "{:e}".format(x)  # noqa: UP032

    check(f, number)
    assert tf.function(f)(tf.constant(np.float64(0.1)))[0].numpy() == b"0.1"


def test_lists_of_two_kinds_are_not_equal() -> None:
    def f(x: Any) -> Any:
        values = ["a"]
        if x > 0:
            values.append("b")
        return values == ["a", "b"], values == ["a"], values == ["c"]

    check(f, 1, -1)
