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
from .handing_over import HANDING_OVER
from .operators.dispatch import staging
from .pipeline import compiled
from .tracebacks import trim

NAME = "ag__entry"
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Entry:
    """What the code of such a function needs: the staged form, called by ``staged``."""

    def __init__(self, staged: Callable[..., Any]) -> None:
        self._staged = staged
        self.staging = staging

    def staged(self, *args: Any, **kwargs: Any) -> Any:
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


def enter(tree: Any) -> dict[str, Any]:
    """Puts the statements around the body of a function; returns what they need, which each function has its own of."""
    import gast

    def name(text: str) -> Any:
        return gast.Name(text, gast.Load(), None, None)

    def call(method: str, values: list[Any], keywords: list[Any]) -> Any:
        return gast.Call(gast.Attribute(name(NAME), method, gast.Load()), values, keywords)

    given = tree.args
    values = [name(each.id) for each in (*given.posonlyargs, *given.args)]
    keywords = [gast.keyword(each.id, name(each.id)) for each in given.kwonlyargs]
    if given.vararg is not None:
        values.append(gast.Starred(name(given.vararg.id), gast.Load()))
    if given.kwarg is not None:
        keywords.append(gast.keyword(None, name(given.kwarg.id)))
    staged = gast.If(call("staging", [], []), [gast.Return(call("staged", values, keywords))], [])
    leave = gast.ExceptHandler(None, None, [gast.Expr(call("trim", [], [])), gast.Raise(None, None)])
    begin = int(len(tree.body) > 1 and gast.get_docstring(tree) is not None)
    around = gast.Try(tree.body[begin:], [leave], [], [])
    first = tree.body[begin]  # debuggers stop at a line when it is begun: this one is begun here
    place = gast.Pass(lineno=first.lineno, col_offset=first.col_offset, end_lineno=first.lineno,
                      end_col_offset=first.col_offset)  # fmt: skip
    for statement in (staged, leave):
        for node in gast.walk(statement):
            gast.copy_location(node, place)
    gast.copy_location(around, place)
    tree.body[begin:] = [staged, around]
    return {NAME: None}
