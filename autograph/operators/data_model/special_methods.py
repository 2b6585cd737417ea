"""Methods that Python calls by itself (operators, properties, `with`, …), of classes that the user has written.

A trace must run their staged forms. So in the staged form of a function, each place where Python may call one asks
here first; everything that is not a Python function of a user's class is left to Python.
"""

from __future__ import annotations

from collections import ChainMap, UserDict, UserList, UserString
from collections.abc import MappingView
from types import FunctionType
from typing import Any, Final

from ..dispatch import owner_of
from .by_type import ByType
from .left_alone import LEFT_ALONE, is_left_alone, is_mixin

MISSING: Final = object()
"""What `lookup` finds when there is nothing."""
mro: Final = type.__dict__["__mro__"].__get__
"""`mro(cls)` is `cls.__mro__`, but does not run what a metaclass of the user's makes of attributes."""
_CONTAINERS = frozenset((MappingView, ChainMap, UserDict, UserList, UserString))
_namespace: Final = type.__dict__["__dict__"].__get__


@ByType
def is_user_class(cls: type) -> bool:
    """Whether a class, or one that it inherits from, stands in a module whose functions are converted.

    Views of mappings count too: those of `collections.abc` are made for mappings of the user's. So do the containers
    of the library that are written in Python: what they hold is in lists and dicts of theirs.
    """
    return any(_is_in_user_module(each) for each in mro(cls)) or not _CONTAINERS.isdisjoint(mro(cls))


def _is_in_user_module(cls: type) -> bool:
    module = _namespace(cls).get("__module__", "builtins")
    return isinstance(module, str) and module.partition(".")[0] not in LEFT_ALONE


def lookup(classes: tuple[type, ...], name: str) -> Any:
    """What the classes hold under a name, as it is (no descriptor is asked)."""
    for cls in classes:
        found = _namespace(cls).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def method(cls: type, name: str) -> FunctionType | None:
    """The special method of a class, when it is a function that converted code converts."""
    if not is_user_class(cls) or owner_of(cls) is not None:
        return None
    found = lookup(mro(cls), name)
    return found if is_convertible(found) else None


def is_convertible(function: object) -> bool:
    """Whether something is a Python function that converted code converts; methods of dataclasses have no source."""
    if not isinstance(function, FunctionType) or (is_left_alone(function) and not is_mixin(function)):
        return False
    return not is_generated(function)


def is_generated(function: FunctionType) -> bool:
    """Whether a method was made by a class decorator or by `namedtuple`, without source."""
    code = function.__code__
    return code.co_filename.startswith("<string>") or "namedtuple" in code.co_filename
