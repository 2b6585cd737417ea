"""Who may write a graph tensor into a text while a function is traced.

Its text is the tensor's name. That is what `print`, logging, warnings, tracebacks and debuggers show; code that is not
converted gets it too, as its user has asked for that. Anything else would write the name where Python writes a value.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from autograph.errors import StagedValueError

from ..base.places import is_user_file, user_location
from . import unconverted
from .tensor import CHECK_TEXT

_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHOWING = _words(
    """
    asyncio bdb cmd code codeop concurrent doctest linecache logging multiprocessing pdb profile runpy threading timeit
    trace traceback unittest warnings
    """
)
_HELPING = frozenset(("reprlib", "dataclasses", "pprint", "collections"))
_METHODS = frozenset(("__str__", "__repr__", "__format__"))


def written(function: Callable[..., Any], *arguments: object) -> Any:
    """What a function writes of plain values; refused when it writes the name of a graph tensor among them."""
    return function(*arguments)


class _Local(threading.local):
    refused: StagedValueError | None = None
    """The last refusal since a library function has been called."""


_local = _Local()


def heard(function: Callable[..., Any], *arguments: object, **keywords: object) -> Any:
    """What a library function gives, unless it has made some text in place of one that was refused, as `reprlib` does.

    Raises:
        StagedValueError: it has.
    """
    before, _local.refused = _local.refused, None
    try:
        made = function(*arguments, **keywords)
        if _local.refused is not None:
            raise _local.refused
    finally:
        _local.refused = before
    return made


_WRITTEN: CodeType = written.__code__
_callers: set[str] = {__file__}


def calls_libraries(filename: str) -> None:
    """Declares a file of this package of which functions call library functions for converted code."""
    _callers.add(filename)


@CHECK_TEXT.give
def check(kind: str) -> None:
    """Called when the text of a graph value is asked for.

    Raises:
        StagedValueError: it would become part of what the program computes.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and _passes_on(frame):
        frame = frame.f_back
    if frame is None:
        return
    user = _refuses(frame)
    if user is not None:
        location = user_location()
        _local.refused = StagedValueError(
            f"{user} writes {kind} as text: its value is known only when the graph runs",
            **({} if location is None else location._asdict()),
            construct=user,
            remedy="make a string tensor of it with an f-string, str(), `%` or str.format() in converted code, "
            "or show it with tf.print",
        )
        raise _local.refused


def _passes_on(frame: FrameType) -> bool:
    """Whether a frame writes the parts of a text for another one."""
    code = frame.f_code
    if code.co_name in _METHODS:
        return True
    return _library_module(code) in _HELPING and code.co_name not in ("pformat", "saferepr", "pprint", "pp")


def _refuses(frame: FrameType) -> str | None:
    """What must not write a graph tensor: the name of a function, or None for one that may."""
    code = frame.f_code
    if code is _WRITTEN:
        return "an object that holds it"
    if code.co_filename in _callers:
        return "a library function"
    module = _library_module(code)
    if module == "pprint":
        return None if code.co_name in ("pprint", "pp") else f"pprint.{code.co_name}()"
    if module is not None:
        return None if module in _SHOWING else f"{module}.{code.co_name}()"
    return "this line" if is_user_file(code.co_filename) and unconverted.is_converted(code) else None


def is_of_library(code: CodeType) -> bool:
    """Whether a code object is of the standard library."""
    return _library_module(code) is not None


def _library_module(code: CodeType) -> str | None:
    """The module of the standard library that a code object is of."""
    filename = code.co_filename
    if not filename.startswith(_STANDARD_LIBRARY) or "-packages" in filename:
        return None
    return filename[len(_STANDARD_LIBRARY) :].partition(os.sep)[0].removesuffix(".py")
