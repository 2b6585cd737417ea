from __future__ import annotations

import ast
from typing import Any

import gast
import pytest

from autograph.source import ag__, expression_template, location_of, template, to_ast, unparse
from tests.work import work


@template
def loop(test, body, names):
    """The documentation is no part of the code."""

    def loop_test():
        return test

    def loop_body():
        nonlocal names
        body

    ag__.while_stmt(loop_test, loop_body, names)


@expression_template
def choose(test, body, orelse):
    return ag__.if_exp(test, lambda: body, lambda: orelse)


@template
def assign(target, call, arguments):
    target = ag__.call(call)(arguments)  # noqa: F841


@template
def twice(value):
    result = value
    result += value
    print(result)


def parsed(text: str) -> Any:
    return gast.parse(text).body[0]


STATEMENT = """
while x < 3:
    x += 1
    y = (x,
         y)
"""


def test_statements_with_holes() -> None:
    node = parsed(STATEMENT)
    made = loop(test=node.test, body=node.body, names=("x", "y"), loop_body="loop_body_1", at=node.test)
    assert unparse(made) == (
        "def loop_test():\n    return x < 3\n"
        "def loop_body_1():\n    nonlocal x, y\n    x += 1\n    y = (x, y)\n"
        "ag__.while_stmt(loop_test, loop_body_1, ('x', 'y'))"
    ).replace("y = (x, y)", "y = x, y")
    assert made[1].body[1] is node.body[0], "a hole takes the node itself"


def test_nothing_to_declare_and_nothing_to_do() -> None:
    made = loop(test="flag", body=[], names=(), at=parsed(STATEMENT).test)
    assert unparse(made[1]) == "def loop_body():\n    pass"
    assert unparse(made[2]) == "ag__.while_stmt(loop_test, loop_body, ())"
    assert unparse(loop(test=True, body=None, names=(), at=parsed("x"))[0]) == "def loop_test():\n    return True"


def test_expressions_become_statements_and_lists_are_spliced() -> None:
    made = loop(test=3, body=parsed("f(x)").value, names=["a"], at=parsed("x"))
    assert unparse(made[1]) == "def loop_body():\n    nonlocal a\n    f(x)"
    arguments = [parsed("a").value, parsed("*b").value, "c"]
    made = assign(target=parsed("p, *q.r, s[0]").value, call="call", arguments=arguments, at=parsed("x"))
    assert unparse(made) == "p, *q.r, s[0] = ag__.call(call)(a, *b, c)"
    compile(ast.Module([to_ast(statement) for statement in made], []), "made", "exec")


def test_an_expression_template_gives_a_node() -> None:
    made = choose(test="c", body=parsed("a + 1").value, orelse=None, at=parsed("c"))
    assert isinstance(made, gast.Call)
    assert unparse(made) == "ag__.if_exp(c, lambda: a + 1, lambda: None)"


def test_no_node_is_in_a_tree_twice() -> None:
    value = parsed("f(x)").value
    made = twice(value=value, at=value)
    assert unparse(made) == "result = f(x)\nresult += f(x)\nprint(result)"
    shared = [gast.Load, gast.Store, gast.Add]
    nodes = [node for statement in made for node in ast.walk(statement) if type(node) not in shared]
    assert len({id(node) for node in nodes}) == len(nodes)
    renamed = twice(value=value, result="result_1", at=value)
    assert unparse(renamed).startswith("result_1 = f(x)")


def test_uses_are_independent() -> None:
    first = loop(test="a", body=[], names=("x",), at=parsed("x"))
    first[0].name = "changed"
    first[1].body.clear()
    assert unparse(loop(test="a", body=[], names=("x",), at=parsed("x"))[0]) == "def loop_test():\n    return a"


def test_locations_are_in_one_line() -> None:
    node = parsed(STATEMENT)
    made = loop(test=node.test, body=node.body, names=(), at=node.test)
    call = made[2].value
    assert (call.lineno, call.col_offset, call.end_lineno, call.end_col_offset) == (2, 6, 2, 11)
    assert location_of(node) == {"lineno": 2, "col_offset": 0, "end_lineno": 2, "end_col_offset": 0}
    assert made[1].body[0].lineno == 3, "the user's nodes keep their own"
    assert made[1].generated and not hasattr(made[1].body[0], "generated")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"test": "x", "body": []}, "needs names"),
        ({"test": "x", "body": [], "names": (), "wrong": 1}, "no hole or name of its own wrong"),
        ({"test": object(), "body": [], "names": ()}, "can't take <object"),
        ({"test": "x", "body": [], "names": (), "loop_body": 3}, "must become a string"),
    ],
)
def test_wrong_values_are_refused(values: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        loop(**values, at=parsed("x"))


def test_a_use_copies_and_does_not_parse() -> None:
    node = parsed(STATEMENT)

    def use() -> None:
        loop(test=node.test, body=node.body, names=("x", "y"), at=node.test)

    use()
    assert work(use) == work(use) < 1000
