"""Control flow that must stay Python's: `if ag__.native_test(test, reason):` refuses a staged test by saying why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.errors import StagedValueError

from .builtin_calls import truth
from .data_model.special_methods import is_user_class
from .dispatch import backend_of, open_traces
from .iteration import iterated
from .staging.heap.heap import refuse_staged, staged
from .staging.heap.iterators import delegating, used_turns


def native_test(value: object, reason: str) -> Any:
    """Returns the test of an `if` or `while` that could not become a graph's.

    Raises:
        StagedValueError: the test is staged; the text says why the statement had to stay as it is.
    """
    return value if value is True or value is False else _checked(truth(value), bool, reason)


def native_iterable(value: object, reason: str) -> Any:
    """Returns the iterable of a `for` that could not become a graph's; raises as `native_test`."""
    return used_turns(_checked(iterated(value), iter, reason)) if open_traces else value


def native_operand(value: object) -> Any:
    """Returns an operand of a comparison, or the subject of a `match`, that could not become a graph's.

    Raises:
        StagedValueError: it is a list or dict of a user's class, and only the run knows what it holds.
    """
    if is_user_class(type(value)):
        refuse_staged(value)
    return staged(value)


def delegated(value: object) -> Any:
    """What ``yield from value`` runs over; raises as `native_test`."""
    return delegating(_checked(iterated(value), iter, "it contains `yield from`")) if open_traces else value


def _checked(value: object, use: Callable[[Any], Any], reason: str) -> Any:
    if backend_of(value) is not None:
        try:
            use(value)
        except StagedValueError as error:
            raise StagedValueError(
                f"a graph tensor decides about control flow that must stay Python's: {reason}",
                file=error.file,
                line=error.line,
                function=error.function,
                construct="control flow",
                remedy="move what depends on the tensor into a function of its own, and call that one",
            ) from None
    return value
