"""`functools.singledispatch` and `singledispatchmethod` in staged forms: what they choose is converted.

A graph tensor that stands for a Python number counts as one, a staged list as a list.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.tensors.trace import user_location

from ..calls import GENERIC, call
from ..dispatch import backend_of
from ..staging.heap.forms import is_of_own_class

_WRAPPER = functools.singledispatch(lambda _: None).__code__  # type: ignore[attr-defined]
_CONTAINERS = (list, dict, range)


@GENERIC.give
def generic(function: FunctionType) -> Callable[..., Any] | None:
    """What to call in place of a function that `functools.singledispatch` has made; None: it is another."""
    if function.__code__ is not _WRAPPER:
        return None
    dispatch = function.dispatch  # type: ignore[attr-defined]

    def run(*arguments: object, **keywords: object) -> Any:
        if not arguments:
            return function(**keywords)  # raises what Python does
        return call(dispatch(_class_of(arguments[0])))(*arguments, **keywords)

    return run


def generic_method(descriptor: functools.singledispatchmethod[Any], obj: object, cls: type) -> Callable[..., Any]:
    """What a `singledispatchmethod` of a class gives for one of its objects."""
    return partial(_run_method, descriptor, obj, cls)


def _run_method(
    descriptor: functools.singledispatchmethod[Any], obj: object, cls: type, *arguments: object, **keywords: object
) -> Any:
    if not arguments:
        return descriptor.__get__(obj, cls)(**keywords)  # raises what Python does
    found = descriptor.dispatcher.dispatch(_class_of(arguments[0]))
    return call(found.__get__(obj, cls))(*arguments, **keywords)


def _class_of(value: object) -> type:
    cls: type = call(type)(value)
    if backend_of(value) is None or is_of_own_class(value):
        return cls
    for kind in _CONTAINERS:
        if call(isinstance)(value, kind) is True:
            return kind
    if cls.__module__.startswith("autograph.operators."):
        location = user_location()
        raise StagedValueError(
            "a function of functools.singledispatch is chosen by the class of its first argument, which only the run "
            "knows",
            **({} if location is None else location._asdict()),
            construct="functools.singledispatch",
            remedy="test the value before, as in `if x is None`, or write isinstance() in one function",
        )
    return cls
