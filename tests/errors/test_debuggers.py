"""Debuggers stop on the user's lines in converted code, in the plain and in the staged form, and steps go forward."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import autograph as tf


def classify(x: Any, n: int) -> Any:
    total = x
    for i in range(n):
        if i == 1:
            continue
        total = total + i
    if x > 0:
        result = total * 2
        result = result + 1
    else:
        result = -total
    return result


FIRST = classify.__code__.co_firstlineno


def lines(call: Callable[[], Any]) -> list[int]:
    """The lines of `classify` that run, counted from its `def`, without repetitions in a row."""
    seen: list[int] = []

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != __file__ or not FIRST <= frame.f_lineno <= FIRST + 11:
            return None
        line = frame.f_lineno - FIRST
        if event == "line" and line and (not seen or seen[-1] != line):
            seen.append(line)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return seen


PLAIN = [1, 2, 3, 5, 2, 3, 4, 2, 3, 5, 2, 6, 7, 8, 11]


def test_the_original() -> None:
    assert lines(lambda: classify(1, 3)) == PLAIN


def test_plain_form_runs_the_same_lines() -> None:
    converted = tf.autograph.to_graph(classify)
    assert converted(1, 3) == classify(1, 3)
    assert lines(lambda: converted(1, 3)) == PLAIN


def test_staged_form_goes_forward() -> None:
    traced = tf.function(classify)
    steps = lines(lambda: traced(tf.constant(1), 3))
    # A loop over a Python range runs in Python; of a staged `if` both branches run.
    assert steps == [1, 2, 3, 5, 2, 3, 4, 2, 3, 5, 6, 7, 8, 10, 11]


def debugged(program: Path, *commands: str) -> list[tuple[int, str]]:
    """Runs a program under pdb; returns line and function of each place where it stops."""
    return stops(program, run(["-m", "pdb", str(program)], *commands, "quit"))


def run(arguments: list[str], *commands: str) -> str:
    """What Python prints, given lines on its standard input."""
    done = subprocess.run(
        [sys.executable, *arguments],
        input="\n".join(commands) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(tf.__file__).parent.parent)},
    )
    return done.stdout + done.stderr


def stops(program: Path, output: str) -> list[tuple[int, str]]:
    """Line and function of each place where a debugger has stopped."""
    found = re.findall(rf"> {re.escape(str(program))}\((\d+)\)(\S+?)\(\)", output)
    assert found, output
    return [(int(line), function) for line, function in found]


PROGRAM = """\
import autograph as tf

def helper(v):
    w = v + 1
    return w * 2

def f(x):
    y = x
    while y < 10:
        y = y + helper(x)
        if y > 5:
            y = y - 1
    return y

{call}
"""


def program(folder: Path, call: str) -> Path:
    path = folder / "program.py"
    path.write_text(PROGRAM.format(call=call))
    return path


def test_breakpoints_in_the_plain_form(tmp_path: Path) -> None:
    path = program(tmp_path, "tf.autograph.to_graph(f)(3)")
    found = debugged(path, "break 12", "break 5", "continue", "continue", "continue")
    assert found[1:3] == [(5, "helper"), (12, "f")]


def test_breakpoints_in_the_staged_form(tmp_path: Path) -> None:
    path = program(tmp_path, "tf.function(f)(tf.constant(3))")
    found = debugged(path, "break 12", "break 5", "continue", "continue")
    assert found[1:3] == [(5, "helper"), (12, "f")]


def test_steps_in_the_plain_form(tmp_path: Path) -> None:
    path = program(tmp_path, "tf.autograph.to_graph(f)(3)")
    found = debugged(path, "break 8", "continue", "next", "next", "next", "next", "next", "next")
    assert [line for line, _ in found[1:]] == [8, 9, 10, 11, 12, 9, 13]


@pytest.mark.parametrize("call", ["breakpoint()", "pdb.set_trace()"])
@pytest.mark.parametrize("use", ["tf.function(f)(tf.constant(1))", "tf.autograph.to_graph(f)(1)"])
def test_breakpoint_calls(tmp_path: Path, call: str, use: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"""\
import pdb
import autograph as tf

def f(x):
    if x > 0:
        y = x + 1
        {call}
        y = y * 2
        return y
    return x

{use}
""")
    done = run([str(path)], "p y", "next", "continue")
    assert stops(path, done)[:2] in ([(8, "f"), (9, "f")], [(7, "f"), (8, "f")]), done
    assert "Tensor 'add:0'" in done if "tf.function" in use else "(Pdb) 2" in done
