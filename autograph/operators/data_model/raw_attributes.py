"""Attributes that autograph asks of the user's objects for itself: no `__getattr__` of the user's runs for that."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

from .by_type import ByType


def raw_attribute(obj: object, name: str, default: object = None) -> Any:
    """An attribute as `getattr` finds it in an object whose class or module has no function that is asked for it."""
    if not (isinstance(obj, ModuleType) or _has_hook(type(obj))):
        return getattr(obj, name, default)
    try:
        return object.__getattribute__(obj, name)
    except AttributeError:
        return default


@ByType
def _has_hook(cls: type) -> bool:
    held = [vars(each) for each in cls.__mro__]
    return any("__getattr__" in each or isinstance(each.get("__getattribute__"), FunctionType) for each in held)
