"""Loops that Python unrolls into a graph warn after a few thousand turns, with the line; others do not."""  # L27

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from autograph.operators.control_flow import UnrolledLoopWarning

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
    "function, line", [(over_range, 1), (with_condition, 2), (comprehension, 1), (over_pairs, 1), (in_a_branch, 2)]
)
def test_it_warns_once_with_the_line(function: Any, line: int) -> None:
    found = caught(function)
    assert [(each.filename, each.lineno) for each in found] == [(__file__, function.__code__.co_firstlineno + line)]
    assert "is being unrolled" in str(found[0].message) and "tf.range" in str(found[0].message)


@pytest.mark.parametrize("function", [of_numbers, staged])
def test_loops_that_add_nothing_to_the_graph_do_not_warn(function: Any) -> None:
    assert caught(function) == []
