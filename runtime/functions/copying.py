"""Copies of traced functions, and what `pickle` writes of them: the Python function and the options, no traces.

A function at the top of a module goes by its name and is the same object after, as Python's functions are; so does a
method by its object. Others are made anew. A deep copy of a function is the function itself, again as in Python; that
of a method belongs to the copy of its object.
"""

from __future__ import annotations

import copy
import functools
import inspect
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ..base.pickling.carried import Carried
from ..base.pickling.places import Place, place_of
from ..base.pickling.writer import writer
from ..tensors.front_half import CONNECTED

if TYPE_CHECKING:
    from .function import Function

_OWN = {"_options", "_instances", "_owner", "_python_function", "trace_cache", "__wrapped__"}
_OWN.update(functools.WRAPPER_ASSIGNMENTS)


def reduced(function: Function, options: object) -> tuple[Any, ...]:
    """What `__reduce_ex__` returns. Raises `SavingError` where pickle can't find the Python function by its name."""
    name = _name_in_class(function)
    if name is not None:
        return _method, (function.python_function.__self__, name)  # type: ignore[attr-defined]
    place, writing = place_of(function), writer()
    if place is not None and not (writing is not None and writing.writes(place.module)):
        return Place.found, (place,)
    attributes = {name: value for name, value in vars(function).items() if name not in _OWN}
    state = Carried(function.python_function, vars(function).get("_owner")), options, attributes
    # In two steps, as the Python function may refer to the traced one.
    return _empty, (type(function),), state


def _empty(kind: type) -> Any:
    """A traced function without contents yet, in a program that may not have used `tf.function` so far."""
    CONNECTED.function()
    return object.__new__(kind)


def deep_copy(function: Function, options: object, memo: dict[int, Any]) -> Function:
    """A copy that belongs to copies of the objects that the function is bound to; else the function itself."""
    python_function = function.python_function
    if isinstance(python_function, FunctionType):
        return function
    name = _name_in_class(function)
    if name is not None:
        return _method(copy.deepcopy(python_function.__self__, memo), name)  # type: ignore[attr-defined]
    made: Function = object.__new__(type(function))
    memo[id(function)] = made
    copied = copy.deepcopy(python_function, memo)
    attributes = {name: value for name, value in vars(function).items() if name not in _OWN}
    made.__setstate__((copied, options, copy.deepcopy(attributes, memo)))
    return made


def _name_in_class(function: Function) -> str | None:
    """The name by which the class of a method's object has the traced function; None for others."""
    method = function.python_function
    if not isinstance(method, MethodType):
        return None
    of_class = vars(function).get("_instances")
    for kind in type(method.__self__).__mro__:
        for name, value in vars(kind).items():
            if isinstance(value, type(function)) and vars(value).get("_instances") is of_class:
                return name
    return None


def _method(instance: object, name: str) -> Any:
    """The traced method of an object, though the object may have another attribute of that name."""
    return inspect.getattr_static(type(instance), name).__get__(instance, type(instance))
