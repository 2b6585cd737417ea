"""L13: after a trace no tensor of its graph stays in objects of the user, however it got there."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf

do_not_convert = tf.autograph.experimental.do_not_convert


class Box:
    def __init__(self, value=None):
        self.value = value
        self.rows = {"a": [[1]]}
        self.list = [1]


def counter() -> tuple[Callable[..., Any], Callable[..., Any]]:
    count = 0

    @do_not_convert
    def set_to(value):
        nonlocal count
        count = value

    return set_to, lambda: count


BOX = Box()
ROWS = [[1]]
PAIR = ([1],)
DEQUE: Any = collections.deque([[1]])
OBJECTS = np.array([None, [1]], object)
SET_COUNT, COUNT = counter()


def held() -> list[Any]:
    """What the objects outside hold, with the identity of what has no value."""
    return [vars(BOX).copy(), repr(BOX.rows), repr(BOX.list), repr([ROWS, PAIR, DEQUE, OBJECTS, COUNT()])]


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    before = held()
    yield
    assert held() == before


@do_not_convert
def push(values, x):
    values.append(x)


@do_not_convert
def push_deep(box, x):
    box.rows["a"][0].append(x)


@do_not_convert
def push_to_a_global(x):
    ROWS[0].append(x)


@do_not_convert
def set_deep(x):
    DEQUE[0][0] = x


def in_an_argument(x):
    push(BOX.list, x)
    return x


def deep_in_an_argument(x):
    push_deep(BOX, x)
    return x


def deep_in_a_global(x):
    push_to_a_global(x)
    return x


def deep_in_a_deque(x):
    set_deep(x)
    return x


def in_a_tuple(x):
    push(PAIR[0], x)
    return x


def in_an_array_of_objects(x):
    push(OBJECTS[1], x)
    return x


def item_of_an_array_of_objects(x):
    OBJECTS[0] = x
    return x


def in_a_deque(x):
    DEQUE.append(x)
    return x


def in_a_variable(x):
    SET_COUNT(x)
    return x


def in_a_new_deque(x):
    BOX.child = collections.deque([x])
    return x


def in_a_closure(x):
    BOX.function = lambda: x
    return x


def in_a_partial(x):
    BOX.function = functools.partial(max, x)
    return x


def in_a_generator(x):
    BOX.items = (x for _ in range(2))
    return x


@pytest.mark.parametrize(
    "function",
    [
        in_an_argument, deep_in_an_argument, deep_in_a_global, deep_in_a_deque, in_a_tuple, in_an_array_of_objects,
        item_of_an_array_of_objects, in_a_deque, in_a_variable, in_a_new_deque, in_a_closure,
        in_a_partial, in_a_generator,
    ],
)  # fmt: skip
def test_what_no_run_could_put_there_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.MutationError, match="outlives this function") as caught:
        tf.function(function)(tf.constant(1))
    assert caught.value.file == __file__ and caught.value.remedy


def test_nothing_stays_when_the_function_raises() -> None:
    @tf.function
    def f(x):
        push_deep(BOX, x)
        BOX.value = [x]
        raise OSError

    with pytest.raises(OSError):
        f(tf.constant(1))


def test_objects_of_the_function_itself_may_hold_anything() -> None:
    @tf.function
    def f(x):
        values, queue, box = [1], collections.deque(), Box()
        push(values, x)
        push_deep(box, x)
        queue.append(x)
        box.child = Box(lambda: x)
        return values[1] + queue[0] + box.child.value() + box.rows["a"][0][1]

    assert f(tf.constant(2)).numpy() == 8
