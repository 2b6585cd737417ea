"""Errors of running graphs, shown at the user's own lines."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from autograph.errors import AutographError, InvalidArgumentError

from ..ir import Location, Node


def user_error(error: Exception, nodes: Sequence[Node]) -> Exception:
    """The error to raise for one that came out of a kernel, with a traceback of the user's lines.

    ``nodes``: the node that failed, last, after the ``call`` nodes that led to it. NumPy's `ValueError` becomes an
    `InvalidArgumentError`; what the user's program raises keeps its type.
    """
    locations = [location for node in nodes if (location := node.location) is not None]
    if nodes and type(error) is ValueError and not nodes[-1].op.effect:
        error, cause = InvalidArgumentError(f"{nodes[-1].op.name}: {error}"), error
        error.__cause__ = cause.__cause__
    if isinstance(error, AutographError) and locations:
        error.at(*locations[-1])
    return error.with_traceback(_traceback(locations))


def _traceback(locations: Sequence[Location]) -> TracebackType | None:
    """A traceback with one entry for each location, the last one innermost."""
    result: TracebackType | None = None
    for location in reversed(locations):
        entry = _entry(location)
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


class _Stop(Exception):
    pass


def _entry(location: Location) -> TracebackType:
    """A traceback entry of a real frame that claims the given file, line and function."""
    code = compile("raise stop", location.file, "exec")
    code = code.replace(co_name=location.function, co_qualname=location.function, co_firstlineno=location.line)
    names: dict[str, Any] = {"stop": _Stop}
    try:
        exec(code, names)
    except _Stop as stop:
        assert stop.__traceback__ is not None and stop.__traceback__.tb_next is not None
        return stop.__traceback__.tb_next
    raise AssertionError("unreachable")
