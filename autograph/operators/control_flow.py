"""What `if`, `while` and `for` become: plain Python on plain values, the back end's work on staged ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from itertools import repeat
from typing import Any

from autograph.runtime.functions import repetitions

from .builtin_calls import truth
from .data_model.special_methods import is_user_class
from .dispatch import Options, Thunk, backend_of, open_traces
from .iteration import iterated
from .staging.heap.heap import check_iterator, note_iterator, staged, watching
from .staging.heap.iterators import check_end, ending
from .unrolling import turns

BREAK = True
"""What a loop body returns to leave the loop."""
CONTINUE = False
"""What a loop body that has a `break` returns to go on."""


def if_stmt(test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...] = ()) -> Any:
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


def if_exp(test: object, body: Thunk, orelse: Thunk) -> Any:
    """``body() if test else orelse()``."""
    return if_stmt(test, body, orelse)


def while_stmt(test: Thunk, body: Thunk, names: tuple[str, ...] = (), options: Options = None) -> Any:
    """Runs a ``while`` loop; returns whether it was left by ``break``.

    The loop runs in Python as long as the test and the body's stop signal are Python values; from the turn at which
    one of them is staged, the rest of the loop is staged.
    """
    for _ in turns(repeat(None)):
        seen = repetitions.mark() if open_traces else None
        go = test()
        if go is not True:
            go = truth(go)
            backend = backend_of(go)
            if backend is not None:
                if seen is not None:
                    repetitions.back(seen)  # the test is traced again
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
    return False


def for_stmt(
    iterable: Iterable[Any],
    body: Callable[[Any], Any],
    names: tuple[str, ...] = (),
    options: Options = None,
) -> Any:
    """Runs a ``for`` loop; returns whether it was left by ``break``."""
    iterable = iterated(iterable) if open_traces and is_user_class(type(iterable)) else staged(iterable)
    backend = backend_of(iterable)
    if backend is not None:
        return backend.for_stmt(iterable, body, names, options)
    if open_traces:
        iterable = iterated(iterable)
        backend = backend_of(iterable)
        if backend is not None:
            return backend.for_stmt(iterable, body, names, options)
    iterator = iter(iterable)
    backend = backend_of(iterator)
    if backend is not None:
        return backend.for_stmt(iterator, body, names, options)
    if open_traces:
        note_iterator(iterator, (iterable,))
    try:
        for item in turns(iterator):
            stop = body(item)
            if watching():
                check_iterator(iterator)
            if iterator is iterable:  # which may have another name
                check_end(iterator)
            if stop is not None and stop is not False:
                if stop is True:
                    return True
                backend = backend_of(stop)
                if backend is not None:
                    with ending(iterator) if iterator is iterable else nullcontext():
                        return backend.for_rest(stop, iterator, body, names, options)
        return False
    finally:
        del iterator, iterable  # which the traceback of an error would hold: generators are closed where they are left
