"""Where in the user's program the running code is: what nodes remember, and what errors show."""

from __future__ import annotations

import bisect
import dis
import linecache
import os
import sys
import threading
import warnings
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from autograph.tracebacks import HANDING_OVER, OWN_FILES

# A user's frame is one that runs neither this package, nor NumPy's dispatch, nor the standard library.
_skipped: tuple[str, ...] = (*OWN_FILES, os.path.dirname(np.__file__) + os.sep, "<frozen ")
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_RETURNS = frozenset(opcode for name, opcode in dis.opmap.items() if name.startswith("RETURN_"))
_is_user_file: dict[str, bool] = {}


class Location(NamedTuple):
    """A place in the user's source."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'

    def told(self) -> str:
        """The same within a sentence, with the source of the line."""
        source = linecache.getline(self.file, self.line).strip()
        return f"{self.function}" + (f", `{source}`" if source else "") + f" ({self.file}:{self.line})"


class Place(NamedTuple):
    """An instruction of the user's code, and the one that called it while the same function was traced."""

    code: CodeType
    offset: int
    caller: Place | None = None

    @property
    def location(self) -> Location:
        """File, line and function; found only now, because line tables are slow to read."""
        return Location(self.code.co_filename, line_of(self.code, self.offset), self.code.co_name)

    @property
    def stack(self) -> list[Place]:
        """The places of the calls that led here, outermost first, and this one."""
        found: list[Place] = []
        place: Place | None = self
        while place is not None:
            found.append(place)
            place = place.caller
        return found[::-1]


class _Local(threading.local):
    base: int = 0  # the `id` of the frame where the graph under way was begun; callers are looked for as far as there
    outer: Place | None = None  # what was running then, when that belongs to the same function
    whole: Place | None = None  # where nodes belong that no line makes: to the branch or loop, or to the function
    last: tuple[list[tuple[CodeType, int]], Place | None, Place | None] = ([], None, None)


_local = _Local()


def begin(frame: FrameType, function: Callable[..., Any] | None) -> tuple[int, Place | None, Place | None]:
    """A graph is begun in `frame`: that of a function, or of a branch or loop inside one.

    Its nodes remember the calls from there on, and for a branch or loop those outside. Returns what `end` needs.
    """
    before = _local.base, _local.outer, _local.whole
    if is_user_file(frame.f_code.co_filename):  # users' own code builds a graph (`with graph.as_default()`)
        _local.base, _local.outer, _local.whole = 0, None, None
    elif function is None:
        outer = user_code()
        _local.base, _local.outer, _local.whole = id(frame), outer, outer
    else:
        code = getattr(function, "__code__", None)
        whole = Place(code, 0) if code is not None and is_user_file(code.co_filename) else None
        _local.base, _local.outer, _local.whole = id(frame), None, whole
    return before


def returned() -> None:
    """The function whose graph is being built has come to its end: what is done for that is done by its `return`."""
    whole = _local.whole
    if whole is not None and whole.offset == 0:
        ends = [2 * position for position, opcode in enumerate(whole.code.co_code[::2]) if opcode in _RETURNS]
        lines = [offset for offset in ends if offset and line_of(whole.code, offset) != whole.code.co_firstlineno]
        if lines:
            _local.whole = Place(whole.code, max(lines, key=lambda offset: line_of(whole.code, offset)))


def end(before: tuple[int, Place | None, Place | None]) -> None:
    """The graph is done."""
    _local.base, _local.outer, _local.whole = before


def skip(folder: str) -> None:
    """Has the files of a folder count as a library's, which stands between the user's code and what that runs."""
    global _skipped
    _skipped = (*_skipped, folder + os.sep)
    _is_user_file.clear()


def is_user_file(name: str) -> bool:
    """Whether a code object's file name is that of user code."""
    in_library = name.startswith(_LIBRARY) and "-packages" not in name
    is_user = _is_user_file[name] = not in_library and not name.startswith(_skipped)
    return is_user


def user_code() -> Place | None:
    """The instruction of the innermost frame of user code, with those of its callers in the function under trace."""
    frame: FrameType | None = sys._getframe(1)
    known = _is_user_file
    base = _local.base
    found = called = None
    callers = []
    while frame is not None:
        code = frame.f_code
        is_user = known.get(code.co_filename)
        if is_user or (is_user is None and is_user_file(code.co_filename)):
            if found is None:
                found = code, frame.f_lasti
            elif called not in HANDING_OVER:
                callers.append((code, frame.f_lasti))
            if not base:
                break
        elif id(frame) == base:
            if found is None:
                return _local.whole
            break
        called, frame = code, frame.f_back
    return found and Place(*found, _shared(callers))


def _shared(callers: list[tuple[CodeType, int]]) -> Place | None:
    """The places of callers, innermost first; nodes that have the same ones share them."""
    outer = _local.outer
    known, known_outer, place = _local.last
    if known != callers or known_outer is not outer:
        place = outer
        for code, offset in reversed(callers):
            place = Place(code, offset, place)
        _local.last = callers, outer, place
    return place


def user_location() -> Location | None:
    """File, line and function of the innermost frame of user code, for error messages."""
    found = user_code()
    return None if found is None else found.location


def dropped_at() -> Location | None:
    """To be called by a ``__del__``: the user's statement that has made the value and does nothing with it."""
    frame = sys._getframe(1).f_back
    if frame is None:  # no statement does it: the interpreter ends
        return None
    code, offset = frame.f_code, frame.f_lasti
    if not is_user_file(code.co_filename) or code.co_code[offset] != _POP_TOP:
        return None
    return Location(code.co_filename, line_of(code, offset), code.co_name)


_POP_TOP = dis.opmap["POP_TOP"]  # ends a statement that is an expression


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's innermost line."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def line_of(code: CodeType, offset: int) -> int:
    """The line of the instruction at a byte offset (``f_lasti``) of a code object."""
    known = _line_tables.get(id(code))
    if known is None or known[0] is not code:
        if len(_line_tables) >= 256:
            _line_tables.clear()
        ranges = [(start, line) for start, _, line in code.co_lines() if line is not None]
        known = _line_tables[id(code)] = code, [start for start, _ in ranges], [line for _, line in ranges]
    position = bisect.bisect_right(known[1], offset) - 1
    return known[2][position] if position >= 0 else code.co_firstlineno


# Decoding a line table takes time in proportion to the function; nodes of one function follow each other.
_line_tables: dict[int, tuple[CodeType, list[int], list[int]]] = {}
