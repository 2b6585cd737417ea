"""L01: comparisons of structures with tensors in them, and `and`, `or` of values that have no type in common."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from autograph.errors import BranchMismatchError

from .support import check

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass(order=True)
class Point:
    x: Any
    y: Any = 0


@dataclasses.dataclass
class Other:
    x: Any
    y: Any = 0


@dataclasses.dataclass(eq=False)
class ByIdentity:
    x: Any


@dataclasses.dataclass
class Tagged:
    x: Any
    tag: Any = dataclasses.field(default=0, compare=False)


class Number:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value


def equal_tuples_and_lists(x):
    return (x,) == (3,), [x] == (x,), [x, x] == [x], () != (x,), [[x, 1], (2, x)] == [[3, 1], (2, 3)], [x, 2] != [3, 2]


def equal_dicts(x):
    return {"a": x} != {"a": 3}, {"a": x} == {"b": 3}, {"a": {"c": [x]}} == {"a": {"c": [3]}}, [x] == {"a": x}


def ordered_tuples(x):
    return (x, 1) < (3, 2), (x, 1) <= (3, 1), [x] > [3, 0], (x,) >= (3,), (1, x) < (1, 3), (1, "a") < (2, x)


def ordered_with_equal_parts(x):
    return (None, x) < (None, 4), ("a", x, None) >= ("a", 3, None)


def members(x):
    return (x, 1) in [(3, 1)], [x] in ([3], [4]), (x,) not in [(4,)], {"a": x} in [{"a": 4}]


def chains(x):
    return (1,) < (x,) < (5,), (x,) == (3,) != (4,)


def named_tuples(x):
    return Pair(x, 1) == Pair(3, 1), Pair(x, 1) == (3, 1), Pair(x, 1) < (3, 2)


def dataclasses_by_their_fields(x):
    one = Point(x, 1)
    return one == Point(3, 1), one != Point(3, 1), one < Point(3, 2), one in [Point(4, 1)], Tagged(x, 1) == Tagged(3, x)


def dataclasses_of_two_classes(x):
    one = ByIdentity(x)
    return Point(x, 1) == Other(x, 1), Point(x, 1) in [Other(x, 1)], one == ByIdentity(x), one in [one]


def objects_in_lists(x):
    return [Number(x)] == [Number(3)], Number(x) in [Number(3), Number(4)], (Number(x), 1) != (Number(4), 1)


def staged_lists_in_tuples(x):
    values = [1]
    if x > 3:
        values.append(x)
    return (values, x) == ([1], 3), {"a": values} == {"a": [1, 4]}, values in [[1], [2]]


def staged_dicts(x):
    table = {"a": 1}
    if x > 3:
        table["b"] = x
    else:
        table["b"] = 7
    return table == {"a": 1, "b": 7}, table != {"a": 1, "b": 7}, {"a": 1, "b": 4} == table


def what_may_be_none(x):
    best = None
    for i in range(x):
        if best is None or i > best[0]:
            best = (i, x)
    return best == (2, 3), best != (2, 3), best == None  # noqa: E711


def extremes_of_dict_values(x):
    table = {"a": x, "b": 2}
    return max(table.values()), min(table.values()), sorted(table.values())


def loops_while_a_list_is_left(x):
    values = [1, 2, 3]
    while x > 0 and values:
        x -= values.pop()
    return x, len(values)


def anything_as_a_test(x):
    text = "a"
    if x > 3 and (text or x > 5):
        text = ""
    return 1 if x > 0 and text else 2, [i for i in range(4) if x > i and "yes"], not (x > 3 and [0])


@pytest.mark.parametrize(
    "function",
    [
        equal_tuples_and_lists, equal_dicts, ordered_tuples, ordered_with_equal_parts, members, chains, named_tuples,
        dataclasses_by_their_fields, dataclasses_of_two_classes, objects_in_lists, staged_lists_in_tuples, staged_dicts,
        what_may_be_none, extremes_of_dict_values, loops_while_a_list_is_left, anything_as_a_test,
    ],
)  # fmt: skip
def test_comparison(function: Callable[..., Any]) -> None:
    check(function, 3, 4, 0)


def _grown(x):
    values = [1]
    if x > 3:
        values.append(2)
    return values


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (_grown(x) and 5) == 5,
        lambda x: (_grown(x) and 5) in [5],
        lambda x: str(_grown(x) and 5),
        lambda x: f"{x > 3 and [1]}",
        lambda x: isinstance(_grown(x) and 5, int),
        lambda x: (_grown(x) and print) is print,
        lambda x: x > 3 and [1],
        lambda x: (x > 3 and "a")[0],
        lambda x: len(_grown(x) and "a"),
        lambda x: {1: 2}[_grown(x) and 1],
    ],
)
def test_only_the_truth_is_known(function: Callable[..., Any]) -> None:
    with pytest.raises(BranchMismatchError, match="can't be merged") as caught:
        tf.function(function)(tf.constant(4))
    assert caught.value.file == __file__
    assert caught.value.line == function.__code__.co_firstlineno


def texts_and_numbers(n):
    return n == "a", n != "a", b"a" == n, n in ("a", 4), [n, "a"] == ["a", n]


def patterns_of_texts(n):
    match n:
        case "a" | "b":
            return 1
        case 4:
            return 2
        case ("a", _):
            return 3
    return 4


@pytest.mark.parametrize("function", [texts_and_numbers, patterns_of_texts])
def test_a_number_is_no_text(function: Callable[..., Any]) -> None:
    check(function, 3, 4)
