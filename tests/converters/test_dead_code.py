"""Exits in both branches of a condition, in all combinations: what follows them is never run, nor is it lost."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import autograph as tf

LEAVES = ("s += 1", "continue", "break", "return s + 1000")
LOOPS = ("for i in range(n):", "while i < n:\n        i += 1")


def branches(leaves: tuple[str, ...]) -> Iterator[str]:
    """What may stand in a branch: one statement, or a condition with a branch of each kind and something behind it."""
    yield from leaves
    for then, other in itertools.product(leaves, repeat=2):
        yield f"if i % 2 == 1:\n    {then}\nelse:\n    {other}\ns += 100"


def indented(text: str, levels: int) -> str:
    return "\n".join("    " * levels + line for line in text.split("\n"))


def program(loop: str, then: str, other: str) -> Callable[[Any], Any]:
    """A loop with a condition whose branches may exit, and statements after it that may be dead."""
    source = (
        f"def f(n):\n    s = 0\n    i = n - n\n    {loop}\n        if i % 3 == 1:\n{indented(then, 3)}\n"
        f"        else:\n{indented(other, 3)}\n        s += 10\n    s += 5\n    return s\n"
    )
    name = f"<exits {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace: dict[str, Any] = {"__name__": "exits"}
    exec(compile(source, name, "exec"), namespace)
    function: Callable[[Any], Any] = namespace["f"]
    return function


@pytest.mark.parametrize("then", list(branches(LEAVES)))
@pytest.mark.parametrize("loop", LOOPS, ids=["for", "while"])
def test_what_follows_exits_is_as_in_python(loop: str, then: str) -> None:
    for other in branches(LEAVES):
        function = program(loop, then, other)
        plain, staged = tf.autograph.to_graph(function), tf.function(function)
        for n in (0, 1, 2, 5):
            assert plain(n) == function(n), linecache.getlines(function.__code__.co_filename)
            assert staged(tf.constant(n)).numpy() == function(n), linecache.getlines(function.__code__.co_filename)
