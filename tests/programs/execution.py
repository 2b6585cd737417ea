"""Runs a program and writes down everything that can be seen of it from outside."""

from __future__ import annotations

import contextlib
import io
import itertools
import linecache
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any

from tests.conversion import convert_namespace

_numbers = itertools.count()


@dataclass
class Observation:
    """What a run shows: two runs that are alike compare equal."""

    outcome: str
    printed: str
    arguments: str
    total: str


def run(source: str, form: str | None, arguments: tuple = ()) -> Observation:
    """Executes `source` and calls its `program(*arguments, items, table, box)`.

    `form` is None for the program as it is, else "plain" or "staged": which form everything is converted to.
    """
    filename = f"<program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        namespace: dict[str, Any] = {"__name__": "program"}
        exec(compile(source, filename, "exec"), namespace)
        if form is not None:
            failures = convert_namespace(namespace, "program", staged=form == "staged").failures
            if failures:
                raise AssertionError(f"not converted: {failures}")
        items, table, box = [3, 1, 2], {0: 1, 1: 2, "k": 3}, namespace["Box"](5)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                outcome = f"returned {namespace['program'](*arguments, items, table, box)!r}"
            except Exception as error:
                outcome = "raised " + describe(error, filename)
        return Observation(outcome, printed.getvalue(), repr((arguments, items, table, box)), repr(namespace["TOTAL"]))
    finally:
        del linecache.cache[filename]


def describe(error: BaseException, filename: str) -> str:
    """The type, text, traceback lines in `filename`, and the chain of causes and contexts of an exception."""
    # Python's texts for unbound names differ between local and free variables, which converting may turn into
    # each other; the types do not.
    text = error.__class__.__name__ if isinstance(error, NameError) else repr(error)
    lines = [f"{text} at {activations(error.__traceback__, filename)}"]
    if error.__cause__ is not None:
        lines.append("caused by " + describe(error.__cause__, filename))
    elif error.__context__ is not None and not error.__suppress_context__:
        lines.append("while handling " + describe(error.__context__, filename))
    return "\n".join(lines)


def activations(trace: TracebackType | None, filename: str) -> list[tuple[str, int]]:
    """The (function, line) pairs of a traceback in a file, one for each call of a function.

    A converted function may spread over several frames, the bodies of its statements; so does a function with a
    comprehension in it, before Python 3.12. The innermost line stands for all of them.
    """
    calls: list[tuple[str, int]] = []
    frames: list[tuple[CodeType, Any]] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == filename:
            same = frames and (trace.tb_frame is frames[-1][1] or _is_part(code, frames[-1][0]))
            name = calls[-1][0] if same else code.co_name
            if same:
                calls.pop()
                frames.pop()
            calls.append((name, trace.tb_lineno))
            frames.append((code, trace.tb_frame))
        trace = trace.tb_next
    return calls


def _is_part(code: CodeType, outer: CodeType) -> bool:
    """Whether a code object is a body of a statement, or a comprehension, inside another."""
    alike = code.co_name == outer.co_name or code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
    return alike and _holds(outer, code)


def _holds(outer: CodeType, code: CodeType) -> bool:
    inner = [constant for constant in outer.co_consts if isinstance(constant, CodeType)]
    return any(constant is code or constant == code or _holds(constant, code) for constant in inner)


