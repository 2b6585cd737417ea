"""Generators that a staged `break` leaves inside of a `try` or `with`: Python closes them there, which runs the rest.

Only a run knows where that is, and a generator can't be closed there and go on for the other runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CellType, FrameType, FunctionType, GeneratorType
from typing import Any

from autograph.errors import StagingError
from autograph.source.find import find
from autograph.source.generated import is_generated

from ..heap import iterators
from .errors import where


def refuse_open(iterator: object) -> None:
    """To be called where some runs leave a loop over an iterator, and others go on.

    Raises:
        StagingError: a generator that moves with it stands inside of a `try` or `with` that has something to do then.
    """
    for each in _moving(iterator):
        block = _block_around(each)
        if block is not None:
            raise StagingError(
                f"a staged `break`, `return` or `raise` may leave the generator `{each.__name__}` inside of the "
                f"`{'with' if isinstance(block, (ast.With, ast.AsyncWith)) else 'try'}` on line {block.lineno}; only "
                "the run tells what that does then",
                construct="for",
                remedy="make the list first: `for x in list(values)`, or put the `yield` outside of that statement",
                **where(),
            )


def _moving(iterator: object) -> Iterator[GeneratorType[Any, Any, Any]]:
    """The generators among what an iterator is made of, and those that these hold in variables of their own."""
    seen: set[int] = set()
    pending = [iterator]
    while pending:
        for known in iterators.read_by(pending.pop()):
            each = None if known.reference is None else known.reference()
            if type(each) is GeneratorType and id(each) not in seen:
                seen.add(id(each))
                yield each
                pending.append(each.gi_yieldfrom)
                if each.gi_frame is not None:
                    own = {*each.gi_code.co_varnames, *each.gi_code.co_cellvars}
                    held = each.gi_frame.f_locals
                    pending.extend(held[name] for name in own.intersection(held) if iterators.is_iterator(held[name]))


def _block_around(generator: GeneratorType[Any, Any, Any]) -> ast.stmt | None:
    """The statement around the `yield` at which a generator waits that does something when it is closed there."""
    code, frame = generator.gi_code, generator.gi_frame
    if frame is None or not generator.gi_suspended or not is_generated(code):
        return None
    line, _, column, _ = list(code.co_positions())[frame.f_lasti // 2]
    function = FunctionType(code, frame.f_globals, closure=tuple(CellType() for _ in code.co_freevars))
    for node in ast.walk(find(function, check=False).node):
        for body in _guarded(node, frame):
            first, last = body[0], body[-1]
            end = last.end_lineno or 0, last.end_col_offset or 0
            if (first.lineno, first.col_offset) <= (line or 0, column or 0) < end:
                assert isinstance(node, ast.stmt)
                return node
    return None


def _guarded(node: ast.AST, frame: FrameType) -> Iterator[list[ast.stmt]]:
    """The parts of a statement in which the end of a generator makes it do something."""
    if isinstance(node, (ast.With, ast.AsyncWith)):
        yield node.body
    elif isinstance(node, (ast.Try, ast.TryStar)):
        if node.finalbody or any(_catches_the_end(each.type, frame) for each in node.handlers):
            yield node.body
        if node.finalbody:
            yield from filter(None, (node.orelse, *(each.body for each in node.handlers)))


def _catches_the_end(kind: ast.expr | None, frame: FrameType) -> bool:
    if kind is None:
        return True
    try:
        caught = eval(compile(ast.Expression(kind), frame.f_code.co_filename, "eval"), frame.f_globals, frame.f_locals)
        return issubclass(GeneratorExit, caught)
    except (NameError, AttributeError, TypeError):
        return True
