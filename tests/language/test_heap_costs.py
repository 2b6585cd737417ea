"""What following state costs: tracing does as much as the function touches, and runs a body as often as it must."""

# ruff: noqa: E501 (programs, a line each)
from __future__ import annotations

import linecache
import logging
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import autograph as tf
from tests.work import work

from .heap_programs import filled, made

FEW, MANY = 50, 100_000
"""Objects in reach."""


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


@pytest.mark.parametrize("name", [f"{where}, {use}" for where in WHERE for use in USE])
def test_tracing_costs_the_same_however_much_is_in_reach(name: str) -> None:
    where, use = name.split(", ")
    # What the first trace of a kind loads, and of a text reads, is not counted.
    _, few, _, many = (cost(WHERE[where], USE[use], size) for size in (FEW, FEW, MANY, MANY))
    assert many <= few * 1.05


KEPT = """
    NUMBERS, TEXTS = {k: k for k in range(SIZE)}, {k: str(k) for k in range(SIZE)}

    def f(n):
        d, l, o = dict(NUMBERS), list(NUMBERS), Box(dict(TEXTS))
        if n > 2:
            d[5] = n
            l[5] = n
            o.l[5] = "changed"
        return d[5] + l[5]
"""


def test_numbers_and_texts_that_a_branch_leaves_alone_cost_little() -> None:
    def calls(size: int) -> int:
        function = made("import autograph as tf\n" + filled(KEPT, SIZE=str(size)))
        return work(lambda: tf.function(function).get_concrete_function(tf.constant(1)), lines=False)

    calls(10)
    assert calls(1010) - calls(10) <= 3 * 1000 * MOST_CALLS


MOST_CALLS = 60
"""Calls and returns for each number that a dict or list holds which a branch changes elsewhere."""

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
    """How often the line of a function that is marked is executed while it is traced; its lambdas are parts of it."""
    count = 0
    filename = function.__code__.co_filename
    line = next(number for number, text in enumerate(linecache.getlines(filename), start=1) if "# body" in text)

    def in_frame(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        nonlocal count
        if event == "line" and frame.f_lineno == line:
            caller = frame.f_back
            while caller is not None and caller.f_code.co_filename != filename:
                caller = caller.f_back
            count += caller is None or caller.f_lineno != line
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


@pytest.mark.parametrize("name", LOOPS)
def test_the_body_of_a_loop_is_traced_no_more_than_is_needed(name: str) -> None:
    body, nesting = LOOPS[name]
    function = program(body)
    most = 2 if nesting == 1 else nesting + 2
    assert 1 <= executions(function) <= most


def nested(first: str, body: str, last: str, deep: int, between: tuple[str, ...] = ()) -> str:
    """A program of loops within each other, over i0, i1, …; ``between`` stands at the start of the outer ones."""
    lines = [first]
    for level in range(deep):
        lines.append("    " * level + f"for i{level} in range(n):")
        lines += ["    " * (level + 1) + each for each in between[level : level + 1]]
    lines += ["    " * deep + each for each in body.split("\n")]
    return "\n".join([*lines, last])


GROWING = {
    "a dtype": ("t = 0\nfor i in range(n):\n    t = t + i * 0.5  # body\nreturn t", 3),
    "None": ("t = None\nfor i in range(n):\n    t = i  # body\nreturn n if t is None else t", 3),
    "a dtype, three deep": (nested("t = 0", "t = t + 0.5  # body", "return t", 3), 5),
    "a dtype, four deep, and an attribute": (
        nested("o = Box(); t = 0", "t = t + 0.5  # body\no.v += t", "return o.v", 4), 6
    ),
    "a shape": ("t = tf.zeros([1])\nfor i in range(n):\n    t = tf.concat([t, t], 0)  # body\nreturn t", 3),
    "a quotient, three deep": (nested("t = 1", "t = t / 2  # body", "return t", 3), 5),
    "an attribute, four deep": (nested("o = Box()", "o.v += 0.5  # body", "return o.v", 4), 6),
    "elements of a list, three deep": (nested("t = [0]", "t.append(i2 * 0.5)  # body", "return t", 3), 5),
    "an element of a list, three deep": (nested("t = [0, 1]", "t[0] = t[0] + 0.5  # body", "return t[0]", 3), 5),
    "an item of a dict, three deep": (nested("t = {'k': 0}", "t['k'] += 0.5  # body", "return t['k']", 3), 5),
    "the parts of a tuple, three deep": (nested("t = 0, 0", "t = t[1], t[0] + 0.5  # body", "return t", 3), 5),
    "a shape, three deep": (nested("t = tf.zeros([1])", "t = t[:1] if i2 > 0 else tf.concat([t, t], 0)[:3]  # body", "return t", 3), 5),
    "None, three deep": (nested("t = None", "t = i2  # body", "return n if t is None else t", 3), 5),
    "None, then a dtype, three deep": (
        nested("t = None", "t = i2 if t is None else t + 0.5  # body", "return -1.0 if t is None else t", 3), 5
    ),
    "a while in a for": (
        "t = 0\nfor i in range(n):\n    w = 0\n    while w < n:\n        t = t + 0.5  # body\n        w += 1\nreturn t", 4
    ),
    "in a branch": (nested("t = 0", "if i1 > 1:\n    t = t + 0.5  # body", "return t", 2), 4),
    "in one of two branches": (nested("t = 0", "if i1 > 1:\n    t = t + 0.5\nelse:\n    t = t + 1  # body", "return t", 2), 4),
    "a result of a recursion": (
        "def half(k):\n    if k < 1:\n        return 0\n    return half(k - 1) + 0.5\n"
        + nested("t = 0", "t = t + half(i1)  # body", "return t", 2), 4
    ),
    "a result of a function": (
        "def add(t):\n    for k in range(n):\n        t = t + 0.5  # body\n    return t\n"
        + nested("t = 0", "t = add(t)", "return t", 2), 5
    ),
    "a variable of the function around": (
        "t = 0\ndef add():\n    nonlocal t\n    t = t + 0.5  # body\n" + nested("", "add()", "return t", 3), 5
    ),
    "a variable of each level": (
        nested("t = 0", "w = w + 0.5; u = u + w; s = s + u; t = t + s  # body", "return t", 4, ("s = 0", "u = 0", "w = 0")), 6
    ),
    "objects of each level": (
        nested("t = 0", "l.v += i2; m.v += 0.5; t += l.v  # body", "return t", 3, ("l = Box()", "m = Box()")), 5
    ),
    "lists of each level": (
        nested("t = 0", "m.append(i2); l.append(i1); t += 1  # body", "return t", 3, ("l = []", "m = []")), 5
    ),
    "what outer loops make wider": (
        "t = 0; w = 0; x = 0\nfor i in range(n):\n    for j in range(n):\n        for k in range(n):\n"
        "            w = w + t  # body\n        x = x + w\n    t = t + x * 0.5 + 1\nreturn w", 5
    ),
    "after a break, three deep": (nested("t = 0", "if t > 5: break\nt = t + 0.5  # body", "return t", 3), 5),
    "after a return, three deep": (nested("t = 0", "if t > 5: return t\nt = t + 0.5  # body", "return t", 3), 5),
    "lists that attributes swap, three deep": (
        nested("o = Box(); o.a = [1]; o.b = [2]", "o.a, o.b = o.b, o.a  # body", "return o.a[0]", 3), 5
    ),
    "objects that attributes swap, four deep": (
        nested("o = Box(); o.a = Box(1); o.b = Box(2)", "o.a, o.b = o.b, o.a  # body", "return o.a.l", 4), 6
    ),
    "lists that variables swap, three deep": (nested("a = [1]; b = [2]", "a, b = b, a  # body", "return a[0]", 3), 5),
    "objects that go round, three deep": (
        nested("a = Box(1); b = Box(2); c = Box(3)", "a, b, c = b, c, a  # body", "return a.l, b.l, c.l", 3), 5
    ),
    "elements that are swapped, three deep": (
        nested("t = [[1], [2]]", "t[0], t[1] = t[1], t[0]  # body", "return t[0][0]", 3), 5
    ),
    "a new object, three deep": (nested("o = Box([0])", "o.l = [i2]  # body", "return o.l[0]", 3), 5),
    "another object, three deep": (nested("a = [1]; b = [2]", "a = b  # body", "return a[0]", 3), 5),
    "a test that changes something": (
        "t = 0; l = [1, 2, 3]\nwhile l.pop() < n:\n    t = t + 0.5  # body\n    l.append(n)\nreturn t", 3
    ),
    "tests that change something, two deep": (
        "t = 0; l = [1, 2, 3, 4]\nfor i in range(n):\n    while l.pop() < n:\n        t = t + 0.5  # body\n"
        "        l.append(n)\n    l.append(i)\nreturn t", 4
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GROWING)
def test_types_that_grow_once_take_one_more_turn(name: str) -> None:
    body, most = GROWING[name]
    function = program(body)
    assert 1 <= executions(function) <= most


@pytest.mark.parametrize("name", [*LOOPS, *GROWING])
def test_loops_that_settle_together_give_what_python_gives(name: str) -> None:
    function = program({**LOOPS, **GROWING}[name][0])
    staged = tf.function(function)
    for n in range(5):
        compare(staged(tf.constant(n)), function(n))


def compare(got: Any, wanted: Any) -> None:
    if isinstance(wanted, (list, tuple)):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            compare(one, other)
    elif isinstance(wanted, dict):
        compare([got[key] for key in wanted], list(wanted.values()))
    else:
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-6)


EXACT = {
    "set back": ("t = 0\nfor i in range(n):\n    for j in range(n):\n        t = t + 0.5\n    t = 0\nreturn t", tf.int32),
    "kept and put back": (
        "t = 0\nfor i in range(n):\n    kept = t\n    for j in range(n):\n        t = t + 0.5\n    t = kept + 1\nreturn t", tf.int32
    ),
    "a number that adapts": (
        "t = 0\nfor i in range(n):\n    for j in range(n):\n        t = t / 2\nreturn t", tf.float32
    ),
    "a number of an inner loop": (
        "t = 0.0\nfor i in range(n):\n    s = 1\n    for j in range(n):\n        s = s / 2\n    t = t + s\nreturn t", tf.float32
    ),
    "one that follows from it": (
        "t = 0.0\nfor i in range(n):\n    s = 1; u = 0\n    for j in range(n):\n        for k in range(n):\n"
        "            s = s / 2\n            u = u / 2 + s\n    t = t + u\nreturn t", tf.float32
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_types_get_no_wider_than_they_must(name: str) -> None:
    body, dtype = EXACT[name]
    function = program(body)
    got = tf.function(function)(tf.constant(3))
    assert got.dtype is dtype
    compare(got, function(3))


BEHIND = {
    # In the first attempt at the inner loop `b` is None, in all that it may be a number.
    "None": (
        "a = b = None; t = 0\nfor i in range(n):\n    for j in range(n):\n        b = a\n        a = j\n"
        "    if n > 1:\n        t = t + b\nreturn t"
    ),
    "a refusal": (
        "a = b = None; t = 0\nfor i in range(n):\n    for j in range(n):\n        b = a\n        a = j * 1.0\n"
        "    if n > 1:\n        t = t + tf.cast(b, tf.int32)\nreturn t"
    ),
    "a shape": (
        "a = tf.zeros([2]); b = tf.zeros([2]); t = 0.0\nfor i in range(n):\n    for j in range(n):\n        b = a\n"
        "        a = tf.ones([3])\n    t = t + tf.reduce_sum(b * tf.ones([3]) if n > 1 else b[:1])\nreturn t"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BEHIND)
def test_what_comes_after_a_loop_that_has_not_settled_is_no_error(name: str) -> None:
    function = program(BEHIND[name])
    staged = tf.function(function)
    for n in (0, 2, 3):
        compare(staged(tf.constant(n)), function(n))


def test_the_trace_of_a_function_that_a_loop_calls_has_settled() -> None:
    @tf.function
    def total(x: Any) -> Any:
        t = 0
        for i in range(x):
            t = t + i * 0.5
        return t

    @tf.function
    def f(n: Any) -> Any:
        t = 0
        for i in range(n):
            t = t + total(i)
        return t

    assert float(f(tf.constant(5))) == 5.0
    assert float(total(tf.constant(5))) == 5.0


SHOWING = {
    "print": 'print("shown")',
    "print of a value": 'print("shown", i)',
    "log": 'logging.getLogger("heap").warning("shown")',
    "write": 'import sys; sys.stderr.write("shown\\n")',
}


SHOWN = [f"{each}, {loops}" for each in SHOWING for loops in ("one loop", "three")]


@pytest.mark.parametrize("name", SHOWN)
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
