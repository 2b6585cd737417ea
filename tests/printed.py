"""What `to_code` prints, compared with trees and executed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

import autograph as tf
from autograph import operators
from autograph.pipeline import register_converted


def executed(function: FunctionType) -> Callable[..., Any]:
    """What the full code of a function of a module defines, for a program that executes it."""
    text = tf.to_code(function, full=True)
    namespace = {**function.__globals__, "ag__": operators}
    tree = ast.parse(text)
    if isinstance(tree.body[0], ast.Expr):
        found = eval(text, namespace)
    else:
        exec(text, namespace)
        found = namespace[tree.body[0].name]  # type: ignore[attr-defined]
    register_converted(found.__code__)  # else it would be converted once more in a trace
    return found


def same(printed: str, tree: ast.AST) -> bool:
    """Whether text is the text of a tree of `ast`, but for what text can't tell apart."""
    return _normal(ast.parse(printed).body[0]) == _normal(tree)


class _Normal(ast.NodeTransformer):
    """Evens out what text can't tell apart: pieces of strings side by side, the kind of a literal."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return self.visit(node.value) if isinstance(node.value, ast.Lambda) else self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        pieces: list[ast.expr] = []
        for piece in node.values:
            if isinstance(piece, ast.Constant) and pieces and isinstance(pieces[-1], ast.Constant):
                pieces[-1] = ast.Constant(pieces[-1].value + piece.value)
            elif not (isinstance(piece, ast.Constant) and piece.value == ""):
                pieces.append(piece)
        return ast.JoinedStr(pieces)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(node.value)


def _normal(tree: ast.AST) -> str:
    return ast.dump(_Normal().visit(tree))
