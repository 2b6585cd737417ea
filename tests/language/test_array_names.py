"""L12: an array under two names, or an array and a view of it: what one is given, the other has, as in NumPy."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import MutationError

from .heap_programs import filled, made
from .support import check

NUMBERS = (0, 1, 2, 3)

HOLDS: dict[str, tuple[str, str]] = {
    "name": ("b = a", "b"),
    "tuple": ("t = (1, a)", "t[1]"),
    "list": ("l = [a, 2]", "l[0]"),
    "dict": ("d = {'k': a}", "d['k']"),
    "list in a dict": ("d = {'k': [a]}", "d['k'][0]"),
    "attribute": ("o = Box(a)", "o.l"),
    "closure": ("g = lambda: a", "g()"),
    "default": ("def g(x=a):\n    return x", "g()"),
    "helper": ("def g(x):\n    return x\nb = g(a)", "b"),
    "slice": ("b = a[1:]", "b"),
    "one row": ("b = a[1]", "b"),
    "backwards": ("b = a[::-1]", "b"),
    "every other column": ("b = a[:, ::2]", "b"),
    "transposed": ("b = a.T", "b"),
    "flat": ("b = a.reshape(-1)", "b"),
    "by a function": ("b = np.transpose(np.asarray(a))", "b"),
    "raveled": ("b = np.ravel(a)", "b"),
    "view of a view": ("b = a[:, 1:].T[0]", "b"),
    "view in an attribute": ("o = Box(a[1:])", "o.l"),
    "rows in a list": ("l = [row for row in a]", "l[1]"),
    "unpacked": ("_, b, _ = a", "b"),
}
CHANGES: dict[str, str] = {
    "item": "X[0] = n",
    "staged item": "X[n % 2] = n + 1",
    "slice": "X[1:] = 7",
    "added": "Y = X; Y += n",
    "multiplied": "Y = X; Y *= 2",
    "item added to": "X[0] += 1",
    "output": "np.add(X, n, out=X)",
    "positional output": "np.clip(X, 1, 2, X)",
    "filled": "X.fill(n)",
    "copied into": "np.copyto(X, n)",
    "sorted": "X.sort()",
    "all": "X[...] = X * 2 + 1",
}
PLACES: dict[str, str] = {
    "at once": "CHANGE",
    "branch": "if n > 1:\n    CHANGE",
    "both branches": "if n > 1:\n    CHANGE\nelse:\n    a[0] = 9",
    "loop": "for _ in range(n):\n    CHANGE",
    "while": "i = 0\nwhile i < n:\n    CHANGE\n    i += 1",
    "branch in a loop": "for i in range(n):\n    if i > 0:\n        CHANGE\n    else:\n        a[1] = 8",
    "early return": "if n > 2:\n    return RESULT\nCHANGE",
    "function": "def change():\n    CHANGE\nif n > 1:\n    change()",
}
PROGRAM = """
def f(n):
    a = np.array([[3, 1, 2], [6, 5, 4], [7, 9, 8]])
    HOLD
    PLACE
    return RESULT
"""


def program(hold: str, change: str, place: str, through_second: bool) -> str:
    setup, second = HOLDS[hold]
    text = CHANGES[change].replace("X", second if through_second else "a")
    result = f"a, {second}, a.sum(), {second} * 2"
    body = PLACES[place].replace("CHANGE", text).replace("RESULT", result)
    return filled(PROGRAM, HOLD=setup, PLACE=body, RESULT=result)


def programs() -> list[Any]:
    """Each way to hold the array, at each place, under both names, with one change after the other."""
    changes = itertools.cycle(CHANGES)
    found = []
    for hold, place, side in itertools.product(HOLDS, PLACES, (False, True)):
        change = next(changes)
        name = f"{hold}, {change} {'of the second' if side else ''}, {place}"
        found.append(pytest.param(program(hold, change, place, side), id=name))
    return found


@pytest.mark.parametrize("source", programs())
def test_a_change_is_seen_under_all_names(source: str) -> None:
    check(made(source), *NUMBERS)


@pytest.mark.parametrize(
    ("look", "read"),
    [
        (lambda a: a.flat, lambda d: d[0]),
        (lambda a: a.flat, lambda d: d.copy()[0]),
        (lambda a: a.flat, lambda d: sum(d)),
        (lambda a: zip(a.flat, a.flat, strict=True), lambda d: sum(x for x, _ in d)),
        (np.ndenumerate, lambda d: sum(x for _, x in d)),
        (np.nditer, lambda d: sum(d)),
        (lambda a: np.broadcast(a, a), lambda d: sum(x for x, _ in d)),
        (memoryview, lambda d: d[0, 0]),
        (np.ctypeslib.as_ctypes, lambda d: d[0][0]),
        ((ctypes.c_int32 * 2).from_buffer, lambda d: d[0]),
        (memoryview, lambda d: d.tolist()[0][0]),
        (lambda a: np.asarray(memoryview(a)), lambda d: d[0, 0]),
        (lambda a: np.lib.stride_tricks.as_strided(a, (2,), (4,)), lambda d: d[0]),
        (lambda a: a.view(np.recarray), lambda d: d[0, 0]),
        (lambda a: np.ma.array(a, copy=False), lambda d: d[0, 0]),
    ],
)
def test_what_looks_into_the_memory_of_a_changed_array_is_refused(look: Any, read: Any) -> None:
    def f(n: Any) -> Any:
        a = np.zeros((2, 2), np.int32)
        other = look(a)
        if n > 0:
            a[0, 0] = n
        return read(other)

    assert f(2) == 2
    with pytest.raises(MutationError, match="which would not see the change"):
        tf.function(f)(tf.constant(2))
