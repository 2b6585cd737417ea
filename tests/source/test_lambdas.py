from __future__ import annotations

import gast
import pytest

from autograph.source import find, unparse
from tests.source.rebuild import python, run, text_of


def test_lambdas_on_one_line() -> None:
    first, second, third = lambda x: x + 1, lambda x: x + 2, (lambda x: x + 1)
    assert [text_of(function) for function in (first, second, third)] == [
        "lambda x: x + 1",
        "lambda x: x + 2",
        "lambda x: x + 1",
    ]
    assert find(first).node is not find(third).node
    assert find(first).tree.col_offset < find(second).tree.col_offset < find(third).tree.col_offset


def test_nested_lambdas_on_one_line() -> None:
    outer = lambda x: lambda y: lambda x: x if y else None  # noqa: E731
    assert text_of(outer) == "lambda x: lambda y: lambda x: x if y else None"
    assert text_of(outer(1)) == "lambda y: lambda x: x if y else None"
    assert text_of(outer(1)(2)) == "lambda x: x if y else None"


def test_lambdas_with_defaults_and_constants() -> None:
    with_default = lambda a=(lambda: 1), *b, c=(lambda: 2), **d: (a(), c())  # noqa: E731
    assert text_of(with_default) == "lambda a=lambda: 1, *b, c=lambda: 2, **d: (a(), c())"
    assert text_of(with_default.__defaults__[0]) == "lambda: 1"
    assert text_of(with_default.__kwdefaults__["c"]) == "lambda: 2"
    one, other = (lambda: 1), (lambda: 1.0)
    assert [text_of(one), text_of(other)] == ["lambda: 1", "lambda: 1.0"]


@pytest.mark.parametrize(
    "body",
    ["True if 1 else x", "(yield)", "(yield x)", "f'{x}'", "x or y and x", "(x := 1)", "[y for y in x]", "x.a().b()"],
)
def test_bodies_that_the_compiler_folds_or_moves(body: str) -> None:
    text = f"pair = lambda x, y=0: {body}, lambda x, y=0: ({body}, 1)\n"
    functions = run(text, "<folded>")["pair"]
    assert text_of(functions[0]) == unparse(gast.parse(f"lambda x, y=0: {body}"))
    assert text_of(functions[1]) == unparse(gast.parse(f"lambda x, y=0: ({body}, 1)"))


def test_lambdas_in_an_expression_of_several_lines() -> None:
    table = {
        "one": lambda x: (
            x
            + 1
        ), "two": lambda x: x * 2,
        "three": (lambda
                  x: x * 3),
    }  # fmt: skip
    assert {name: function(5) for name, function in table.items()} == {"one": 6, "two": 10, "three": 15}
    assert text_of(table["one"]) == "lambda x: x + 1"
    assert text_of(table["two"]) == "lambda x: x * 2"
    assert text_of(table["three"]) == "lambda x: x * 3"


def test_lambdas_in_the_headers_of_statements() -> None:
    found = []
    for function in [lambda: "for", (lambda: "again")]:
        found.append(text_of(function))

    def with_default(function=lambda: "default"):
        return function

    class WithKeyword(dict, **{}):
        member = staticmethod(lambda: "member")

    found += [text_of(with_default()), text_of(WithKeyword.member)]
    assert found == ["lambda: 'for'", "lambda: 'again'", "lambda: 'default'", "lambda: 'member'"]


NO_COLUMNS = """
import linecache
from tests.source.rebuild import rebuilt
text = '''
f, g, h = (lambda x: x + 1), (lambda x: x + 2), (lambda: 3)
def local(a):
    return (lambda x: x + a), (lambda x: x - a)
def alone(a):
    return lambda x: x * a
'''
linecache.cache["<text>"] = (len(text), None, text.splitlines(True), "<text>")
exec(compile(text, "<text>", "exec"))
print(rebuilt(f)(1), rebuilt(g)(1), rebuilt(h)(), rebuilt(alone(2))(3))
rebuilt(local(1)[1])
"""


def test_without_columns_a_lambda_is_told_by_its_code_or_refused() -> None:
    result = python("-X", "no_debug_ranges", "-c", NO_COLUMNS)
    assert result.stdout == "2 3 3 6\n", result.stderr
    assert "SourceNotFoundError: it can't be told which of the lambdas" in result.stderr
