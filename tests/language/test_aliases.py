"""L11, L13: a list that staged code changes is seen by all who hold it, or the change is refused by name."""

from __future__ import annotations

import collections
import copy
import functools
from typing import Any

import pytest

import autograph as tf

from .support import as_python, assert_same, check


def appends_through_a_helper(x):
    values = []

    def push(value):
        values.append(value)

    if x > 0:
        push(x)
    return values, len(values)


def appends_through_helpers_in_a_loop(n):
    values = []

    def push(value):
        values.append(value)

    def fill(count):
        while count > 0:
            push(count)
            count -= 1

    fill(n)
    return values, len(values)


def appends_in_a_lazy_operand(x):
    values = []

    def note(value):
        values.append(1)
        return value

    inside = 0 < x < 4 < note(5)
    return inside, len(values)


def appends_to_an_attribute_known_twice(x):
    class Box:
        pass

    box = Box()
    box.values = []
    boxes = [box]
    if x > 0:
        boxes[0].values.append(x)
    return len(box.values)


def appends_to_an_element(x):
    inner = [1]
    outer = [inner, [2]]
    if x > 0:
        outer[0].append(x)
    else:
        inner.append(x)
        inner.append(x)
    return len(inner), len(outer[0])


def appends_in_the_key_of_sorted(x):
    seen = []

    def key(value):
        seen.append(value)
        return -value

    values = [1, 2]
    if x > 0:
        values = sorted(values, key=key)
    return len(seen), values


@pytest.mark.parametrize(
    "function",
    [
        appends_through_a_helper,
        appends_through_helpers_in_a_loop,
        appends_in_a_lazy_operand,
        appends_to_an_attribute_known_twice,
        appends_to_an_element,
        appends_in_the_key_of_sorted,
    ],
)
def test_all_holders_see_the_change(function: Any) -> None:
    check(function, 1, 3, -1)


def variable(x):
    a = [1]
    b = a
    if x > 0:
        a.append(2)
    return len(b)


def argument_of_a_helper(x):
    def helper(target):
        if x > 0:
            target.append(2)

    values = [1]
    helper(values)
    return values


def helper_of_a_helper(x):
    def inner(target, value):
        if value > 0:
            target.append(value)
        return target

    def outer(target, value):
        kept = target
        inner(target, value)
        kept.append(10)
        return len(target)

    values = [1]
    count = outer(values, x)
    same = inner(values, x)
    return values, count, len(same), same is values


def attribute_and_a_variable(x):
    class Box:
        pass

    box = Box()
    box.values = [x]
    mine = box.values
    if x > 0:
        mine.append(1)
    box.values.append(2)
    return len(mine), mine[-1], mine is box.values


def variable_in_a_loop(n):
    a = [0]
    b = a
    while n > 0:
        b.append(n)
        n -= 1
    a.append(7)
    return len(b), b[-1]


def variable_of_another_list_afterwards(x):
    a = [1]
    b = a
    if x > 0:
        a.append(2)
    b = [5, 6]
    return len(a), b


def recursive_helper(x):
    def fill(target, depth):
        mine = target
        if depth:
            fill(target, depth - 1)
        if x > depth:
            target.append(depth)
        return len(mine)

    values = []
    return fill(values, 2), len(values)


@pytest.mark.parametrize(
    "function",
    [
        variable,
        argument_of_a_helper,
        helper_of_a_helper,
        attribute_and_a_variable,
        variable_in_a_loop,
        variable_of_another_list_afterwards,
        recursive_helper,
    ],
)
def test_variables_of_running_functions_see_the_change(function: Any) -> None:
    check(function, 1, 3, -1)


def element_of_a_tuple(x):
    a = [1]
    pair = (a, 0)
    if x > 0:
        a.append(2)
    return pair


def bound_method(x):
    a = [1]
    push = a.append
    if x > 0:
        push(2)
    return a


def partial(x):
    a = [1]
    push = functools.partial(a.append, 3)
    if x > 0:
        push()
    return a


def chosen_list(x):
    a, b = [1], [2]
    c = a if x > 0 else b
    a.append(9)
    return c


@pytest.mark.parametrize("function", [element_of_a_tuple, bound_method, partial, chosen_list])
def test_what_holds_a_list_in_another_way_sees_the_change(function: Any) -> None:
    check(function, 0, 1, 3, -1)


def running_loop(x):
    a = [1, 2]
    total = 0
    for each in a:
        total += each
        if x > 0 and len(a) < 3:
            a.append(7)
    return total


def chosen_dict_of_a_loop(n):
    a, b = {"k": 1}, {"k": 2}
    while n > 0:
        a = b
        n -= 1
    b["k"] = 7
    return a


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (running_loop, "the list `a` is changed by staged code while a loop .* runs over it"),
        (chosen_dict_of_a_loop, "a dict that is used here is one of two objects, as a staged condition"),
    ],
)  # fmt: skip
def test_a_holder_that_can_not_be_reached_is_refused(function: Any, text: str) -> None:
    with pytest.raises(tf.errors.MutationError, match=text) as caught:
        tf.function(function)(tf.constant(1))
    assert caught.value.line is not None and caught.value.file == __file__


def test_nothing_staged_stays_in_the_users_lists() -> None:
    kept: list[Any] = [[1], {"a": [2]}]

    @tf.function
    def f(x):
        if x > 0:
            kept[0].append(x)
        return x

    with pytest.raises(tf.errors.MutationError):
        f(tf.constant(1))
    assert kept == [[1], {"a": [2]}]


def kept_in_a_returned_dict(x):
    counts = {"k": 0}
    found = {"a": counts} if x > 0 else {"a": {"k": 3}}
    counts["k"] = 5
    return found


def kept_in_a_list(x):
    counts = {"k": 0}
    found = []
    if x > 0:
        found.append(counts)
    else:
        found.append({"k": 3})
    counts["k"] = 5
    return found


@pytest.mark.parametrize("function", [kept_in_a_returned_dict, kept_in_a_list])
def test_an_object_inside_of_a_chosen_one(function: Any) -> None:
    check(function, 0, 1, 3, -1)


def test_an_ordered_dict_that_a_branch_reorders_is_refused() -> None:
    def f(x):
        order = collections.OrderedDict(a=1, b=2)
        if x > 0:
            order.move_to_end("a")
        return list(order)

    with pytest.raises(tf.errors.BranchMismatchError, match="different orders"):
        tf.function(f)(tf.constant(1))


def chosen_in_a_branch(x):
    first = [1, 2]
    second = first
    if x > 0:
        first = [5, 6]
    second[0] = 9
    return first, second


def appended_after_a_branch(x):
    first = [1, 2]
    second = first
    if x > 0:
        first = [5, 6]
    second.append(9)
    return first, second


def chosen_by_a_helper(x):
    first = {"k": 1}
    second = first

    def choose():
        nonlocal first
        if x > 0:
            first = {"k": 5}

    choose()
    second["k"] = 9
    return first, second


@pytest.mark.parametrize("function", [chosen_in_a_branch, appended_after_a_branch, chosen_by_a_helper])
def test_an_object_that_a_variable_still_stands_for_after_a_branch(function: Any) -> None:
    check(function, 0, 1, 3, -1)


def chosen_in_a_loop(x):
    first = [1, 2]
    second = first
    for _ in range(x):
        first = [5, 6]
    second[0] = 9
    return first, second


def chosen_by_a_helper_in_a_loop(x):
    first = [1, 2]
    second = first

    def choose():
        nonlocal first
        first = [5, 6]

    for _ in range(x):
        choose()
    second[0] = 9
    return first, second


@pytest.mark.parametrize("function", [chosen_in_a_loop, chosen_by_a_helper_in_a_loop])
def test_an_object_that_a_variable_may_still_stand_for_after_a_loop_is_refused(function: Any) -> None:
    with pytest.raises(tf.errors.MutationError, match="`first` is one of two objects") as caught:
        tf.function(function)(tf.constant(1))
    assert caught.value.file == __file__


def changed_rows_of_a_comprehension(x):
    rows = [[0, 0] for _ in range(2)]
    for i in range(2):
        for j in range(2):
            if i * j < x:
                rows[i][j] = i + j
            else:
                rows[j][i] = -1
    return rows


def changed_rows_that_were_appended(x):
    rows = []
    rows.append([0, 0])
    if x > 0:
        rows[0][1] = 1
    return rows


@pytest.mark.parametrize("function", [changed_rows_of_a_comprehension, changed_rows_that_were_appended])
def test_lists_in_a_list_that_the_function_has_filled(function: Any) -> None:
    check(function, 0, 1, 2)


def changed_values_of_a_dict(x):
    table = {"a": [1], "b": [2]}
    for values in table.values():
        if x > 0:
            values.append(x)
    return table


def changed_or_replaced_value_of_a_dict(x):
    table = {"a": [1]}
    if x > 0:
        table["a"].append(x)
    else:
        table["a"] = [x]
    return table


def changed_after_a_deep_copy(x):
    rows = [[1], [2]]
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    if x > 0:
        rows[0].append(x)
    return rows, shallow, deep


@pytest.mark.parametrize(
    "function", [changed_values_of_a_dict, changed_or_replaced_value_of_a_dict, changed_after_a_deep_copy]
)
def test_lists_in_containers_that_the_function_has_made(function: Any) -> None:
    check(function, 0, 1, 2)


KEPT = {"a": [1]}


def test_lists_in_containers_that_outlive_the_function_are_refused() -> None:
    def changes(x):
        for values in KEPT.values():
            if x > 0:
                values.append(x)
        return len(KEPT)

    def replaces(x):
        if x > 0:
            KEPT["a"].append(x)
        else:
            KEPT["a"] = [x]
        return len(KEPT)

    for function in (changes, replaces):
        with pytest.raises(tf.errors.MutationError, match="outlives this function"):
            tf.function(function)(tf.constant(1))
        assert KEPT == {"a": [1]}


def test_a_second_name_from_one_turn_that_later_turns_change_is_refused() -> None:
    def f(n):
        items, best = [], []
        for i in range(n):
            items.append(i)
            if i == 1:
                best = items
        return best, items

    with pytest.raises(tf.errors.MutationError, match="is one of two objects"):
        tf.function(f)(tf.constant(3))


def a_second_name_of_a_dict_with_a_list(n):
    table, kept = {"a": []}, None
    for i in range(n):
        table["a"].append(i)
        if i == 2:
            kept = table
            break
    return kept, table


def a_dict_with_a_list_returned_from_a_loop(n):
    table = {"a": [5]}
    for i in range(n):
        table["a"].append(i)
        if i == 2:
            return table
    return {"a": table["a"]}


@pytest.mark.parametrize(
    "function", [a_second_name_of_a_dict_with_a_list, a_dict_with_a_list_returned_from_a_loop]
)
def test_a_list_in_a_dict_that_gets_a_second_name_in_a_loop(function: Any) -> None:
    for n in (0, 1, 3, 5):
        expected, result = function(n), tf.function(function)(tf.constant(n))
        assert_same(as_python(result), expected)


def test_a_result_of_one_turn_that_later_turns_change_is_refused() -> None:
    def grows(items):
        for i in tf.range(3):
            items.append(i)
            if i == 2:
                return items
        return items

    def f(n):
        items, kept, total = [], [], 0
        for _ in tf.range(n):
            items.append(9)
            total += len(kept)
            kept = grows(items)
        return total

    with pytest.raises(tf.errors.MutationError, match="is one of two objects"):
        tf.function(f)(tf.constant(3))


def test_a_second_name_that_the_next_turn_reads_is_refused() -> None:
    def grows(n):
        items, kept, total = [], [], 0
        for i in range(n):
            items.append(i)
            total += len(kept)
            kept = items
        return total

    def stores(n):
        items, kept, total = [1], [2], 0
        for i in range(n):
            items[0] = i
            total += kept[0]
            kept = items
        return total

    for function in (grows, stores):
        with pytest.raises(tf.errors.MutationError, match="`kept` is one of two objects"):
            tf.function(function)(tf.constant(3))
