"""`assert` and `raise`: at once in plain Python, at run time when staged."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from autograph.errors import ConversionError, StagingError
from autograph.runtime.recursion import NeverReturns
from autograph.runtime.trace import user_location

from .contexts import open_context
from .dispatch import Thunk, active, backend_of, open_traces


class StagedRaise(NeverReturns):
    """Ends the tracing of a staged body at a `raise` that has become part of the graph.

    No handler of the user catches it: what the handlers would have caught is refused before.
    """


Refusal = (StagingError, ConversionError, NeverReturns)
"""What no handler of the user may catch while a graph is built: it says that there can be no graph, or ends a body."""


class _Open(threading.local):
    def __init__(self) -> None:
        self.tries: list[trying] = []


_open = _Open()


class trying:
    """The body of a ``try``, as a context manager.

    What it stages must not raise, at run time, what `handlers` catch in Python; without handlers there is a
    ``finally``, which nothing that is staged may pass. ``line`` is that of the ``try``.
    """

    __slots__ = ("_backend", "_handlers", "_start", "line")

    def __init__(self, line: int, handlers: Callable[[], tuple[Any, ...]] | None = None) -> None:
        self.line = line
        self._handlers = handlers
        self._backend = active() if open_traces else None

    def __enter__(self) -> None:
        if self._backend is not None:
            self._start = self._backend.begin_handled()
            _open.tries.append(self)

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if self._backend is None:
            return
        _open.tries.remove(self)
        if self._handlers is not None and not (kind is not None and issubclass(kind, Refusal)):
            self._backend.check_handled(self._start, self._handlers(), "try")

    def handles(self, exception: BaseException) -> bool:
        """Whether an exception would not just pass."""
        return self._handlers is None or any(isinstance(exception, classes) for classes in self._handlers())


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


def raising(exception: Any = None) -> Any:
    """Returns what to raise for ``raise exception``: itself, or `StagedRaise` inside a staged body.

    Without an argument it is the exception that is being handled.

    Raises:
        StagingError: the ``raise`` is staged, and stands in a ``try`` that might catch it, or ends an iteration.
    """
    if exception is None:
        exception = sys.exc_info()[1] or RuntimeError("No active exception to reraise")
    backend = active()
    if backend is None or not backend.in_body():
        return exception
    if isinstance(exception, type) and issubclass(exception, BaseException):
        exception = exception()
    if not isinstance(exception, BaseException):
        return exception
    refuse_in_try(exception)
    if isinstance(exception, (StopIteration, StopAsyncIteration)):
        raise _refusal(
            f"a staged condition decides about `raise {type(exception).__name__}`: only the run knows how long the "
            "iteration is",
            "loop over a tensor, a range or a list, with `break` where it ends",
            "raise StopIteration",
        )
    backend.raise_(exception)
    return StagedRaise(exception)


class Raises:
    """The exceptions that a ``try`` catches which the converted code raises itself; `handlers` gives its classes."""

    __slots__ = ("_caught", "_handlers")

    def __init__(self, handlers: Callable[[], tuple[Any, ...]]) -> None:
        self._handlers = handlers
        self._caught: dict[int, dict[Any, BaseException]] = {}

    def caught(self, exception: Any, *cause: Any) -> int:
        """Returns the number of the handler that catches an exception which is staged; raises it when it is not.

        Raises:
            StagingError: it is staged, and no handler of this ``try`` catches it.
        """
        if cause:
            exception = exception() if isinstance(exception, type) else exception
            exception.__cause__ = cause[0]() if isinstance(cause[0], type) else cause[0]
        backend = active()
        if backend is None or not backend.in_body():
            raise exception
        exception = exception() if isinstance(exception, type) else exception
        if isinstance(exception, BaseException):
            for number, classes in enumerate(self._handlers(), start=1):
                if isinstance(exception, classes):
                    place = user_location()
                    self._caught.setdefault(number, {})[place and place.line] = exception
                    return number
        raise raising(exception)

    def note(self, number: int) -> int:
        """Keeps the exception that Python is handling, which a handler has caught; returns the handler's number."""
        error = sys.exc_info()[1]
        assert error is not None
        self._caught[number] = {None: error}
        return number

    def again(self, number: int, named: bool = False) -> None:
        """Raises the exception that a handler has caught, so that it is handled; ``named``: it gets a name there.

        Raises:
            StagingError: it gets a name, and only the run knows which of several it is, or what it says.
        """
        errors = list(self._caught[number].values())
        if named and (len(errors) > 1 or backend_of(*errors[0].args) is not None):
            raise _refusal(
                f"the handler of `{type(errors[0]).__name__}` has a name for the exception, of which only the run "
                + ("knows which one it is" if len(errors) > 1 else "knows what it says"),
                "use `except` without `as`, or compute what the handler needs from variables",
                "except",
            )
        raise errors[-1]


def refuse_in_try(exception: BaseException) -> None:
    """Refuses an exception that becomes part of a graph where a running ``try`` of the user might catch it.

    Raises:
        StagingError: there is such a ``try``, or a ``with`` that might swallow it.
    """
    name = type(exception).__name__
    manager = open_context()
    if manager is not None:
        raise _refusal(
            f"`raise {name}` depends on a staged condition and stands in a `with {manager}` whose `__exit__` might "
            "catch it, or do something; a graph can't run it",
            "test the condition with `if` in place of the exception, or move the `with` out of the graph",
            "raise in with",
        )
    for each in reversed(_open.tries):
        if each.handles(exception):
            raise _refusal(
                f"`raise {name}` depends on a staged condition and stands in the `try` of line {each.line}, which "
                "might catch it; a graph can't run the handler",
                "test the condition with `if` in place of the exception, or move the `try` out of the graph",
                "raise in try",
            )


def _refusal(message: str, remedy: str, construct: str) -> StagingError:
    location = user_location()
    place = {} if location is None else location._asdict()
    return StagingError(message, **place, construct=construct, remedy=remedy)
