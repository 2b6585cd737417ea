"""L13, L14: one branch changes what a variable holds, the other gives the variable something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from .support import check


@dataclass
class Point:
    x: Any
    y: Any = 0


class Holder:
    def __init__(self, values: list[Any]) -> None:
        self.values = values


def item_of_a_list(n):
    values = [1, 2, 3]
    if n > 0:
        values[0] = n
    else:
        values = [7, 8, n]
    return values


def a_longer_list(n):
    values = [1, 2, 3]
    if n > 0:
        values.append(n)
    else:
        values = values + [7, n, 8]
    return np.stack(values), len(values)


def a_list_of_unknown_length(n):
    values = [0]
    for i in range(3):
        if i > n:
            values.append(i)
    if n > 0:
        values.append(n)
    else:
        values = [7]
    return values[-1], len(values)


def item_of_a_dict(n):
    table = {"a": 1}
    if n > 0:
        table["a"] = n
    else:
        table = {"a": 5}
    return table


def item_of_an_item(n):
    rows = [[1], [2]]
    if n > 0:
        rows[0][0] = n
    else:
        rows = [[7], [n]]
    return rows


def attribute_of_a_dataclass(n):
    point = Point(1)
    if n > 0:
        point.x = n
    else:
        point = Point(n, 5)
    return point.x, point.y


def an_attribute(n):
    holder = Holder([1, 2])
    if n > 0:
        holder.values[0] = n
    else:
        holder.values = [8, n]
    return holder.values


def in_a_tuple(n):
    values = [1, 2]
    pair = (values, 5)
    if n > 0:
        values[0] = n
    else:
        pair = ([7, 8], 6)
    return values, pair


def under_two_names(n):
    values = [1, 2]
    other = values
    if n > 0:
        values[0] = n
    else:
        values = [7, 8]
    return values, other


def by_a_helper(n):
    def change(items):
        items[0] = n

    values = [1, 2]
    if n > 0:
        change(values)
    else:
        values = [7, n]
    return values


def in_nested_branches(n):
    values = [1, 2]
    if n > 0:
        if n > 2:
            values[0] = n
        else:
            values = [5, 6]
    elif n == 0:
        values[1] = 9
    else:
        values = [7, n]
    return values


def what_an_inner_branch_has_made(n):
    values = [3, 4]
    if n > 2:
        pass
    else:
        if n < 0:
            values = [values[1], 7]
        values[0] = values[1] + n
    return values


def in_a_loop(n):
    values, total = [1, 2], 0
    for i in range(4):
        values = [i, i]
        if i > n:
            values[0] = n
        else:
            values = [7, n]
        total = total * 10 + values[0] + values[1]
    return total


def one_list_under_two_names_in_one_branch(n):
    """Only a run knows whether the two are one list, so that a change has to reach the other."""
    first, second = [1, 2], [3, 4]
    if n > 0:
        second = [1, n]
    else:
        first = second
    second[0] = n + 1
    return first, second


FUNCTIONS = [each for each in list(globals().values()) if getattr(each, "__module__", "") == __name__
             and not isinstance(each, type)]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_each_branch_keeps_what_it_did(function: Callable[..., Any]) -> None:
    check(function, 3, 1, 0, -2)
