from __future__ import annotations

import ast
import inspect
import sys
import textwrap

import gast
import pytest

from autograph.source import find, to_ast, to_gast
from tests.source import rebuild

SAMPLES = """
    async def everything(a, /, b: int = 1, *c: str, d=2, e, **f) -> float:
        try:
            async with a as b, c: pass
        except (ValueError, TypeError) as error: raise error from None
        except Exception: raise
        else: pass
        finally: del a, b[0]
        async for x, *y in z: await x
        match x:
            case {"k": 1, **rest} if rest: pass
            case [1, *_] | K(a, b=2) as k: pass
            case None | -1: pass
        global g
        return [x async for x in y if x], {**a, "b": f"{x!r:>{y}}"}, lambda *, q=1: (yield), u"s", ..., 1j
    class K(B, metaclass=M):
        x: int = 3
        y: int
        def f(self): nonlocal y; (z := y) ; return x[1:2, ...][a if b else c], not -x, a < b <= c is d
    from . import a as b, c
    from __future__ import annotations
    assert x, y
    while x: continue
    else: x @= y
    for x in y: break
"""
if sys.version_info >= (3, 12):
    SAMPLES += """
    type A[T: int, *Ts, **P] = dict[T, P]
    def f[T](x: T): pass
    class C[T]: pass
"""


def samples() -> list[ast.Module]:
    sources = [inspect.getsource(module) for module in (rebuild, textwrap, ast, inspect)]
    return [ast.parse(source) for source in [textwrap.dedent(SAMPLES), *sources]]


@pytest.mark.parametrize("tree", samples())
def test_the_trees_are_those_of_gast(tree: ast.Module) -> None:
    before = ast.dump(tree, include_attributes=True)
    ours, theirs = to_gast(tree), gast.ast_to_gast(tree)
    assert gast.dump(ours) == gast.dump(theirs)
    assert ast.dump(to_ast(ours), include_attributes=True) == before
    assert ast.dump(to_ast(theirs)) == ast.dump(tree)
    assert gast.dump(ours) == gast.dump(theirs), "the tree was changed on the way back"
    assert ast.dump(tree, include_attributes=True) == before


def test_deep_trees_need_no_recursion() -> None:
    node: ast.AST = ast.Constant(1)
    for _ in range(5000):
        node = ast.UnaryOp(ast.USub(), node)
    back = to_ast(to_gast(node))
    depth = 0
    while isinstance(back, ast.UnaryOp):
        back, depth = back.operand, depth + 1
    assert depth == 5000


def test_missing_locations_come_from_the_parent() -> None:
    tree = to_gast(ast.parse("if x:\n    y"))
    tree.body[0].body.append(gast.Expr(gast.Call(gast.Name("f", gast.Load(), None, None), [], [])))
    call = to_ast(tree).body[0].body[1].value
    assert (call.lineno, call.end_lineno, call.col_offset, call.end_col_offset) == (1, 1, 0, 0)


def test_functions_of_a_tree_are_listed() -> None:
    found: list[ast.AST] = []
    to_ast(find(samples).tree, found)
    assert [type(node) for node in found] == [ast.FunctionDef]
