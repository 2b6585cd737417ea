"""Functions on their way through `pickle`: by their name, or with their code and source where a pickler writes code.

`pickle` writes functions by name. What a decorator has replaced can't be found so: it is the name of what the decorator
returned, from where `__wrapped__` leads to it. `cloudpickle` (and joblib, whose processes use it) writes the code of
what another program could not import; it leaves out the file name, so that source and file name travel beside it.
"""

from __future__ import annotations

import linecache
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple, SupportsIndex

from ..provided import Provided
from .places import Place, place_of, refusal
from .writer import Writer, writer

__all__ = ["SOURCES_OF", "Carried", "FromFile", "Travelling"]

_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


class FromFile(NamedTuple):
    """A function, the name of its file, and the lines of that."""

    function: FunctionType
    filename: str
    lines: Sequence[str]


SOURCES_OF: Provided[Callable[[Sequence[Any], Callable[[Any], bool]], list[FromFile]]] = Provided(
    "source.reached", late=True
)
"""The functions that values reach, with their files, so far as the second argument says that their code is written."""


class Carried:
    """Stands for a function in what `__reduce_ex__` returns; the function itself is what is read again.

    Methods and `functools.partial` go by what they are made of, other objects as pickle takes them. ``owner`` is what
    else the function may reach: the class or the object that it is a method of. Raises `SavingError` for a function
    that pickle can't find by its name.
    """

    def __init__(self, function: object, owner: object = None) -> None:
        self.function = function
        self.owner = owner

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        function = self.function
        if isinstance(function, MethodType):
            return _method, (Carried(function.__func__, function.__self__), function.__self__)
        if isinstance(function, partial):
            return _partial, (Carried(function.func), function.args, function.keywords)
        if not isinstance(function, FunctionType):
            return _itself, (function,)
        writing, place = writer(), place_of(function)
        if place is not None and not (writing is not None and writing.writes(function.__module__)):
            return Place.found, (place,)
        if writing is None:
            raise refusal(function)
        return _with_sources, (function, _sources((function, self.owner), writing))


class Travelling:
    """The base of classes that users extend: where the code of a class is written, its source goes along."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        reduced = super().__reduce_ex__(protocol)
        writing = writer()
        if writing is None or not isinstance(reduced, tuple) or not _is_written(type(self), writing):
            return reduced
        make, arguments, *rest = reduced
        return _made, (make, arguments, _sources((type(self),), writing)), *rest


def _sources(values: Sequence[Any], writing: Writer) -> list[tuple[Any, ...]]:
    found = SOURCES_OF.function(values, lambda each: _is_written(each, writing))
    return [tuple(each) for each in found]


def _is_written(value: object, writing: Writer) -> bool:
    """Whether the code of a function or class is written; no class of C's is."""
    if isinstance(value, type) and not value.__flags__ & _MADE_BY_PYTHON:
        return False
    return writing.writes(getattr(value, "__module__", None)) or place_of(value) is None


def _itself(value: object) -> object:
    return value


def _method(function: Callable[..., Any], instance: object) -> MethodType:
    return MethodType(function, instance)


def _partial(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return partial(function, *args, **keywords)


def _made(make: Callable[..., Any], arguments: tuple[Any, ...], sources: Sequence[Any]) -> Any:
    _restore(sources)
    return make(*arguments)


def _with_sources(function: FunctionType, sources: Sequence[tuple[FunctionType, str, list[str]]]) -> FunctionType:
    """The function, whose code names the file again that it came from; `linecache` knows the lines."""
    _restore(sources)
    return function


def _restore(sources: Sequence[tuple[FunctionType, str, list[str]]]) -> None:
    for each, filename, lines in sources:
        each.__code__ = _renamed(each.__code__, _known(filename, lines))


def _known(filename: str, lines: list[str]) -> str:
    """A file name by which `linecache` has the lines: another one when the file has other lines by now, or here."""
    if linecache.getlines(filename) == lines:
        return filename
    text = "".join(lines)
    if linecache.getlines(filename):
        filename = f"{filename}-{zlib.crc32(text.encode()):08x}"
    linecache.cache[filename] = len(text), None, lines, filename
    return filename


def _renamed(code: CodeType, filename: str) -> CodeType:
    if code.co_filename == filename:
        return code
    constants = [_renamed(each, filename) if isinstance(each, CodeType) else each for each in code.co_consts]
    return code.replace(co_filename=filename, co_consts=tuple(constants))
