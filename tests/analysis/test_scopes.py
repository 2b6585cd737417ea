"""What each part of a function reads, writes and deletes, and whose variable a name is."""

from __future__ import annotations

import textwrap
from typing import Any

import gast
import pytest

from autograph.analysis import Scopes, scopes


def found(body: str, header: str = "def f():", **options: Any) -> tuple[Scopes, Any]:
    tree = gast.parse(header + "\n" + textwrap.indent(textwrap.dedent(body), "    "))
    function = tree.body[0]
    return scopes(function, **options), function


@pytest.mark.parametrize(
    ("statement", "read", "written", "deleted"),
    [
        ("x = y", "y", "x", ""),
        ("x += y", "x y", "x", ""),
        ("x: int = y", "y", "x", ""),
        ("x: int", "", "", ""),
        ("x.a = y", "x y", "", ""),
        ("x[i] = y", "x i y", "", ""),
        ("x[i] += y", "x i y", "", ""),
        ("(x, [y, *z]) = w", "w", "x y z", ""),
        ("del x, y[i]", "y i", "", "x"),
        ("for x in y: z = x", "x y", "x z", ""),
        ("with a as x, b(x) as (y, z): pass", "a b x", "x y z", ""),
        ("try: pass\nexcept E as e: x = e", "E e", "e x", "e"),
        ("import a.b, c as d", "", "a d", ""),
        ("from a import b as c, d", "", "c d", ""),
        ("def g(x=y) -> z: return w", "y z", "g", ""),
        ("@d\nclass C(B): x = y", "d B y", "C", ""),
        ("x = [y for y in z if w]", "z w", "x", ""),
        ("x = [(w := y) for y in z]", "z", "x w", ""),
        ("x = list(y + w for y in z)", "list z", "x", ""),
        ("x = lambda y=z: y + w", "z", "x", ""),
        (
            "match a:\n  case [x, *y] if z: pass\n  case {'k': K.v, **w}: pass\n  case P(q=r) as s: pass",
            "a z K P",
            "x y w r s",
            "",
        ),
        ("if (x := y): z", "y z", "x", ""),
        ("x = f'{y:{z}}'", "y z", "x", ""),
        ("class C:\n  x = 1\n  y = x\n  z = [w for _ in v]\n  u = [x for _ in v]", "v", "C", ""),
    ],
)
def test_reads_and_writes(statement: str, read: str, written: str, deleted: str) -> None:
    result, function = found(statement)
    activity = result[function.body[0]]
    assert (activity.read, activity.written, activity.deleted) == (
        frozenset(read.split()),
        frozenset(written.split()),
        frozenset(deleted.split()),
    )


def test_what_nested_functions_use_is_captured() -> None:
    result, function = found(
        "g = lambda: a\nh = (b for _ in c)\ndef k():\n  return lambda: d\nclass C:\n  def m(self): e\n"
    )
    assert result.root.unit.captured == {"a", "b", "d", "e"}
    assert result[function.body[2]].captured == {"d"}


def test_nonlocal_writes_two_levels_deep() -> None:
    result, function = found("""
        x = y = 0
        def g():
            y = 1
            def h():
                nonlocal x, y
                x = y = 2
            h()
        g()
    """)
    assert result.root.inner_written == result[function.body[1]].inner_written == {"x"}
    inner = result.scope_of[function.body[1]]
    assert inner.inner_written == {"x", "y"} and inner.captured == {"y"} and inner.free == {"x"}


def test_the_walrus_of_a_comprehension_binds_in_the_function() -> None:
    result, function = found("a = [x := y for y in z]\nb = list((w := y) for y in z)\nreturn lambda: (v := 1)")
    assert result.root.locals == {"a", "b", "x", "w"}
    assert result.root.inner_written == {"w"}  # a generator expression runs later
    assert result.root.captured == {"w"}


def test_global_and_nonlocal_declarations() -> None:
    result, function = found("global g\nnonlocal n\ng = n = 1\nreturn [g for _ in n]", outer=["n", "o"])
    root = result.root
    assert (root.globals, root.nonlocals, root.locals, root.free) == ({"g"}, {"n"}, frozenset(), {"n"})
    assert result[function.body[2]].written == {"g", "n"}


def test_an_inner_global_is_another_variable() -> None:
    result, _ = found("x = 1\ndef g():\n  global x\n  x = 2\n  return lambda: x")
    assert result.root.captured == result.root.inner_written == frozenset()


def test_parameters() -> None:
    result, _ = found("pass", "def f(a, /, b=d, *c, k=e, **w):")
    assert result.root.parameters == ("a", "b", "c", "k", "w")
    assert result.root.locals == set("abckw") and result.root.unit.read == frozenset()


def test_class_variables_are_out_of_sight_of_methods() -> None:
    result, function = found("x = 1\nclass C:\n  x = 2\n  def m(self): return x, __class__\n")
    method = function.body[1].body[1]
    assert result.scope_of[method].free == {"x", "__class__"}
    assert result.root.captured == {"x"}


def test_composite_names() -> None:
    result, function = found("""
        if c:
            self.x.y = d['k'] = a[i] = 1
            del o.p[0]
            g().z += 1
    """)
    assert result[function.body[0]].composite_written == {"self.x.y", "d['k']", "o.p[0]"}
    assert len(result[function.body[0]].composites) == 5


def test_private_names_in_a_nested_class() -> None:
    result, function = found("__x = _C__y = 1\nclass C:\n  def m(self): return __x, __y\n")
    assert result.root.captured == {"_C__y"}


def test_lists_and_parts_of_expressions_have_an_activity_too() -> None:
    result, function = found("x = a + b * c\ny = x")
    assert result[function.body].written == {"x", "y"}
    assert result[function.body[0].value.right].read == {"b", "c"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if c: x = yield", "`yield` (line 2)"),
        ("if c: yield from x", "`yield from`"),
        ("if c: g = lambda: (yield)", None),
        ("if c:\n  def g(): yield", None),
        ("if c: return locals()", "calls `locals()` (line 2)"),
        ("if c: x\ndir()", "dir"),
        ("if c: dir(x)", None),
        ("if c: eval(x)", "eval"),
        ("if c: eval(x, {})", None),
        ("if c: exec(*x)", "exec"),
        ("if c: exec(x, globals={})", None),
        ("if c: g = locals", "uses `locals`"),
        ("if c: map(eval, x)", "uses `eval`"),
        ("locals = g\nif c: locals()", None),
        ("g = lambda: locals()\nif c: x", None),
        ("if c: [locals() for _ in x]", "locals"),
    ],
)
def test_frame_bound(body: str, reason: str | None) -> None:
    result, function = found(body)
    statement = next(node for node in function.body if isinstance(node, gast.If))
    answer = result.frame_bound(statement)
    assert answer is None if reason is None else reason in str(answer)


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("if c: await x", True),
        ("async for x in y: pass", True),
        ("async with x: pass", True),
        ("x = [y async for y in z]", True),
        ("x = [await y for y in z]", True),
        ("x = (y async for y in z)", False),
        ("x = (y for y in await z)", True),
        ("if c:\n  async def g(): await x", False),
    ],
)
def test_async_code_is_frame_bound(body: str, bound: bool) -> None:
    result, function = found(body, "async def f():")
    assert (result.frame_bound(function.body[0]) is not None) == bound


def test_a_jump_out_of_finally_binds_what_it_leaves() -> None:
    result, function = found("""
        if a:
            while b:
                try:
                    if c: x = 1
                finally:
                    for i in d:
                        break
                    if e:
                        break
    """)
    outer = function.body[0]
    loop = outer.body[0]
    attempt = loop.body[0]
    bound = [outer, loop, attempt, attempt.body[0], *attempt.finalbody]
    reasons = [result.frame_bound(node) for node in bound]
    assert [reason is not None for reason in reasons] == [False, True, True, False, False, True]
    assert "`break` (line 11) leaves a `finally:` suite" in str(reasons[1])


def test_return_in_finally_binds_all_around() -> None:
    result, function = found("while a:\n  with b:\n    try: x\n    finally:\n      return 1")
    loop = function.body[0]
    assert all(result.frame_bound(node) for node in (loop, loop.body[0], loop.body[0].body[0]))


def test_control_flow_of_a_class_body_stays() -> None:
    result, function = found("class C:\n  if a: x = 1\n  def m(self):\n    if b: y = 1")
    first, method = function.body[0].body
    assert "class body" in str(result.frame_bound(first))
    assert result.frame_bound(method.body[0]) is None and result.frame_bound(function.body[0]) is None
