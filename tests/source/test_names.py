from __future__ import annotations

from typing import Any

import gast
import pytest

from autograph.source import Namer, QualifiedName, mangle, names_in, qualified_name, unparse


def expression(text: str) -> Any:
    return gast.parse(text).body[0].value


@pytest.mark.parametrize(
    "text", ["x", "self.x", "d['k']", "a.b[0].c[-1]", "a[1, 'x'].b", "a[None][True][1.5]", "a[...]"]
)
def test_qualified_names(text: str) -> None:
    name = qualified_name(expression(text))
    assert name is not None
    assert str(name).replace("(1, 'x')", "1, 'x'").replace("Ellipsis", "...") == text
    assert unparse(name.to_node()) == text
    assert name == qualified_name(expression(text)) and hash(name) == hash(qualified_name(expression(text)))
    assert name.base == text[0] or name.base == "self"


@pytest.mark.parametrize(
    "text", ["f()", "f().x", "a[i]", "a[1:2]", "a[b.c]", "a[1, i]", "(a, b)", "1", "a[-i]", "'s'.x"]
)
def test_what_is_no_qualified_name(text: str) -> None:
    assert qualified_name(expression(text)) is None


def test_parents() -> None:
    name = qualified_name(expression("a.b[0]"))
    assert name is not None and name.is_composite
    assert [str(prefix) for prefix in name.prefixes()] == ["a.b[0]", "a.b", "a"]
    assert name.parent == QualifiedName("a").attribute("b")
    assert QualifiedName("a").parent is None and not QualifiedName("a").is_composite


def test_keys_that_are_equal_but_not_the_same_differ() -> None:
    names = {QualifiedName("d").item(key) for key in (1, True, 1.0, "1")}
    assert len(names) == 4
    assert QualifiedName("d").item("x") != QualifiedName("d").attribute("x")


def test_stores() -> None:
    node = QualifiedName("a").attribute("b").item(1).to_node(gast.Store())
    assert isinstance(node.ctx, gast.Store) and isinstance(node.value.ctx, gast.Load)


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
    namer = Namer(taken)
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
    assert names_in(gast.parse(text)) == set("abcdefghkmNoPqrstuvwxyz")
