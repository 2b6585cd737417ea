"""L03, L08: `return` in loops over graph tensors, of None, numbers and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .support import check


def test_a_loop_returns_none_or_a_value() -> None:
    def first_none(xs: Any, limit: Any) -> Any:
        for x in xs:
            if x < 0:
                return None
            if x > limit:
                return x
        return limit

    def none_alone(xs: Any, limit: Any) -> Any:
        for x in xs:
            if x > limit:
                return None
        return limit

    def forever(xs: Any, limit: Any) -> Any:
        while True:
            if limit > 10:
                return None
            if limit == xs[0]:
                return limit
            limit += 1

    def pairs(xs: Any, limit: Any) -> Any:
        for x in xs:
            if x < 0:
                return
            if x > limit:
                return x, [x]
        else:
            return None

    for function in (first_none, none_alone, forever, pairs):
        check(function, *[(np.array(xs, np.int32), 3) for xs in ([1, 5, -2], [5, -1, 0], [-3, 7, 9], [0, 1, 2])])


def test_a_loop_returns_a_list() -> None:
    def made_there(xs: Any) -> Any:
        for x in xs:
            if x > 3:
                return [x]
        return [2]

    def made_before(xs: Any) -> Any:
        found: list[Any] = []
        for x in xs:
            if x > 3:
                return found
            found.append(x)
            found.append(-x)
        return found

    for function in (made_there, made_before):
        check(function, np.array([1, 5, 2]), np.array([1, 2, 3]), np.array([4, 1, 2]))


def test_a_test_that_sets_a_variable_and_a_break() -> None:
    def walrus(n: Any) -> Any:
        i = 0
        while (i := i + 1) < n:
            if i > 2:
                break
        else:
            i = -i
        return i

    def another(n: Any) -> Any:
        i = total = 0
        while (m := i + 1) < n:
            i = m
            if m > 3:
                return i, m, total
            total += m
        return i, m, -total

    for function in (walrus, another):
        check(function, 0, 2, 3, 4, 7)


def a_growing_list_in_a_dict(n):
    items = []
    for i in range(n):
        items.append(i)
        if i == 2:
            return {"a": items, "b": (i, items)}
    return {"a": items, "b": (n, items)}


def a_growing_list_in_a_tuple(n):
    items = []
    while n > 0:
        items.append(n)
        n -= 1
        if n == 3:
            return items, n
    return items, n


def one_of_two_growing_lists(n):
    a, b = [], []
    for i in range(n):
        a.append(i)
        b.append(-i)
        if i == 2:
            return a
        if i == 4:
            return b
    return a


def a_growing_list_of_a_list(n):
    rows = [[0]]
    for i in range(n):
        rows[0].append(i)
        if i == 2:
            return rows[0]
    return rows[0]


@pytest.mark.parametrize(
    "function",
    [a_growing_list_in_a_dict, a_growing_list_in_a_tuple, one_of_two_growing_lists, a_growing_list_of_a_list],
)
def test_growing_lists_returned_from_inside_a_loop(function: Any) -> None:
    check(function, 0, 1, 2, 3, 4, 6)


def grows(items, n):
    for i in range(n):
        items.append(i)
        if i == 2:
            return items
    return items


def the_argument_changes_afterwards(n):
    items = []
    result = grows(items, n)
    items.append(10)
    return len(result), len(items)


def the_result_changes_afterwards(n):
    items = []
    result = grows(items, n)
    result.append(10)
    return len(result), len(items)


def it_changes_in_finally(n):
    items = []
    while n > 0:
        n -= 1
        items.append(n)
        try:
            if n == 2:
                return items
        finally:
            items.append(7)
    return items


@pytest.mark.parametrize(
    "function", [the_argument_changes_afterwards, the_result_changes_afterwards, it_changes_in_finally]
)
def test_a_growing_list_that_changes_after_its_return(function: Any) -> None:
    check(function, 0, 1, 2, 3, 4, 6, -1)
