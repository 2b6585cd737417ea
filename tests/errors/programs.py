"""Runs a small user program, and tells what the user sees: its output, and the traceback that ends it."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import os
import re
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

import autograph as tf

PACKAGE = os.path.dirname(os.path.abspath(tf.__file__))
LIBRARY = os.path.dirname(os.__file__) + os.sep


def shown(source: str, file: Path) -> str:
    """What a program prints (stderr marked by `err:`) and the traceback that ends it.

    The program sees `tf` and `np`; it is written to `file`, which the text calls `user.py`. Of frames that are not
    the user's it says only whose they are.
    """

    def run() -> list[str]:
        try:
            exec(compile(source, str(file), "exec"), _names())
        except BaseException as error:
            return _chain(error, str(file))
        return []

    return _output(source, file, run)


def shown_one_by_one(source: str, file: Path) -> str:
    """The statements of a program, each with what it prints and the error that ends it; the others run all the same.

    Definitions, assignments and imports are shown only when they fail.
    """

    def run() -> list[str]:
        names = _names()
        for statement in ast.parse(source).body:
            text = "\n".join(source.splitlines()[_first_line(statement) - 1 : statement.end_lineno])
            if isinstance(statement, ast.Expr | ast.For | ast.With):
                print(f"> {text}")
            try:
                exec(compile(ast.Module([statement], []), str(file), "exec"), names)
            except Exception as error:
                if not isinstance(statement, ast.Expr | ast.For | ast.With):
                    print(f"> {text}")
                print("".join(traceback.format_exception_only(error)), end="")
        return []

    return _output(source, file, run)


def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])


def _names() -> dict[str, Any]:
    return {"__name__": "user", "tf": tf, "np": np}


def _output(source: str, file: Path, run: Callable[[], list[str]]) -> str:
    """What `run` prints, and the lines that it returns."""
    file.write_text(source)
    linecache.checkcache(str(file))
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _show_warning  # pytest collects warnings, users see them
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        parts = run()
    text = out.getvalue() + textwrap.indent(err.getvalue(), "err: ") + "\n".join(parts)
    for name, shown_as in ((str(file), "user.py"), (f"{file.parent}{os.sep}", ""), (f"<{file.name}>", "<user.py>")):
        text = text.replace(name, shown_as)
    return _steady(text).strip("\n")


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))


def _chain(error: BaseException, file: str) -> list[str]:
    lines: list[str] = []
    if error.__cause__ is not None:
        lines = [*_chain(error.__cause__, file), "", "The above exception was the direct cause of:", ""]
    elif error.__context__ is not None and not error.__suppress_context__:
        lines = [*_chain(error.__context__, file), "", "During handling of the above exception:", ""]
    return [*lines, *_entries(error.__traceback__, file), *"".join(traceback.format_exception_only(error)).splitlines()]


def _entries(entry: TracebackType | None, file: str) -> list[str]:
    lines: list[str] = []
    for frame, line in traceback.walk_tb(entry):
        code = frame.f_code
        if code.co_filename == __file__:
            continue
        owner = _owner(code.co_filename)
        if owner is None:
            text = linecache.getline(code.co_filename, line).strip()
            lines.append(f'  File "{code.co_filename}", line {line}, in {code.co_name}')
            lines += [f"    {text}"] if text else []
        elif not lines or lines[-1] != f"  ({owner})":
            lines.append(f"  ({owner})")
    return lines


def _owner(filename: str) -> str | None:
    """Whose code it is, when it is not the user's."""
    if filename.startswith(PACKAGE + os.sep):
        return "autograph"
    if filename.startswith((os.path.dirname(np.__file__), "numpy/")) or "__array_function__" in filename:
        return "NumPy"
    return "standard library" if filename.startswith(LIBRARY) else None


def _steady(text: str) -> str:
    """The text without what differs between runs and versions of Python: addresses, numbers of graphs, suggestions."""
    text = re.sub(rf'"{re.escape(LIBRARY)}([^"]*)", line \d+', r'"\1", line N', text)
    text = re.sub(rf"{re.escape(PACKAGE)}([^:]*):\d+", r"autograph\1:N", text)
    text = re.sub(r"\. Did you mean.*| and no __dict__ for setting new attributes", "", text)
    return re.sub(r"(__inference_[^\s\]]+)_\d+", r"\1_N", re.sub(r"\b0x[0-9a-f]+", "0x…", text))
