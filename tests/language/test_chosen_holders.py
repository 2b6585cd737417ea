"""Objects that conditions have chosen, in what may hold them: lists of a graph, functions, partials, loops.

Each program is as in Python for all numbers, or a refusal names its file, a line and a remedy.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .heap_programs import made
from .support import check
from .test_heap_regressions import equal_or_refused


class Box:
    def __init__(self, items: Any) -> None:
        self.items = items


class Keep(Box):
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self.items.append(8)


def removed_of_equal_lists(n: Any) -> Any:
    a, b = [1], [1]
    (a if n else b).remove(1)
    return a, b


def changed_while_its_key_reads_the_other(n: Any) -> Any:
    a, b = [1], [1]
    chosen = a if n else b
    chosen.sort(key=lambda v: (len(b), -v))
    chosen.append(2)
    return a, b


def used_in_one_branch_and_named_in_the_other(n: Any) -> Any:
    a = [1]
    b = a if n else []
    a.append(1)
    if n > 5:
        len(b)
        c = [7]
    else:
        c = b
    return c


def given_back_early(n: Any) -> Any:
    a = [1]
    b = a if n else []
    a.append(1)
    if n > 5:
        len(b)
    elif n:
        return b
    return []


def by_attribute_of_a_context(n: Any) -> Any:
    a = [1]
    b = a if n else [3]
    rows = [a, b]
    with Keep(rows[0]):
        a = rows[n]
    return a


def of_lists_in_lists(n: Any) -> Any:
    a = [1]
    b = a if n else [3]
    rows = [[a], [b]]
    x = rows[n % 2]
    a.append(8)
    return x


def beside_a_store_under_a_staged_index(n: Any) -> Any:
    a: Any = []
    b: Any = []
    rows = [b] * 2
    chosen = a if n else b
    chosen.append(3)
    rows[n % 2] = chosen
    return rows


def attribute_of_a_list_in_a_branch(n: Any) -> Any:
    a: Any = []
    for i in range(n):
        a.append(i)
    if n > 2:
        return a.missing
    return len(a)


RIGHT = [
    removed_of_equal_lists, changed_while_its_key_reads_the_other, used_in_one_branch_and_named_in_the_other,
    given_back_early, by_attribute_of_a_context, of_lists_in_lists, beside_a_store_under_a_staged_index,
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT)
def test_changes_reach_what_was_chosen(function: Callable[..., Any]) -> None:
    check(function, 0, 1)


def test_an_attribute_that_a_list_does_not_have_is_missed_where_the_branch_is_taken() -> None:
    check(attribute_of_a_list_in_a_branch, 1, 2)
    with pytest.raises(AttributeError, match="'list' object has no attribute 'missing'"):
        tf.function(attribute_of_a_list_in_a_branch)(tf.constant(3))


def one_list_twice_in_lists(n: Any) -> Any:
    a = [1]
    rows = [[a], [a]]
    rows[n % 2][0].append(0)
    return rows


def one_list_twice_by_choice(n: Any) -> Any:
    a = [1]
    b = a if n else []
    rows = [a, b]
    rows[n % 2].append(0)
    return rows


def one_list_again_in_a_branch(n: Any) -> Any:
    a = [1]
    rows = [a, [2]]
    if n > 0:
        rows.append([3])
    if n > 1:
        rows.append(a)
    rows[n % 2].append(0)
    return rows


def one_list_again_in_turns(n: Any) -> Any:
    a = [1]
    rows = [a, [2]]
    for _ in range(n):
        rows.append(a)
    rows[n % 2].append(0)
    return rows


def an_element_again(n: Any) -> Any:
    rows = [[1], [2]]
    for i in range(n):
        rows.append([i])
    rows.append(rows[n % 2])
    rows[n % 2].append(0)
    return rows


def repeated(n: Any) -> Any:
    rows = [[1], [2]]
    for i in range(n):
        rows.append([i])
    rows = rows * 2
    rows[0].append(0)
    return rows


def put_into_a_list_in_a_branch(n: Any) -> Any:
    a: Any = []
    b: Any = []
    rows: Any = []
    if n:
        rows.append(a if n > 1 else b)
    b += [0]
    return rows


def put_into_an_object_in_a_branch(n: Any) -> Any:
    a: Any = []
    b: Any = []
    boxes: Any = []
    if n:
        boxes.append(Box(a if n > 1 else b))
    b += [0]
    return [len(each.items) for each in boxes]


def in_a_namespace(n: Any) -> Any:
    a: Any = []
    b: Any = []
    space: Any = None
    if n:
        space = types.SimpleNamespace(items=a if n > 1 else b)
    b += [0]
    return len(space.items) if n else 0


def in_a_partial(n: Any) -> Any:
    a: Any = []
    b: Any = []
    if n:
        count = functools.partial(len, a if n > 1 else b)
    else:
        count = functools.partial(len, b)
    b += [0]
    return count()


def in_a_default(n: Any) -> Any:
    a: Any = []
    b: Any = []
    if n:
        x = a if n > 1 else b

        def count(values: Any = x) -> Any:
            return len(values)
    else:

        def count(values: Any = b) -> Any:
            return len(values) + 1

    b += [0]
    return count()


def in_a_method(n: Any) -> Any:
    values = [1]
    if n:
        values = [2]
        count = values.count
    else:
        count = values.count
    values.append(2)
    return count(2)


def new_in_a_partial(n: Any) -> Any:
    if n:
        values = [2]
        count = functools.partial(len, values)
    else:
        values = [3]
        count = functools.partial(len, values)
    values.append(2)
    return count()


def swapped_in_a_loop(n: Any) -> Any:
    a: Any = []
    b: Any = a if n else []
    for _ in range(n):
        a, b = b, a
    a.append(1)
    return b


def in_two_places_after_a_turn(n: Any) -> Any:
    a: Any = []
    rows: Any = [[1], a]
    for _ in range(n):
        rows = [a, rows[1]]
    a.append(3)
    return rows[0]


def asked_after_its_owner_was_chosen(n: Any) -> Any:
    a: Any = []
    q = Box([])
    r = Box(q.items)
    if n:
        q.items = a if n else q.items
        r = q
    return r is q, q.items is a


def out_of_date_in_a_list_of_the_graph(n: Any) -> Any:
    a, b = [], []
    rows = [b, b]
    a = a if n > 1 else b
    b.append(1)
    if n:
        rows = [a]
    return rows


def out_of_date_in_a_branch(n: Any) -> Any:
    a, b = [], []
    rows = [b, b]
    a = a if n > 1 else b
    if n:
        b.append(1)
        rows = [a]
    return rows


def out_of_date_in_a_list_that_one_branch_leaves_alone(n: Any) -> Any:
    a, b = [], []
    rows = [a if n > 1 else b]
    b.append(1)
    if n:
        rows.append([7])
    return rows


def out_of_date_in_an_attribute(n: Any) -> Any:
    a, b = [], []
    box = Box(a if n > 1 else b)
    rows = [[], []]
    b.append(1)
    if n:
        rows = [box.items]
    return rows


def swapped_in_a_list_of_a_branch(n: Any) -> Any:
    a: list[Any] = []
    rows: list[Any] = [[]]
    if n:
        rows += [a]
        for _ in range(n):
            rows.reverse()
            rows[0].append(7)
    return a


REFUSED_OR_RIGHT = [
    asked_after_its_owner_was_chosen,
    one_list_twice_in_lists, one_list_twice_by_choice, one_list_again_in_a_branch, one_list_again_in_turns,
    an_element_again, repeated, put_into_a_list_in_a_branch, put_into_an_object_in_a_branch, in_a_namespace,
    in_a_partial, in_a_default, in_a_method, new_in_a_partial, swapped_in_a_loop, in_two_places_after_a_turn,
    out_of_date_in_a_list_of_the_graph, out_of_date_in_a_branch, out_of_date_in_a_list_that_one_branch_leaves_alone,
    out_of_date_in_an_attribute, swapped_in_a_list_of_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED_OR_RIGHT)
def test_what_holds_a_chosen_object_sees_its_changes_or_is_refused(function: Callable[..., Any]) -> None:
    equal_or_refused(function, 0, 1, 2, 3)


def test_namespaces_merge_as_objects_do() -> None:
    def counts(n: Any) -> Any:
        space = types.SimpleNamespace(total=1, values=[1])
        for i in range(n):
            space.total += i
            space.values.append(i)
            if i > 1:
                space = types.SimpleNamespace(total=n, values=[1, 2])
        return space.total, space.values

    check(counts, 0, 1, 4)


def test_distinct_lists_of_a_list_change_by_themselves() -> None:
    def grown(n: Any) -> Any:
        rows = [[1], [2]]
        for i in range(n):
            rows.append([i])
        rows.extend([[5], [6]])
        rows[n % 2].append(0)
        rows[-1].append(n)
        return [len(each) for each in rows]

    check(grown, 0, 1, 3)


TAKEN_FROM_ROWS = (
    "for i in range(n):\n        a = rows[i]",
    "for i in range(n):\n        a.append(i)\n        a = rows[i]",
    "for i in range(n):\n        a = rows[n % 2] if i else a",
    "for i in range(n):\n        b = a\n        a = rows[i]\n        b.append(i)",
    "a = rows[n]\n    rows.append(first)",
    "a = rows[n]\n    rows[0] = [3]",
    "a = rows[n]\n    rows.pop()",
)
USED = (
    "a.append(5)\n    return rows",
    "first.append(5)\n    return a",
    "rows[0].append(5)\n    return a",
    "return a is first",
)


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("taken", TAKEN_FROM_ROWS)
def test_an_element_under_a_staged_index_is_the_one_of_the_list(taken: str, used: str) -> None:
    source = f"def f(n):\n    a, first = [], [0]\n    rows = [first, [1], [3], [4]]\n    {taken}\n    {used}\n"
    equal_or_refused(made(source), 0, 1, 2, 3)


def none_or_a_list(n: Any) -> Any:
    x, a = [] if n else None, [1]
    if n > 0:
        x = a if n else x
        a[-1] += 1
    return x


def a_list_or_what_may_be_none(n: Any) -> Any:
    x, y, a = [], [] if n else None, [1]
    if n > 0:
        x = a if n else y
        a[-1] += 1
        return x
    return x


def an_item_that_may_be_none_after_a_return(n: Any) -> Any:
    t = {"k": []}
    try:
        if not n:
            t["k"] = None
            return t
    finally:
        a, b = [1], t["k"]
    t["k"] = a if n else b
    a[-1] += 1
    return t


@pytest.mark.parametrize(
    "function", [none_or_a_list, a_list_or_what_may_be_none, an_item_that_may_be_none_after_a_return]
)
def test_what_may_be_none_is_up_to_date_when_branches_merge(function: Callable[..., Any]) -> None:
    check(function, 0, 1, 2)


def by_a_generator_expression(n: Any) -> Any:
    a, b = [0, n], [n, 2]
    g = (v for v in a)
    (a if n else b).reverse()
    return next(g, 0)


def by_a_generator_expression_that_has_begun(n: Any) -> Any:
    a, b = [0, n, 3], [n, 2, 4]
    g = (v for v in a)
    first = next(g)
    (a if n else b)[1] = 7
    return first, list(g)


@pytest.mark.parametrize("function", [by_a_generator_expression, by_a_generator_expression_that_has_begun])
def test_a_generator_sees_what_a_chosen_list_holds_when_it_goes_on(function: Callable[..., Any]) -> None:
    check(function, 0, 1, 2)


def extended_by_what_it_may_be(n: Any) -> Any:
    a, b = [0], [n]
    (a if n else b).extend(b)
    return a, b


def extends_what_it_may_be(n: Any) -> Any:
    a = [1]
    b = a if n else [3]
    a.extend(b)
    return a, b


def made_anew_of_what_it_may_be(n: Any) -> Any:
    a = [1]
    b = a if n else [3]
    b.__init__(a)
    return a, b


@pytest.mark.parametrize(
    "function", [extended_by_what_it_may_be, extends_what_it_may_be, made_anew_of_what_it_may_be]
)
def test_a_chosen_list_is_extended_by_what_it_may_be(function: Callable[..., Any]) -> None:
    check(function, 0, 1, 2)


def looked_at_in_one_branch_and_replaced_in_the_other(n):
    a = [1]
    b = a if n else [3]
    c = b
    a.append(7)
    if n:
        b = a
    else:
        c.append
    return b, c


def test_a_chosen_list_stays_up_to_date_where_a_variable_that_holds_it_is_replaced() -> None:
    check(looked_at_in_one_branch_and_replaced_in_the_other, 0, 1)


class Holder:
    def __init__(self, items):
        self.items = items


def cleared_in_one_branch_and_its_holder_put_in_a_list_in_the_other(n):
    a = [1]
    b = a if n else []
    holders = [Holder(b)]
    if n:
        a.clear()
    else:
        holders.append(Holder(a))
    return [len(each.items) for each in holders]


def test_a_list_has_what_a_chosen_object_holds_at_the_end_of_each_branch() -> None:
    check(cleared_in_one_branch_and_its_holder_put_in_a_list_in_the_other, 0, 1)
