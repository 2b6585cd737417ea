"""Which node of a file's tree a code object was compiled from, and whether it still is the same code."""

from __future__ import annotations
import __future__

import ast
import bisect
import inspect
from collections.abc import Iterator
from types import CodeType
from typing import Any

from .names import mangle
from .quiet import quietly

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    if _name != "nested_scopes":  # its flag also says that a function is nested
        _FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag


def future_flags(code: CodeType) -> int:
    """The flags of the ``from __future__`` imports that were in force where ``code`` was compiled."""
    return code.co_flags & _FUTURE_FLAGS


def start_line(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    decorators = getattr(node, "decorator_list", None)
    return min(node.lineno, decorators[0].lineno) if decorators else node.lineno


def _end_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


Place = tuple[Any, str | None]


def statements_at(tree: ast.Module, line: int) -> Iterator[Place]:
    """The statements that cover a line, each with the class around it."""
    stack: list[tuple[list[ast.stmt], str | None]] = [(tree.body, None)]
    while stack:
        body, class_name = stack.pop()
        for statement in body[bisect.bisect_left(body, line, key=_end_line) :]:
            if start_line(statement) > line:
                break
            yield statement, class_name
            inner = statement.name if isinstance(statement, ast.ClassDef) else class_name
            for block in _blocks(statement):
                stack.append((block, inner))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if block:
            yield block
    parts: list[Any] = getattr(statement, "handlers", None) or getattr(statement, "cases", [])
    for part in parts:
        yield part.body


def lambdas_of(statement: ast.stmt) -> list[ast.Lambda]:
    """The lambdas in a statement, outside of the statements that it contains."""
    found = []
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Lambda):
            found.append(node)
        stack.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
    return found


def parameters_of_code(code: CodeType) -> tuple[str, ...]:
    """The names of a code object's parameters, with the number of each kind."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return (*code.co_varnames[:count], f"{code.co_posonlyargcount} {code.co_argcount} {code.co_kwonlyargcount}")


def parameters_of_node(node: FunctionNode, class_name: str | None) -> tuple[str, ...]:
    """What ``parameters_of_code`` gives for the code of this node."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    named = [*positional, *arguments.kwonlyargs]
    named += [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    counts = f"{len(arguments.posonlyargs)} {len(positional)} {len(arguments.kwonlyargs)}"
    return (*(mangle(argument.arg, class_name) for argument in named), counts)


Span = tuple[int, int, int, int]


def spans(code: CodeType) -> list[Span]:
    """Start line, start column, end line and end column of the instructions that have columns."""
    found = {position for position in code.co_positions() if position[3]}
    return [(line or 0, column or 0, end or 0, end_column or 0) for line, end, column, end_column in found]


def names_of_code(code: CodeType) -> set[str]:
    """The names that code uses, with those of the functions and classes inside of it."""
    return {
        name
        for each in (code, *nested_codes(code))
        for name in (*each.co_names, *each.co_varnames, *each.co_cellvars, *each.co_freevars)
    }


def variables_of_code(code: CodeType) -> set[str]:
    """Those that may be variables of the function, or of the functions and classes inside of it."""
    found: set[str] = set()
    for each in (code, *nested_codes(code)):
        found.update(each.co_varnames, each.co_cellvars, each.co_freevars)
        if not each.co_flags & inspect.CO_OPTIMIZED:  # a class looks its own names up as it does global ones
            found.update(each.co_names)
    return found


def lines_inside(code: CodeType, first: int, last: int) -> bool:
    """Whether all lines of the instructions lie in a range."""
    return all(line is None or first <= line <= last for _, _, line in code.co_lines())


def innermost_lambda(candidates: list[Place], code: CodeType) -> int | None:
    """The place in the list of the lambda whose body holds all instructions, the innermost if several do."""
    positions = spans(code)
    best: tuple[Span, int] | None = None
    for index, (node, _) in enumerate(candidates):
        body = node.body
        start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
        if all((line, column) >= start and (stop, stop_column) <= end for line, column, stop, stop_column in positions):
            key = (-start[0], -start[1], *end)
            if best is None or key < best[0]:
                best = (key, index)
    return None if best is None else best[1]


def same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same, whatever lines and columns they have."""
    return (
        one.co_code == other.co_code
        and one.co_names == other.co_names
        and one.co_varnames == other.co_varnames
        and one.co_freevars == other.co_freevars
        and one.co_cellvars == other.co_cellvars
        and len(one.co_consts) == len(other.co_consts)
        and all(map(_same_constant, one.co_consts, other.co_consts))
    )


def lambda_compiles_alike(node: ast.Lambda, code: CodeType) -> bool:
    """Whether a lambda that stands for itself compiles to some code."""
    compiled, _ = quietly(compile, ast.Expression(node), code.co_filename, "eval", dont_inherit=True)
    return any(same_code(code, nested) for nested in compiled.co_consts if isinstance(nested, CodeType))


def _same_constant(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return one.co_name == other.co_name and same_code(one, other)
    if isinstance(one, frozenset):
        return one == other
    return one is other or repr(one) == repr(other)  # tells -0.0 from 0.0 and (1,) from (True,), and nan is nan


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """All code objects inside of a code object, at any depth."""
    stack = [code]
    while stack:
        for constant in stack.pop().co_consts:
            if isinstance(constant, CodeType):
                yield constant
                stack.append(constant)
