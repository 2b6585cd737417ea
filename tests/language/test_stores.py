"""L10, L13, L14: stores that run methods of the user's or the library's classes, and the order of dicts."""

from __future__ import annotations

import collections
import os
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import check


class Box:
    def __init__(self):
        self.data = {"k": 0}
        self.values = [0]

    def __setitem__(self, key, value):
        self.data[key] = value

    @property
    def first(self):
        return self.values[0]

    @first.setter
    def first(self, value):
        self.values[0] = value


def test_what_an_item_store_changes_inside_of_an_object_is_carried():
    def f(x):
        box = Box()
        if x > 0:
            box["k"] = 5
        if x > 1:
            box.first = 7
        return box.data["k"], box.first

    check(f, -1, 1, 2)


def test_user_dicts_and_default_dicts():
    def f(x):
        user, default = collections.UserDict(a=1), collections.defaultdict(int, z=0)
        if x > 0:
            user["a"] = 5
            default["z"] += 2
        return user["a"], default["z"]

    check(f, -1, 1)


def test_a_key_that_one_branch_alone_adds_is_refused():
    @tf.function
    def f(x):
        default = collections.defaultdict(int)
        if x > 0:
            default["z"] += 2
        return len(default)

    with pytest.raises(tf.errors.BranchMismatchError, match="'z'"):
        f(tf.constant(1))


def test_stores_that_reach_outside_the_program_are_refused():
    @tf.function
    def f(x):
        if x > 0:
            os.environ["AUTOGRAPH_TEST"] = "1"
        return x

    with pytest.raises(tf.errors.MutationError, match="__setitem__"):
        f(tf.constant(-1))
    assert "AUTOGRAPH_TEST" not in os.environ


def test_a_dict_that_a_branch_reorders_is_refused():
    @tf.function
    def f(x):
        table = {"a": 1, "b": 2}
        if x > 0:
            table["a"] = table.pop("a")
        return list(table)

    with pytest.raises(tf.errors.BranchMismatchError, match="different orders"):
        f(tf.constant(1))


def test_repeating_a_sequence_by_a_tensor_is_refused():
    with pytest.raises(tf.errors.InvalidTypeError, match="two meanings"):
        tf.function(lambda n: [0] * n)(tf.constant(3))
    with pytest.raises(tf.errors.InvalidTypeError, match="two meanings"):
        tf.function(lambda n: n * (0, 1))(tf.constant(3))
    np.testing.assert_array_equal(tf.function(lambda x: [1.0, 2.0] * x)(tf.constant(3.0)).numpy(), [3, 6])


def by_another_name(x):
    array = np.zeros(3)
    array[0] = x
    other = array
    other[1] = 5
    return array


def in_place_by_another_name(x):
    array = np.zeros(3)
    array[0] = x
    other = array
    other += 1
    return array


def held_by_an_object(x):
    array, box = np.zeros(3), Box()
    box.array = array
    array[0] = x
    return box.array


def held_by_a_list(x):
    array = np.zeros(3)
    array[0] = x
    rows = [array]
    array[1] = 2
    return rows[0]


def through_a_view(x):
    array = np.zeros(3)
    array[0] = x
    rest = array[1:]
    rest[0] = 5
    return array


@pytest.mark.parametrize(
    "function", [by_another_name, in_place_by_another_name, held_by_an_object, held_by_a_list, through_a_view]
)
def test_a_store_into_an_array_that_others_hold(function):
    check(function, 1.0, 2.0)


def test_stores_into_an_array_that_nobody_else_holds():
    def f(x):
        table, box = np.zeros((3, 2)), Box()
        table[0] = x
        for i in range(1, 3):
            before = table[i - 1]
            table[i] = before + i
        kept = table.copy()
        table[2, 0] = 7
        first = table[0] + 0
        first[0] = 9
        box.grid = np.zeros(2)
        box.grid[0] = x
        box.grid[1] = x + 1
        return kept, table, first, box.grid

    check(f, 1.0, -1.0)


def inner_items(x):
    rows, box, table, i = tf.reshape(x, (2, 2)), Box(), {"grid": tf.reshape(x, (2, 2))}, 1
    box.grid = rows
    rows[i][0] += 5
    rows[i][i] = 3
    rows[i - 1][i] *= 2
    box.grid[i][0] += 1
    table["grid"][i][0] = 4
    table["grid"][0][i - 1] -= 4
    parts = [rows, rows + 1]
    parts[i][0][i] = 8
    parts[0][i] -= 1
    return rows, box.grid, table["grid"], parts


def test_items_of_items_of_tensors():
    expected = (
        [[1, 4], [8, 3]],
        [[1, 2], [4, 4]],
        [[-3, 2], [4, 4]],
        [[[1, 4], [7, 2]], [[2, 8], [9, 4]]],
    )
    for run in (tf.function(inner_items), tf.autograph.to_graph(inner_items)):
        found = run(tf.constant([1, 2, 3, 4]))
        for actual, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(np.stack(actual), wanted)


def test_an_inner_index_that_must_be_in_a_variable():
    def f(x, i):
        x[0][i + 1] = 5
        return x

    with pytest.raises(tf.errors.StagedTypeError, match="item of an item of a tensor") as caught:
        tf.function(f)(tf.zeros((2, 2)), tf.constant(0))
    assert caught.value.line == f.__code__.co_firstlineno + 1
    assert "j = i + 1" in caught.value.remedy


def set_by_the_index(n):
    values = kept = [1, 2]

    def index():
        nonlocal values
        values = [5, 6]
        return 0

    values[index()] = n
    return values, kept


def set_by_the_operand(n):
    values = kept = [1, 2]

    def operand():
        nonlocal values
        values = [5, 6]
        return n

    values[0] += operand()
    return values, kept


def set_by_an_inner_index(n):
    values = kept = [[1, 2], [3]]

    def index():
        nonlocal values
        values = [[5], [6]]
        return 0

    values[index()][0] = n
    values[index()][0] += n
    return values, kept


def set_by_a_walrus(n):
    values = kept = [1, 2]
    values[(values := [7, 8])[0] - 7] = n
    return values, kept


@pytest.mark.parametrize("function", [set_by_the_index, set_by_the_operand, set_by_an_inner_index, set_by_a_walrus])
def test_a_variable_that_is_set_while_an_item_of_what_it_held_is_stored(function):
    assert tf.autograph.to_graph(function)(9) == function(9)
    with pytest.raises(tf.errors.MutationError, match="another value while an item") as caught:
        tf.function(function)(tf.constant(9))
    assert caught.value.file == __file__ and caught.value.function == function.__name__


def test_an_item_of_an_item_of_a_python_list_that_a_tensor_chooses() -> None:
    def equal_lengths(n: Any) -> Any:
        rows = [[0, 2], [n, 1]]
        rows[n % 2][0] = 7
        rows[(n + 1) % 2][n % 2] += 3
        return rows[0][0], rows[0][1], rows[1][0], rows[1][1]

    def ragged(n: Any) -> Any:
        rows = [[0], [n, 1]]
        rows[n % 2][0] = n + 5
        rows[n % 2].append(4)
        return rows[0][0], rows[1][0], len(rows[0]), len(rows[1])

    for function in (equal_lengths, ragged):
        check(function, *map(np.int32, range(4)))
