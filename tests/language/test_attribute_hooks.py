"""`__getattr__` of the user's: it is asked by the program alone, not by what traces it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .support import check


class Wrapper:
    """Holds an object, as such classes of libraries do: what it has not itself, the object has."""

    def __init__(self, held):
        self.set_here("_held", held)

    def set_here(self, name, value):
        return object.__setattr__(self, name, value)

    def __getattr__(self, name):
        return getattr(self._held, name)

    def __setattr__(self, name, value):
        return setattr(self._held, name, value)


class Slots:
    __slots__ = ("_held",)

    def __init__(self, held):
        object.__setattr__(self, "_held", held)

    def __getattr__(self, name):
        return getattr(self._held, name)


class Recording:
    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AssertionError(name)
        self.asked.append(name)
        return 1

    def __call__(self, x):
        return x + 1


class Plain:
    n = 1


def wraps_inside(x):
    if x > 0:
        wrapper = Wrapper([1])
        wrapper.append(x)
        return wrapper.count(1)
    return 0


def wraps_outside(x):
    wrapper = Wrapper([1])
    if x > 0:
        wrapper.append(x)
    return wrapper.pop()


def sets_through(x):
    held = Plain()
    wrapper = Wrapper(held)
    if x > 0:
        wrapper.n = x
    return held.n, wrapper.n


def with_slots(x):
    wrapper = Slots([1])
    if x > 0:
        wrapper.append(x)
    return wrapper.pop()


def is_asked_by_the_program_alone(x):
    recording = Recording()
    y = recording(x)
    if x > 0:
        y = recording(y) + recording.a
    return y, len(recording.asked)


def is_called_by_a_library(x):
    recording = Recording()
    y = 0
    for each in map(recording, [1, 2]):
        y += each + x
    return y, len(recording.asked)


@pytest.mark.parametrize(
    "function",
    [wraps_inside, wraps_outside, sets_through, with_slots, is_asked_by_the_program_alone, is_called_by_a_library],
)
def test_only_the_program_asks(function: Callable[..., Any]) -> None:
    check(function, 2, -1)


def test_unconverted_code_gets_the_object_as_it_is() -> None:
    @tf.autograph.experimental.do_not_convert
    def ask(recording):
        return recording.b

    @tf.function
    def f(x):
        recording = Recording()
        return x + ask(recording), recording.asked

    assert [each if isinstance(each, list) else int(each) for each in f(tf.constant(2))][0] == 3


class Slotted:
    __slots__ = ("value",)


class Reading:
    @property
    def value(self):
        return self._value

    @functools.cached_property
    def kept(self):
        return self._value

    def __getattr__(self, name):
        if name == "hidden":
            return self._value
        raise AttributeError(name)


def test_hasattr_of_what_only_some_runs_have_set() -> None:
    def f(n):
        slots, reading = Slotted(), Reading()
        for _ in range(n):
            slots.value = n
        if n > 1:
            reading._value = n
        found = hasattr(slots, "value"), hasattr(reading, "value"), hasattr(reading, "hidden"), hasattr(reading, "kept")
        return found, getattr(slots, "value", 7), getattr(reading, "value", 7), getattr(reading, "hidden", 7)

    check(f, 0, 1, 2)


def test_hasattr_of_a_slot_that_is_deleted() -> None:
    def f(n):
        slots = Slotted()
        slots.value = 3
        if n > 1:
            del slots.value
        return hasattr(slots, "value"), getattr(slots, "value", 7)

    check(f, 1, 2)
