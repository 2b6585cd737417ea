from __future__ import annotations

from typing import Any

import gast
import pytest

from autograph.converters.base import names_in
from autograph.source import Namer, mangle


@pytest.mark.parametrize(
    ("name", "class_name"),
    [
        ("__x", "C"),
        ("__x", "_C"),
        ("__x", "__C_"),
        ("__x", "__"),
        ("__x__", "C"),
        ("_x", "C"),
        ("__", "C"),
        ("___x", "C"),
    ],
)
def test_mangling_is_pythons(name: str, class_name: str) -> None:
    namespace: dict[str, Any] = {}
    exec(f"class {class_name}:\n    def f({name}): pass", namespace)
    assert mangle(name, class_name) == namespace[class_name].f.__code__.co_varnames[0]
    assert mangle(name, None) == name


def test_fresh_names() -> None:
    taken = {"body", "body_1"}
    namer = Namer(lambda: taken)
    assert [namer.fresh("body") for _ in range(2)] == ["body_2", "body_3"]
    assert [namer.fresh("test"), namer.fresh("test"), namer.fresh("test_1")] == ["test", "test_1", "test_1_1"]
    assert taken == {"body", "body_1"}


def test_all_names_of_a_tree() -> None:
    text = """
def f(a, *b, c=d, **e):
    global g
    import h.i, j as k
    from l import m
    try: pass
    except N as o: pass
    class P: q = 1
    match r:
        case {**s}: pass
        case [*t, u] as v: pass
    return [w for x in y], z.attribute
"""
    assert names_in(gast.parse(text)) >= set("abcdefghkmNoPqrstuvwxyz")
