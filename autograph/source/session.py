"""Texts that Python runs without a file: `python -c`, and what is typed at the prompt, before Python keeps them.

From Python 3.13 on ``linecache`` has both. Before, the command line still has the text of ``-c``, and ``readline``
what was typed: it is used when it compiles to the very code that is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType

from . import matching
from .quiet import quietly

_WITH_VALUE = {"--check-hash-based-pycs"}
_HISTORY = 5000  # typed lines that are looked through


def lines_of(code: CodeType) -> list[str]:
    """The lines of the text that a code object was compiled from; none when they are not known."""
    if code.co_filename == "<string>":
        return (_command() or "").splitlines(keepends=True)
    if code.co_filename == "<stdin>" and hasattr(sys, "ps1"):
        return next((text.splitlines(keepends=True) for text in _typed(code.co_name) if _holds(text, code)), [])
    return []


def _command() -> str | None:
    """The argument of ``-c`` in the command that has started Python."""
    arguments = iter(sys.orig_argv[1:])
    for argument in arguments:
        if argument in _WITH_VALUE:
            next(arguments, None)
        elif not argument.startswith("-") or argument == "-":
            return None
        elif not argument.startswith("--"):
            for position, letter in enumerate(argument[1:], start=2):
                if letter == "c":
                    return argument[position:] or next(arguments, None)
                if letter == "m":
                    return None
                if letter in "WX":
                    if not argument[position:]:
                        next(arguments, None)
                    break
    return None


def _typed(name: str) -> Iterator[str]:
    """The statements typed at the prompt that may define a function, the latest first."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    last = readline.get_current_history_length()
    lines = [readline.get_history_item(number) or "" for number in range(max(1, last - _HISTORY), last + 1)]
    wanted = "lambda" if name == "<lambda>" else name
    for start in range(len(lines) - 1, -1, -1):
        if not lines[start][:1].isspace():
            text = _statement(lines, start)
            if wanted in text:
                yield text


def _statement(lines: list[str], start: int) -> str:
    """The statement that begins at a line: as far as the lines are indented, or it needs more."""
    end = start + 1
    while end < len(lines) and (lines[end][:1].isspace() or not _is_complete("\n".join(lines[start:end]))):
        end += 1
    return "\n".join(lines[start:end]) + "\n"


def _is_complete(text: str) -> bool:
    try:
        quietly(compile, text + "\n", "<stdin>", "single")
    except (SyntaxError, ValueError):
        return False
    return True


def _holds(text: str, code: CodeType) -> bool:
    flags = matching.future_flags(code)
    try:
        compiled, _ = quietly(compile, text, code.co_filename, "single", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return any(matching.same_code(code, nested) for nested in matching.nested_codes(compiled))
