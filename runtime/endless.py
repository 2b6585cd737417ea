"""The errors for functions that call themselves without end while they are traced."""

from __future__ import annotations

from collections import Counter

from autograph.errors import StagedRecursionError

from . import trace
from .ir import Location


def endless_recursion(error: RecursionError) -> StagedRecursionError:
    """The error to raise for one that was raised while a function was traced; it names the line that recurs most."""
    lines: Counter[Location] = Counter()
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if trace.is_user_file(code.co_filename):
            lines[Location(code.co_filename, entry.tb_lineno, code.co_name)] += 1
        entry = entry.tb_next
    # Of lines that recur alike, the innermost is the call.
    most = max(reversed(lines), key=lambda line: lines[line] // 8, default=None)
    name = "a function" if most is None else f"`{most.function}`"
    return recursion_error(f"{name} calls itself without end, or nests too deeply, while it is being traced", most)


def recursion_error(message: str, location: Location | None) -> StagedRecursionError:
    """The error for a function that calls itself at a place."""
    return StagedRecursionError(
        message,
        **({} if location is None else location._asdict()),
        construct="recursion",
        remedy="end the recursion by a condition on its arguments, or write it as a loop; split an `elif` chain of "
        "more than a hundred branches",
    )
