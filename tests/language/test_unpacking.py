"""`*x` of lists whose length only the run tells, tuples that grow in staged loops, and lists in NumPy's functions."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import MutationError, StagedValueError

from .support import as_python, assert_same

SETUP = """
def two(a, b):
    return a - 2 * b

def some(a, b=10, *, c=20):
    return a * 100 + b * 10 + c

class Pair:
    def __init__(self, a, b):
        self.difference = a - b

def f(n):
    l, t = [], ()
    for i in range(n):
        l.append(i * 3 % 5)
        t = t + (i * 3 % 5,)
"""


def run(body: str, n: int, staged: bool = True) -> Any:
    """What a function body gives that knows a list `l` and a tuple `t` of some numbers."""
    from linecache import cache

    source = SETUP + "\n".join("    " + line for line in body.split("\n")) + "\n"
    name = f"<unpacking {hash(source)}>"
    cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {"__name__": __name__, "np": np, "tf": tf, "operator": operator}
    exec(compile(source, name, "exec"), namespace)
    function = namespace["f"]
    return as_python(tf.function(function)(tf.constant(n)) if staged else function(n))  # type: ignore[operator]


def agree(body: str, *numbers: int) -> None:
    """Plain Python and the staged function give the same, or raise errors of the same class."""
    for n in numbers:
        try:
            expected = run(body, n, staged=False)
        except (ValueError, TypeError, IndexError) as error:
            with pytest.raises(type(error)):
                run(body, n)
        else:
            assert_same(run(body, n), expected)


WORKING = [
    "a, *rest = l\nreturn a, rest",
    "*rest, a = t\nreturn a, rest",
    "a, *rest, b = l\nrest.append(7)\nreturn a, rest, b, l",
    "for a, *rest in [l, t]:\n    pass\nreturn a, rest",
    "return [*l], [0, *t, 9, *l]",
    "made = [*l]\nmade.append(4)\nreturn made, len(l)",
    "return (*l,), (1, *t)",
    "return tuple(l), list(t), isinstance(tuple(l), tuple), isinstance(list(t), tuple)",
    "return two(*l)",
    "return two(1, *t)",
    "return some(*l)",
    "return some(*t, c=3)",
    "return Pair(*l).difference",
    "return max(*l), min(*t)",
    "return divmod(*l)",
    "return operator.add(*t)",
    "return t, len(t), type(t) is tuple, isinstance(t, (list, str))",
    "return t[1], t[-1], t[1:], t[::-1], t[n // 2:]",
    "return t + (1,), (1,) + t, t * 2, 2 * t",
    "u = t\nt += (1, 2)\nt *= 2\nreturn len(u), t",
    "return t == (0, 3), t != (0,), t == [0, 3], t == l, t < (0, 4), (0, 3) == t, l == list(t)",
    "return 3 in t, t.count(3), t.index(0)",
    "return sum(t), max(t), sorted(t), list(reversed(t)), any(t), all(t)",
    "s = 0\nfor i, x in enumerate(t):\n    if x == 4:\n        break\n    s += i * x\nreturn s",
    "if n > 2:\n    t = t + (9,)\nelse:\n    t = (5,)\nreturn t",
    "if n > 2:\n    t = (1, 2)\nreturn t, 1 if t else 0",
    "u = None\nif n > 2:\n    u = t\nreturn 0 if u is None else sum(u)",
    "made = ()\nfor x in t:\n    made = (x, *made)\nreturn made",
    "pairs = ()\nfor i in range(n):\n    pairs += ((i, i * 2),)\nreturn pairs, sum([a * b for a, b in pairs])",
    "rows = []\nfor i in range(n):\n    rows.append(tuple(range(i)))\nreturn [sum(row) for row in rows]",
    "held = {'t': t}\nheld['t'] = held['t'] + (1,)\nreturn held['t'], t",
    "return np.sum(l), np.add(l, 1), np.cumsum(t), np.stack([l, l])",
    "return l + [7], [7] + l, l * 2",
    "m = l\nl *= 2\nreturn m",
    "a, b = t\nreturn a - b",
]  # fmt: skip


@pytest.mark.parametrize("body", WORKING)
def test_as_in_python(body: str) -> None:
    agree(body, 0, 1, 2, 3, 5)


@pytest.mark.parametrize(
    "body, error",
    [
        ("return l + (1,)", 'can only concatenate list .not "tuple". to list'),
        ("return (1,) + l", 'can only concatenate tuple .not "list". to tuple'),
        ("return t + [1]", 'can only concatenate tuple .not "list". to tuple'),
        ("return [1] + t", 'can only concatenate list .not "tuple". to list'),
        ("t[0] = 3", "'tuple' object does not support item assignment"),
        ("del t[0]", "'tuple' object doesn't support item deletion"),
    ],
)
def test_errors_are_pythons(body: str, error: str) -> None:
    for staged in (False, True):
        with pytest.raises(TypeError, match=error):
            run(body, 3, staged)


def test_a_tuple_has_no_methods_of_lists() -> None:
    for body in ("t.append(1)", "t.copy()", "t.sort()", "t.nothing"):
        for staged in (False, True):
            with pytest.raises(AttributeError, match="'tuple' object has no attribute"):
                run(body, 3, staged)


def test_the_number_of_arguments_is_checked_at_run_time() -> None:
    with pytest.raises(TypeError, match=r"two\(\) takes 2 positional arguments but 3 were given"):
        run("return two(*l)", 3)
    with pytest.raises(TypeError, match=r"two\(\) takes at least 2 positional arguments but 1 were given"):
        run("return two(*l)", 1)
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected at least 2, got 1\)"):
        run("a, *rest, b = l", 1)


@pytest.mark.parametrize(
    "body, text",
    [
        ("def g(*a):\n    return sum(a)\nreturn g(*l)", r"\*x"),
        ("return two(*l, 1)", r"arguments after"),
        ("return hash(t)", "hash"),
        ("return {t: 1}", "hash"),
        ("return str(t)", "text"),
        ("match l:\n    case [a, b]:\n        return a\nreturn 0", "case"),
        ("match t:\n    case [a, *rest]:\n        return a\nreturn 0", "case"),
    ],
)
def test_what_a_graph_cannot_do_is_refused(body: str, text: str) -> None:
    with pytest.raises(StagedValueError, match=text) as caught:
        run(body, 3)
    assert caught.value.remedy


def test_a_list_in_a_growing_tuple_cannot_change() -> None:
    with pytest.raises(MutationError, match="an element of the tuple"):
        run("rows = ()\nfor i in range(n):\n    rows += ([i],)\nrows[0].append(1)", 3)


def test_gradients_go_through_growing_tuples() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        t: Any = ()
        for _ in range(n):
            t = (x * x, *t)
        first, *rest = t
        return first * len(rest)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(4))
    assert float(y) == 27.0
    assert float(tape.gradient(y, x)) == 18.0
