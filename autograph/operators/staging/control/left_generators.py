"""Generators that staged code leaves inside of a `try` or `with`: Python closes them there, which runs the rest.

Only a run knows where that is, and a generator can't be closed there and go on for the other runs. The same holds for
objects that have a ``__del__``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import CellType, CodeType, FrameType, FunctionType, GeneratorType
from typing import Any

from autograph.errors import StagingError
from autograph.source.find import find
from autograph.source.generated import is_generated

from ...data_model.special_methods import is_convertible, lookup, mro
from ..heap import iterators, state
from ..heap.reach import reachable
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
                f"{_kind_of(block)} on line {block.lineno}; only the run tells what that does then",
                construct="for",
                remedy="make the list first: `for x in list(values)`, or put the `yield` outside of that statement",
                **where(),
            )


def refuse_ended(journal: state.Journal, results: Iterable[Any] = ()) -> None:
    """To be called at the end of a staged body with what it gives.

    Raises:
        StagingError: the body has let go of an object whose end runs code, or keeps one that it has made; Python would
            run that code where nothing holds the object any more, and only the run tells where that is.
    """
    ending = _ending()
    if not ending:
        return
    changes = [(old, place.get()) for place, old in journal.changed_variables()]
    changes += [(old, new) for _, old, new in journal.changes().values()]
    before = set(map(id, reachable([old for old, _ in changes])))
    after = set(map(id, reachable([*results, *[new for _, new in changes]])))
    for each in ending:
        if (id(each) in before) != (id(each) in after):
            _refuse_ended(each, "lets go of" if id(each) in before else "makes and keeps")


def refuse_kept(journal: state.Journal, held: Iterable[Any]) -> None:
    """To be called at the end of a trace with what the function gives and has been given.

    Raises:
        StagingError: a generator is there still, though nothing of the function's has it; Python has closed it before,
            where merging has kept what it may be.
    """
    ending = [each for each in _ending() if type(each) is GeneratorType]
    if not ending:
        return
    after = [place.get() for place, _ in journal.changed_variables()]
    after += [new for _, _, new in journal.changes().values()]
    reached = set(map(id, reachable([*held, *after])))
    for each in ending:
        if id(each) not in reached:
            _refuse_ended(each, "may hold")


def refuse_making(cls: type) -> None:
    """To be called where an instance of a class of the user's is about to be made.

    Raises:
        StagingError: it has a `__del__`, and a staged body makes it.
    """
    if is_convertible(lookup(mro(cls), "__del__")) and any(not journal.outermost for journal in state.stack()):
        raise _ends_somewhere(
            f"makes an object of class `{cls.__qualname__}`", "Python runs its `__del__`", "__del__",
            "make it before the branch or loop, and keep it under a name until after",
        )  # fmt: skip


def _refuse_ended(obj: Any, done: str) -> None:
    block = _block_around(obj) if type(obj) is GeneratorType else None
    what = f"the generator `{obj.__name__}`" if block else f"an object of class `{type(obj).__qualname__}`"
    if block is not None:
        seen, construct = f"Python runs the rest of the {_kind_of(block)} on line {block.lineno}", "generator"
    elif hasattr(type(obj), "__del__"):
        seen, construct = "Python runs its `__del__`", "__del__"
    else:
        seen, construct = "its weak references tell of it", "weakref"
    remedy = "end it before the branch or loop, or after: keep it under a name until then"
    raise _ends_somewhere(f"{done} {what}", seen, construct, remedy)


def _ends_somewhere(done: str, seen: str, construct: str, remedy: str) -> StagingError:
    return StagingError(
        f"a staged branch or loop {done}; {seen} where nothing holds it any more, and only the run of the graph tells "
        "where that is",
        construct=construct,
        remedy=remedy,
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
    for node in _blocks(code):
        for body in _guarded(node, frame):
            first, last = body[0], body[-1]
            end = last.end_lineno or 0, last.end_col_offset or 0
            if (first.lineno, first.col_offset) <= (line or 0, column or 0) < end:
                return node
    return None


@lru_cache(maxsize=256)
def _blocks(code: CodeType) -> list[ast.stmt]:
    """The statements in a generator's code that may do something when it is closed in them."""
    function = FunctionType(code, {}, closure=tuple(CellType() for _ in code.co_freevars))
    nodes = ast.walk(find(function, check=False).node)
    return [node for node in nodes if isinstance(node, (ast.With, ast.AsyncWith, ast.Try, ast.TryStar))]


def _ending() -> list[Any]:
    """What the trace has made whose end runs code as things stand."""
    return [each for each in state.ending() if type(each) is not GeneratorType or _block_around(each) is not None]


def _kind_of(block: ast.stmt) -> str:
    return "`with`" if isinstance(block, (ast.With, ast.AsyncWith)) else "`try`"


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
