"""L13, L14: what Python functions that run as they are change in a staged branch is carried, or refused by name."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python, assert_same, check

as_it_is = tf.autograph.experimental.do_not_convert


class Box:
    def __init__(self):
        self.n = 0
        self.items = [1]
        self.table = {"a": 1}


TOTAL = 0
GLOBAL_BOX = Box()
TABLE = {"n": 0, "inner": {"m": 0}}


@as_it_is
def adds_to_total():
    global TOTAL
    TOTAL += 1


@as_it_is
def adds_to_the_table():
    TABLE["n"] += 1
    adds_to_the_inner_table()


def adds_to_the_inner_table():
    TABLE["inner"]["m"] += 2


def global_variable(x):
    global TOTAL
    TOTAL = 0
    if x > 0:
        adds_to_total()
    return TOTAL


def global_tables(x):
    TABLE["n"] = TABLE["inner"]["m"] = 0
    if x > 0:
        adds_to_the_table()
    return TABLE["n"], TABLE["inner"]["m"]


def global_object(x):
    @as_it_is
    def fill():
        GLOBAL_BOX.n = 9
        GLOBAL_BOX.table["a"] += 1

    GLOBAL_BOX.n, GLOBAL_BOX.table = 0, {"a": 1}
    if x > 0:
        fill()
    return GLOBAL_BOX.n, GLOBAL_BOX.table["a"]


def deep_in_an_argument(x):
    @as_it_is
    def fill(holder):
        holder.box.items.append(7)
        holder.box.table["a"] = 5
        holder.box.n += 3

    holder = Box()
    holder.box = Box()
    if x > 0:
        fill(holder)
    return len(holder.box.items), holder.box.table["a"], holder.box.n


def deep_in_an_argument_of_a_loop(n):
    @as_it_is
    def fill(holder):
        holder[0].box.n = holder[0].box.n + 1

    holder = Box()
    holder.box = Box()
    while n > 0:
        fill([holder])
        n -= 1
    return holder.box.n


def deep_in_a_closure(x):
    tables = {"a": {"b": {"c": 1}}}

    @as_it_is
    def fill():
        tables["a"]["b"]["c"] = 2

    if x > 0:
        fill()
    return tables["a"]["b"]["c"]


def class_attribute(x):
    class Counter:
        total = 0

        @classmethod
        @as_it_is
        def tick(cls):
            cls.total += 1

    if x > 0:
        Counter.tick()
    return Counter.total


def initialiser(x):
    class Counted:
        count = {"n": 0}

        @as_it_is
        def __init__(self):
            Counted.count["n"] += 1

    if x > 0:
        Counted()
    return Counted.count["n"]


def callback_of_the_library(x):
    calls = Box()

    @as_it_is
    def add(left, right):
        calls.n += 1
        return left + right

    total = 0
    if x > 0:
        total = functools.reduce(add, [1, 2, 3])
    return calls.n, total


def in_the_test_of_a_loop(x):
    calls = Box()

    @as_it_is
    def ask(value):
        calls.n += 1
        return value > 0

    while ask(x):
        x -= 1
    return calls.n


@pytest.mark.parametrize(
    "function",
    [
        global_variable,
        global_tables,
        global_object,
        deep_in_an_argument,
        deep_in_an_argument_of_a_loop,
        deep_in_a_closure,
        class_attribute,
        initialiser,
        callback_of_the_library,
        in_the_test_of_a_loop,
    ],
)
def test_what_unconverted_code_changes_in_a_staged_body_is_carried(function: Callable[..., Any]) -> None:
    check(function, 2, -1)


def test_what_it_writes_outside_is_written_by_each_run() -> None:
    @as_it_is
    def fill(value):
        GLOBAL_BOX.table["a"] = value

    @tf.function
    def f(x):
        fill(x + 1)
        return x

    for x in (3, 4):
        f(tf.constant(x))
        assert_same(as_python(GLOBAL_BOX.table["a"]), x + 1)
    GLOBAL_BOX.table = {"a": 1}


def test_what_can_not_be_carried_is_refused() -> None:
    array, names, kept = np.zeros(3), {"a"}, Box()

    @as_it_is
    def stores():
        array[0] = 1

    @as_it_is
    def adds():
        names.add("b")

    @as_it_is
    def appends():
        kept.items.append(2)

    for change in (stores, adds, appends):

        def f(x, change=change):
            if x > 0:
                change()
            return x

        with pytest.raises(tf.errors.MutationError):
            tf.function(f)(tf.constant(1))
    assert not array.any() and names == {"a"} and kept.items == [1]


def loaded_late(name):
    """What the module below holds from its first use on."""
    if name != "distance":
        raise AttributeError(name)
    setattr(LAZY, name, abs)
    return abs


LAZY = types.ModuleType("lazy")
LAZY.__getattr__ = loaded_late  # type: ignore[method-assign]


@as_it_is
def uses_what_is_loaded_late(x):
    return LAZY.distance(x) + LAZY.distance(x)


def test_names_that_a_module_loads_when_they_are_used_are_no_changes() -> None:
    @tf.function
    def f(x):
        if x < 0:
            x = uses_what_is_loaded_late(x)
        return x

    assert int(f(tf.constant(-3))) == 6


def test_what_is_not_to_be_converted_runs_as_it_is_written_inside_a_converted_function_too() -> None:
    seen = []

    @tf.function
    def f(n, factor=3):
        @tf.autograph.experimental.do_not_convert
        def named(x, add=1):
            if isinstance(x, int) and x > 0:
                return x * factor + add
            return type(x)

        class Named:
            @tf.autograph.experimental.do_not_convert
            def of(self, x):
                return super().__hash__() and type(x)

            @staticmethod
            @tf.autograph.experimental.do_not_convert
            def each(values):
                return [type(each) for each in values]

        pair = [tf.autograph.experimental.do_not_convert(function) for function in (lambda x: 1, lambda x: type(x))]
        seen.extend([named(2), named(n), Named().of(n), *Named.each([n]), pair[0](n), pair[1](n)])
        return n

    f(tf.constant(1))
    kind = seen[1]
    assert issubclass(kind, tf.Tensor) and seen == [7, kind, kind, kind, 1, kind]


def test_a_staged_condition_in_it_is_refused() -> None:
    @tf.function
    def f(n):
        @tf.autograph.experimental.do_not_convert
        def sign(x):
            if x > 0:
                return 1
            return 0

        return sign(n)

    with pytest.raises(tf.errors.StagedValueError, match="used as a bool") as caught:
        f(tf.constant(1))
    assert caught.value.file == __file__ and caught.value.function == "sign"
