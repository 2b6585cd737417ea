"""What plain Python code of a function does while it is traced happens once, however often it is traced in one call.

`Box.v = n` makes the functions here be traced twice: only the first trace shows that `v` is a place outside.
"""

from __future__ import annotations

import array
import collections
import functools
import heapq
import io
import itertools
import queue
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python


class Box:
    def __init__(self) -> None:
        self.v: Any = 0
        self.items: list[Any] = [[1]]
        self.count = 0


class Tagged(list):
    tag = 0


class Counted:
    made = 0


TOTAL = 0


@tf.autograph.experimental.do_not_convert
def push(values: list[Any]) -> None:
    values.append(7)


def helper(values: list[Any]) -> list[Any]:
    values.append(4)
    return values


def count_global() -> None:
    global TOTAL
    TOTAL += 1


def changes(values: list[Any]) -> None:
    helper(values).extend([1, 2])
    values.sort()
    del values[0]


def tag(values: Any) -> None:
    values.append(2)
    values.tag = len(values)


def count_class(_: Any) -> None:
    Counted.made += 1


def nested(box: Box) -> None:
    box.items[0].append(3)
    setattr(box, "count", len(box.items[0]))  # noqa: B010


def many(values: collections.Counter[str]) -> None:
    values["x"] += 1
    values.update("xy")


def add_to_item(values: Any) -> None:
    values[1] += 1


def add_to_row(values: Any) -> None:
    row = values[1]
    row += 1
    values *= 2


def in_a_try(values: list[Any]) -> None:
    try:
        values.append(1)
        raise KeyError(1)
    except KeyError:
        values.append(2)


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "append": (list, lambda held: held.append(5), list),
    "a helper's changes": (lambda: [3], changes, list),
    "a key": (dict, lambda held: held.update({len(held): 5}), dict),
    "a deleted key": (lambda: {"a": 1, "b": 2}, lambda held: held.pop("a"), lambda held: list(held.items())),
    "a set": (set, lambda held: held.add(len(held)), set),
    "a deque": (lambda: collections.deque([1, 2], 3), lambda held: held.append(len(held)), list),
    "a deque, at its left": (collections.deque, lambda held: held.appendleft(len(held)), list),
    "bytes": (bytearray, lambda held: held.append(65), bytes),
    "an array": (lambda: np.zeros(2), lambda held: held.__setitem__(1, held[1] + 1), lambda held: held.tolist()),
    "an array's item": (lambda: np.zeros(2), add_to_item, lambda held: held.tolist()),
    "a view of an array": (lambda: np.zeros((2, 2)), add_to_row, lambda held: held.tolist()),
    "an array by a function": (lambda: np.array([2, 1]), lambda held: np.put(held, 0, held[0] + 1), lambda a: list(a)),
    "a defaultdict": (lambda: collections.defaultdict(int), lambda held: held["x"], dict),
    "a Counter": (collections.Counter, many, dict),
    "an OrderedDict": (
        lambda: collections.OrderedDict(a=1, b=2), lambda held: held.move_to_end("a"), lambda held: list(held)
    ),
    "a list of a user's class": (Tagged, tag, lambda held: (list(held), held.tag)),
    "what an object holds": (Box, nested, lambda held: (held.items, held.count)),
    "heapq": (lambda: [3, 4], lambda held: heapq.heappush(held, 1), list),
    "unconverted code": (list, push, list),
    "a try": (list, in_a_try, list),
    "a queue": (queue.Queue, lambda held: held.put(1), lambda held: held.qsize()),
    "a stream in memory": (io.StringIO, lambda held: held.write("x"), lambda held: held.getvalue()),
    "numbers in memory": (lambda: array.array("i"), lambda held: held.append(1), lambda held: held.tolist()),
    "random numbers": (lambda: random.Random(1), lambda held: held.randint(1, 1000), lambda held: held.random()),
    "an iterator": (lambda: itertools.count(3), lambda held: next(held), lambda held: next(held)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::autograph.operators.staging.prelude.python_builtins.FrozenIteratorWarning")
@pytest.mark.filterwarnings("ignore::autograph.operators.staging.outside.effects.FrozenValueWarning")
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_outside_happens_once(name: str) -> None:
    make, change, look = CHANGES[name]

    def outcome(staged: bool) -> Any:
        held, box = make(), Box()

        def f(n):
            result = change(held)
            if n > 0:
                box.v = n
            return n, result if isinstance(result, int) else 0

        result = (tf.function(f) if staged else f)(tf.constant(2))
        return as_python(result), as_python(box.v), look(held)

    assert outcome(True) == outcome(False)


def test_variables_outside_are_set_once() -> None:
    count, box = 0, Box()
    Counted.made = 0

    def f(n):
        nonlocal count
        count += 1
        count_global()
        count_class(None)
        box.v = n
        return n

    before = TOTAL
    tf.function(f)(tf.constant(2))
    assert (count, TOTAL - before, Counted.made) == (1, 1, 1)


def test_each_trace_does_what_it_does() -> None:
    done, box = [], Box()

    @tf.function
    def f(n):
        done.append(n.dtype.name)
        box.v = n
        return len(done)

    assert [int(f(tf.constant(1))), int(f(tf.constant(2))), int(f(tf.constant(1.0)))] == [1, 1, 2]
    assert done == ["int32", "float32"]


def test_a_traced_function_that_is_called_is_traced_again_with_its_caller() -> None:
    done, box = [], Box()

    @tf.function
    def inner(n):
        done.append(5)
        if n > 0:
            box.v = n
        return n

    @tf.function
    def f(n):
        return inner(n) + len(done)

    assert int(f(tf.constant(2))) == 3 and done == [5] and int(box.v) == 2
    assert int(inner(tf.constant(3))) == 3 and done == [5] and int(box.v) == 3


def test_a_traced_function_in_a_loop_changes_a_list_in_each_turn() -> None:
    @tf.function
    def f(n):
        items = []

        @tf.function
        def inner(n):
            items.append(1)
            return n

        for _ in range(n):
            items.append(3)
            inner(n)
        return items

    assert f(tf.constant(2)).numpy().tolist() == [3, 1, 3, 1]


def test_a_traced_function_changes_what_is_its_callers_own_in_each_call() -> None:
    @tf.function
    def f(n):
        items, count = [], 0

        @tf.function
        def inner(n):
            nonlocal count
            items.append(1)
            count += 1
            return n

        return inner(n) + inner(n), len(items), count

    assert as_python(f(tf.constant(2))) == (4, 2, 2)


def test_the_first_call_that_makes_variables_does_all_else_once() -> None:
    done, box = [], Box()
    box.v = None

    @tf.function
    def f(n):
        done.append(1)
        box.count += 1
        if box.v is None:
            box.v = tf.Variable(1)
        return n + box.v + len(done)

    assert int(f(tf.constant(2))) == 4
    assert done == [1] and box.count == 1




def test_an_iterator_that_would_go_forward_twice_is_refused() -> None:
    values, box = iter([1, 2, 3]), Box()

    @tf.function
    def f(n):
        total = 0
        for each in values:
            total += each
        box.v = n
        return total

    with pytest.raises(tf.errors.MutationError, match="`values`, an iterator from outside, is moved") as caught:
        f(tf.constant(1))
    assert caught.value.file == __file__ and caught.value.line and caught.value.remedy


def test_files(tmp_path: Any) -> None:
    path = tmp_path / "text"

    def written(mode: str) -> Any:
        box = Box()

        @tf.function
        def f(n):
            with open(path, mode) as file:
                file.write("abc")
            box.v = n
            return n

        return f(tf.constant(1))

    written("w")
    assert path.read_text() == "abc"
    with pytest.raises(tf.errors.MutationError, match="a file is opened in mode 'a'") as caught:
        written("a")
    assert caught.value.file == __file__ and caught.value.line and caught.value.remedy


CACHED: list[int] = []


def noted(k: int) -> int:
    CACHED.append(k)
    return k + 1


@pytest.mark.parametrize("cache", [functools.lru_cache, functools.cache, functools.lru_cache(maxsize=1)])
def test_a_cached_function_has_been_called_once(cache: Callable[..., Any]) -> None:
    known, box = cache(noted), Box()

    @tf.function
    def f(n: Any) -> Any:
        first = known(1)
        box.v = box.v + n
        return first + known(1) + box.v

    CACHED.clear()
    assert int(f(tf.constant(2))) == 6
    assert CACHED == [1]
    assert int(f(tf.constant(2))) == 8
    assert CACHED == [1]
    assert known.cache_info().currsize == 1
