"""Calls and reads that change an object without saying so, in staged branches: carried, or refused by name.

Each case stands in a function that the branch calls, where the object is a variable of a function around it: nothing
but the operator that changes it tells the trace of it.
"""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import operator
import queue
import random
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .support import as_python


class Box:
    def __init__(self) -> None:
        self.x = 0


class Making(dict):
    def __missing__(self, key):
        self[key] = 7
        return 7


class Adding(dict):
    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value + 1)

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        dict.__setitem__(self, "gone", 1)


class Lazy:
    @functools.cached_property
    def part(self):
        return 3


def stored(container: Any) -> None:
    container["k"] = 1


def counted(counter: Any) -> None:
    counter["k"] += 1


def numbers() -> Any:
    return collections.defaultdict(int)


CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "defaultdict": (numbers, lambda held: held["k"], dict),
    "a list in a defaultdict": (lambda: collections.defaultdict(list), lambda held: held["k"].append(1), dict),
    "__getitem__": (numbers, lambda held: held.__getitem__("k"), dict),
    "operator.getitem": (numbers, lambda held: operator.getitem(held, "k"), dict),
    "itemgetter": (numbers, lambda held: operator.itemgetter("k")(held), dict),
    "%": (numbers, lambda held: "%(k)s" % held, dict),  # noqa: UP031
    "format": (numbers, lambda held: "{0[k]}".format(held), dict),  # noqa: UP032
    "format_map": (numbers, lambda held: "{k}".format_map(held), dict),
    "sorted by a defaultdict": (numbers, lambda held: sorted("ab", key=held.__getitem__), dict),
    "__missing__": (Making, lambda held: held["k"], dict),
    "__setitem__ of the user's": (Adding, stored, dict),
    "operator.setitem of the user's": (Adding, lambda held: operator.setitem(held, "k", 1), dict),
    "operator.delitem of the user's": (lambda: Adding(k=1), lambda held: operator.delitem(held, "k"), dict),
    "setdefault": (dict, lambda held: held.setdefault("k", 1), dict),
    "Counter +=": (collections.Counter, counted, dict),
    "Counter.update": (collections.Counter, lambda held: held.update("ab"), dict),
    "move_to_end": (lambda: collections.OrderedDict(a=1, b=2), lambda held: held.move_to_end("a"), list),
    "popitem": (lambda: collections.OrderedDict(a=1, b=2), lambda held: held.popitem(last=False), list),
    "rotate": (lambda: collections.deque([1, 2, 3]), lambda held: held.rotate(1), list),
    "ChainMap": (lambda: collections.ChainMap({}, {"a": 1}), stored, dict),
    "operator.setitem of a ChainMap": (collections.ChainMap, lambda held: operator.setitem(held, "k", 1), dict),
    "UserDict": (collections.UserDict, lambda held: held.update(z=1), dict),
    "UserList": (collections.UserList, lambda held: held.append(1), list),
    "heappush": (lambda: [3, 4], lambda held: heapq.heappush(held, 1), list),
    "heapify": (lambda: [3, 1], heapq.heapify, list),
    "insort": (lambda: [3, 4], lambda held: bisect.insort(held, 1), list),
    "shuffle": (lambda: [3, 4, 5], lambda held: random.Random(0).shuffle(held), list),
    "sort": (lambda: [3, 4, 1], lambda held: held.sort(), list),
    "sort by a key": (lambda: [3, 4, 1], lambda held: held.sort(key=lambda x: -x), list),
    "operator.setitem": (lambda: [3, 4, 1], lambda held: operator.setitem(held, 0, 9), list),
    "operator.delitem": (lambda: [3, 4, 1], lambda held: operator.delitem(held, 0), list),
    "operator.iadd": (lambda: [3], lambda held: operator.iadd(held, [9]), list),
    "operator.ior": (dict, lambda held: operator.ior(held, {"a": 1}), dict),
    "methodcaller": (list, lambda held: operator.methodcaller("append", 1)(held), list),
    "list.append": (list, lambda held: list.append(held, 1), list),
    "dict.setdefault": (dict, lambda held: dict.setdefault(held, 1, 1), dict),
    "dict.__setitem__": (dict, lambda held: dict.__setitem__(held, 1, 1), dict),
    "map": (list, lambda held: list(map(held.append, [1, 2])), list),
    "partial": (list, lambda held: functools.partial(held.append, 1)(), list),
    "setattr": (Box, lambda held: setattr(held, "x", 1), vars),  # noqa: B010
    "delattr": (Box, lambda held: delattr(held, "x"), vars),  # noqa: B043
    "vars": (Box, lambda held: operator.setitem(vars(held), "x", 1), vars),
    "__dict__": (Box, lambda held: held.__dict__.update(x=1), vars),
    "object.__setattr__": (Box, lambda held: object.__setattr__(held, "x", 1), vars),  # noqa: PLC2801
    "cached_property": (Lazy, lambda held: held.part, vars),
    "set": (set, lambda held: held.add(1), list),
    "bytearray": (bytearray, lambda held: held.extend(b"a"), bytes),
    "memoryview": (lambda: bytearray(b"a"), lambda held: operator.setitem(memoryview(held), 0, 66), bytes),
    "Queue": (queue.Queue, lambda held: held.put(1), lambda held: held.qsize()),
    "Event": (threading.Event, lambda held: held.set(), lambda held: held.is_set()),
    "WeakSet": (weakref.WeakSet, lambda held: held.add(Box), len),
    "WeakKeyDictionary": (weakref.WeakKeyDictionary, lambda held: held.update({Box: 1}), len),
    "SimpleNamespace": (lambda: types.SimpleNamespace(a=1), lambda held: setattr(held, "a", 2), vars),  # noqa: B010
}


@pytest.mark.parametrize("loop", [False, True], ids=["branch", "loop"])
@pytest.mark.parametrize("name", CASES)
def test_a_change_is_carried_or_refused_by_name(name: str, loop: bool) -> None:
    make, change, look = CASES[name]

    def outcome(n: int, staged: bool) -> Any:
        held = make()

        def helper():
            change(held)
            return 1

        def f(n):
            done = 0
            if loop:
                while done < n:
                    done += helper()
            elif n > 0:
                done = helper()
            return done

        result = (tf.function(f) if staged else f)(tf.constant(n))
        return as_python(result), as_python(look(held))

    for n in (0, 1):
        try:
            assert outcome(n, True) == outcome(n, False)
        except (tf.errors.StagingError, tf.errors.ConversionError) as error:
            assert error.file == __file__ and error.line and error.remedy


CACHE_MISSES: list[int] = []


@functools.lru_cache
def counting(x: int) -> int:
    CACHE_MISSES.append(x)
    return x + 1


@functools.lru_cache
def computing(x: int) -> int:
    return x + 1


def test_a_function_with_a_cache_may_only_compute_in_a_branch() -> None:
    @tf.function
    def f(n):
        return computing(3) if n > 0 else 0

    assert [int(f(tf.constant(n))) for n in (1, 0)] == [4, 0]

    @tf.function
    def g(n):
        return counting(3) if n > 0 else 0

    with pytest.raises(tf.errors.MutationError, match=r"counting\(\) has a cache, and changes") as caught:
        g(tf.constant(1))
    assert caught.value.file == __file__ and caught.value.line and CACHE_MISSES == []
