"""`to_code(f, full=True)` is the source of what runs: it is the tree that is compiled, and does the same by itself.

`full_code.test` shows it; `pytest --update-golden` writes it anew.
"""

from __future__ import annotations

import ast
import linecache
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import autograph as tf
from autograph import pipeline
from autograph.pipeline import converted
from autograph.source import to_ast
from tests.golden import Golden
from tests.printed import executed, same

from .test_meaning import FUNCTIONS, behaviour

PATH = Path(__file__).parent / "full_code.test"


def compiled_tree(function: FunctionType, monkeypatch: pytest.MonkeyPatch) -> ast.AST:
    """The tree that a conversion compiles."""
    trees: list[Any] = []
    compile_code = pipeline.compile_code

    def noting(tree: Any, *arguments: Any) -> Any:
        trees.append(to_ast(tree))
        return compile_code(tree, *arguments)

    monkeypatch.setattr(pipeline, "compile_code", noting)
    unknown = FunctionType(function.__code__.replace(), function.__globals__)
    converted(unknown, staged=True)
    found: ast.AST = trees[-1]
    return found


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: f"{function.__module__[26:]}-{function.__name__}")
def test_it_is_compiled_and_means_the_same(function: FunctionType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert same(tf.to_code(function, full=True), compiled_tree(function, monkeypatch))
    assert behaviour(executed(function)) == behaviour(function)


def full_code(source: str) -> str:
    """The full code of the function that a case defines."""
    linecache.cache["<case>"] = (len(source), None, source.splitlines(True), "<case>")
    namespace: dict[str, Any] = {"__name__": "case"}
    exec(compile(source, "<case>", "exec"), namespace)
    return tf.to_code(namespace["f"], full=True).strip("\n")


def test_golden(request: pytest.FixtureRequest) -> None:
    golden = Golden.read(PATH)
    if request.config.getoption("--update-golden"):
        golden.cases = {name: (source, full_code(source)) for name, (source, _) in golden.cases.items()}
        golden.write(PATH)
    for name, (source, expected) in golden.cases.items():
        assert full_code(source) == expected, name
