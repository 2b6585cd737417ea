"""The errors for functions that call themselves without end while they are traced."""

from __future__ import annotations

from collections import Counter
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from autograph.errors import StagedRecursionError

from ..ir.graph import Location
from ..tensors import trace
from ..tensors.tensor import Tensor


def endless_recursion(error: RecursionError) -> StagedRecursionError:
    """The error to raise for one that was raised while a function was traced; it names the line that recurs most."""
    lines: Counter[Location] = Counter()
    frames: dict[Location, list[FrameType]] = {}
    for frame, number in _calls(error):
        code = frame.f_code
        if trace.is_user_file(code.co_filename):
            line = Location(code.co_filename, number, code.co_name)
            lines[line] += 1
            frames.setdefault(line, []).append(frame)
    # Of lines that recur alike, the innermost is the call.
    most = max(reversed(lines), key=lambda line: lines[line] // 8, default=None)
    name = "a function" if most is None else f"`{most.function}`"
    message = f"{name} calls itself without end, or nests too deeply, while it is being traced"
    # Of the parts of one line, the one that recurs most.
    codes = Counter(frame.f_code for frame in frames[most]).most_common(1) if most is not None else []
    if most is None or codes[0][1] < _MANY:
        made = recursion_error(message, most)
        made.is_nesting = True
        return made
    calls = [frame for frame in frames[most] if frame.f_code is codes[0][0]]
    reason, remedy = _reason(*_arguments(*calls[-3:-1]))
    return recursion_error(message + reason, most, remedy)


def _calls(error: RecursionError) -> list[tuple[FrameType, int]]:
    """The frames in which an error arose, with their lines, the outermost first: also those around this trace."""
    entry = error.__traceback__
    found = []
    outer = None if entry is None else entry.tb_frame.f_back
    while outer is not None:
        found.append((outer, outer.f_lineno))
        outer = outer.f_back
    found.reverse()
    while entry is not None:
        found.append((entry.tb_frame, entry.tb_lineno))
        entry = entry.tb_next
    return found


_MANY = 30  # calls within each other, which are a recursion


def _arguments(*frames: FrameType) -> list[dict[str, Any]]:
    """The variables, which are those of the function or of a part of it, of some frames."""
    return [{name: frame.f_locals[name] for name in frame.f_code.co_varnames + frame.f_code.co_freevars
             if name in frame.f_locals} for frame in frames]  # fmt: skip


def _reason(one: dict[str, Any], other: dict[str, Any]) -> tuple[str, str | None]:
    """Why tracing goes on for ever, told by the variables of two calls, and what to write instead."""
    names = [name for name in one if name in other and not isinstance(other[name], FunctionType)]
    for name in names:
        kind = type(other[name])
        if other[name] is not one[name] and type(one[name]) is kind and _is_object(other[name]):
            return (
                f": each call has another {kind.__name__} as `{name}`, and only tensors and numbers may differ between "
                "calls that become one graph",
                f"pass the tensors that `{name}` holds as arguments, or write it as a loop",
            )
    if names and all(isinstance(other[name], Tensor) or other[name] is one[name] for name in names):
        return ": every way through it that returns calls it again", None
    return "", None


def _is_object(value: object) -> bool:
    """Whether a value is known by its identity: a list or a dict, or an object of a class."""
    known = (Tensor, int, float, complex, str, bytes, tuple, np.ndarray, np.generic, type(None))
    return not isinstance(value, known)


def recursion_error(message: str, location: Location | None, remedy: str | None = None) -> StagedRecursionError:
    """The error for a function that calls itself at a place."""
    return StagedRecursionError(
        message,
        **({} if location is None else location._asdict()),
        construct="recursion",
        remedy=remedy
        or "end the recursion by a condition on its arguments, or write it as a loop; split an `elif` chain of more "
        "than a hundred branches",
    )
