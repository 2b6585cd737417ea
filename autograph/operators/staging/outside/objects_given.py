"""What functions get in place of lists and dicts of users' classes of which only a run knows what they hold."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from autograph.runtime.functions.concrete import ConcreteFunction
from autograph.runtime.functions.function import Function

from ...data_model.raw_attributes import raw_attribute
from ...data_model.special_methods import is_user_class
from ..heap import heap
from .makers import CONTAINERS, IMMUTABLE

PURE = frozenset(
    id(each)
    for each in (
        abs, ascii, bin, breakpoint, callable, chr, dir, divmod, format, getattr, globals, hasattr, hash, hex, id,
        isinstance, issubclass, len, locals, object, oct, ord, pow, print, repr, round, sum, type, vars,
    )
)  # fmt: skip
"""Built-in functions that change nothing."""
_ASKING = (FunctionType, MethodType, Function, ConcreteFunction)


def in_place_of_objects(function: Any) -> Callable[[Any], Any]:
    """What a function gets in place of such an object (see `heap.giving`).

    The object itself, where it is kept or converted code asks it; what it holds, where nothing else is asked for; a
    function that is written in Python may ask for anything.
    """
    owner = raw_attribute(function, "__self__")
    is_ours = (raw_attribute(function, "__module__") or "").startswith("autograph.operators.")
    if id(function) in PURE or is_ours or isinstance(owner, (list, dict)):
        return heap.itself
    if isinstance(function, type):
        return heap.itself if _keeps_objects(function) else heap.contents
    return heap.refused if isinstance(function, _ASKING) else heap.contents


def _keeps_objects(cls: type) -> bool:
    """Whether the objects of a class hold what they are made of, and not its items."""
    if issubclass(cls, BaseException) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return True
    return is_user_class(cls) and not issubclass(cls, (*CONTAINERS, *IMMUTABLE))
