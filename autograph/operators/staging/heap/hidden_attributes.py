"""What objects hold besides their own attributes and items: defaults and code of functions, arguments of exceptions,
names and bases of classes, the class of an object. Descriptors that are not written in Python read and set it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from ...data_model.by_type import ByType
from ...variables import UNDEFINED
from .locations import STATELESS, Uncarried, is_written_in_python

_OF_CLASSES = ("__name__", "__qualname__", "__bases__")
# Python itself sets what an exception says of its way, and makes annotations when they are asked for.
_PASSING = frozenset(("__dict__", "__weakref__", "__traceback__", "__context__", "__annotations__", "__annotate__"))
# Not `__annotations__`: since 3.14 the user's code runs when they are asked for.
_OF_FUNCTIONS = ("__defaults__", "__kwdefaults__", "__code__", "__name__", "__qualname__", "__doc__", "__module__")


class HiddenAttribute(Uncarried):
    """An attribute that the class of an object keeps for it elsewhere than in its dict and slots."""

    __slots__ = ()

    @property
    def key(self) -> tuple[Any, ...]:
        return HiddenAttribute, id(self.owner), self.name

    def get(self) -> Any:
        return _read(self.owner, self.name)

    def set(self, value: Any) -> None:
        base: Any = type if isinstance(self.owner, type) else object
        if value is UNDEFINED:
            base.__delattr__(self.owner, self.name)
        else:
            base.__setattr__(self.owner, self.name, value)


def hidden_attributes_of(obj: Any) -> Mapping[str, Any]:
    """What an object holds in such attributes."""
    names = _OF_CLASSES if isinstance(obj, type) else _names(type(obj))
    return {name: _read(obj, name) for name in names}


def _read(obj: Any, name: str) -> Any:
    if name == "__class__":
        return type(obj)
    try:
        return (type if isinstance(obj, type) else object).__getattribute__(obj, name)
    except Exception:  # it has none now
        return UNDEFINED


@ByType
def _names(cls: type) -> tuple[str, ...]:
    if cls is FunctionType:
        return _OF_FUNCTIONS + (("__annotations__",) if sys.version_info < (3, 14) else ())
    compiled = [each for each in cls.__mro__ if each not in STATELESS and not is_written_in_python(each)]
    found = [
        name
        for each in compiled
        for name, value in vars(each).items()
        if isinstance(value, (GetSetDescriptorType, MemberDescriptorType)) and name not in _PASSING
    ]
    return (*found, "__class__") if is_written_in_python(cls) else tuple(found)
