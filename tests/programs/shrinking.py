"""Makes a program smaller while something holds of it.

Statements go, compound ones give way to their bodies, expressions to their parts.

>>> print(shrunk("x = 1\\nif y:\\n    z = f(x + 2)\\nelse:\\n    w = 3\\n", lambda text: "f(" in text))
z = f(x)
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def shrunk(source: str, holds: Callable[[str], bool], seconds: float = 60) -> str:
    """The smallest program found of which `holds` is true, as it is of `source`; a greedy search that ends in time."""
    end = time.monotonic() + seconds
    best = ast.unparse(ast.parse(source))
    tried = {best}
    progress = True
    while progress:
        progress = False
        for candidate in candidates(best):
            if time.monotonic() > end:
                return best
            if candidate in tried:
                continue
            tried.add(candidate)
            if holds(candidate):
                best, progress = candidate, True
                break
    return best


def candidates(source: str) -> Iterator[str]:
    """Programs that are smaller by one step, the largest steps first."""
    for number in range(largest_result(ast.parse(source))):
        tree = ast.parse(source)
        without_result(tree, number)
        text = valid(tree)
        if text is not None:
            yield text
    count = sum(1 for _ in ast.walk(ast.parse(source)))
    for steps in (without_statements, with_bodies_in_place, with_parts_of_expressions):
        for number in range(count):
            tree = ast.parse(source)
            for changed in steps(list(ast.walk(tree))[number]):
                text = valid(tree) if changed else None
                if text is not None and len(text) < len(source):
                    yield text


def valid(tree: ast.Module) -> str | None:
    """The text of a tree, if it can be compiled."""
    try:
        text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree)))
        compile(text, "<shrunk>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, AttributeError, IndexError):
        return None
    return text


def results(tree: ast.Module) -> list[ast.Tuple]:
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    return [value for value in values if isinstance(value, ast.Tuple)]


def largest_result(tree: ast.Module) -> int:
    return max((len(each.elts) for each in results(tree) if len(each.elts) > 1), default=0)


def without_result(tree: ast.Module, number: int) -> None:
    """Takes one of the values that are returned out of every `return` that has as many: returns often have to fit."""
    size = largest_result(tree)
    for each in results(tree):
        if len(each.elts) == size:
            del each.elts[number]


def without_statements(node: ast.AST) -> Iterator[bool]:
    """Takes out of each block of a node one statement (or handler, or case) after the other."""
    for name in BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list):
            for position in reversed(range(len(block))):
                kept = block.pop(position)
                # A body must not be empty; an `else` may.
                filler = not block and name == "body" and not isinstance(kept, ast.Pass)
                if filler and not isinstance(node, ast.Module):
                    block.append(ast.Pass())
                yield True
                if filler and not isinstance(node, ast.Module):
                    block.pop()
                block.insert(position, kept)


def with_bodies_in_place(node: ast.AST) -> Iterator[bool]:
    """Puts in place of each compound statement in the blocks of a node one of its blocks."""
    for name in BLOCKS:
        block = getattr(node, name, None)
        for position, statement in enumerate(list(block) if isinstance(block, list) else []):
            for inner in BLOCKS:
                body = getattr(statement, inner, None)
                if isinstance(body, list) and body and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                    if all(isinstance(each, ast.stmt) for each in body):
                        block[position : position + 1] = body
                        yield True
                        block[position : position + len(body)] = [statement]


def with_parts_of_expressions(node: ast.AST) -> Iterator[bool]:
    """Puts in place of each expression that a node has one of its parts; takes elements out of tuples and lists."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            for part in parts(value):
                setattr(node, name, part)
                yield True
            setattr(node, name, value)
        elif isinstance(value, list) and value and all(isinstance(each, ast.expr) for each in value):
            for position, each in enumerate(list(value)):
                if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
                    del value[position]
                    yield True
                    value.insert(position, each)
                for part in parts(each):
                    value[position] = part
                    yield True
                value[position] = each


def parts(expression: ast.expr) -> list[ast.expr]:
    if isinstance(expression, ast.Constant):
        return [ast.Constant(1), ast.Constant(0)] if type(expression.value) is int and expression.value > 1 else []
    inner = [each for each in ast.iter_child_nodes(expression) if isinstance(each, ast.expr)]
    if isinstance(expression, ast.Tuple) and len(inner) == 1:
        return inner
    return [] if isinstance(expression, (ast.Name, ast.Tuple, ast.Lambda)) else inner
