"""Weak references tell, while a function is traced too, when nothing of the program's holds an object any more."""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np
import pytest

import autograph as tf

from .support import check


class Node:
    def __init__(self, value=0, parent=None):
        self.value = value
        self.parent = None if parent is None else weakref.ref(parent)


def test_an_object_is_gone_where_python_lets_go_of_it() -> None:
    def f(n):
        found = []
        node = Node(n)
        seen = weakref.ref(node)
        found.append(seen() is node)
        del node
        found.append(seen() is None)

        held = [Node()]
        seen = weakref.ref(held[0])
        held.clear()
        found.append(seen() is None)

        def inner():
            return n

        seen = weakref.ref(inner)
        inner = None
        found.append(seen() is None)
        array = np.zeros(3)
        seen = weakref.ref(array)
        array = array + 1
        found.append(seen() is None)
        return found, array[0] * n

    check(f, 1, 2)


def test_collections_of_weak_references() -> None:
    def f(n):
        cache, keys, members = weakref.WeakValueDictionary(), weakref.WeakKeyDictionary(), weakref.WeakSet()

        def get(key):
            if key not in cache:
                made = Node(key)
                cache[key] = made
                return made
            return cache[key]

        one, same = get(1), get(1)
        other = get(2)
        keys[other] = 5
        members.add(other)
        before = len(cache), len(keys), len(members)
        del other
        return one is same, before, len(cache), len(keys), len(members), one.value + n

    check(f, 1, 2)


def test_functions_that_are_called_at_the_end_of_an_object() -> None:
    def f(n):
        log = []
        node, other = Node(), Node()
        weakref.finalize(node, log.append, 1)
        seen = weakref.ref(other, lambda _: log.append(2))
        node = None
        log.append(3)
        other = None
        log.append(4 if seen() is None else 5)
        proxied = Node(n)
        proxy = weakref.proxy(proxied)
        proxy.value += 1
        log.append(proxied.value)
        proxied = None
        try:
            log.append(proxy.value)
        except ReferenceError:
            log.append(6)
        return log

    check(f, 1, 2)


def test_changes_through_weak_references() -> None:
    def f(n):
        parent = Node()
        child = Node(1, parent)
        for i in range(n):
            child.parent().value += i
        if n > 1:
            child.parent().value += 10
        return parent.value, child.parent() is parent

    check(f, 1, 3)


def gone_in_some_runs(n):
    node = Node()
    seen = weakref.ref(node)
    if n > 0:
        node = None
    return seen() is None


def gone_in_a_loop(n):
    node = Node()
    seen = weakref.ref(node)
    for _ in range(n):
        node = Node()
    return seen() is None


def of_a_chosen_object(n):
    node = Node()
    if n > 0:
        node = Node(1)
    seen = weakref.ref(node)
    node = None
    return seen() is None


@pytest.mark.parametrize("function", [gone_in_some_runs, gone_in_a_loop, of_a_chosen_object])
def test_what_only_a_run_tells_is_refused(function: Callable[..., object]) -> None:
    with pytest.raises(tf.errors.StagingError, match=r"weak reference(.|\n)*Remedy: "):
        tf.function(function)(tf.constant(2))
