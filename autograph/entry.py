"""What `to_graph` returns for a function: code that runs in the frame that the user's caller has called.

A function of autograph's that picks the form and calls it would stand between the two, and whatever looks at the
caller's frame would find it: `f_back`, the `stacklevel` of a helper, `logging`. So it is the plain form itself, which
asks first whether a graph is being built, and leaves autograph's frames out of the tracebacks of what it raises::

    def f(x, *rest):
        if ag__entry.staging():
            return ag__entry.staged(x, *rest)
        try:
            ...  # the plain form
        except:
            ag__entry.trim()
            raise
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from .errors import ConversionError
from .operators.dispatch import beginning
from .pipeline import compiled
from .source.entry import NAME
from .tracebacks import HANDING_OVER, trim

_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Entry:
    """What the code of such a function needs: the staged form, called by ``staged``."""

    def __init__(self, staged: Callable[..., Any]) -> None:
        self._staged = staged
        self.staging = beginning

    def staged(self, *args: object, **kwargs: object) -> Any:
        """Calls the staged form."""
        return self._staged(*args, **kwargs)

    @staticmethod
    def trim() -> None:
        """Shortens the traceback of the exception that is being handled."""
        error = sys.exception()
        if isinstance(error, Exception) and error.__class__ is not RecursionError:  # there may be no room to call
            trim(error)


HANDING_OVER.add(Entry.staged.__code__)


def entry_of(function: FunctionType, staged: Callable[..., Any]) -> FunctionType | None:
    """The plain form of a function, which calls ``staged`` while a graph is being built; None where there is none.

    Lambdas have no place for the statements; the frames of generators and coroutines have no caller of their own.
    """
    code = function.__code__
    if code.co_flags & _SUSPENDED or code.co_name == "<lambda>":
        return None

    try:
        entry = compiled(function, "entry")
    except ConversionError:  # also where its `try` nests blocks too deep for Python
        return None
    number = entry.code.co_freevars.index(NAME)
    cells = (*entry.cells[:number], CellType(Entry(staged)), *entry.cells[number + 1 :])
    return type(entry)(entry.code, cells).instantiate(function)
