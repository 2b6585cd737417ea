"""What is raised, and handled, in one staged branch or loop body: no condition is between the two."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

import autograph as tf

from .support import check


class Items:
    def __getitem__(self, index: int) -> int:
        if index >= 3:
            raise IndexError(index)
        return index


class Count:
    def __init__(self) -> None:
        self.number = 0

    def __iter__(self) -> Count:
        return self

    def __next__(self) -> int:
        self.number += 1
        if self.number > 3:
            raise StopIteration
        return self.number


class Hooks:
    def __getattr__(self, name: str) -> int:
        raise AttributeError(name)


class Manager:
    swallows = False

    def __enter__(self) -> Manager:
        self.seen = ""
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.seen = "" if error is None else type(error).__name__
        return self.swallows


class Swallowing(Manager):
    swallows = True


def at(index: int) -> int:
    if index > 3:
        raise IndexError(f"no {index}")
    return index


def loop_over_items(n: Any) -> Any:
    total = 0
    for item in Items():
        total += item * n
    return total


def sum_of_items(n: Any) -> Any:
    return sum(Items()) + n


def list_of_items(n: Any) -> Any:
    return list(Items())[1] + n


def unpacked_items(n: Any) -> Any:
    first, *rest = Items()
    return first + len(rest) + n


def loop_over_own_iterator(n: Any) -> Any:
    total = 0
    for item in Count():
        total += item * n
    return total


def default_of_attribute(n: Any) -> Any:
    return getattr(Hooks(), "missing", 4) + hasattr(Hooks(), "missing") + n


def called(n: Any) -> Any:
    try:
        return at(7) + n
    except IndexError:
        return -n


def with_its_text(n: Any) -> Any:
    try:
        found = at(7)
    except IndexError as error:
        found = len(str(error))
    finally:
        n += 1
    return found + n


def in_two(n: Any) -> Any:
    found = 0
    try:
        try:
            found = at(9)
        finally:
            found = 8
    except (KeyError, IndexError):
        found += 1
    return found + n


def suppressed(n: Any) -> Any:
    found = 0
    with contextlib.suppress(IndexError):
        found = 1
        found = at(7)
    return found + n


def swallowed(n: Any) -> Any:
    with Swallowing() as manager:
        at(7)
    return len(manager.seen) + n


def generated(n: Any) -> Any:
    def numbers() -> Iterator[int]:
        yield 1
        raise IndexError

    total = 0
    try:
        for number in numbers():
            total += number
    except IndexError:
        total += 10
    return total + n


EACH = [
    loop_over_items, sum_of_items, list_of_items, unpacked_items, loop_over_own_iterator, default_of_attribute, called,
    with_its_text, in_two, suppressed, swallowed, generated,
]  # fmt: skip


@pytest.mark.parametrize("part", EACH)
def test_in_a_branch(part: Any) -> None:
    def f(n: Any) -> Any:
        result = 0
        if n > 2:
            result = part(n)
        return result

    check(f, 1, 3, 5)


@pytest.mark.parametrize("part", EACH)
def test_in_a_loop(part: Any) -> None:
    def f(n: Any) -> Any:
        result = 0
        for i in range(n):
            result += part(i)
        return result

    check(f, 0, 1, 3)


def test_what_nothing_handles_is_raised_when_the_graph_runs() -> None:
    def passing(n: Any) -> Any:
        result = 0
        if n > 2:
            with Manager():
                try:
                    result = at(7)
                finally:
                    result = 1
        return result

    staged = tf.function(passing)
    assert int(staged(tf.constant(1))) == 0
    with pytest.raises(IndexError, match="no 7"):
        staged(tf.constant(3))


def test_a_condition_between_the_two_is_refused() -> None:
    def f(n: Any) -> Any:
        result = 0
        if n > 2:
            try:
                if n > 3:
                    result = at(9)
            except IndexError:
                result = 8
        return result

    with pytest.raises(tf.errors.StagingError, match="stands in the `try` of line"):
        tf.function(f)(tf.constant(1))

    class Sometimes(Items):
        def __init__(self, n: Any) -> None:
            self.n = n

        def __getitem__(self, index: int) -> int:
            if self.n < index:
                raise IndexError(index)
            return index

    with pytest.raises(tf.errors.StagingError, match="stands in a loop over an object with `__getitem__`"):
        tf.function(lambda n: sum(Sometimes(n)))(tf.constant(1))
