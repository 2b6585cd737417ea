"""What following state costs: tracing does as much as the function touches, and runs a body as often as it must."""

# ruff: noqa: E501 (programs, a line each)
from __future__ import annotations

import linecache
import logging
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import pytest

import autograph as tf
from tests.work import work

from .heap_known import WRONG
from .heap_programs import filled, made

FEW, MANY = 50, 100_000
"""Objects in reach."""


def marked(table: str, names: Iterable[str]) -> list[Any]:
    """Names as parameters of a test, of which those that are wrong today are marked."""
    names = list(names)
    wrong = WRONG.get(table, ())
    assert not set(wrong) - set(names), "marks of cases that are not there"
    mark = pytest.mark.xfail(strict=True, raises=AssertionError, reason=f"issue 9: {table}")
    return [pytest.param(name, marks=[mark] if name in wrong else []) for name in names]


REACH = """
    @tf.autograph.experimental.do_not_convert
    def outside(*values):
        return None

    @tf.autograph.experimental.do_not_convert
    def kept(value):
        return value

    # Without source they can't be converted.
    exec("def unknown(*values): return BIG and None")
    exec("def bound(big): return lambda *values: big and None")
    GLOBAL = {"rows": BIG}

    def f(n):
        items = [1]
        WHERE
        USE
        return len(items) + n
"""
WHERE = {
    "a global": "held = GLOBAL",
    "a closure": "def held():\n    return BIG",
    "a dict beside the list": "held = {'items': items, 'rows': BIG}",
}
USE = {
    "nothing": "pass",
    "unconverted calls": "for _ in range(3):\n    outside(1)",
    "unconverted calls in a branch": "if n > 0:\n    outside(1)\n    outside(2)",
    "unconverted calls in a loop": "for i in range(n):\n    outside(1)",
    "an unconverted call with the list": "items = kept(items)",
    "calls without source": "for _ in range(3):\n    unknown(1)",
    "calls without source of closures": "for _ in range(3):\n    bound(BIG)(1)",
    "calls without source with all of it": "for _ in range(3):\n    unknown(held)",
    "calls of the library with a function": "for _ in range(3):\n    functools.reduce(lambda a, b: held and b, [1, 2])",
    "calls of the library with a method": "for _ in range(3):\n    sorted([Box(), Box()], key=lambda b: b.v)",
    "a change in a branch": "if n > 0:\n    items.append(n)",
    "a change in a loop": "for i in range(n):\n    items.append(i)",
    "a change in place": "if n > 0:\n    items += [n]",
    "an attribute in a branch": "o = Box()\nif n > 0:\n    o.v = n",
}


def cost(where: str, use: str, size: int) -> int:
    """How many calls tracing makes, with so many objects in reach."""
    source = f"import functools\n\nimport autograph as tf\n\nBIG = [Box({{k: k}}) for k in range({size})]\n"
    function = made(source + filled(REACH, WHERE=where, USE=use))
    return work(lambda: tf.function(function).get_concrete_function(tf.constant(1)), lines=False)


@pytest.mark.parametrize("name", marked("reach", (f"{where}, {use}" for where in WHERE for use in USE)))
def test_tracing_costs_the_same_however_much_is_in_reach(name: str) -> None:
    where, use = name.split(", ")
    # What the first trace of a kind loads is not counted.
    _, few, many = (cost(WHERE[where], USE[use], size) for size in (FEW, FEW, MANY))
    assert many <= few * 1.05


LOOPS: dict[str, tuple[str, int]] = {
    "a number": ("t = 0\nfor i in range(n):\n    t += i  # body\nreturn t", 1),
    "while": ("t = 0\nwhile t < n:\n    t += 1  # body\nreturn t", 1),
    "a tensor": ("t = 0\nfor i in tf.range(n):\n    t += i  # body\nreturn t", 1),
    "a list": ("t = []\nfor i in range(n):\n    t.append(i)  # body\nreturn t", 1),
    "a dict": ("t = {'k': 0}\nfor i in range(n):\n    t['k'] += i  # body\nreturn t", 1),
    "an attribute": ("o = Box()\nfor i in range(n):\n    o.v += i  # body\nreturn o.v", 1),
    "an array": ("x = np.zeros(3, np.int64)\nfor i in range(n):\n    x[i % 3] += i  # body\nreturn x", 1),
    "break": ("t = 0\nfor i in range(n):\n    if i > 2:\n        break\n    t += i  # body\nreturn t", 1),
    "continue": ("t = 0\nfor i in range(n):\n    if i > 2:\n        continue\n    t += i  # body\nreturn t", 1),
    "return": ("t = 0\nfor i in range(n):\n    if i > 2:\n        return t\n    t += i  # body\nreturn t", 1),
    "a branch": ("t = 0\nfor i in range(n):\n    if i > 1:\n        t += i  # body\nreturn t", 1),
    "a closure": ("t = 0\ndef add(i):\n    nonlocal t\n    t += i  # body\nfor i in range(n):\n    add(i)\nreturn t", 1),
    "two names": ("a, b = 0, 1\nfor i in range(n):\n    a, b = b, a + b  # body\nreturn a", 1),
    "no state": ("for i in range(n):\n    s = i * 2  # body\nreturn n", 1),
    "two loops": ("t = 0\nfor i in range(n):\n    for j in range(n):\n        t += j  # body\nreturn t", 2),
    "two loops and a list": ("t = []\nfor i in range(n):\n    for j in range(n):\n        t.append(j)  # body\nreturn t", 2),
    "two loops and an attribute": (
        "o = Box()\nfor i in range(n):\n    for j in range(n):\n        o.v += j  # body\nreturn o.v", 2
    ),
    "three loops": (
        "t = 0\nfor i in range(n):\n    for j in range(n):\n        for k in range(n):\n            t += k  # body\nreturn t", 3
    ),
    "four loops and an attribute": (
        "o = Box()\nfor i in range(n):\n    for j in range(n):\n        for k in range(n):\n"
        "            for l in range(n):\n                o.v += l  # body\nreturn o.v", 4
    ),
    "four loops, an attribute and a list": (
        "o = Box()\nfor i in range(n):\n    for j in range(n):\n        for k in range(n):\n"
        "            for l in range(n):\n                o.v += l  # body\n                o.l.append(l)\nreturn o.v", 4
    ),
    "while in while": ("t = s = 0\nwhile t < n:\n    t += 1\n    s = 0\n    while s < n:\n        s += 1  # body\nreturn t", 2),
    "a loop in a branch": ("t = 0\nif n > 0:\n    for i in range(n):\n        t += i  # body\nreturn t", 1),
}  # fmt: skip


def executions(function: Callable[[Any], Any]) -> int:
    """How often the line of a function that is marked is executed while it is traced."""
    count = 0
    filename = function.__code__.co_filename
    line = next(number for number, text in enumerate(linecache.getlines(filename), start=1) if "# body" in text)

    def in_frame(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line" and frame.f_lineno == line
        return in_frame

    def called(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        return in_frame if frame.f_code.co_filename == filename else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        tf.function(function).get_concrete_function(tf.constant(3))
    finally:
        sys.settrace(before)
    return count


def program(body: str) -> Callable[[Any], Any]:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return made(f"import logging\n\nimport autograph as tf\n\n\ndef f(n):\n{lines}")


@pytest.mark.parametrize("name", marked("loops", LOOPS))
def test_the_body_of_a_loop_is_traced_no_more_than_is_needed(name: str) -> None:
    body, nesting = LOOPS[name]
    function = program(body)
    most = 2 if nesting == 1 else nesting + 2
    assert 1 <= executions(function) <= most


GROWING = {
    "a dtype": ("t = 0\nfor i in range(n):\n    t = t + i * 0.5  # body\nreturn t", 3),
    "None": ("t = None\nfor i in range(n):\n    t = i  # body\nreturn n if t is None else t", 3),
    "a dtype, three deep": (
        "t = 0\nfor i in range(n):\n    for j in range(n):\n        for k in range(n):\n            t = t + 0.5  # body\n"
        "return t", 5
    ),
    "a dtype, four deep, and an attribute": (
        "o = Box(); t = 0\nfor i in range(n):\n    for j in range(n):\n        for k in range(n):\n"
        "            for l in range(n):\n                t = t + 0.5  # body\n                o.v += t\nreturn o.v", 6
    ),
    "a shape": ("t = tf.zeros([1])\nfor i in range(n):\n    t = tf.concat([t, t], 0)  # body\nreturn t", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", marked("growing", GROWING))
def test_types_that_grow_once_take_one_more_turn(name: str) -> None:
    body, most = GROWING[name]
    function = program(body)
    assert 1 <= executions(function) <= most


SHOWING = {
    "print": 'print("shown")',
    "print of a value": 'print("shown", i)',
    "log": 'logging.getLogger("heap").warning("shown")',
    "write": 'import sys; sys.stderr.write("shown\\n")',
}


SHOWN = [f"{each}, {loops}" for each in SHOWING for loops in ("one loop", "three")]


@pytest.mark.parametrize("name", marked("shown", SHOWN))
def test_what_a_body_shows_while_it_is_traced_shows_once(
    name: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    statement, deep = name.split(", ")
    three = ["for a in range(n):", "    for b in range(n):", "        for i in range(n):"]
    loops = three if deep == "three" else ["for i in range(n):"]
    inner = "    " * len(loops)
    changes = f"{inner}o.v += i\n{inner}t = t + 0.5"
    function = program("\n".join(["o = Box(); t = 0", *loops, inner + SHOWING[statement], changes, "return o.v, t"]))
    caplog.set_level(logging.WARNING)
    tf.function(function).get_concrete_function(tf.constant(3))
    captured = capfd.readouterr()
    shown = captured.out.count("shown") + (len(caplog.records) if statement == "log" else captured.err.count("shown"))
    assert shown == 1
