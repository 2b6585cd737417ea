"""Python functions that run as they are while a graph is built: what they reach is watched, as they note nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from autograph.runtime.trace import user_code

from .. import state
from ..array_locks import Locked
from . import aliases, effects


def watched(function: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that notes all that `function`, and the functions among its arguments, may change; then does `call`.

    Raises (when called):
        MutationError: in a staged body, it changes a NumPy array that was there before.
    """

    def run(*arguments: Any, **keywords: Any) -> Any:
        given = (*arguments, *keywords.values())
        roots = (function, *given) if not _is_library(function) else tuple(filter(_is_code, given))
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


def _is_code(value: Any) -> bool:
    return isinstance(value, (FunctionType, MethodType))


def _note(roots: Iterable[Any]) -> list[Any]:
    """Notes the objects, and the variables of functions, that can be reached; returns the arrays among them."""
    where = user_code()
    arrays: list[Any] = []
    for each in aliases.reachable(roots):
        if isinstance(each, np.ndarray):
            arrays.append(each)
            continue
        for journal in state.stack():
            journal.watch(each, where)
    return arrays
