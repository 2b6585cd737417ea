"""Changes through one name that others have to see: found by random programs, each the smallest of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import check


def is_one_of_two(n: Any) -> Any:
    b: list[Any] = []
    a = None
    if n < 1:
        a = b
    return b is a


def extended_by_a_staged_list(n: Any) -> Any:
    b, a = [2, 3], []
    c = a
    if n > 0:
        del b[1]
    a += b
    return len(c), sum(c)


def chosen_and_chosen_again(n: Any) -> Any:
    a, b = [], []
    (a if n > 0 else b).append(0)
    a if n != 1 else b
    return len(a), len(b)


def item_changed_in_place(n: Any) -> Any:
    a, b = [], [1]
    (a if n > 0 else b).append(2)
    b[-1] += 1
    return len(a), b[-1], len(b)


def backwards_over_a_growing_list(n: Any) -> Any:
    a: list[Any] = []
    for _ in range(n):
        a.append(5)
    for x in reversed(a):
        a.append(x)
    return len(a)


def backwards_over_a_shrinking_list(n: Any) -> Any:
    a: list[Any] = []
    for i in range(n):
        a.append(i)
    digits = 0
    for x in reversed(a):
        a.pop()
        digits = digits * 10 + x
    return len(a), digits


def truth_of_one_of_two(n: Any) -> Any:
    a: list[Any] = []
    b = a if n > 1 else []
    b.append(1)
    found = 0
    if a:
        found = 1
    if not a:
        found = 2
    return found, bool(a)


def one_of_four(n: Any) -> Any:
    z = [0]
    x = z if n > 1 else [1]
    p = x if n > 0 else [2]
    q = x if n % 2 == 0 else [3]
    last = p if n > 2 else q
    z.append(9)
    return len(last), last[0]


def filtered_while_it_shrinks(n: Any) -> Any:
    count = 0
    a = [n, 1]
    b = a
    for _ in filter(None, a):
        count += 1
        b.remove(1)
    return count


def element_by_index_and_by_name(n: Any) -> Any:
    rows, turns = [[]], 0
    found = rows[0]
    while turns < n:
        turns += 1
        found = rows[0]
        found.append(1)
    return len(rows[0]), len(found)


EQUAL = [
    is_one_of_two, extended_by_a_staged_list, chosen_and_chosen_again, item_changed_in_place,
    backwards_over_a_growing_list, backwards_over_a_shrinking_list, truth_of_one_of_two, one_of_four,
    filtered_while_it_shrinks, element_by_index_and_by_name,
]  # fmt: skip


@pytest.mark.parametrize("function", EQUAL, ids=lambda each: each.__name__)
def test_as_in_python(function: Callable[[Any], Any]) -> None:
    inputs = [1, 2, 3, 4] if function is filtered_while_it_shrinks else [0, 1, 2, 3, 4]
    check(function, *map(np.int32, inputs))


def an_iterator_of_one_of_two(n: Any) -> Any:
    a = [1]
    b = a if n > 1 else []
    items = iter(a)
    b.append(5)
    return list(items)


def a_loop_that_returns(n: Any) -> Any:
    a = [n, 1]
    for _ in a:
        a.append(3)
        if n > 0 or len(a) > 5:
            return len(a)
    return len(a)


@pytest.mark.parametrize("function", [an_iterator_of_one_of_two, a_loop_that_returns], ids=lambda each: each.__name__)
def test_python_s_iterators_that_would_not_see_a_change_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(tf.errors.MutationError, match="the list `a` is changed by staged code while"):
        tf.function(function)(tf.constant(2))
