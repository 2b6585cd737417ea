"""L12: stores into NumPy arrays that other names, views, containers or objects see: as in NumPy, or refused by name."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import check

UNKNOWN: list[Callable[..., Any]] = []
SEEN: list[Callable[..., Any]] = []


def refused(function: Callable[..., Any]) -> Callable[..., Any]:
    UNKNOWN.append(function)
    return function


def works(function: Callable[..., Any]) -> Callable[..., Any]:
    SEEN.append(function)
    return function


class Box:
    def __init__(self):
        self.array = np.zeros(3, int)

    def put(self, i):
        self.array[i] = i


# Views of arrays, and arrays in containers, before the first store.


@works
def slice_before_a_store(x):
    array = np.array([1, 2, 3])
    view = array[1:]
    array[1] = x
    return view


@works
def rows_in_a_list(x):
    array = np.array([[1, 2], [3, 4]])
    rows = [row for row in array]
    array[1] = x
    return rows[1]


@works
def slice_in_a_dict(x):
    array = np.array([1, 2, 3])
    views = {"a": array[1:]}
    array[1] = x
    return views["a"]


@works
def slice_in_an_attribute(x):
    box = Box()
    array = box.array.reshape(3, 1)
    box.view = array.T
    array[1] = x
    return box.view


@works
def iterator_over_it(x):
    array = np.array([1, 2, 3])
    items = (each for each in array)
    array[1] = x
    return list(items)


@works
def loop_over_it(x):
    array = np.array([[1], [2], [3]])
    total = 0
    for row in array:
        total += row[0]
        row = None
        array[2] = x
    return total


@works
def another_function_has_it(x):
    array = np.array([1, 2, 3])

    def view_of(array):
        return lambda: array

    view = view_of(array)
    array[1] = x
    return view()


# Tensors that stand for arrays, after a store.


@works
def slice_after_a_store(x):
    array = np.array([1, 2, 3])
    array[0] = x
    view = array[1:]
    array[1] = x
    return view


@works
def row_after_a_store(x):
    array = np.array([[1, 2], [3, 4]])
    array[0] = x
    first, _ = array
    array[0] = 9
    return first


@works
def slice_before_an_update(x):
    array = np.array([1, 2, 3])
    array[0] = x
    view = array[1:]
    array += x
    return view.sum()


@works
def slice_in_a_loop(n):
    array = np.zeros(3, int)
    array[0] = n
    view = array[:2]
    total = 0
    for i in range(n):
        total += view[0]
        array[0] = i
    return total


@refused
def best_row(n):
    rows = np.zeros((3, 2), int)
    best = rows[0]
    for i in range(n):
        if rows[i, 0] >= best[0]:
            best = rows[i]
        rows[0] = 7
    return best


@works
def items_of_staged_rows(x):
    array = np.zeros((3, 1), int)
    array[0] = x
    for row in array:
        row[0] = 4
    return array


# What merging has chosen.


@works
def chosen_array(x):
    array = np.zeros(3, int)
    chosen = array if x > 1 else np.ones(3, int)
    array[0] = x
    return chosen


@works
def stored_after_a_choice(x):
    array = np.zeros(3, int)
    chosen = array if x > 1 else np.ones(3, int)
    chosen[0] = 5
    return array


@works
def replaced_in_a_branch(x):
    array = np.zeros(3, int)
    other = array
    if x > 1:
        array = array + 1
    array[0] = 5
    return other


@refused
def another_name_in_the_next_turn(n):
    first, second = np.zeros(2, int), np.zeros(2, int)
    for i in range(n):
        second[0] = i
        second = first
    return first, second


@refused
def item_under_a_staged_index(x):
    rows = [np.zeros(2), np.ones(2)]
    row = rows[x % 2]
    row[0] = 7
    return rows


@refused
def element_that_a_store_changes(x):
    rows = [np.zeros(2), np.ones(2)]
    row = rows[x % 2]
    rows[0][0] = 7
    return row


# Lists that grow.


@refused
def one_array_many_times(n):
    rows, row = [], np.zeros(2)
    for i in range(n):
        row[0] = i
        rows.append(row)
    return rows


@refused
def stored_after_it_was_appended(n):
    rows, row = [], np.zeros(2)
    for _ in range(n):
        rows.append(row)
    row[0] = 4
    return rows


@refused
def element_of_a_list(n):
    rows = []
    for i in range(n):
        row = np.zeros(2)
        row[0] = i
        rows.append(row)
    first = rows[0]
    first[0] = 9
    return rows


@works
def helper_stores_into_the_callers_array(n):
    def put(array, i):
        array[i] = i

    array = np.zeros(4)
    for i in range(n):
        put(array, i)
    return array


@pytest.mark.parametrize("function", UNKNOWN, ids=lambda function: function.__name__)
def test_an_array_of_which_not_even_the_graph_knows_whether_it_is_the_changed_one(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.MutationError, match="the graph can't tell whether it is that one") as caught:
        tf.function(function)(tf.constant(2))
    assert caught.value.file == __file__ and caught.value.remedy
    first = function.__code__.co_firstlineno
    assert caught.value.line is not None and first <= caught.value.line < first + 12


@works
def views_that_are_not_used_again(n):
    array = np.zeros((4, 2), int)
    for i in range(n):
        row = array[i]
        array[i] = row * 2 + i
    return array


@works
def copies(n):
    array = np.zeros(2, int)
    array[0] = n
    before = array[:1].copy()
    history = []
    for i in range(n):
        array[i % 2] += i
        history.append(array.copy())
    return before, array, history


@works
def two_buffers(n):
    grid, other = np.eye(3, dtype=int), np.zeros((3, 3), int)
    for step in range(n):
        for i in range(3):
            for j in range(3):
                other[i, j] = grid[(i + 1) % 3, j] + step
        grid, other = other, grid
    grid[0, 0] = 100
    return grid, other


@works
def swapped_in_a_branch(x):
    first, second = np.zeros(2, int), np.ones(2, int)
    if x > 1:
        first, second = second, first
    first[0] = 7
    return first, second


@works
def both_branches_store(x):
    array = np.zeros(3, int)
    if x > 1:
        array[1] = 3
    else:
        array[2] = 4
    array[0] += 1
    return array


@works
def a_new_array_in_each_turn(n):
    best, rows = np.zeros(2, int), []
    for i in range(n):
        row = np.zeros(2, int)
        row[0] = i
        rows.append(row)
        if i % 2 == 0:
            best = row
    first = best[0]
    rows[0][1] = 9
    return rows, first


@works
def arrays_in_a_list(n):
    rows = [np.zeros(2, int) for _ in range(2)]
    for i in range(n):
        rows[i % 2][0] += 1
    return rows


@works
def an_array_of_an_object(n):
    box = Box()
    for i in range(n):
        box.put(i)
    box.array[0] = 7
    return box.array


@works
def views_that_the_graph_alone_knows(n):
    array, other = np.arange(6).reshape(2, 3), np.zeros((3, 2), int)
    other[n % 3] = 7
    np.copyto(array, other.T)
    rows = array[n % 2 :]
    rows[0] = 4
    flipped = np.flip(other)
    flipped[n % 3, 0] = 9
    column = np.transpose(other)[n % 2]
    column += 1
    row = np.expand_dims(other, 0)[0, n % 3]
    row *= 2
    return array, other, rows, flipped, column, row


@works
def one_array_copied_into_another(n):
    array, other = np.zeros((2, 2), int), np.ones((2, 2), int)
    array[:] = other
    row, second = array[n % 2], other[n % 2]
    row[0] = 5
    array[:] = array.T
    column = array[n % 2]
    column[1] = 8
    return array, other, row, second, column


@works
def added_to_an_array_of_a_list(n):
    items = [np.zeros(2, int)]
    items[0] += n
    if n > 1:
        items[0] += n
    return items


@works
def changed_by_python_then_by_the_graph(n):
    array = np.arange(3)
    other = array[:]
    array[1] = 7
    if n > 1:
        other[0] = n
    return array, other


@works
def what_numpy_computes(n):
    array = np.zeros(3, int)
    array[0] = n
    made = array + 1
    same, copied = made, made.copy()
    view = made[1:]
    made[1] = 5
    if n > 1:
        made += n
        copied.sort()
    return array, made, same, copied, view


@works
def functions_that_write(n):
    array = np.arange(4.0)
    np.add.at(array, [0, 0, 1], n)
    np.put(array, [3], n)
    np.putmask(array, array > 2, 0)
    np.copyto(array, n * 1.0, where=np.array([True, False, True, False]))
    np.fill_diagonal(array.reshape(2, 2), n)
    return array, np.sum(array, out=np.zeros(())), array.clip(0, 1, out=np.ones(4))


@pytest.mark.parametrize("function", SEEN, ids=lambda function: function.__name__)
def test_stores_are_seen_under_all_names_and_by_views(function: Callable[..., Any]) -> None:
    check(function, 1, 2, 3)


# Arrays that outlive the function.


def stores_once(box, x):
    box.array[0] = x
    if x > 1:
        box.array[1] += x
    return box.array.sum()


def stores_in_a_loop(box, n):
    for i in range(n):
        box.array[i] += 1
    return box.array.sum()


@pytest.mark.parametrize("function", [stores_once, stores_in_a_loop])
def test_runs_change_an_array_of_an_outer_object_under_all_its_names(function: Callable[..., Any]) -> None:
    plain, staged = Box(), Box()
    array = staged.array
    view = array[1:]
    traced = tf.function(lambda x: function(staged, x))
    del view
    for x in (1, 2, 1):
        assert traced(tf.constant(x)) == function(plain, x)
        np.testing.assert_array_equal(array, plain.array)
    assert staged.array is array


def test_an_outer_array_that_is_stored_into_and_replaced_is_refused() -> None:
    box = Box()

    @tf.function
    def f(x):
        if x > 1:
            box.array = box.array + 1
        box.array[0] = 5
        return x

    with pytest.raises(tf.errors.MutationError, match=r"`box.array` holds an array that outlives this function"):
        f(tf.constant(1))
    np.testing.assert_array_equal(box.array, [0, 0, 0])


def test_runs_change_an_outer_array_through_a_view() -> None:
    plain, staged = Box(), Box()

    def f(box, x):
        view = box.array[1:]
        view[0] = x
        return view

    traced = tf.function(lambda x: f(staged, x))
    for x in (1, 2):
        np.testing.assert_array_equal(traced(tf.constant(x)), f(plain, x))
        np.testing.assert_array_equal(staged.array, plain.array)


# Arrays whose memory is that of something else, and stores through what looks into an array.


def by_nditer(n):
    x = np.zeros(2)
    for v in np.nditer(x, op_flags=["readwrite"]):
        v[...] = v + n
    return x


def by_nditer_in_a_branch(n):
    x = np.zeros(2)
    with np.nditer(x, op_flags=["readwrite"]) as turns:
        for v in turns:
            if n > 1:
                v += 4
    return x


def by_nditer_of_two(n):
    x, y = np.ones(2), np.empty(2)
    for a, b in np.nditer([x, y], op_flags=[["readonly"], ["writeonly"]]):
        np.multiply(a, n, out=b)
    return y


def of_a_bytearray(n):
    held = bytearray(4)
    x = np.frombuffer(held, np.uint8)
    if n > 1:
        x[0] = 5
    return list(held)


def of_an_array_of_the_library(n):
    held = array.array("i", [1, 2])
    x = np.asarray(held)
    x[n % 2] = 5
    return list(held)


def of_ctypes(n):
    held = (ctypes.c_int * 3)()
    x = np.ctypeslib.as_array(held)
    x[0] = n
    return list(held)


def of_a_memoryview(n):
    held = bytearray(4)
    x = np.asarray(memoryview(held))[1:]
    x += n
    return list(held)


def of_strides(n):
    x = np.arange(4)
    y = np.lib.stride_tricks.as_strided(x, (2,), (16,))
    y[1] = n
    return x


def by_flat(n):
    x = np.zeros((2, 2))
    x.flat[1] = n
    return x


def by_flat_in_a_branch(n):
    x = np.zeros((2, 2))
    if n > 1:
        x.flat[2] = 3
    return x


def by_a_memoryview_in_a_branch(n):
    x = np.zeros(2)
    if n > 1:
        memoryview(x)[0] = 5.0
    return x


@pytest.mark.parametrize(
    "function",
    [
        by_nditer, by_nditer_in_a_branch, by_nditer_of_two, of_a_bytearray, of_an_array_of_the_library, of_ctypes,
        of_a_memoryview, of_strides, by_flat, by_flat_in_a_branch, by_a_memoryview_in_a_branch,
    ],
)  # fmt: skip
def test_a_change_of_memory_that_the_graph_does_not_have_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.MutationError, match="Remedy: "):
        tf.function(function)(tf.constant(2))


def test_what_python_alone_changes_in_such_memory() -> None:
    def f(n):
        x = np.zeros((2, 2))
        for v in np.nditer(x, op_flags=["readwrite"]):
            v[...] = v + 1
        x.flat[2] = 3
        x = x.reshape(-1)
        held = bytearray(4)
        y = np.frombuffer(held, np.uint8)
        before = y[n % 4]
        y[0] = held[1] = 7
        return x * n, list(held), before + y[n % 4], sum([v * n for v in np.nditer(x)])

    check(f, 1, 2, 4)

    def in_a_branch(n):
        x = np.zeros(4)
        if n > 1:
            x = np.zeros(4)
            x.flat[2] = 3
        return x

    check(in_a_branch, 1, 2)


def test_an_array_made_here_may_get_another_shape_or_dtype() -> None:
    def f(n):
        x = np.arange(6)
        y = [x]
        view = x[2:]
        view.shape = (2, 2)
        x.shape = (2, 3)
        x.shape += (1,)
        setattr(x, "dtype", np.dtype("uint32"))
        z = np.zeros(3, complex)
        z.real = [1, 2, 3]
        z.flat = z[1]
        if n > 1:
            fresh = np.arange(4)
            fresh.shape = 2, 2
            view = view + fresh
        return y[0].shape, x * np.uint32(2), view * n, z

    check(f, 1, 2)
    assert tf.function(f)(tf.constant(1))[0] == (2, 3, 2)


OUTSIDE = np.arange(6)


def shape_of_an_outer_array(n):
    OUTSIDE.shape = (2, 3)
    return OUTSIDE[n]


def shape_in_a_branch(n):
    x = np.arange(6)
    if n > 1:
        x.shape = (2, 3)
    return x


def shape_after_a_store(n):
    x = np.arange(6)
    x[0] = n
    x.shape = (2, 3)
    return x


def shape_of_a_chosen_array(n):
    x, y = np.arange(6), np.ones(6)
    z = x if n > 0 else y
    x.shape = (2, 3)
    return z.shape


def dtype_by_setattr(n):
    x = np.arange(6)
    x[0] = n
    setattr(x, "dtype", np.dtype(float))
    return x


def real_part(n):
    x = np.zeros(2, complex)
    x.real = n
    return x


@pytest.mark.parametrize(
    "function",
    [
        shape_of_an_outer_array, shape_in_a_branch, shape_after_a_store, shape_of_a_chosen_array, dtype_by_setattr,
        real_part,
    ],
)  # fmt: skip
def test_another_form_of_an_array_that_a_graph_keeps_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.MutationError, match=r"`(shape|dtype|real)` is set of an array(.|\n)*Remedy: "):
        tf.function(function)(tf.constant(2))
    assert OUTSIDE.shape == (6,)
