"""Functions of the standard library, found and compiled back, are the very code that Python made."""

from __future__ import annotations

import ast
import importlib
import inspect
from types import CodeType, ModuleType

import pytest

from autograph.source.matching import nested_codes, same_code
from tests.source.rebuild import functions_of, rebuilt

MODULES = (
    "heapq textwrap difflib fractions statistics shlex string json.decoder json.encoder copy argparse inspect "
    "typing collections asyncio.tasks dataclasses enum functools contextlib unittest.case ast zipfile tarfile"
).split()


class WithoutImports(ast.NodeTransformer):
    """How Python calls `name.method()` depends on whether the module imports `name`, which a function can't know."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> ast.AST:
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        return node if is_future else ast.copy_location(ast.Pass(), node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef
    visit_ImportFrom = visit_Import


def expected_codes(module: ModuleType) -> dict[tuple[int, str], list[CodeType]]:
    assert module.__file__ is not None
    with open(module.__file__, encoding="utf-8") as file:
        tree = WithoutImports().visit(ast.parse(file.read()))
    found: dict[tuple[int, str], list[CodeType]] = {}
    for code in nested_codes(compile(tree, module.__file__, "exec", dont_inherit=True)):
        found.setdefault((code.co_firstlineno, code.co_qualname), []).append(code)
    return found


def all_equal(one: CodeType, other: CodeType) -> bool:
    names = "co_linetable co_exceptiontable co_firstlineno co_name co_qualname co_filename co_stacksize".split()
    inner = zip(nested_codes(one), nested_codes(other))
    return (
        same_code(one, other)
        and (one.co_flags ^ other.co_flags) & ~inspect.CO_ITERABLE_COROUTINE == 0  # types.coroutine sets that later
        and all(getattr(one, name) == getattr(other, name) for name in names)
        and all(first.co_qualname == second.co_qualname for first, second in inner)
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODULES)
def test_the_same_code_comes_back(name: str) -> None:
    module = importlib.import_module(name)
    expected = expected_codes(module)
    functions = functions_of(module)
    assert functions
    for function in functions:
        code = rebuilt(function).__code__
        assert any(all_equal(code, other) for other in expected[code.co_firstlineno, code.co_qualname]), function
