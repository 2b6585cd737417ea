"""What Python calls by itself as a class is made: in a staged branch it is staged, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .support import check

LOG: list[Any] = []


class Named:
    def __set_name__(self, owner: type, name: str) -> None:
        LOG.append(name)


class Meta(type):
    def __new__(metaclass, name: str, bases: Any, namespace: Any) -> Any:
        LOG.append(name)
        return super().__new__(metaclass, name, bases, namespace)


class Noting:
    def __init_subclass__(cls) -> None:
        LOG.append(cls)


def of_a_metaclass() -> None:
    class Made(metaclass=Meta):
        pass


def of_a_base() -> None:
    class Made(Noting):
        pass


def of_an_attribute() -> None:
    class Made:
        attribute = Named()


HOOKS: dict[str, Callable[[], Any]] = {
    "Meta.__new__": of_a_metaclass,
    "Noting.__init_subclass__": of_a_base,
    "Named.__set_name__": of_an_attribute,
}


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_of_the_users_are_refused_in_branches(hook: str) -> None:
    action = HOOKS[hook]

    @tf.function
    def f(n):
        if n > 2:
            action()
        return n

    with pytest.raises(tf.errors.MutationError, match=f"Python calls `{hook}` by itself") as caught:
        f(tf.constant(1))
    assert caught.value.file == __file__ and "outside of the branch" in (caught.value.remedy or "")


@pytest.mark.parametrize("hook", HOOKS)
def test_they_run_once_in_a_trace_where_they_are_always_reached(hook: str) -> None:
    action = HOOKS[hook]

    @tf.function
    def f(n):
        action()
        return n + 1

    LOG.clear()
    assert int(f(tf.constant(1))) == 2 and len(LOG) == 1


def test_hooks_that_the_function_defines_are_staged() -> None:
    def f(n):
        made = []

        class Base:
            def __init_subclass__(cls):
                made.append(cls.__name__)

        class Attribute:
            def __set_name__(self, owner, name):
                made.append(name)

        if n > 2:

            class Derived(Base):
                value = Attribute()

        return len(made)

    check(f, 1, 5)


def test_libraries_make_classes_in_branches() -> None:
    def f(n):
        import dataclasses
        import enum

        if n > 2:

            @dataclasses.dataclass
            class Point:
                x: int

            class Colour(enum.Enum):
                RED = 3

            n = n + Point(2).x + Colour.RED.value
        return n

    check(f, 1, 5)
