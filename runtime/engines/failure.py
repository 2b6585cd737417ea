"""Errors of running graphs, shown at the user's own lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from types import TracebackType
from typing import Any

from autograph.errors import AutographError

from ..base.places import Place
from ..ir.graph import Node
from ..tensors import trace


def require_room(frames: int = 12) -> None:
    """Raise `RecursionError` unless so many more calls may be made: NumPy may crash where it hits the limit itself."""
    if frames:
        require_room(frames - 1)


def user_error(error: Exception, nodes: Sequence[Node]) -> Exception:
    """The error to raise for one that came out of a kernel, with a traceback of the user's lines.

    ``nodes``: the node that failed, last, after the ``call`` nodes that led to it.
    """
    places = [place for node in nodes if node.where is not None for place in node.where.stack]
    if nodes:
        cause, traceback = error.__cause__, error.__traceback__
        error = trace.kernel_error(error, nodes[-1].op)
        error.__cause__, error.__traceback__ = cause, traceback
    if isinstance(error, AutographError):
        if places:
            error.at(*places[-1].location)
        elif nodes and "/" in nodes[-1].name:  # of a layer, in a step of `fit`
            error.inside(nodes[-1].op.name, nodes[-1].name)
    return error.with_traceback(_traceback(places, _user_part(error.__traceback__)))


def _user_part(traceback: TracebackType | None) -> TracebackType | None:
    """The entries from the first frame of user code that a kernel called (a Python function in the graph)."""
    if traceback is not None:
        traceback = traceback.tb_next  # the first frame is that of the executor
    while traceback is not None and not trace.is_user_file(traceback.tb_frame.f_code.co_filename):
        traceback = traceback.tb_next
    return traceback


def _traceback(places: Sequence[Place], inner: TracebackType | None) -> TracebackType | None:
    """A traceback with one entry for each place, and inside these ``inner``."""
    result = inner
    for place in reversed(places):
        entry = _entry(place)
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


class _Stop(Exception):
    pass


def _entry(place: Place) -> TracebackType:
    """A traceback entry of a real frame that claims the file, line and function of a place, and its columns."""
    location = place.location
    code = compile("raise stop", location.file, "exec")
    code = code.replace(
        co_name=location.function,
        co_qualname=location.function,
        co_firstlineno=location.line,
        co_linetable=_line_table(len(code.co_code) // 2, location.line, place),
    )
    names: dict[str, Any] = {"stop": _Stop}
    try:
        exec(code, names)
    except _Stop as stop:
        assert stop.__traceback__ is not None and stop.__traceback__.tb_next is not None
        return stop.__traceback__.tb_next
    raise AssertionError("unreachable")


def _line_table(units: int, line: int, place: Place) -> bytes:
    """A line table that puts all code units at the place of an instruction, which Python's tracebacks underline.

    The format is that of CPython's ``Objects/locations.md``: entries of form 14 (long) or 13 (without columns).
    """
    form, numbers = 13, [0]
    first, last, start, end = next(islice(place.code.co_positions(), place.offset // 2, None), (None,) * 4)
    if first == line and last is not None and start is not None and end is not None:
        form, numbers = 14, [0, last - line, start + 1, end + 1]
    rest = b"".join(map(_varint, numbers))
    sizes = [min(8, units - done) for done in range(0, units, 8)]
    return b"".join(bytes([0x80 | form << 3 | size - 1]) + rest for size in sizes)


def _varint(number: int) -> bytes:
    """Six bits in a byte, the lowest first; the seventh says that more follow."""
    result = []
    while number >= 64:
        result.append(number & 63 | 64)
        number >>= 6
    return bytes([*result, number])
