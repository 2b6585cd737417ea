"""`assert` and `raise`: at once in plain Python, at run time when staged."""

from __future__ import annotations

import sys
from typing import Any

from autograph.errors import StagingError
from autograph.runtime.recursion import NeverReturns
from autograph.runtime.trace import user_location

from .dispatch import Thunk, active, backend_of

# The lines, by file, of the bodies of statements that a staged raise must not pass through, and what these are: `try`
# with handlers or a `finally`, and `with` that swallows exceptions.
_guarded: dict[str, list[tuple[int, int, str]]] = {}


class StagedRaise(NeverReturns):
    """Ends the tracing of a staged body at a `raise` that has become part of the graph.

    No handler of the user catches it: what the handlers would have caught is refused before.
    """


def register_guarded_lines(filename: str, first: int, last: int, statement: str = "try") -> None:
    """Notes the lines of the body of a statement that may catch exceptions; called at conversion."""
    ranges = _guarded.setdefault(filename, [])
    if (first, last, statement) not in ranges:
        ranges.append((first, last, statement))


def guard_around(filename: str, line: int) -> tuple[int, str] | None:
    """Returns the first line of the innermost guarded body around a line and its statement, or ``None``."""
    found = [(first, statement) for first, last, statement in _guarded.get(filename, ()) if first <= line <= last]
    return max(found, default=None)


def assert_stmt(test: Any, message: Thunk | None = None) -> None:
    """``assert test, message()``.

    Raises:
        AssertionError: the test is false; at run time when it is staged.
    """
    if test is True:
        return
    backend = backend_of(test)
    if backend is not None:
        if backend.staging():
            refuse_in_try(AssertionError())
        return backend.assert_(test, message)
    if not test:
        exception = AssertionError() if message is None else AssertionError(message())
        staging = active()
        if staging is None or not staging.in_body():
            raise exception
        raise raising(exception)


def raising(exception: Any) -> Any:
    """Returns what to raise for ``raise exception``: itself, or `StagedRaise` inside a staged body.

    Raises:
        StagingError: the ``raise`` is staged, and stands in a ``try`` that might catch it.
    """
    backend = active()
    if backend is None or not backend.in_body():
        return exception
    if isinstance(exception, type) and issubclass(exception, BaseException):
        exception = exception()
    if not isinstance(exception, BaseException):
        return exception
    refuse_in_try(exception)
    backend.raise_(exception)
    return StagedRaise(exception)


def refuse_in_try(exception: BaseException) -> None:
    """Refuses an exception that becomes part of a graph where a running ``try`` of the user might catch it.

    Raises:
        StagingError: there is such a ``try``.
    """
    frame = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "run_trace" and frame.f_globals.get("__name__", "").startswith(f"{__package__}."):
            return
        line = frame.f_lineno
        guard = guard_around(code.co_filename, line) if code.co_filename in _guarded else None
        if guard is not None:
            location = user_location()
            raise StagingError(
                f"`raise {type(exception).__name__}` depends on a staged condition and stands in a `{guard[1]}` (its"
                f" body starts on line {guard[0]}) that might catch it; a graph can't run the handler",
                **({} if location is None else location._asdict()),
                construct="raise in try",
                remedy="test the condition with `if` in place of the exception, or move the `try` out of the graph",
            )
        frame = frame.f_back  # type: ignore[assignment]
