"""Python functions that run as they are while a graph is built: what they reach is watched, as they note nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from autograph.runtime.trace import user_code

from .. import state
from ..array_locks import Locked
from ..special_methods import method
from . import effects, reach


def watched(function: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that notes all that `function`, and the functions among its arguments, may change; then does `call`.

    Raises (when called):
        MutationError: in a staged body, it changes a NumPy array that was there before.
    """

    def run(*arguments: Any, **keywords: Any) -> Any:
        given = (*arguments, *keywords.values())
        roots = (function, *given) if not _is_library(function) else tuple(_code_in(given))
        if not roots:
            return call(*arguments, **keywords)
        locked = Locked()
        arrays = _note(roots)
        if effects.is_in_body():
            locked.lock(arrays)
        try:
            return call(*arguments, **keywords)
        except ValueError as error:
            changed = locked.unlock(error)
            if changed is None:
                raise
            raise changed from error
        finally:
            locked.unlock()

    return run


def _is_library(function: Any) -> bool:
    module = (getattr(function, "__module__", None) or "").partition(".")[0]
    return module in sys.stdlib_module_names and module != "__main__"


def _code_in(values: Iterable[Any]) -> Iterator[Any]:
    """The functions among some values, and the methods by which a library function may compare objects among them."""
    for each in values:
        if isinstance(each, (FunctionType, MethodType)):
            yield each
        elif isinstance(each, (list, tuple, set)):
            yield from _code_in(each)
        else:
            found = (method(type(each), name) for name in _COMPARING)
            yield from filter(None, found)


_COMPARING = ("__hash__", "__eq__", "__lt__")


def _note(roots: Iterable[Any]) -> list[Any]:
    """Notes the objects, and the variables of functions, that can be reached; returns the arrays among them."""
    where = user_code()
    arrays: list[Any] = []
    for each in reach.reachable(roots):
        if isinstance(each, np.ndarray):
            arrays.append(each)
            continue
        for journal in state.stack():
            journal.watch(each, where)
    return arrays
