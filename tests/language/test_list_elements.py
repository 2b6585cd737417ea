"""L11: an element of a list is the same object as the variable that holds it: changes of one are seen by the other."""

from __future__ import annotations

from typing import Any

import pytest

import autograph as tf

from .support import check


def element_of_a_python_list(n):
    rows = [[1], [2]]
    row = rows[n % 2]
    rows[0].append(5)
    return row, len(row)


def changed_element_of_a_python_list(n):
    rows = [[1], [2]]
    row = rows[n % 2]
    row.append(5)
    return rows, row


@pytest.mark.parametrize("function", [element_of_a_python_list, changed_element_of_a_python_list])
def test_an_element_under_a_staged_index_is_the_element(function: Any) -> None:
    check(function, 0, 1, 2)


def chosen_in_a_turn(n):
    first, second = [1], [n]
    for _ in range(n):
        if n > 0:
            first.append(0)
        if n > 0:
            first = second
    return first, second


def chosen_in_an_inner_branch_of_a_turn(n):
    first, second = [1], [n]
    for _ in range(n):
        if n > 0:
            if n > 0:
                first.append(0)
        if n > 0:
            if n > 0:
                first = second
    return first, second


def attribute_chosen_in_a_turn(n):
    class Box:
        pass

    box, twin = Box(), Box()
    box.items, twin.items = [1], [n]
    for _ in range(n):
        box.items.append(0)
        if n > 0:
            box.items = twin.items
    return box.items, twin.items


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (chosen_in_a_turn, ""),
        (chosen_in_an_inner_branch_of_a_turn, ""),
        (attribute_chosen_in_a_turn, "a list that is used here"),
    ],
)
def test_a_list_that_an_earlier_turn_may_have_chosen_is_refused(function: Any, what: str) -> None:
    with pytest.raises(tf.errors.MutationError, match=f"{what} is one of two objects, as a staged condition") as caught:
        tf.function(function)(tf.constant(2))
    assert caught.value.file == __file__


def changed_and_chosen(n):
    first, second = [1, 2], [n, 0, 3]
    if n > 0:
        first = second
        first.append(0)
    return first is second


def of_lists_of_different_lengths(n):
    first, second = [1, 2], [n, 0, 3]
    if n > 0:
        first.append(0)
    if n > 0:
        first = second
    return first is second


@pytest.mark.parametrize("function", [changed_and_chosen, of_lists_of_different_lengths])
def test_whether_a_chosen_list_is_another_one_is_what_was_chosen(function: Any) -> None:
    check(function, 0, 2)


def grown_inside_of_a_dict_that_is_chosen(n):
    table, other = {"k": 1, "l": [n]}, {"k": 2, "l": [4, 5]}
    if n > 0:
        if n > 0:
            for _ in range(n):
                table["l"].append(0)
        other = table
    else:
        table["k"] = 0
    other = table
    return table, other


def grown_in_a_dict_that_the_other_branch_changes(n):
    table = {"k": 1, "l": [n, 0]}
    if n > 0:
        if n > 0:
            table["l"][0] = 5
            table["l"] = table["l"]
        table["l"].append(0)
    else:
        table["k"] = 0
    return table


@pytest.mark.parametrize(
    "function", [grown_inside_of_a_dict_that_is_chosen, grown_in_a_dict_that_the_other_branch_changes]
)
def test_a_list_that_grows_in_a_dict_that_branches_change(function: Any) -> None:
    check(function, 0, 1, 2)


def chosen_where_the_other_branch_grows_the_list(n):
    rows, row = [[0], [n, 1]], [5]
    if n > 0:
        row = rows[0]
    else:
        rows.append([0])
    row.append(0)
    return rows, row


def chosen_in_a_loop_that_grows_the_list(n):
    rows, row = [[0], [n, 1]], [5]
    for i in range(n):
        row = rows[0]
        rows.append([i])
    row.append(0)
    return rows, row


@pytest.mark.parametrize(
    "function", [chosen_where_the_other_branch_grows_the_list, chosen_in_a_loop_that_grows_the_list]
)
def test_a_chosen_element_of_a_list_that_has_become_one_of_the_graph(function: Any) -> None:
    text = "is, or has, an element of a list|is one of two objects, as a staged condition or loop"
    with pytest.raises(tf.errors.MutationError, match=text) as caught:
        tf.function(function)(tf.constant(2))
    assert caught.value.file == __file__


def chosen_in_a_branch_that_changes_it(n):
    a, row = [1, 2], [5]
    if n == 0:
        a.append(0)
        row = a
    a.append(0)
    return a, row


def test_a_list_that_is_changed_in_the_branch_where_it_gets_another_name() -> None:
    check(chosen_in_a_branch_that_changes_it, 0, 1, 2, -1)


def chosen_in_a_turn_that_changes_it(n):
    a, row = [1, 2], [5]
    for i in range(n):
        a.append(i)
        if i > 0:
            row = a
    a.append(0)
    return a, row


def test_a_list_that_is_changed_in_the_turn_where_it_gets_another_name_is_not_changed_later() -> None:
    with pytest.raises(tf.errors.MutationError, match="is one of two objects, as a staged condition or loop decides"):
        tf.function(chosen_in_a_turn_that_changes_it)(tf.constant(2))


def put_into_a_list_or_replaced(n):
    rows, row = [[0], [1]], [5]
    if n > 0:
        row = [7]
    elif n % 2 == 0:
        rows[0] = row
    row.append(0)
    return rows, row


def test_a_list_that_one_branch_puts_elsewhere_and_another_replaces_is_not_changed_later() -> None:
    with pytest.raises(tf.errors.MutationError, match="is one of two objects"):
        tf.function(put_into_a_list_or_replaced)(tf.constant(0))


def both_changed_in_a_branch(n):
    rows = [[0], [1]]
    row = rows[0]
    if n > 0:
        row.append(0)
        rows.append([0])
    row.append(0)
    return rows, row


def both_changed_in_a_turn(n):
    rows = [[0], [1]]
    row = rows[0]
    for _ in range(n):
        row.append(0)
        rows.append([0])
    return rows, row


@pytest.mark.parametrize("function", [both_changed_in_a_branch, both_changed_in_a_turn])
def test_a_list_and_one_inside_of_it_that_staged_code_both_makes_longer(function: Any) -> None:
    with pytest.raises(tf.errors.MutationError, match="`rows` is, or has, an element of a list that a graph holds"):
        tf.function(function)(tf.constant(2))


def changed_otherwise_in_the_other_branch(n):
    rows = [[0], [n]]
    if n > 0:
        rows[n % 2] = [7]
    else:
        rows[0][0] = 5
    return rows, rows[0][0], len(rows[1])


def test_a_list_that_becomes_one_of_the_graph_in_one_branch_is_itself_in_the_other() -> None:
    check(changed_otherwise_in_the_other_branch, 0, 1, 2)


def same_elements(n):
    rows = [[0], [1]]
    for _ in range(n):
        rows.append([0])
    a, b = rows[-1], rows[n]
    return a is b


def same_as_what_was_put_in(n):
    rows, row = [[0], [1]], [5]
    for _ in range(n):
        rows.append([0])
    rows.append(row)
    return rows[-1] is row


@pytest.mark.parametrize("function", [same_elements, same_as_what_was_put_in])
def test_which_list_an_element_of_a_growing_list_is_is_refused(function: Any) -> None:
    with pytest.raises(tf.errors.StagedValueError, match="whether two objects of class `list` are the same one"):
        tf.function(function)(tf.constant(1))


def tuples_after_none(n):
    items = [None]
    for i in range(n):
        items.append((i, i + 1))
    total = 0
    for each in items:
        if each is not None:
            total += each[0] * each[1]
    return len(items), total, items[0] is None, items[-1] is None


def none_after_tuples(n):
    items = [(1, 2)]
    for _ in range(n):
        items.append(None)
    items.append((3, 4))
    return [each is None for each in items], items[0], items[-1]


def none_after_lists(n):
    items = [[1, 2], [3]]
    for _ in range(n):
        items.append(None)
    total = 0
    for each in items:
        if each is not None:
            total += len(each) * 10 + each[0]
    return total, len(items)


def none_after_empty_tuples(n):
    items = []
    for _ in range(n):
        items.append(())
    for _ in range(n):
        items.append(None)
    return len(items), [each is None for each in items]


@pytest.mark.parametrize(
    "function", [tuples_after_none, none_after_tuples, none_after_lists, none_after_empty_tuples]
)
def test_elements_with_parts_that_may_be_none(function: Any) -> None:
    check(function, 1, 2, 3)


def element_in_its_own_list(n):
    rows = [[1], [2]]
    row = rows[n % 2]
    rows.append(row)
    return len(rows)


def changed_element_in_its_own_list(n):
    rows = [[1], [2]]
    row = rows[n % 2]
    rows.extend([row])
    rows[0].append(5)
    return rows[-1]


def test_an_element_that_is_put_into_its_own_list_is_refused_where_it_is_read() -> None:
    check(element_in_its_own_list, 0, 1)
    with pytest.raises(tf.errors.MutationError, match="is put into the list itself"):
        tf.function(changed_element_in_its_own_list)(tf.constant(1))
