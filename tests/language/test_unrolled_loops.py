"""Loops that Python unrolls into a graph warn after a few thousand turns, with the line; others do not."""  # L27

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from autograph.operators import unrolling
from autograph.operators.unrolling import UnrolledLoopWarning

TURNS = 3500


def over_range(x: Any) -> Any:
    for _ in range(TURNS):
        x = x + 1
    return x


def with_condition(x: Any) -> Any:
    i = 0
    while i < TURNS:
        x = x + 1
        i += 1
    return x


def comprehension(x: Any) -> Any:
    return [x + i for i in range(TURNS)][-1] + 1


def over_pairs(x: Any) -> Any:
    for i, _ in enumerate([0] * TURNS):
        x = x + i - i + 1
    return x


def in_a_branch(x: Any) -> Any:
    if x < 5:
        for _ in range(TURNS):
            x = x + 1
    return x


def nested(x: Any) -> Any:
    for i in range(TURNS // 50):
        for j in range(50):
            x = x + i - i + j - j + 1
    return x


def generator(x: Any) -> Any:
    return sum(x + i - i for i in range(TURNS)) + TURNS


def chosen_generator(x: Any) -> Any:
    return sum(x + i for i in range(TURNS) if x + i > 0) // (TURNS - 1) * 2


def of_helper(x: Any) -> Any:
    for _ in range(TURNS // 10):
        x = ten_times(x)
    return x


def ten_times(x: Any) -> Any:
    for _ in range(10):
        x = x + 1
    return x


def of_numbers(x: Any) -> Any:
    total = 0
    for _ in range(TURNS):
        total += 1
    return x + total


def staged(x: Any) -> Any:
    for _ in tf.range(TURNS):
        x = x + 1
    return x


def caught(function: Callable[..., Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert int(tf.function(function)(tf.constant(0))) == TURNS
    return [each for each in found if each.category is UnrolledLoopWarning]


@pytest.mark.parametrize(
    "function, line",
    [
        (over_range, 1),
        (with_condition, 2),
        (comprehension, 1),
        (over_pairs, 1),
        (in_a_branch, 2),
        (nested, 2),
        (generator, 1),
        (chosen_generator, 1),
    ],
)
def test_it_warns_once_with_the_line(function: Any, line: int) -> None:
    found = caught(function)
    assert [(each.filename, each.lineno) for each in found] == [(__file__, function.__code__.co_firstlineno + line)]
    assert "is being unrolled" in str(found[0].message) and "tf.range" in str(found[0].message)


def test_the_turns_of_a_helper_add_up() -> None:
    assert [each.lineno for each in caught(of_helper)] == [ten_times.__code__.co_firstlineno + 1]


def test_turns_of_several_traces_do_not_add_up() -> None:
    def f(x: Any) -> Any:
        for _ in range(TURNS // 2):
            x = x + 1
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error", UnrolledLoopWarning)
        traced = tf.function(f)
        for x in (0, 0.0, [0]):
            traced(tf.constant(x))
    assert traced.experimental_get_tracing_count() == 3


@pytest.mark.parametrize("function", [of_numbers, staged])
def test_loops_that_add_nothing_to_the_graph_do_not_warn(function: Any) -> None:
    assert caught(function) == []


def test_a_loop_without_an_end_in_a_branch_that_no_run_takes_is_refused(monkeypatch):
    monkeypatch.setattr(unrolling, "MOST_TURNS", 1000)

    def f(n):
        s = 0
        if n > 100:
            while s < 2:
                s = 0
        return s

    with pytest.raises(tf.errors.StagingError, match="1000 turns of Python while it is traced, and may have no end"):
        tf.function(f)(tf.constant(1))


def test_a_loop_that_unrolls_without_an_end_is_refused(monkeypatch):
    monkeypatch.setattr(unrolling, "MOST_UNROLLED", 200)

    def f(n):
        i = 0
        while True:
            i += 1
            if i > n:
                raise ValueError("too far")

    with pytest.raises(tf.errors.StagingError, match=r"\d+ turns of Python while it is traced, and may have no end"):
        tf.function(f)(tf.constant(3))


class Items:
    def __init__(self, first):
        self.first = first

    def __getitem__(self, index):
        return self.first + index


class Turns(Items):
    def __iter__(self):
        return self

    def __next__(self):
        return self.first + 1


@pytest.mark.parametrize("made", [Items, Turns])
@pytest.mark.parametrize("use", [list, sum, lambda values: [each for each in values]])
def test_an_object_without_an_end_in_a_branch_that_no_run_takes_is_refused(made, use, monkeypatch):
    monkeypatch.setattr(unrolling, "MOST_UNROLLED", 200)

    def f(n):
        if n > 100:
            use(made(n))
        return n

    with pytest.raises(tf.errors.StagingError, match=r"\d+ turns of Python while it is traced, and may have no end"):
        tf.function(f)(tf.constant(3))
