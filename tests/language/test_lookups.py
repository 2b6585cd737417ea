"""Items of Python dicts under staged keys, staged slices of tuples, and `test and value or other`."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from autograph.errors import BranchMismatchError, StagedValueError

from .support import check

INPUTS = -1, 0, 1, 2, 3, 5


def numbers(n: Any) -> Any:
    table = {-1: 9, 0: 10, 1: n * 2, 2: 3, 3: 2.5, "a": 5, 5: 1}
    return table[n]


def with_default(n: Any) -> Any:
    table = {1: 10, 2.0: 20, "a": 5, None: 7}
    missing = table.get(n)
    return -1 if missing is None else missing, table.get(n, -1), table.get(n + 1, 0), {}.get(n, 3), table.get("a")


def text_keys(n: Any) -> Any:
    key = "a" if n > 2 else "b"
    table = {"a": 1, "b": 2, 3: 4}
    return table[key], table.get(key + "!", 0), {"a": "x", "b": "y"}[key]


def parts(n: Any) -> Any:
    table = {True: (n, 2.5), False: (3, n * 0.5)}
    first, second = table[n > 1]
    return first, second


def functions(n: Any) -> Any:
    table = {0: abs, 1: lambda x: x + 5}
    return table[n % 2](n), table.get(n, abs)(n)


def in_a_loop(n: Any) -> Any:
    state, following = 0, {0: 1, 1: 2, 2: 0}
    for _ in range(n):
        state = following[state]
    return state


def optional(n: Any) -> Any:
    found = collections.OrderedDict({-1: None, 0: 1, 1: None, 2: 3, 3: 4, 5: None})[n]
    return 0 if found is None else found


def slices_of_tuples(n: Any) -> Any:
    values = (1, 2, 3, 4, 5)
    return values[n // 2 :], values[:n], len(values[n:]), values[n:] + (6,)


def and_or(n: Any) -> Any:
    name = "abc"
    return (
        (n > 2 and "big") or "small", (n > 2 and "big") or (n > 0 and "mid") or "small", (n and "x") or "y",
        (len(name) > n and name) or "none", (n > 2 and "") or "empty", not (n > 2 and "big"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "function",
    [
        numbers, with_default, text_keys, parts, functions, in_a_loop, optional, slices_of_tuples, and_or,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_as_in_python(function: Callable[..., Any]) -> None:
    check(function, *INPUTS)


@pytest.mark.parametrize("table", [{1: 10, 2: 20}, {}, {"a": 1}])
def test_a_missing_key_is_a_key_error_at_run_time(table: dict[Any, int]) -> None:
    def f(n: Any) -> Any:
        return table[n]

    staged = tf.function(f)
    if 1 in table:
        assert int(staged(tf.constant(1))) == 10
    for function, key in ((f, 3), (staged, tf.constant(3))):
        with pytest.raises(KeyError):
            function(key)


def of_lists(n: Any) -> Any:
    return {1: [1, 2], 2: [3]}[n]


def of_other_kinds(n: Any) -> Any:
    return {1: "a", 2: 3}[n]


def with_a_factory(n: Any) -> Any:
    return collections.defaultdict(int, {1: 5})[n]


def stored(n: Any) -> Any:
    table = {1: 10}
    table[n] = 5
    return table[1]


@pytest.mark.parametrize("function", [of_lists, of_other_kinds, with_a_factory, stored])
def test_what_a_graph_cannot_look_up_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.StagingError) as caught:
        tf.function(function)(tf.constant(1))
    assert caught.value.remedy


def test_values_of_and_that_have_no_type_in_common_are_refused() -> None:
    with pytest.raises(BranchMismatchError, match="'big' in one branch"):
        tf.function(lambda n: n > 2 and "big")(tf.constant(1))
    with pytest.raises(StagedValueError, match="a staged key chooses"):
        tf.function(of_lists)(tf.constant(1))
