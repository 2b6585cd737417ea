"""What code prints, logs and warns of while it is traced shows once, however often it is traced within one call."""

# ruff: noqa: E501 (programs, a line each)
from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .heap_programs import made

HEAD = """
import contextlib, io, logging, pprint, sys, traceback, warnings

import autograph as tf

LOG = logging.getLogger("shown once")
OUT = tf.Variable(0)
PLACE = Box()


def say(text):
    print(text)


"""


def program(text: str) -> Callable[..., Any]:
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    return made(f"{HEAD}def f(n):\n{lines}")


def shown(function: Callable[..., Any], capfd: pytest.CaptureFixture[str], *arguments: Any) -> list[str]:
    capfd.readouterr()
    tf.function(function)(*arguments or (tf.constant(3),))
    captured = capfd.readouterr()
    return (captured.out + captured.err).split("\n")[:-1]


GROWS = "o.v += i\n    t = t + 0.5"
LOOPS: dict[str, tuple[str, list[str]]] = {
    "two on one line": (f't = 0; o = Box()\nfor i in range(n):\n    print("a"); print("b")\n    {GROWS}', ["a", "b"]),
    "the same text twice": (f't = 0; o = Box()\nfor i in range(n):\n    print("a"); print("a")\n    {GROWS}', ["a", "a"]),
    "a comprehension": (f't = 0; o = Box()\nfor i in range(n):\n    [print(k) for k in range(3)]\n    {GROWS}', ["0", "1", "2"]),
    "an unrolled loop": (f't = 0; o = Box()\nfor i in range(n):\n    for k in range(2):\n        print(k)\n    {GROWS}', ["0", "1"]),
    "a loop in an unrolled one": (f't = 0; o = Box()\nfor k in range(2):\n  for i in range(n):\n    print(k)\n    {GROWS}', ["0", "1"]),
    "a helper from two places": (f't = 0; o = Box()\nfor i in range(n):\n    say("a")\n    {GROWS}\n    say("b")', ["a", "b"]),
    "a helper twice on a line": (f't = 0; o = Box()\nfor i in range(n):\n    say("a"); say("b")\n    {GROWS}', ["a", "b"]),
    "a function without conversion as argument": (
        f't = 0; o = Box()\nshow = lambda g: g("a")\nfor i in range(n):\n    show(print)\n    {GROWS}', ["a"]
    ),
    "branches": (
        f't = 0; o = Box()\nfor i in range(n):\n    if i > 1:\n        print("a")\n    else:\n        print("b")\n    {GROWS}', ["a", "b"]
    ),
    "nested with break": (
        't = 0; o = Box()\nfor i in range(n):\n    print("a")\n    for j in range(n):\n        print("b")\n        if t > 3:\n'
        '            print("c")\n            break\n        o.v += j\n        t = t + 0.5\n    print("d")', ["a", "b", "c", "d"]
    ),
    "a branch known only later": (
        "m = None; t = 0\nfor i in range(n):\n    if m is None:\n        print('none')\n    else:\n        print('some')\n    m = i",
        ["none", "some"],
    ),
    "a while with a test that prints": (
        't = 0\ndef more():\n    print("test")\n    return t < n\nwhile more():\n    print("body")\n    t = t + 1.5', ["test", "body"]
    ),
    "a while with a test that changes something": (
        'l = [1]; t = 0\ndef more():\n    print("test")\n    l.append(n)\n    return t < n\nwhile more():\n    print("body")\n'
        '    t = t + 1.5', ["test", "body"]
    ),
    "from Python turns to staged ones": (
        't = 0\nfor k in range(5):\n    print("a")\n    if n > k:\n        break\n    t = t + 0.5', ["a"]
    ),
    "a while from Python turns to staged ones": (
        't = 0; k = 0\nwhile k < 5:\n    print("a")\n    k += 1\n    if n > k:\n        break\n    t = t + 0.5', ["a"]
    ),
    "a list of Python, turn by turn": (
        't = 0\nfor k in ["x", "y"]:\n    print(k)\n    if n > 7:\n        break\n    t = t + 0.5', ["x", "y"]
    ),
    "an attribute outside that shows late": (
        'def put(name):\n    setattr(PLACE, name, n)\nprint("a")\nput("v" + "w"[:0])\nfor i in range(n):\n    print("b")\n    PLACE.v += 0.5',
        ["a", "b"],
    ),
    "a recursion": (
        'def fact(k):\n    print("a")\n    if k < 2:\n        print("end")\n        return 1\n    r = k * fact(k - 1)\n    print("b")\n'
        '    return r\nreturn fact(n)', ["a", "end", "b"]
    ),
    "a recursion that goes on with floats": (
        'def half(k):\n    print("a")\n    if k < 1:\n        return 0\n    return half(k - 1) + 0.5\nt = 0\n'
        'for i in range(n):\n    t = t + half(i)', ["a"]
    ),
    "two calls of a recursion": (
        'def fib(k):\n    print("a")\n    if k < 2:\n        return k\n    return fib(k - 1) + fib(k - 2)\nreturn fib(n)', ["a"]
    ),
    "a function of the library": ('t = 0\nfor i in range(n):\n    pprint.pprint([1])\n    t = t + 0.5', ["[1]"]),
    "a printer of the library": (
        't = 0\nfor i in range(n):\n    pprint.pprint([1], width=9)\n    pprint.pp([2])\n    t = t + 0.5', ["[1]", "[2]"]
    ),
    "a test of a list that a loop runs over": (
        'def test(k):\n    print("a")\n    return k < n\nt = 0\nfor i in filter(test, [n, 1, 2]):\n    t = t + i', ["a"]
    ),
    "a test of a list that is made a list": (
        'def test(k):\n    print("a")\n    return k < n\nt = 0\nl = list(filter(test, [n, 1, 2]))\nt = t + len(l)', ["a"]
    ),
    "a test that Python knows": (
        'def test(k):\n    print("a")\n    return len([k]) > 0\nfor i in filter(test, [n, 1, 2]):\n    n = i', ["a", "a", "a"]
    ),
    "the error stream": ('t = 0\nfor i in range(n):\n    print("a", file=sys.stderr)\n    t = t + 0.5', ["a"]),
    "write": ('t = 0\nfor i in range(n):\n    k = sys.stdout.write("a\\n")\n    assert k == 2\n    t = t + 0.5', ["a"]),
    "writelines": ('t = 0\nfor i in range(n):\n    sys.stderr.writelines(["a\\n", "b\\n"])\n    t = t + 0.5', ["a", "b"]),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_each_line_shows_once(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    text, wanted = LOOPS[name]
    assert shown(program(text), capfd) == wanted


CAUGHT = {
    "a file of its own": (
        "file = io.StringIO()\nprint('a', file=file)\nprint('a', file=file)\nt = len(file.getvalue())"
    ),
    "a file that a turn makes": (
        "t = 0\nfor i in range(n):\n    file = io.StringIO()\n    print('abc', file=file)\n    t = t + 0.5 * len(file.getvalue())\nt = t * 2 - 8"
    ),
    "redirected": (
        "file = io.StringIO()\nwith contextlib.redirect_stdout(file):\n    print('abc')\nt = len(file.getvalue())"
    ),
    "pprint": "file = io.StringIO()\npprint.pprint('a', stream=file)\nt = len(file.getvalue())",
    "traceback": (
        "file = io.StringIO()\ntry:\n    {}['k']\nexcept KeyError:\n    traceback.print_exc(file=file)\n"
        "t = 4 if 'KeyError' in file.getvalue() else 0"
    ),
    "warnings": (
        "with warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter('always')\n"
        "    warnings.warn('a')\nt = 4 * len(caught)"
    ),
    "a file of a test that is tried": (
        "def test(k):\n    file = io.StringIO()\n    print('abc', file=file)\n    return k < n * len(file.getvalue())\n"
        "t = 4 * len(list(filter(test, [n, 1, 2])))"
    ),
}
CAUGHT_VALUES = {"pprint": 4}


@pytest.mark.parametrize("name", CAUGHT)
def test_what_the_code_itself_reads_is_there_in_each_attempt(name: str) -> None:
    # The attribute, which only the run of the code tells, has the function traced again.
    late = "def put(name):\n    setattr(PLACE, name, n)\nput('v' + 'w'[:0])\n"
    first = program(f"{CAUGHT[name]}\nreturn t + n * 0")
    again = program(f"{late}{CAUGHT[name]}\nreturn t + n * 0")
    wanted = float(first(3))
    assert wanted > 0
    assert float(tf.function(first)(tf.constant(3))) == wanted
    assert float(tf.function(again)(tf.constant(3))) == wanted


def test_warnings_that_are_errors_are_raised_in_each_attempt() -> None:
    f = program(
        "t = 0\nfor i in range(n):\n    try:\n        warnings.warn('a')\n        t = t + 1\n    except UserWarning:\n"
        "        t = t + 0.5\nreturn t"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(tf.function(f)(tf.constant(3))) == 1.5


@pytest.mark.parametrize("call", ["LOG.warning('shown')", "logging.warning('shown')", "LOG.log(40, '%s', 'shown')"])
def test_logs_show_once_at_their_lines(call: str, caplog: pytest.LogCaptureFixture) -> None:
    f = program(f"t = 0\nfor i in range(n):\n    {call}\n    t = t + 0.5\nreturn t")
    tf.function(f)(tf.constant(3))
    assert [(each.message, each.funcName, each.filename) for each in caplog.records] == [
        ("shown", "f", "<heap program>")
    ]
    assert logging.getLogger("shown once").handlers == []


def test_warnings_show_once_at_their_lines() -> None:
    f = program("t = 0\nfor i in range(n):\n    warnings.warn('shown')\n    t = t + 0.5\nreturn t")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tf.function(f)(tf.constant(3))
    assert [(str(each.message), each.filename) for each in caught] == [("shown", f.__code__.co_filename)]


def test_text_is_made_in_each_attempt(capfd: pytest.CaptureFixture[str]) -> None:
    f = program(
        "t = 0\nclass Named:\n    def __str__(self):\n        made.append(1)\n        return 'named'\nmade = []\n"
        "named = Named()\nfor i in range(n):\n    print(named)\n    t = t + 0.5\nreturn t"
    )
    assert shown(f, capfd) == ["named"]


def test_a_variable_made_in_the_first_call_prints_nothing_again(capfd: pytest.CaptureFixture[str]) -> None:
    f = program(
        "print('a')\nif not hasattr(PLACE, 'made'):\n    PLACE.made = tf.Variable(1)\n    print('b')\nprint('c')"
    )
    assert shown(f, capfd) == ["a", "b", "c"]


def test_a_second_signature_shows_again(capfd: pytest.CaptureFixture[str]) -> None:
    f = tf.function(
        program("t = 0\nprint('a')\nfor i in range(n):\n    print('b', n.dtype.name)\n    t = t + 0.5\nreturn t")
    )
    for argument in (tf.constant(3), tf.constant(4), tf.constant(3, tf.int64), tf.constant(3)):
        f(argument)
    assert capfd.readouterr().out.split("\n") == ["a", "b int32", "a", "b int64", ""]


def test_two_signatures_within_one_trace_show_both(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def g(x: Any) -> Any:
        print("g", x.dtype.name)
        return x

    @tf.function
    def f(n: Any) -> Any:
        t = 0.0
        for _ in range(n):
            t = t + tf.cast(g(n), tf.float32) + g(tf.constant(1.0)) + 0.5
        return t

    f(tf.constant(2))
    assert capfd.readouterr().out.split("\n") == ["g int32", "g float32", ""]


def test_each_call_of_plain_code_shows(capfd: pytest.CaptureFixture[str]) -> None:
    f = tf.autograph.to_graph(program("for i in range(n):\n    print(i)"))
    f(2)
    f(2)
    assert capfd.readouterr().out.split() == ["0", "1", "0", "1"]
