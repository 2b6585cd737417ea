"""L12, S09: a traced function that would change a NumPy array of its caller refuses it, and takes a tensor."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

STORED: list[Callable[..., Any]] = []
COPIED: list[Callable[..., Any]] = []


def stores(function: Callable[..., Any]) -> Callable[..., Any]:
    STORED.append(function)
    return function


def copies(function: Callable[..., Any]) -> Callable[..., Any]:
    COPIED.append(function)
    return function


@stores
def item(a):
    a[0] = 5
    return a


@stores
def in_place(a):
    a += 1
    return a


@stores
def of_a_view(a):
    b = a[1:]
    b[0] = 5
    return a


@stores
def of_a_reshaped_array(a):
    b = np.transpose(a.reshape(2, 2))
    b[0, 1] = 5
    return b


@stores
def of_rows(a):
    for row in np.expand_dims(a, axis=1):
        row *= 2
    return a


@stores
def through_a_helper(a):
    item(a)
    return a


@stores
def through_a_traced_function(a):
    return traced_item(a)


@stores
def in_a_branch(a):
    if tf.reduce_sum(a) >= 0:
        a[0] = 3
    return a


@stores
def of_what_a_branch_chose(a):
    b = tf.zeros(4, tf.float64)
    if tf.reduce_sum(a) >= 0:
        b = a
    b[0] = 3
    return b


@stores
def in_a_loop(a):
    n = tf.constant(3)
    while n > 0:
        a[n] += 1
        n -= 1
    return a


@stores
def of_what_a_loop_turned(a):
    b, n = a, tf.constant(3)
    while n > 0:
        b = b[::-1]
        n -= 1
    b[0] = 1
    return b


@stores
def the_outer_one_in_a_loop(a):
    for _ in tf.range(2):
        for _ in tf.range(2):
            a[0] -= 1
    return a


traced_item = tf.function(item)


@pytest.mark.parametrize("function", STORED, ids=lambda function: function.__name__)
def test_an_array_that_would_be_changed_is_refused_and_a_tensor_is_not(function: Callable[..., Any]) -> None:
    traced = tf.function(function)
    array = np.zeros(4)
    for _ in range(2):  # as it is traced, and afterwards
        with pytest.raises(ValueError, match="should not modify its Python input arguments.*were modified: a$"):
            traced(array)
    assert not array.any()
    tensor = tf.constant(array)
    assert traced(tensor).numpy().shape in [(4,), (2, 2)]
    assert not tensor.numpy().any()


@copies
def a_copy(a):
    a = a.copy()
    a[0] = 5
    return a


@copies
def a_copy_by_numpy(a):
    a = np.array(a)
    a += 5
    return a


@copies
def a_copy_by_the_module(a):
    a, b = copy.copy(a), copy.deepcopy(a)
    a[0] = 5
    b[0] = 7
    return a + b


@copies
def a_copy_of_the_same_dtype(a):
    b = a.astype(np.float64)
    b[0] = 5
    c = tf.cast(a, tf.float64)
    c += 1
    return b + c


@copies
def a_tensor_of_it(a):
    b = tf.convert_to_tensor(a)
    b += 1
    c = tf.convert_to_tensor(value=a)
    c += 1
    return b + c


@copies
def a_flat_copy(a):
    a = a.flatten()
    a[0] = 5
    return a


@copies
def chosen_elements(a):
    b = a[[0, 1]]
    b[0] = 5
    c = a[a >= 0]
    c[0] = 7
    return b[0] + c[0]


@copies
def a_number(a):
    first = a[0]
    first += 1
    return first


@copies
def a_result(a):
    b = +a
    b += 1
    c = a + 1
    c[0] = 5
    return b + c


@copies
def in_a_loop_a_copy(a):
    a = a.copy()
    for i in tf.range(3):
        a[i] = 1.0
    return a


@pytest.mark.parametrize("function", COPIED, ids=lambda function: function.__name__)
def test_what_is_no_part_of_the_array_may_change(function: Callable[..., Any]) -> None:
    array = np.zeros(4)
    expected = np.asarray(function(array))
    assert not array.any()
    np.testing.assert_array_equal(tf.function(function)(array), expected)


def test_arrays_in_structures_and_among_keywords_are_named() -> None:
    @tf.function
    def f(pair, *others, **named):
        a = pair[1]["a"]
        a[0] = 1
        named["b"][:] = 2
        return others[0] + 1

    x, array = tf.constant(1.0), np.zeros(3)
    with pytest.raises(ValueError, match="modified: pair$"):
        f((array, {"a": array}), array, b=tf.constant(array), c=array)

    @tf.function
    def g(x, *, first, second=array):
        second[0] += 1
        return x + second[0], first

    with pytest.raises(ValueError, match="modified: second$"):
        g(x, first=array)
    assert g(x, first=array, second=tf.constant(array))[0] == 2


def test_concrete_functions_and_input_signatures() -> None:
    signed = tf.function(item, input_signature=[tf.TensorSpec([None], tf.float64)])
    concrete = tf.function(item).get_concrete_function(tf.TensorSpec([3], tf.float64))
    for call in (signed, concrete, lambda a: concrete(a=a)):
        with pytest.raises(ValueError, match="modified: a$"):
            call(np.zeros(3))
        assert call(tf.zeros(3, tf.float64))[0] == 5
    assert signed([1.0, 2.0])[0] == 5


def test_the_plain_form_changes_the_array_as_python_does() -> None:
    array = np.zeros(3)
    assert tf.autograph.to_graph(item)(array) is array and array[0] == 5
