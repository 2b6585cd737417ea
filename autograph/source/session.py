"""Texts that Python runs without a file: `python -c`, and what is typed at the prompt, before Python keeps them.

From Python 3.13 on ``linecache`` has both. Before, the command line still has the text of ``-c``, and ``readline``
what was typed.
"""

from __future__ import annotations

import linecache
import sys
from types import CodeType

from .typed import typed_lines

PROMPTS = ("<stdin>", "<console>")  # Python's own, and that of `code.interact`
_names: dict[tuple[str, str], str] = {}
_WITH_VALUE = {"--check-hash-based-pycs"}


def lines_of(code: CodeType) -> list[str]:
    """The lines of the text that a code object was compiled from; none when they are not known."""
    if code.co_filename == "<string>":
        return (_command() or "").splitlines(keepends=True)
    if code.co_filename in PROMPTS and hasattr(sys, "ps1"):
        return typed_lines(code)
    return []


def named(filename: str, lines: list[str]) -> str:
    """A name of its own, as Python 3.13 gives, for a text typed at the prompt: all of them are called ``<stdin>``.

    ``linecache`` has the text under that name, for tracebacks and the texts of errors.
    """
    text = "".join(lines)
    name = _names.setdefault((filename, text), f"{filename}-{len(_names)}")
    linecache.cache[name] = len(text), None, lines, name
    return name


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
