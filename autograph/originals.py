"""What functions that converted code defines would be, were the code around them not converted."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType

from .errors import ConversionError
from .source.generated import is_body

_codes: dict[int, tuple[weakref.ref[CodeType], CodeType]] = {}
"""By the identity of the code of a function inside a converted one, that of the user's function."""


def note(made: CodeType, original: CodeType) -> None:
    """Notes what the functions inside of converted code have been made of."""
    places: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for code in _functions_in(original):
        places[code.co_qualname, code.co_firstlineno].append(code)
    for code in _functions_in(made):
        found = places[code.co_qualname, code.co_firstlineno]
        if found:
            key = id(code)
            reference = weakref.ref(code, lambda _, key=key, forget=_codes.pop: forget(key, None))  # type: ignore[misc]
            _codes[key] = reference, found.pop(0)


def _functions_in(code: CodeType) -> Iterator[CodeType]:
    """The code of the functions and classes that the user has written in some code, in their order."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if not is_body(constant):
                yield constant
            yield from _functions_in(constant)


def as_written(function: FunctionType) -> FunctionType:
    """A function without any conversion: itself, unless converted code has defined it.

    Raises:
        ConversionError: it needs a variable that the converted code around it doesn't share with it.
    """
    _, original = _codes.get(id(function.__code__), (None, None))
    if original is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    missing = [name for name in original.co_freevars if name not in cells]
    if missing:
        raise ConversionError(
            f"`{function.__qualname__}` can't be left unconverted, as the function around it is converted and doesn't "
            f"share `{missing[0]}` with it",
            file=original.co_filename,
            line=original.co_firstlineno,
            function=function.__qualname__,
            construct="do_not_convert",
            remedy="define the function outside, and pass what it needs as arguments",
        )
    closure = tuple(cells[name] for name in original.co_freevars)
    made = FunctionType(original, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__, made.__doc__ = function.__qualname__, function.__module__, function.__doc__
    made.__annotations__ = function.__annotations__
    made.__dict__.update(function.__dict__)
    return made
