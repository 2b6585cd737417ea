"""What `if`, `while` and `for` become: plain Python on plain values, the back end's work on staged ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from .builtin_calls import iterated, truth
from .calls import call
from .dispatch import Backend, Options, Thunk, active, backend_of, open_traces

BREAK = True
"""What a loop body returns to leave the loop."""
CONTINUE = False
"""What a loop body that has a `break` returns to go on."""

UNROLL_WARNING = 3000
"""Turns of a Python loop that each add graph nodes, after which a warning names the loop."""


class UnrolledLoopWarning(UserWarning):
    """A Python loop has put thousands of copies of its body into a graph."""


def if_stmt(test: Any, body: Thunk, orelse: Thunk, names: tuple[str, ...] = ()) -> Any:
    """Runs one of two bodies, or stages both when `test` is staged; returns what the body returns."""
    if test is True:
        return body()
    if test is False:
        return orelse()
    test = truth(test)
    backend = backend_of(test)
    if backend is not None:
        return backend.if_stmt(test, body, orelse, names)
    return body() if test else orelse()


def if_exp(test: Any, body: Thunk, orelse: Thunk) -> Any:
    """``body() if test else orelse()``."""
    return if_stmt(test, body, orelse)


def while_stmt(test: Thunk, body: Thunk, names: tuple[str, ...] = (), options: Options = None) -> Any:
    """Runs a ``while`` loop; returns whether it was left by ``break``.

    The loop runs in Python as long as the test and the body's stop signal are Python values; from the turn at which
    one of them is staged, the rest of the loop is staged.
    """
    watch = _Unrolling(body)
    for turn in count():
        go = test()
        if go is not True:
            go = truth(go)
            backend = backend_of(go)
            if backend is not None:
                return backend.while_stmt(go, test, body, names, options)
            if not go:
                return False
        stop = body()
        if stop is not None and stop is not False:
            if stop is True:
                return True
            backend = backend_of(stop)
            if backend is not None:
                return backend.while_rest(stop, test, body, names, options)
        if turn >= UNROLL_WARNING:
            watch.turned(turn)
    return False


def for_stmt(
    iterable: Iterable[Any],
    body: Callable[[Any], Any],
    names: tuple[str, ...] = (),
    options: Options = None,
) -> Any:
    """Runs a ``for`` loop; returns whether it was left by ``break``."""
    backend = backend_of(iterable)
    if backend is not None:
        return backend.for_stmt(iterable, body, names, options)
    if open_traces:
        iterable = iterated(iterable)
        backend = backend_of(iterable)
        if backend is not None:
            return backend.for_stmt(iterable, body, names, options)
        if hasattr(iterable, "__next__"):
            iterable = call(iter)(iterable)
    iterator = iter(iterable)
    backend = backend_of(iterator)
    if backend is not None:
        return backend.for_stmt(iterator, body, names, options)
    watch = _Unrolling(body)
    for turn, item in enumerate(iterator):
        stop = body(item)
        if stop is not None and stop is not False:
            if stop is True:
                return True
            backend = backend_of(stop)
            if backend is not None:
                return backend.for_rest(stop, iterator, body, names, options)
        if turn >= UNROLL_WARNING:
            watch.turned(turn)
    return False


class _Unrolling:
    """Warns once when each turn of a Python loop adds to a graph; it is only asked after thousands of turns."""

    __slots__ = ("body", "start")

    def __init__(self, body: Callable[..., Any]) -> None:
        self.body = body
        self.start: tuple[Backend, int, int] | None = None

    def turned(self, turn: int) -> None:
        if self.start is None:
            backend = active()
            if backend is not None:
                self.start = backend, turn, backend.size()
        elif turn == self.start[1] + 100:
            backend, _, size = self.start
            if backend.size() - size >= 100:
                code = self.body.__code__
                warnings.warn_explicit(
                    f"the loop in {code.co_filename}, line {code.co_firstlineno}, is being unrolled: each of its more "
                    f"than {turn} turns adds nodes to the graph. Loop over a tensor (`tf.range`, or the tensor itself) "
                    "to have the body in the graph once",
                    UnrolledLoopWarning,
                    code.co_filename,
                    code.co_firstlineno,
                )
