"""L13: what a `tf.function` writes outside itself is seen by the code after its call in another `tf.function`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import check

TOTAL = 0.0


class Box:
    def __init__(self):
        self.value = 1.0
        self.items = {"k": 1.0}

    @tf.function
    def add(self, x):
        self.value = self.value + x
        return self.value


BOX = Box()


@tf.function
def fill(x):
    BOX.value = x * 2
    return x


@tf.function
def add_to_total(x):
    global TOTAL
    TOTAL = x * 3


def attribute(x):
    BOX.value = 1.0
    result = fill(x) + BOX.value
    BOX.value = 1.0
    return result


def attribute_twice(x):
    box = Box()

    @tf.function
    def inner(y):
        box.value = y * 2

    inner(x)
    first = box.value
    inner(x * 3)
    return first + box.value


def nonlocal_variable(x):
    n = 0.0

    @tf.function
    def inner(y):
        nonlocal n
        n = y * 2

    inner(x)
    return n


def global_variable(x):
    global TOTAL
    add_to_total(x)
    result = TOTAL
    TOTAL = 0.0
    return result


def item(x):
    box = Box()

    @tf.function
    def inner(y):
        if y > 0:
            box.items["k"] = y * 2

    inner(x)
    return box.items["k"]


def two_levels(x):
    box = Box()

    @tf.function
    def innermost(y):
        box.value = y * 5

    @tf.function
    def inner(y):
        innermost(y)

    inner(x)
    return box.value


def signature(x):
    box = Box()

    @tf.function(input_signature=[tf.TensorSpec((), tf.float32)])
    def inner(y):
        box.value = y * 2

    inner(x)
    return box.value


def method(x):
    box = Box()
    box.add(x)
    box.add(x)
    return box.value


def in_a_loop(x):
    box = Box()
    while x > 0:
        box.add(x)
        x = x - 1
    return box.value


CASES = [
    attribute, attribute_twice, nonlocal_variable, global_variable, item, two_levels, signature, method, in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_writes_of_an_inner_function_are_seen(function):
    # The plain reference runs without any graph, as the inner functions would trace in it.
    inputs = [np.float32(2.0), np.float32(-3.0)]
    tf.config.run_functions_eagerly(True)
    expected = [float(function(tf.constant(x))) for x in inputs]
    tf.config.run_functions_eagerly(False)
    staged = tf.function(function)
    for _ in range(2):
        assert [float(staged(tf.constant(x))) for x in inputs] == expected


def test_a_function_without_such_writes_stays_one_call():
    @tf.function
    def inner(y):
        return y * 2

    @tf.function
    def outer(x):
        return inner(x) + inner(x)

    graph = outer.get_concrete_function(tf.constant(1.0)).graph
    assert [node.op.name for node in graph.nodes].count("call") == 2


def test_a_concrete_function_that_writes_is_called_with_its_state():
    concrete = fill.get_concrete_function(tf.constant(1.0))

    @tf.function
    def outer(x):
        return concrete(x) + BOX.value

    assert outer(tf.constant(1.0)) == fill(tf.constant(1.0)) + BOX.value


@tf.autograph.experimental.do_not_convert
def library(y):
    return fill(y)


def through_unconverted_code(x):
    library(x)
    return BOX.value


def through_unconverted_code_in_a_branch(x):
    BOX.value = x - 1
    if x > 0:
        library(x)
    return BOX.value


def through_reduce(x):
    box = Box()

    @tf.function
    def add(total, y):
        box.add(y)
        return total + y

    return functools.reduce(add, [x, x, x]), box.value


@pytest.mark.parametrize("function", [through_unconverted_code, through_unconverted_code_in_a_branch, through_reduce])
def test_writes_of_an_inner_function_that_unconverted_code_calls_are_seen(function):
    tf.config.run_functions_eagerly(True)
    expected = [tf.nest.map_structure(float, function(tf.constant(x))) for x in (2.0, -3.0)]
    tf.config.run_functions_eagerly(False)
    staged = tf.function(function)
    for _ in range(2):
        assert [tf.nest.map_structure(float, staged(tf.constant(x))) for x in (2.0, -3.0)] == expected


def class_of_a_helper(x):
    def make():
        items = []

        class Basket:
            total = []

            def add(self, value):
                items.append(value)
                self.total.append(1)

            def count(self):
                return len(items) + len(self.total)

        return Basket()

    basket = make()
    if x > 0:
        basket.add(x)
    for i in range(x):
        basket.add(i)
    return basket.count()


def class_of_the_function(x):
    items = []

    class Basket:
        def add(self, value):
            items.append(value)

    basket = Basket()
    for i in range(x):
        basket.add(i)
    return items


@pytest.mark.parametrize("function", [class_of_a_helper, class_of_the_function])
def test_lists_that_the_methods_of_a_local_class_change(function: Any) -> None:
    check(function, 1, 2, 3)


def test_an_inner_function_stores_into_an_item_of_an_outer_list_that_a_tensor_chooses() -> None:
    def union_find(edges: Any) -> Any:
        parent = list(range(5))

        def find(x: Any) -> Any:
            while parent[x] != x:
                parent[x] = parent[parent[x]]
                x = parent[x]
            return x

        for a, b in edges:
            parent[find(a)] = find(b)
        return [find(i) for i in range(5)]

    def counted(edges: Any) -> Any:
        counts = [0] * 5
        same = counts

        def count(x: Any) -> None:
            counts[x] += 1

        for a, b in edges:
            count(a)
            if a != b:
                count(b)
        return counts, same is counts

    for function in (union_find, counted):
        check(function, np.array([[0, 1], [1, 2], [3, 4]], np.int32), np.array([[2, 2], [4, 0], [0, 4]], np.int32))
