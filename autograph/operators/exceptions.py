"""`assert` and `raise`: at once in plain Python, at run time when staged."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from autograph.errors import StagingError
from autograph.runtime.functions.recursion import NeverReturns, Signal
from autograph.runtime.tensors.trace import user_location

from .contexts import any_open_in, open_context
from .dispatch import Thunk, active, backend_of, open_traces
from .staging.control.refused import is_refusal


class StagedRaise(NeverReturns):
    """Ends the tracing of a staged body at a `raise` that has become part of the graph.

    No handler of the user catches it: what the handlers would have caught is refused before.
    """


_ONE_OF_SEVERAL = "_autograph_one_of_several"
"""Marks an exception that stands for several, of which only the run knows which it is."""


class _Open(threading.local):
    def __init__(self) -> None:
        self.tries: list[trying] = []
        self.deliveries: list[delivering] = []


_open = _Open()


class trying:
    """The body of a ``try``, as a context manager.

    What it stages must not raise, at run time, what `handlers` catch in Python; without handlers there is a
    ``finally``, which nothing that is staged may pass. ``line`` is that of the ``try``; or else the name of what Python
    handles exceptions in.
    """

    __slots__ = ("_backend", "_body", "_handlers", "_start", "_statement", "text")

    def __init__(self, line: int | str, handlers: Callable[[], tuple[Any, ...]] | None = None) -> None:
        self._statement, self.text = ("try", f"the `try` of line {line}") if isinstance(line, int) else (line, line)
        self._handlers = handlers
        self._backend = active() if open_traces else None

    def __enter__(self) -> None:
        if self._backend is not None:
            self._start = self._backend.begin_handled()
            self._body = self._backend.body()
            _open.tries.append(self)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._backend is None:
            return
        _open.tries.remove(self)
        if error is None or not is_refusal(error):
            self.check()

        if error is not None and _open.deliveries:
            _open.deliveries[-1].take(error)

    def check(self) -> None:
        """Refuses what the body has staged so far, where a handler would catch what that may raise at run time."""
        if self._backend is not None and self._handlers is not None:
            self._start = self._backend.check_handled(self._start, self._handlers(), self._statement)

    def handles(self, exception: BaseException) -> bool:
        """Whether an exception would not just pass."""
        return self._handlers is None or any(isinstance(exception, classes) for classes in self._handlers())

    def is_in(self, body: object) -> bool:
        """Whether this stands in the body of a staged conditional or loop, and in no other one inside it."""
        return self._body is body


def yielded(value: object) -> Any:
    """What a generator yields. Only an error may end it, which the graph raises: before it goes on, what stands in a
    `try` is checked."""
    for each in _open.tries:
        each.check()
    return value


class _Taken(Signal):
    """Goes past the handlers of groups in place of a refusal."""


class delivering:
    """Stands around a ``try`` with handlers of groups (``except*``): the refusals in it get past the handlers."""

    __slots__ = ("_depth", "_error")

    def __enter__(self) -> None:
        self._error: BaseException | None = None
        self._depth = len(_open.tries)
        _open.deliveries.append(self)

    def take(self, error: BaseException) -> None:
        """Takes a refusal that leaves the body of the ``try``."""
        if len(_open.tries) == self._depth and not isinstance(error, Signal) and is_refusal(error):
            self._error = error
            raise _Taken from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        _open.deliveries.remove(self)
        refusal, self._error = self._error, None
        if refusal is not None:
            context = refusal.__context__
            try:
                raise refusal
            finally:
                refusal.__context__ = context
                del refusal


def assert_stmt(test: object, message: Thunk | None = None) -> None:
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


_CURRENT = object()


def raising(exception: object = _CURRENT) -> Any:
    """Returns what to raise for ``raise exception``: itself, or `StagedRaise` inside a staged body.

    Without an argument it is the exception that is being handled.

    Raises:
        StagingError: the ``raise`` is staged, and stands in a ``try`` that might catch it, or ends an iteration.
    """
    if exception is _CURRENT:
        exception = sys.exc_info()[1] or RuntimeError("No active exception to reraise")
        if vars(exception).get(_ONE_OF_SEVERAL):
            raise _refusal(
                "`raise` raises again what a handler has caught, of which only the run knows which exception it is",
                "write a handler for each of them",
                "raise",
            )
    backend = active()
    if backend is None or not backend.in_body():
        return exception
    if isinstance(exception, type) and issubclass(exception, BaseException):
        exception = exception()
    if not isinstance(exception, BaseException) or _may_be_handled_in(backend.body(), exception):
        return exception
    if isinstance(exception, (StopIteration, StopAsyncIteration)):
        raise _refusal(
            f"a staged condition decides about `raise {type(exception).__name__}`: only the run knows how long the "
            "iteration is",
            "loop over a tensor, a range or a list, with `break` where it ends",
            "raise StopIteration",
        )
    refuse_in_try(exception)
    backend.raise_(exception)
    return StagedRaise(exception)


class Raises:
    """The exceptions that a ``try`` catches which the converted code raises itself; `handlers` gives its classes."""

    __slots__ = ("_caught", "_handlers")

    def __init__(self, handlers: Callable[[], tuple[Any, ...]] = tuple) -> None:
        self._handlers = handlers
        self._caught: dict[int, list[BaseException]] = {}

    def _keep(self, number: int, exception: BaseException) -> int:
        """Keeps an exception, unless one is kept already that is the same but for the place."""
        kept = self._caught.setdefault(number, [])
        if not any(_are_alike(each, exception) for each in kept):
            kept.append(exception)
        return number

    def caught_at(self, number: int, exception: Any, *cause: object) -> int:
        """Keeps an exception that is staged, to be raised after ``finally``; raises it when it is not."""
        exception = _instance(exception, cause)
        backend = active()
        if backend is None or not backend.in_body():
            raise exception
        return self._keep(number, exception)

    def error(self, number: int) -> Any:
        """The exception that `caught_at` has kept, to be raised.

        Raises:
            StagingError: only the run knows what it says.
        """
        kept = self._caught.get(number, [RuntimeError("never raised")])
        if len(kept) > 1 or backend_of(*getattr(kept[0], "args", ())) is not None:
            raise _refusal(
                f"`raise {type(kept[0]).__name__}` is staged, and passes a `finally`, but only the run knows what the "
                "exception says",
                "write a text that doesn't depend on tensors or turns of a loop, or raise it after the `try`",
                "raise in try",
            )
        return kept[0]

    def caught(self, exception: Any, *cause: object) -> int:
        """Returns the number of the handler that catches an exception which is staged; raises it when it is not.

        Raises:
            StagingError: it is staged, and no handler of this ``try`` catches it.
        """
        if cause:
            exception = _instance(exception, cause)
        backend = active()
        if backend is None or not backend.in_body():
            raise exception
        exception = exception() if isinstance(exception, type) else exception
        if isinstance(exception, BaseException):
            for number, classes in enumerate(self._handlers(), start=1):
                if isinstance(exception, classes):
                    return self._keep(number, exception)
        raise raising(exception)

    def note(self, number: int) -> int:
        """Keeps the exception that Python is handling, which a handler has caught; returns the handler's number."""
        error = sys.exc_info()[1]
        assert error is not None
        self._caught[number] = [error]
        return number

    def again(self, number: int, named: bool = False) -> None:
        """Raises the exception that a handler has caught, so that it is handled; ``named``: it gets a name there.

        Raises:
            StagingError: it gets a name, and only the run knows which of several it is, or what it says.
        """
        # With its traceback the exception holds this frame and the user's: kept in one, it would keep all alive.
        errors = self._caught.pop(number)
        if named and (len(errors) > 1 or backend_of(*errors[0].args) is not None):
            raise _refusal(
                f"the handler of `{type(errors[0]).__name__}` has a name for the exception, of which only the run "
                + ("knows which one it is" if len(errors) > 1 else "knows what it says"),
                "use `except` without `as`, or compute what the handler needs from variables",
                "except",
            )
        if len(errors) > 1:
            vars(errors[-1])[_ONE_OF_SEVERAL] = True
        error = errors.pop()
        try:
            raise error
        finally:
            del error


def _are_alike(one: BaseException, other: BaseException) -> bool:
    return (
        type(one) is type(other)
        and len(one.args) == len(other.args)
        and all(
            x is y or (type(x) in (str, int, float, bool, bytes) and type(y) is type(x) and x == y)
            for x, y in zip(one.args, other.args, strict=True)
        )
    )


def _instance(exception: Any, cause: tuple[Any, ...]) -> Any:
    exception = exception() if isinstance(exception, type) else exception
    if cause:
        found = cause[0]() if isinstance(cause[0], type) else cause[0]
        if found is not None and not isinstance(found, BaseException):
            raise TypeError("exception causes must derive from BaseException")
        exception.__cause__ = found
    return exception


def _may_be_handled_in(body: object, exception: BaseException) -> bool:
    """Whether a ``try`` or ``with`` in the staged body that raises may handle it: no condition is between them."""
    return any_open_in(body) or any(each.is_in(body) and each.handles(exception) for each in _open.tries)


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
                f"`raise {name}` depends on a staged condition and stands in {each.text}, which "
                "might catch it; a graph can't run the handler",
                "test the condition with `if` in place of the exception, or move the `try` out of the graph",
                "raise in try",
            )


def _refusal(message: str, remedy: str, construct: str) -> StagingError:
    location = user_location()
    place = {} if location is None else location._asdict()
    return StagingError(message, **place, construct=construct, remedy=remedy)
