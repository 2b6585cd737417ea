"""`*x` in lists, tuples and calls, and on the left of `=`: also of a list whose length only the run tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .calls import call
from .data_model.class_hooks import refuse_making
from .data_model.special_methods import is_user_class
from .dispatch import backend_of
from .iteration import iterated
from .staging.heap import state
from .staging.heap.forms import is_of_own_class
from .staging.heap.heap import contents, staged
from .staging.heap.identities import check_key


def made(value: object) -> Any:
    """What an expression, `def` or `class` has just made: what happens to it is no change of what is older."""
    if state.stack():
        if isinstance(value, type):
            refuse_making(value)
        state.created(value)
    return value


def starred(values: Any) -> Any:
    """The items of ``*values``: a tuple, or what a back end has where only the run tells how many they are."""
    values = iterated(values)
    backend = backend_of(values)
    return (*values,) if backend is None else backend.items_of(values)


def list_display(*parts: Any) -> Any:
    """``[*parts[0], *parts[1], …]``; each part is a tuple or comes from `starred`."""
    backend = backend_of(*parts)
    return made([item for part in parts for item in part] if backend is None else backend.joined(list, parts))


def set_display(*parts: Any) -> Any:
    """``{*parts[0], *parts[1], …}``, and what becomes of a set comprehension, given the list of its items."""
    backend = backend_of(*parts)
    if backend is None:
        backend = backend_of(*[item for part in parts for item in part])
    if backend is not None:
        return backend.joined(set, parts)
    result: set[Any] = set()
    for part in parts:
        for item in part:
            check_key(result, item)
            result.add(item)
    return made(result)


def tuple_display(*parts: Any) -> Any:
    """``(*parts[0], *parts[1], …)``."""
    backend = backend_of(*parts)
    return tuple([item for part in parts for item in part]) if backend is None else backend.joined(tuple, parts)


def call_display(function: Callable[..., Any], *parts: Any, **keywords: Any) -> Any:
    """``function(*parts[0], *parts[1], …, **keywords)``."""
    backend = backend_of(*parts)
    if backend is None:
        return call(function)(*[item for part in parts for item in part], **keywords)
    return backend.call_display(function, parts, keywords)


def mapping(values: object) -> Any:
    """The dict of ``**values`` in a call or a dict: of a mapping of the user's, what its converted methods give."""
    values = contents(values) if is_of_own_class(values) else staged(values)
    if not is_user_class(type(values)) or isinstance(values, dict) or not hasattr(type(values), "keys"):
        return values
    return call(dict)(values)


def unpack_starred(values: object, before: int, after: int) -> Any:
    """What ``a, b, *c, d = values`` sets its variables to; ``before`` and ``after`` count those beside ``*c``."""
    items = starred(values)
    backend = backend_of(items)
    if backend is not None:
        return backend.unpack_starred(items, before, after)
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
    end = len(items) - after
    return [*items[:before], made(list(items[before:end])), *items[end:]]
