"""The functions that a function reaches by its names, and the text of their files: what must travel with its code."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator, Sequence
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from autograph.errors import SourceNotFoundError
from autograph.runtime.base.pickling.carried import SOURCES_OF, FromFile

from .find import find

_CONTAINERS = (list, tuple, set, frozenset)


@SOURCES_OF.give
def sources_of(values: Sequence[Any], is_written: Callable[[Any], bool]) -> list[FromFile]:
    """The functions among some values, and those that they reach, with their files; without what has no source.

    They are followed into globals, variables around it, defaults, containers, objects and their classes, where
    ``is_written`` says that the code of these functions and classes is written, too.
    """
    found: dict[int, FromFile] = {}
    seen: set[int] = set()
    waiting: list[Any] = list(values)
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            if not is_written(value):
                continue
            _note(value, found)
        waiting += _inside(value, is_written)
    return list(found.values())


def _note(function: FunctionType, found: dict[int, FromFile]) -> None:
    try:
        source = find(function)
    except SourceNotFoundError:
        return
    found[id(function)] = FromFile(function, source.filename, source.lines)


def _inside(value: object, is_written: Callable[[Any], bool]) -> Iterator[Any]:
    """What a value leads to."""
    if isinstance(value, FunctionType):
        yield from (value.__globals__[name] for name in _global_names(value.__code__) if name in value.__globals__)
        yield from (_content(cell) for cell in value.__closure__ or ())
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
    elif isinstance(value, MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, (staticmethod, classmethod)):
        yield value.__func__
    elif isinstance(value, property):
        yield from (value.fget, value.fset, value.fdel)
    elif isinstance(value, _CONTAINERS):
        yield from value
    elif isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, type):
        if is_written(value):
            yield from (*vars(value).values(), *value.__bases__)
    elif is_written(type(value)):
        yield type(value)
        try:
            yield from vars(value).values()
        except TypeError:  # it has slots only
            return


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def _global_names(code: CodeType) -> set[str]:
    names = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _global_names(constant)
    return names
