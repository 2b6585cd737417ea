"""Stores that only the object itself can see, or that are written as calls: one in a staged branch is refused."""

from __future__ import annotations

import asyncio
import contextvars
import ctypes
import functools
import operator
import threading
from collections.abc import Callable
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import pytest

import autograph as tf


class Fields(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int)]


def with_variable() -> Any:
    variable = 0

    def read() -> int:
        return variable

    return read


def local() -> Any:
    made = threading.local()
    made.x = 0
    return made


READ_X, READ_ITEM, CALL = attrgetter("x"), itemgetter(0), operator.call
STORES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "an object array's __setitem__": (lambda: np.zeros(1, object), lambda held: held.__setitem__(0, 5), READ_ITEM),
    "an object array's fill": (lambda: np.zeros(1, object), lambda held: held.fill(5), READ_ITEM),
    "a memoryview's __setitem__": (lambda: memoryview(bytearray(1)), lambda held: held.__setitem__(0, 5), READ_ITEM),
    "setattr of thread's variables": (local, lambda held: setattr(held, "x", 5), READ_X),
    "delattr of thread's variables": (local, lambda held: delattr(held, "x"), READ_X),
    "setattr of a cell": (with_variable, lambda held: setattr(held.__closure__[0], "cell_contents", 5), CALL),
    "setattr of a field": (Fields, lambda held: setattr(held, "x", 5), READ_X),
    "an item of an array of ctypes": (lambda: (ctypes.c_int * 1)(), lambda held: held.__setitem__(0, 5), READ_ITEM),
}


def field(held: Any, value: Any = 5) -> None:
    held.x = value


def item(held: Any) -> None:
    held[0] = 5


STORES |= {
    "a field": (Fields, field, READ_X),
    "an item of ctypes": (lambda: (ctypes.c_int * 1)(), item, READ_ITEM),
    "an attribute of thread's variables": (local, field, READ_X),
}


@pytest.mark.parametrize("make, store, read", STORES.values(), ids=STORES)
def test_a_store_in_a_branch(make: Any, store: Any, read: Any) -> None:
    held = make()

    def function(n: Any) -> Any:
        if n > 0:
            store(held)
        return n

    with pytest.raises(tf.errors.MutationError, match="a store into an object of class|may change a") as error:
        tf.function(function)(tf.constant(1))
    assert error.value.file == __file__ and error.value.line and error.value.remedy
    assert read(held) == 0


def test_what_a_branch_has_made_may_be_stored_into() -> None:
    @tf.function
    def function(n: Any) -> Any:
        if n > 0:
            made = np.zeros(1, object)
            made.__setitem__(0, 5)
            fields = Fields()
            fields.x = 3
            n = n + made[0] + fields.x
        return n

    assert function(tf.constant(1)).numpy() == 9 and function(tf.constant(0)).numpy() == 0


@pytest.mark.parametrize(
    "make, store",
    [
        (local, field),
        (local, lambda held, n: setattr(held, "x", n)),
        (lambda: functools.partial(len), field),
        (with_variable, lambda held, n: setattr(held.__closure__[0], "cell_contents", n)),
        (lambda: np.zeros(1, object), lambda held, n: held.__setitem__(0, n)),
        (lambda: np.zeros(1, object), lambda held, n: held.fill(n)),
        (lambda: contextvars.ContextVar("held"), lambda held, n: held.set(n)),
        (asyncio.Queue, lambda held, n: held.put_nowait(n)),
    ],
)
def test_no_value_of_a_graph_stays_in_what_hides_it(make: Any, store: Any) -> None:
    held = make()

    def function(n: Any) -> Any:
        store(held, n)
        return n

    with pytest.raises(tf.errors.MutationError, match="outlives this function|only a run of the graph knows") as error:
        tf.function(function)(tf.constant(1))
    assert error.value.file == __file__ and error.value.line and error.value.remedy


def test_what_the_function_has_made_may_hide_it() -> None:
    @tf.function
    def function(n: Any) -> Any:
        made = local()
        made.x = n
        queue: asyncio.Queue[Any] = asyncio.Queue()
        queue.put_nowait(n)
        return made.x + queue.get_nowait()

    assert function(tf.constant(2)).numpy() == 4


def test_no_value_of_a_graph_stays_in_a_generator_that_is_older() -> None:
    def totals() -> Any:
        total = 0
        while True:
            total = total + (yield total)

    running = totals()
    next(running)

    @tf.function
    def f(n: Any) -> Any:
        running.send(n)
        return n

    with pytest.raises(tf.errors.MutationError, match="`send` of an object of class `generator` outlives"):
        f(tf.constant(1))
    assert running.send(2) == 2
