"""The places that raise errors a user can meet, and which of them a run reaches."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from .programs import PACKAGE

ROOT = Path(PACKAGE).parent
FOLDERS = ("autograph", "converters", "runtime")

NOT_FOR_USERS = {
    "runtime/engines/native": "a graph that can't become machine code runs on NumPy instead",
    "runtime/engines/xla": "the same",
    "runtime/engines/region.py": "the same",
    "runtime/engines/transaction.py": "the same",
    "runtime/engines/planning.py": "what is said where `jit_compile=True` demands it: tests/runtime/engines/native",
    "autograph/source/template.py": "wrong templates are mistakes of converters",
    "runtime/ir/check.py": "graphs that aren't valid: mistakes of operators and passes, or of damaged files",
}
"""Files and folders whose errors stay inside autograph, with the reason."""

SIGNALS = {
    "AssertionError": "never raised while autograph is right",
    "NotImplementedError": "a method that each subclass defines, when it has no text",
    "StopIteration": "Python's protocol of iterators",
    "NotImplemented": "Python's protocol of operators",
    "StagedRaise": "carries a staged `raise` to the branch that holds it",
    "NeverReturns": "says that a part of a graph always raises",
    "Impure": "asks for another trace of a loop",
    "WritesOutside": "asks for another trace of a recursive function",
    "Mismatch": "becomes a BranchMismatchError, which names the variable",
    "NotExported": "becomes a SavingError, which names all that can't be exported",
    "NotSavable": "becomes a SavingError, which names what can't be saved",
    "Unread": "becomes an UnimplementedError, which names the op and its node",
    "_Endless": "becomes a StagedRecursionError",
    "_StagedCount": "asks for a staged loop in place of Python's",
    "_Unfit": "asks for the general way of calls",
    "_BadInput": "becomes a text of the command line: tests/test_command_line.py",
}
"""Exceptions that don't leave autograph, with the reason."""


@dataclass(frozen=True, order=True)
class Site:
    """A ``raise`` of an expression: its file, the function that it is in, and what it raises (shortened)."""

    file: str
    function: str
    raised: str
    line: int = field(compare=False)
    end: int = field(compare=False)

    def __str__(self) -> str:
        return f"{self.file} {self.function}: {self.raised}"


@cache
def sites() -> dict[str, list[Site]]:
    """The sites of each file, by its path from the root; converters and runtime are known by two paths."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(tuple(NOT_FOR_USERS)):
                continue
            here = sites_of(path, name)
            if here:
                found[name] = here
                if folder != "autograph":
                    found[f"autograph/{name}"] = here
    return found


def sites_of(path: Path, name: str) -> list[Site]:
    """The sites of one file, which they call `name`."""
    text = path.read_text()
    return list(_sites(ast.parse(text), text, name, "")) if "raise " in text else []


def all_sites() -> set[Site]:
    return {site for here in sites().values() for site in here}


def _sites(node: ast.AST, text: str, file: str, function: str) -> Iterator[Site]:
    for child in ast.iter_child_nodes(node):
        inner = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{function}.{child.name}" if function else child.name
        if isinstance(child, ast.Raise) and child.exc is not None and not _is_signal(child.exc):
            raised = " ".join((ast.get_source_segment(text, child.exc) or "").split())
            yield Site(file, function or "<module>", raised[:90], child.lineno, child.end_lineno or child.lineno)
        yield from _sites(child, text, file, inner)


def _is_signal(raised: ast.expr) -> bool:
    called = raised.func if isinstance(raised, ast.Call) else raised
    if isinstance(called, ast.Name) and called.id == "NotImplementedError":
        return called is raised
    return isinstance(called, ast.Name) and called.id in SIGNALS


@contextmanager
def recording(reached: set[Site]) -> Iterator[None]:
    """Adds the sites that raise while this is open, on this thread and those that it starts."""

    def called(frame: FrameType, event: str, argument: Any) -> Any:
        here = by_file.get(frame.f_code.co_filename)
        if here is None:
            return None
        frame.f_trace_lines = False

        def traced(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "exception":
                reached.update(site for site in here if site.line <= frame.f_lineno <= site.end)
            return traced

        return traced

    by_file = {str(ROOT / name): here for name, here in sites().items()}
    before = sys.gettrace(), threading.gettrace()
    sys.settrace(called)
    threading.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before[0])
        threading.settrace(before[1])
