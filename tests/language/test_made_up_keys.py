"""Dicts outside that make up what they lack (`Counter`, `defaultdict`, `__missing__`): each run asks anew."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

import autograph as tf


class Doubling(dict):
    def __missing__(self, key: Any) -> int:
        return 5


class Keeping(dict):
    def __missing__(self, key: Any) -> int:
        self[key] = 7
        return 7


MAKERS = {
    "Counter": Counter, "defaultdict of int": lambda: defaultdict(int), "defaultdict of float":
    lambda: defaultdict(float), "__missing__": Doubling, "__missing__ that stores": Keeping,
}  # fmt: skip


def programs(held: Any) -> dict[str, Any]:
    def add(n):
        held["k"] += n
        return held["k"]

    def get(n):
        held["k"] = held.get("k", 3) + n
        return held["k"]

    def other(n):
        held["k"] = n
        return held["q"] + held["k"]

    def test(n):
        r = held["k"] if "k" in held else 0
        held["k"] = n
        return r

    def branch(n):
        if n > 1:
            held["k"] += n
        return held["k"]

    def loop(n):
        for i in range(n):
            held["k"] += i
        return n

    return {each.__name__: each for each in (add, get, other, test, branch, loop)}


def numbers(held: Any) -> dict[Any, Any]:
    return {key: float(value) for key, value in held.items()}


def calls(held: Any, name: str, staged: bool) -> tuple[list[float], Any]:
    function = programs(held)[name]
    function = tf.function(function) if staged else function
    return [float(function(tf.constant(n) if staged else n)) for n in (1, 2, 3)], numbers(held)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("name", programs(None))
def test_what_is_missing(make: Any, name: str) -> None:
    expected = calls(make(), name, staged=False)
    held = make()
    try:
        found = calls(held, name, staged=True)
    except tf.errors.AutographError as error:
        assert error.file == __file__ and error.line and error.remedy and not held
        assert make in (Doubling, Keeping) or name in ("branch", "loop")
    else:
        assert found == expected


@pytest.mark.parametrize("make", [Counter, lambda: defaultdict(int)])
def test_what_something_else_has_put_there_or_taken_away(make: Any) -> None:
    held = make()
    add = tf.function(programs(held)["add"])
    assert add(tf.constant(1)).numpy() == 1
    held["k"] = 10
    assert add(tf.constant(2)).numpy() == 12
    del held["k"]
    assert add(tf.constant(3)).numpy() == 3
