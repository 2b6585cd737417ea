"""What a staged body makes is its own affair: objects that Python, its libraries and traced functions give anew."""

from __future__ import annotations

import collections
import copy
import dataclasses
import heapq
import itertools
import json
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python, check


class Point:
    def __init__(self) -> None:
        self.x: Any = 0
        self.values: list[Any] = [1]


@dataclasses.dataclass
class Pair:
    x: Any = 0
    values: list[Any] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Held:
    pair: Pair

    def __deepcopy__(self, memo: Any) -> Held:
        return self


POINT, PAIR, NUMBERS = Point(), Pair(), [3, 1, 2]
HELD = Held(Pair())


def functions(n: Any) -> Any:
    total = n
    for i in range(n):

        def inner() -> Any:
            return 2

        inner.x = i  # type: ignore[attr-defined]
        total += inner() + inner.x  # type: ignore[attr-defined]
    return total


def classes(n: Any) -> Any:
    total = n
    for i in range(n):

        class Inner:
            x = 0

        Inner.x = i
        made: Any = type("Made", (), {"x": 1})()
        made.x += i
        total += Inner().x + made.x
    return total


def copies(n: Any) -> Any:
    total = n
    for i in range(n):
        one, other, values = copy.copy(POINT), copy.deepcopy(POINT), copy.copy(NUMBERS)
        one.x = i
        other.values.append(i)
        values[0] = i
        total += one.x + other.values[1] + values[0]
    return total, POINT.x, POINT.values, NUMBERS


def by_other_ways(n: Any) -> Any:
    total = n
    for i in range(n):
        table = dict.fromkeys("ab", 0)
        table["a"] = i
        made = Point.__new__(Point)
        made.x = i
        other = object.__new__(Point)
        other.x = i + 1
        space = types.SimpleNamespace(x=0)
        space.x = i
        total += table["a"] + made.x + other.x + space.x
    return total


def libraries(n: Any) -> Any:
    total = n
    for i in range(n):
        nested = json.loads("[[1], 2]")
        nested[0].append(i)
        largest = heapq.nlargest(2, NUMBERS)
        largest.append(i)
        pair = dataclasses.replace(PAIR, values=[i])
        pair.x = i
        pair.values.append(1)
        words = "a b".split()
        words[0] = "c"
        rows = np.array([[1, 2], [3, 4]]).tolist()
        rows[1][0] = i
        for row in map(list, itertools.product([1], [2])):
            row[0] = i
            total += row[0]
        total += nested[0][1] + largest[2] + pair.x + rows[1][0] + len(words[0])
    return total, NUMBERS, PAIR.x


def made_up_items(n: Any) -> Any:
    total = n
    for i in range(n):
        lists: Any = collections.defaultdict(list)
        lists["a"].append(i)
        points: Any = collections.defaultdict(Point)
        points["a"].x = i
        total += lists["a"][0] + points["a"].x
    return total


@tf.function
def traced(x: Any) -> Any:
    return {"a": [x, x + 1]}


def results_of_graphs(n: Any) -> Any:
    total = n
    for i in range(n):
        table = traced(i)
        table["a"].append(3)
        table["b"] = i
        total = total + table["a"][0] + table["b"] + len(table["a"])
    return total


def in_branches(n: Any) -> Any:
    x: Any = 0
    if n > 2:

        def inner() -> Any:
            return inner.x  # type: ignore[attr-defined]

        inner.x = n  # type: ignore[attr-defined]
        pair = dataclasses.replace(PAIR, x=n)
        pair.x += 1
        x = inner() + pair.x
    return x


def recursion(n: Any) -> Any:
    if n <= 0:
        return [[n], 1]
    values = recursion(n - 1)
    values[0].append(n)
    values.append(2)
    return [[len(values)], 1]


@pytest.mark.parametrize(
    "function",
    [functions, classes, copies, by_other_ways, libraries, made_up_items, in_branches, recursion],
)
def test_what_is_made_is_no_change_of_what_is_older(function: Callable[..., Any]) -> None:
    check(function, 3, 1, 0)


def test_results_of_traced_functions_are_new() -> None:
    staged = tf.function(results_of_graphs)
    assert [as_python(staged(tf.constant(n))) for n in (3, 1, 0)] == [3 + 3 + 3 + 9, 1 + 3, 0]


def test_a_copy_that_its_class_makes_may_be_the_object_itself() -> None:
    def set_in_copy(n: Any) -> Any:
        if n > 0:
            copy.deepcopy(HELD).pair.x = n
        return HELD.pair.x

    staged = tf.function(set_in_copy)
    for n in (1, 3, -2):
        HELD.pair.x = 0
        expected = set_in_copy(n)
        HELD.pair.x = 0
        assert as_python(staged(tf.constant(n))) == expected == as_python(HELD.pair.x)
    HELD.pair.x = 0


@tf.autograph.experimental.do_not_convert
def unconverted() -> Any:
    return Point()


def test_what_unconverted_code_gives_may_be_older() -> None:
    def set_in_a_loop(n: Any) -> Any:
        total = n
        for i in range(n):
            point = unconverted()
            point.x = i
            total += point.x
        return total

    with pytest.raises(tf.errors.BranchMismatchError, match=r"P?oint\.x.*\n.*\n.*\n?.*copy\.deepcopy"):
        tf.function(set_in_a_loop)(tf.constant(3))

    def set_in_copies(n: Any) -> Any:
        total = n
        for i in range(n):
            point = copy.deepcopy(unconverted())
            point.x = i
            total += point.x
        return total

    check(set_in_copies, 3, 0)


def test_copies_of_what_refers_to_itself() -> None:
    def of_an_object(n):
        parent, child = Point(), Point()
        parent.child, child.parent = child, parent
        made = copy.deepcopy(parent)
        if n > 2:
            made.x = n
        else:
            made.x = 0
        return made.child.parent.x, parent.x

    def of_a_list(n):
        values = [1]
        values.append(values)
        made = copy.deepcopy(values)
        made.append(n)
        return len(made), len(made[1]), len(values)

    for function in (of_an_object, of_a_list):
        check(function, 1, 5)
