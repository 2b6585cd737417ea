"""L03, L08: `return` in loops over graph tensors, of None, numbers and lists."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python, assert_same, check


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


@dataclass
class Stats:
    seen: list[Any]
    total: Any = 0


@dataclass(frozen=True)
class Frozen:
    stats: Stats


class Rows(list[Any]):
    pass


class Table(dict[str, Any]):
    pass


HOLDERS = [
    lambda each: Stats(each),
    lambda each: Frozen(Stats(each)),
    lambda each: defaultdict(list, a=each),
    lambda each: OrderedDict(a=each),
    lambda each: Table(a=each),
    lambda each: Rows([each, 1]),
    lambda each: {"k": (Stats(each), [OrderedDict(a=(each, Table(b=each)))])},
]


@pytest.mark.parametrize("hold", HOLDERS)
def test_what_a_result_holds_is_up_to_date(hold: Any) -> None:
    def branch(n: Any) -> Any:
        items = [0]
        result = hold(items)
        if n > 0:
            items.append(n)
        return result

    def loop(n: Any) -> Any:
        items = [0]
        result = hold(items)
        for i in tf.range(n):
            items.append(i)
        return result

    def early(n: Any) -> Any:
        items = [0]
        result = hold(items)
        if n > 2:
            return result
        items.append(n)
        return result

    def inner(n: Any) -> Any:
        return tf.function(branch)(n)

    def chosen(n: Any) -> Any:
        return tf.cond(n > 0, lambda: branch(n), lambda: branch(n + 1))

    def yielded(n: Any) -> Any:
        def results() -> Any:
            items = [0]
            result = hold(items)
            yield result
            if n > 0:
                items.append(n)
            yield result

        return list(results())

    for function in (branch, loop, early, inner, chosen, yielded):
        check(function, 1, 3, 0)


def test_a_dict_with_a_key_more_keeps_its_class() -> None:
    def f(n: Any) -> Any:
        table = Table(a=1)
        table.tag = "t"  # type: ignore[attr-defined]
        if n > 0:
            table["b"] = n
        table["b"] = 3
        return table

    check(f, 1, 0)
    assert tf.function(f)(tf.constant(1)).tag == "t"


def test_a_saved_function_returns_what_its_dataclass_holds(tmp_path: Any) -> None:
    def f(n: Any) -> Any:
        stats = Stats([0])
        if n > 0:
            stats.seen.append(n)
        return {"stats": (stats.seen, stats.total)}

    module = tf.Module()
    module.f = tf.function(f, input_signature=[tf.TensorSpec((), tf.int32)])  # type: ignore[attr-defined]
    tf.saved_model.save(module, str(tmp_path))
    restored = tf.saved_model.load(str(tmp_path))
    assert_same(as_python(restored.f(tf.constant(1))), f(1))
