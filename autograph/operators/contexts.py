"""`with` in staged forms: `__enter__` and `__exit__` of the user's classes are converted.

What may swallow an exception, or do something when one passes, is noted while its body runs: a staged `raise` there is
refused, as a graph can't run `__exit__` (see `exceptions`).
"""

from __future__ import annotations

import contextlib
import dis
import inspect
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from autograph.errors import MutationError
from autograph.runtime.tensors.trace import user_location

from .calls import call, call_method
from .data_model.left_alone import is_left_alone
from .data_model.special_methods import MISSING, is_convertible, lookup, method
from .dispatch import Backend, active, open_traces
from .staging.control.refused import is_refusal

_SWALLOWING = (contextlib.suppress, contextlib.ExitStack)
_TESTING = ("unittest", "_pytest", "pytest")
_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Semaphore)


class _Open(threading.local):
    def __init__(self) -> None:
        self.stack: list[Context] = []


_open = _Open()


def open_context() -> str | None:
    """The class of the innermost context manager, of those open in a trace, that an exception may not just pass."""
    return _open.stack[-1].name if _open.stack else None


def any_open_in(body: object) -> bool:
    """Whether a context manager has been entered in the body of a staged conditional or loop, and in none inside it."""
    return any(each.body is body for each in _open.stack)


def context(manager: object) -> Any:
    """What stands for the context manager in ``with manager:``.

    Raises:
        MutationError: it is a lock, in a staged branch or loop: the graph would not take it.
    """
    backend = active() if open_traces else None
    if backend is None:
        return manager
    if isinstance(manager, _LOCKS) and backend.in_body():
        raise _refused(manager)
    if isinstance(manager, contextlib._GeneratorContextManager):
        return Context(manager, backend) if _convert_generator(manager) else manager
    found = method(type(manager), "__exit__")
    if found is not None or isinstance(manager, _SWALLOWING) or _module_of(manager) in _TESTING:
        return Context(manager, backend)
    if _module_of(manager) == "autograph" or lookup(type(manager).__mro__, "__exit__") is MISSING:
        return manager
    return _Passing(manager)


class _Passing:
    """A context manager of a library, of which refusals are not swallowed."""

    __slots__ = ("_manager",)

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        return self._manager.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        refused = error is not None and is_refusal(error)
        swallows = self._manager.__exit__(kind, error, trace)
        return None if refused else swallows


def _module_of(manager: object) -> str:
    return str(type(manager).__module__).partition(".")[0]


def _convert_generator(manager: Any) -> bool:
    """Puts the converted generator into what `contextlib.contextmanager` has made; whether it is the user's."""
    function = manager.func
    if is_convertible(function) and inspect.getgeneratorstate(manager.gen) == inspect.GEN_CREATED:
        manager.gen = call(function)(*manager.args, **manager.kwds)
        return True
    return not is_left_alone(function) if inspect.isfunction(function) else False


def _refused(manager: object) -> MutationError:
    location = user_location()
    kind = type(manager).__name__
    return MutationError(
        f"`with` a {kind} in a staged branch or loop takes the lock while tracing, not when the graph runs",
        **({} if location is None else location._asdict()),
        construct=f"with {kind}",
        remedy="take the lock outside of the branch or loop, or around the call of the traced function",
    )


def _caught_by(manager: object) -> tuple[Any, ...]:
    """The exceptions that a context manager may swallow, as far as its code tells."""
    if isinstance(manager, contextlib.suppress):
        return tuple(manager._exceptions)  # type: ignore[attr-defined]
    if isinstance(manager, contextlib._GeneratorContextManager):
        return (BaseException,) if _mentions(manager.func, "CHECK_EXC_MATCH", "POP_EXCEPT") else ()
    found = lookup(type(manager).__mro__, "__exit__")
    if not is_convertible(found):
        return (BaseException,)
    return () if _returns_nothing(found) else (BaseException,)


def _mentions(function: Callable[..., Any], *operations: str) -> bool:
    return any(each.opname in operations for each in dis.get_instructions(function))


def _returns_nothing(function: Callable[..., Any]) -> bool:
    """Whether all that a function returns is ``None`` or ``False``."""
    before: Any = None
    for each in dis.get_instructions(function):
        if each.opname == "RETURN_CONST" and each.argval:
            return False
        if each.opname == "RETURN_VALUE":
            constant = before is not None and before.opname in ("LOAD_CONST", "RETURN_CONST")
            if not constant or before.argval:
                return False
        before = each
    return True


class Context:
    """A context manager whose methods run converted, and which is noted while it is open."""

    __slots__ = ("_backend", "_caught", "_manager", "_start", "body", "name")

    def __init__(self, manager: Any, backend: Backend) -> None:
        self._manager = manager
        self._backend = backend
        # `contextlib` forgets the function when the context is entered.
        self._caught = _caught_by(manager)
        self.name: str = getattr(getattr(manager, "func", None), "__name__", None) or type(manager).__name__

    def __enter__(self) -> Any:
        manager = self._manager
        enter = method(type(manager), "__enter__")
        result = manager.__enter__() if enter is None else call_method(enter, manager)
        self.body = self._backend.body()
        _open.stack.append(self)
        self._start = self._backend.begin_handled()
        return result

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        _open.stack.remove(self)
        manager = self._manager
        refused = error is not None and is_refusal(error)  # before `unittest` clears the frames that tell
        found = lookup(type(manager).__mro__, "__exit__")
        if is_convertible(found):
            swallows = call_method(found, manager, kind, error, trace)
        else:
            swallows = manager.__exit__(kind, error, trace)
        if refused and error is not None:
            error.__traceback__ = trace  # which `unittest` takes away
            return None
        if self._caught:
            self._backend.check_handled(self._start, self._caught, f"with {self.name}")
        return swallows
