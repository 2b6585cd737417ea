"""Converts everything that a module defines, in place."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph.errors import ConversionError
from autograph.pipeline import converted


def convert_namespace(namespace: dict[str, Any], module_name: str, *, staged: bool) -> dict[str, ConversionError]:
    """Converts the functions and methods in `namespace` that belong to the module, and puts them in place.

    What a decorator has hidden in a closure stays as it is.

    Returns the errors, by qualified name, for those that can't be converted; they stay as they are.
    """
    failures: dict[str, ConversionError] = {}
    seen: set[int] = set()
    for name, value in list(namespace.items()):
        if isinstance(value, FunctionType):
            if value.__module__ == module_name:
                namespace[name] = _convert(value, staged, failures)
        elif isinstance(value, type) and value.__module__ == module_name:
            _convert_class(value, staged, failures, seen)
    return failures


def _convert_class(cls: type, staged: bool, failures: dict[str, ConversionError], seen: set[int]) -> None:
    if id(cls) in seen:
        return
    seen.add(id(cls))
    for name, value in list(vars(cls).items()):
        replacement = _convert_member(value, staged, failures, cls.__module__)
        if replacement is not value:
            setattr(cls, name, replacement)
        if isinstance(value, type) and value.__module__ == cls.__module__:
            _convert_class(value, staged, failures, seen)


def _convert_member(value: Any, staged: bool, failures: dict[str, ConversionError], module_name: str) -> Any:
    if isinstance(value, FunctionType):
        return _convert(value, staged, failures) if value.__module__ == module_name else value
    if isinstance(value, (staticmethod, classmethod)) and isinstance(value.__func__, FunctionType):
        function = _convert_member(value.__func__, staged, failures, module_name)
        return value if function is value.__func__ else type(value)(function)
    if type(value) is property:
        accessors = [accessor and _convert_member(accessor, staged, failures, module_name)
                     for accessor in (value.fget, value.fset, value.fdel)]
        return property(*accessors, value.__doc__)
    return value


def _convert(function: FunctionType, staged: bool, failures: dict[str, ConversionError]) -> FunctionType:
    try:
        return converted(function, staged=staged)
    except ConversionError as error:
        failures[function.__qualname__] = error
        return function
