"""Tracebacks of the user's lines alone: autograph's own frames are left out where errors leave autograph."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from functools import wraps
from types import CodeType, TracebackType
from typing import Any, TypeVar, cast

from ..errors import AutographError
from ..settings import settings

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_CONTEXTS = contextlib.__file__

HANDING_OVER: set[CodeType] = set()
"""Code of autograph's that does all of the work of a frame of the user's: the frame of that work is shown alone."""

Function = TypeVar("Function", bound=Callable[..., Any])


def is_internal(filename: str) -> bool:
    """Whether the code of a file, or of a graph, is autograph's own."""
    return filename.startswith(OWN_FILES)


# A packed program (PyInstaller's) has relative names in its code.
OWN_FILES = (_PACKAGE, os.path.dirname(os.path.dirname(is_internal.__code__.co_filename)) + os.sep, "<autograph")
"""What the names of autograph's own files begin with."""


def trimming(function: Function) -> Function:
    """A function whose errors have tracebacks without autograph's frames."""

    @wraps(function)
    def trimmed(*arguments: object, **keywords: object) -> Any:
        try:
            return function(*arguments, **keywords)
        except BaseException as error:
            trim(error)
            raise

    return cast(Function, trimmed)


def trim(error: BaseException) -> None:
    """Takes the frames of autograph, and of NumPy and h5py on their way to it, out of the traceback of an error.

    To be called in an ``except`` clause that goes on with a bare ``raise``, which adds no frame to the traceback.
    An error of autograph that has no location yet gets that of the user's innermost line. ``settings.full_traceback``
    keeps all frames.
    """
    if settings.full_traceback:
        return
    entries = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    error.__traceback__ = users = _of_user(entries)
    if isinstance(error, AutographError):
        _locate(error, users)


def _locate(error: AutographError, entry: TracebackType | None) -> None:
    """Gives an error that has no location that of the innermost line of the user."""
    place = None
    while entry is not None:
        filename = entry.tb_frame.f_code.co_filename
        if not filename.startswith(_LIBRARY) or "-packages" in filename:
            place = entry
        entry = entry.tb_next
    if place is not None:
        code = place.tb_frame.f_code
        error.at(code.co_filename, place.tb_lineno, code.co_name)


def _of_user(entries: list[TracebackType]) -> TracebackType | None:
    """The entries of the user, outermost first, linked to each other."""
    result: TracebackType | None = None
    calls_autograph = hands_over = False
    for number, entry in reversed([*enumerate(entries)]):
        filename = entry.tb_frame.f_code.co_filename
        if is_internal(filename):
            calls_autograph = True
            hands_over = entry.tb_frame.f_code in HANDING_OVER
        elif hands_over:
            hands_over = False
        elif not (calls_autograph and _is_used(filename)) and not _is_in_between(entries, number):
            calls_autograph = False
            if entry.tb_next is not result:
                entry.tb_next = result
            result = entry
    return result


def _is_in_between(entries: list[TracebackType], number: int) -> bool:
    """Whether an entry is of the library's `contextlib`, which autograph calls."""
    files = [each.tb_frame.f_code.co_filename for each in entries[max(number - 1, 0) : number + 1]]
    return len(files) == 2 and is_internal(files[0]) and files[1] == _CONTEXTS


def _is_used(filename: str) -> bool:
    """Whether code is of a library that autograph uses, and that calls autograph."""
    paths = (getattr(sys.modules.get(name), "__file__", None) for name in ("numpy", "h5py"))
    folders = [os.path.dirname(path) + os.sep for path in paths if path is not None]
    return filename.startswith((*folders, "numpy/", "h5py/", "<__array_function__ internals>"))  # Cython's are relative
