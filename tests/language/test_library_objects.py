"""Objects of the library that hold what staged code has changed: right, or refused by name, never what stands there."""

from __future__ import annotations

import argparse
import types
import weakref
from collections import UserList, deque
from collections.abc import Callable
from typing import Any

import pytest

from .test_heap_regressions import equal_or_refused


class Key:
    pass


class Held:
    """A descriptor that keeps values by object."""

    def __init__(self) -> None:
        self.values: Any = weakref.WeakKeyDictionary()

    def __get__(self, obj: object, owner: object) -> Any:
        return self.values.get(obj, 0)

    def __set__(self, obj: object, value: object) -> None:
        self.values[obj] = value


class Holder:
    held = Held()


def weak_keys(n: Any) -> Any:
    key, kept = Key(), weakref.WeakKeyDictionary()
    if n > 1:
        kept[key] = n
    return len(kept)


def weak_keys_with_the_number_of_before(n: Any) -> Any:
    key, kept = Key(), weakref.WeakKeyDictionary()
    kept[key] = 1
    if n > 1:
        kept[key] = n
    return kept[key], len(kept), key in kept, list(kept.values())


def weak_values(n: Any) -> Any:
    key, kept = Key(), weakref.WeakValueDictionary()
    if n > 1:
        kept[3] = key
    return 3 in kept


def descriptor(n: Any) -> Any:
    holder = Holder()
    if n > 1:
        holder.held = n
    return holder.held


def equal_namespaces(n: Any) -> Any:
    space = types.SimpleNamespace(items=[1])
    if n > 1:
        space.items.append(5)
    return space == types.SimpleNamespace(items=[1, 5])


def equal_arguments(n: Any) -> Any:
    space = argparse.Namespace(items=[1])
    for _ in range(n):
        space.items.append(5)
    return space == argparse.Namespace(items=[1, 5])


def text_of_a_namespace(n: Any) -> Any:
    space = types.SimpleNamespace(items=[1])
    if n > 1:
        space.items.append(5)
    return repr(space)


def search_in_a_queue(n: Any) -> Any:
    queue = deque([[1]])
    if n > 1:
        queue[0].append(5)
    return [1, 5] in queue


def count_in_a_queue(n: Any) -> Any:
    queue = deque([[1]])
    if n > 1:
        queue[0].append(5)
    return queue.count([1, 5])


def length_of_a_queue(n: Any) -> Any:
    queue = deque([[1]])
    if n > 1:
        queue[0].append(5)
    return len(queue), len(queue[0])


def sets(n: Any) -> Any:
    seen = {1, 2}
    other = seen
    seen |= {n}
    return len(other), seen is other


def sets_in_a_helper(n: Any) -> Any:
    def add(values: set[Any]) -> None:
        values -= {n}

    seen = {1, 2}
    add(seen)
    return len(seen)


def items_of_a_sequence(n: Any) -> Any:
    values = UserList([1])
    if n > 1:
        values.append(1)
    return list(values)


def generator_that_ends_with_an_error(n: Any) -> Any:
    values = [1]
    if n > 1:
        values.append(1)

    def items() -> Any:
        index = 0
        try:
            while True:
                yield values[index]
                index += 1
        except IndexError:
            return

    return [x + 1 for x in items()]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "function",
    [
        weak_keys, weak_keys_with_the_number_of_before, weak_values, descriptor, equal_namespaces, equal_arguments,
        text_of_a_namespace, search_in_a_queue, count_in_a_queue, length_of_a_queue, sets, sets_in_a_helper,
        items_of_a_sequence, generator_that_ends_with_an_error,
    ],
)  # fmt: skip
def test_as_in_python_or_refused(function: Callable[[Any], Any]) -> None:
    equal_or_refused(function, 0, 1, 2, 3)
