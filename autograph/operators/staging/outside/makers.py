"""What unconverted code makes: objects that nothing else knows yet, whose changes are no changes of older ones."""

from __future__ import annotations

import copy
import datetime
import decimal
import re
from collections import deque
from collections.abc import Callable
from inspect import CO_GENERATOR
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ...data_model.raw_attributes import raw_attribute
from ..heap import iterators, reach, state
from ..heap.array_memory import memory_of
from ..values.values import freeze, frozen_in
from . import effects

IMMUTABLE = (
    str, bytes, int, float, complex, tuple, range, frozenset, type, type(None), slice, re.Pattern, re.Match, np.generic,
    np.dtype, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal, memoryview, property,
)  # fmt: skip
CONTAINERS = (list, dict, set, deque, bytearray)


def note_result(function: object, made: object, arguments: tuple[Any, ...]) -> None:
    """Notes what a function that is not converted has made of some arguments, where that is known to be new."""
    if is_of_weak_references(function):  # a proxy is no iterator, though its class is one of iterators
        return
    if _is_generating(function) or effects.is_library(function):
        for each in made if type(made) is tuple else (made,):
            iterators.note_made(each, arguments)
    if effects.is_making(function):
        state.created(made)
    elif function is copy.copy or function is copy.deepcopy:
        _note_copy(made, arguments[0], function is copy.deepcopy)
    elif type(made) in CONTAINERS and effects.is_library(function) and all(map(_is_immutable, arguments)):
        # What holds nothing that can change is made into nothing that is seen elsewhere.
        state.created_with_parts(made)


def _is_generating(function: object) -> bool:
    """Whether each call of a function makes a generator."""
    function = function.__func__ if isinstance(function, MethodType) else function
    return isinstance(function, FunctionType) and bool(function.__code__.co_flags & CO_GENERATOR)


def _is_immutable(value: object) -> bool:
    return isinstance(value, IMMUTABLE)


def _note_copy(made: object, original: object, is_deep: bool) -> None:
    """Notes that a copy is new, with all parts that it doesn't share with the original. A method of a class that makes
    copies may give anything."""
    old = {id(each.obj): type(each.obj) for each in frozen_in([freeze(original, lambda _: False)])}
    copying = "__deepcopy__" if is_deep else "__copy__"
    if any(hasattr(cls, copying) and cls is not np.ndarray for cls in old.values()):
        return
    if is_deep:
        reach.note_new(made, old)
    elif id(made) not in old:
        state.created(made)


def making_array(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy: the arrays that it makes, which are no views, nothing else knows yet. Of what can't change
    it makes no views."""

    def make(*arguments: object, **keywords: Any) -> Any:
        made = function(*arguments, **keywords)
        if type(made) is np.ndarray:
            memory = memory_of(made)
            is_own = all(map(_is_immutable, (*arguments, *keywords.values())))
            if memory.base is None and (is_own or (memory is made and not any(made is each for each in arguments))):
                state.created(memory)
        return made

    return make


def making(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose result nothing else knows yet."""

    def make(*arguments: object, **keywords: object) -> Any:
        made = function(*arguments, **keywords)
        state.created(made)
        return made

    return make


def making_instance(function: Callable[..., Any], cls: type) -> Callable[..., Any]:
    """A method of a class that may be another way to make instances, as `dict.fromkeys` and `object.__new__` are."""

    def make(*arguments: object, **keywords: object) -> Any:
        made = function(*arguments, **keywords)
        if isinstance(made, cls):
            state.created(made)
            iterators.note_made(made, arguments)
        return made

    return effects.checking_iterators(make)


def is_of_weak_references(function: object) -> bool:
    """Whether a class, a function or a method makes weak references, or looks through them."""
    owner = function if isinstance(function, type) else raw_attribute(function, "__self__")
    module = raw_attribute(type(owner) if isinstance(function, MethodType) else function, "__module__")
    return module in ("weakref", "_weakref", "_weakrefset")


def referring_weakly(function: Callable[..., Any]) -> Callable[..., Any]:
    """Such a function: what it is given is not kept alive while it is traced."""

    def run(*arguments: object, **keywords: object) -> Any:
        state.hold_weakly((*arguments, *keywords.values()))
        return function(*arguments, **keywords)

    return run


def running_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    """A traced function, each call of which makes the lists and dicts of its result."""

    def run(*arguments: object, **keywords: object) -> Any:
        made = function(*arguments, **keywords)
        state.created_with_parts(made)
        return made

    return run
