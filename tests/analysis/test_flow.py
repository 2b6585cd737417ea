"""Liveness and definite assignment where the reader can check them, and what they cost."""

from __future__ import annotations

import textwrap
from typing import Any

import gast
import pytest

from autograph.analysis import assignment, control_flow, liveness, scopes


def uncertain(text: str) -> list[str]:
    """The loads `name:line` that may find nothing, in a function with parameters p, c and the given body."""
    function = gast.parse("def f(p, c):\n" + textwrap.indent(textwrap.dedent(text).strip("\n"), "    ")).body[0]
    result = assignment(scopes(function))
    names = [node for node in gast.walk(function) if isinstance(node, gast.Name) and hasattr(node, "lineno")]
    return sorted(f"{node.id}:{node.lineno - 1}" for node in names if result.maybe_undefined(node))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if c: x = 1\nx", "x:2"),
        ("if c: x = 1\nelse: x = 2\nx", ""),
        ("if c: x = 1\nelse: raise p\nx", ""),
        ("for x in p: x\nx", "x:2"),
        ("for x in p: break\nelse: return\nx", ""),
        ("while True:\n  x = p()\n  if x: break\nx", ""),
        ("while c:\n  x = 1\nx", "x:3"),
        ("while c:\n  if p: x\n  x = 1", "x:2"),
        ("try: x = p()\nexcept E: pass\nx", "x:3"),
        ("try: x = p()\nexcept E: return\nx", ""),
        ("try: x = p()\nfinally: p()\nx", ""),
        ("try: x = p()\nfinally: x\nx", "x:2"),
        ("while True:\n  try:\n    x = p()\n    break\n  finally: p()\nx", ""),
        ("try: p()\nexcept E as x: x\nx", "x:3"),
        ("x = 1\ntry: p()\nexcept E as x: pass\nx", "x:4"),
        ("with p: x = 1\nx", "x:2"),
        ("with p as x: x\nx", ""),
        ("with p as (x, y): x\nx", "x:2"),
        ("del p\np", "p:2"),
        ("del x", "x:1"),
        ("del p, p", "p:1 p:1"),
        ("x += 1", "x:1"),
        ("match p:\n  case [x]: x\nx", "x:3"),
        ("match p:\n  case [x]: x\n  case x: x\nx", ""),
        ("match p:\n  case x if c: pass\nx", "x:3"),
        ("if c and (x := p): x\nelse: x\nx", "x:2 x:3"),
        ("if not (c or (x := p)): x\nx", "x:2"),
        ("(x := p) + x", ""),
        ("x + (x := p)", "x:1"),
        ("c < p < (x := 1)\nx", "x:2"),
        ("y = [x := 1 for _ in p]\nx", "x:2"),
        ("y = list((x := 1) for _ in p)\nx", "x:2"),
        ("y = list([x := 1] for _ in p)\nx", "x:2"),
        ("(x := 1) if c else (x := 2)\nx", ""),
        ("assert (x := p)\nx", ""),
        ("x: int\nx", "x:2"),
        ("g = lambda: x\nx = 1", "x:1"),
        ("x = 1\ng = lambda: x", ""),
        ("x = 1\ng = lambda: x\ndel x", "x:2 "),
        ("x = 1\ndef g():\n  nonlocal x\n  del x\ng()\nx", "x:4 x:6"),
        ("def g(): g()", ""),
        ("@p\ndef g(): g()", "g:2"),
        ("g = lambda: g()", ""),
        ("def g(): h()\ndef h(): g()", "h:1"),
        ("[y for y in p for z in y if w for w in z]", "w:1"),
        ("global x\nx", ""),
        ("class C:\n  y = x\nx = 1", "x:2"),
        ("x = 1\nclass C:\n  def m(self): return x", ""),
    ],
)
def test_definite_assignment(text: str, expected: str) -> None:
    assert uncertain(text) == sorted(expected.split())


def test_a_finally_in_a_finally_is_shared_by_the_ways_through_it() -> None:
    text = (
        "for i in p:\n  try:\n    if c: break\n    x = 1\n  finally:\n    try: y = p()\n    finally: z = p()\nx, y, z"
    )
    assert uncertain(text) == ["x:8", "y:8", "z:8"]
    text = "while True:\n  try:\n    x = 1\n    break\n  finally:\n    try: y = p()\n    finally: z = p()\nx, z"
    assert uncertain(text) == []


def live(text: str) -> tuple[Any, Any]:
    function = gast.parse("def f(p, c):\n" + textwrap.indent(textwrap.dedent(text).strip("\n"), "    ")).body[0]
    return liveness(scopes(function)), function


def test_live_at_the_start_of_a_turn() -> None:
    found, function = live("total = t = 0\nfor x in p:\n  t = x\n  total += t\nelse:\n  p = 1\nreturn total")
    loop = function.body[1]
    assert found.live_in_loop[loop] == {"total"}
    assert found.live_in[loop] == {"total", "p"} and found.live_out[loop] == {"total"}


def test_what_a_break_carries_out_is_live_in_the_loop() -> None:
    found, function = live("while True:\n  x = p\n  if c: break\nreturn x")
    assert found.live_in_loop[function.body[0]] == {"p", "c", "x"}


def test_what_a_jump_carries_out_is_live_after_the_statement_that_holds_it() -> None:
    found, function = live("while p():\n  if c:\n    x = 1\n    break\n  x = 2\nreturn x")
    assert "x" in found.live_out[function.body[0].body[0]]
    found, function = live("for i in p:\n  for j in p:\n    if c: y = j; break\n    y = 1\n  p(y)\nreturn c")
    outer = function.body[0]
    assert "y" in found.live_out[outer.body[0].body[0]] and "y" not in found.live_out[outer]


def test_a_handler_keeps_variables_live_after_the_last_statement() -> None:
    found, function = live("try:\n  if c: x = p()\nexcept E:\n  return x")
    assert found.live_out[function.body[0].body[0]] == {"x"}
    assert found.live_out[function.body[0]] == frozenset()


def test_captured_and_declared_names_are_live_everywhere() -> None:
    found, function = live("x = y = 0\ng = lambda: x\nglobal w\nw = 1\nif c:\n  x = y = 1")
    assert found.live_out[function.body[-1]] == {"x", "w"}


def test_nested_functions_have_their_own_liveness() -> None:
    found, function = live("def g(a):\n  b = a\n  return b\nreturn g")
    assert found.live_out[function.body[0].body[0]] == {"b"}
    assert found.live_in[function.body[0]] == frozenset()


def steps(text: str) -> int:
    found = scopes(gast.parse(text).body[0])
    points = sum(len(control_flow(found, scope).points) for scope in found.functions())
    return points + liveness(found).steps + assignment(found).steps


def consecutive(count: int) -> str:
    return "def f(c, x):\n" + "".join(f"  if c > {i}:\n    x = y{i} = c\n  else: del c\n" for i in range(count))


def nested(count: int) -> str:
    lines = [" " * i + f"if c > {i}:\n" + " " * i + f" x{i} = c\n" for i in range(1, count + 1)]
    return "def f(c):\n" + "".join(lines) + " return c\n"


def nested_loops(count: int) -> str:
    lines = [" " * i + f"while c({i}):\n" + " " * i + f" x{i} = x{i - 1}\n" for i in range(1, count + 1)]
    return "def f(c, x0):\n" + "".join(lines) + " return c\n"


def nested_finally(count: int) -> str:
    """`finally:` in `finally:`, in a loop with every kind of jump."""
    jumps = ["if c: break", "if c: continue", "if c: return 1", "x = c()"]
    text = " for i in c:\n"
    for depth in range(2, count + 2):
        text += (
            " " * depth + "try:\n" + "".join(f"{' ' * depth} {line}\n" for line in jumps) + " " * depth + "finally:\n"
        )
    return "def f(c):\n" + text + " " * (count + 2) + "x = 1\n"


@pytest.mark.parametrize(
    ("write", "small", "large"),
    [(consecutive, 200, 2000), (nested, 10, 50), (nested_loops, 4, 16), (nested_finally, 4, 16)],
)
def test_the_work_grows_with_the_function(write: Any, small: int, large: int) -> None:
    # Twice is for nested loops, which Python limits to twenty: facts travel around each of them once more.
    assert steps(write(large)) / steps(write(small)) < 2 * large / small
