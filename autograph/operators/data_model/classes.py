"""Instances of the user's classes are made as Python does it, with converted `__new__`, `__init__`, `__post_init__`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from ..attributes import set_attribute
from ..calls import CONSTRUCTOR, CONSTRUCTOR_OF_METACLASS, INITIALISER, call
from ..staging.control.left_generators import refuse_making
from ..staging.heap import state
from .special_methods import is_convertible, is_generated, is_user_class, lookup, method


@CONSTRUCTOR.give
def constructor(cls: type) -> Callable[..., Any] | None:
    """What to call in place of a class while a back end is staging; None: the class is no user's."""
    if not is_user_class(cls) or issubclass(cls, type):
        return None
    refuse_making(cls)
    maker = lookup(type(cls).__mro__, "__call__")
    if is_convertible(maker):
        return partial(call(maker), cls)
    return partial(construct, cls) if maker is _TYPE_CALL and _has_code(cls) else None


@CONSTRUCTOR_OF_METACLASS.give
def constructor_of_metaclass(function: Any) -> Callable[..., Any] | None:
    """What to call in place of ``super().__call__`` in the ``__call__`` of a metaclass; None: it is something else."""
    cls = function.__self__
    made_by_type = isinstance(cls, type) and function.__name__ == "__call__" and function.__objclass__ is type
    return partial(construct, cls) if made_by_type and is_user_class(cls) and _has_code(cls) else None


_TYPE_CALL = type.__dict__["__call__"]


def _has_code(cls: type) -> bool:
    """Whether making an instance runs code of the user's."""
    if method(cls, "__init__") is not None or _function_new(cls) is not None:
        return True
    return dataclasses.is_dataclass(cls) and is_dataclass_init(lookup(cls.__mro__, "__init__"))


def _function_new(cls: type) -> FunctionType | None:
    found = lookup(cls.__mro__, "__new__")
    function = found.__func__ if isinstance(found, staticmethod) else found
    return function if isinstance(function, FunctionType) and is_convertible(function) else None


def construct(cls: type, *arguments: object, **keywords: object) -> Any:
    """``cls(…)``, as ``type.__call__`` does it."""
    new = _function_new(cls)
    if new is not None:
        made = call(new)(cls, *arguments, **keywords)
    else:
        made = cls.__new__(cls, *arguments, **keywords)
        state.created(made)
    if not isinstance(made, cls):
        return made
    initialise = lookup(type(made).__mro__, "__init__")
    if is_convertible(initialise):
        result = call(initialise)(made, *arguments, **keywords)
    elif is_dataclass_init(initialise):
        initialise_dataclass(initialise, made, *arguments, **keywords)
        result = None
    else:
        result = type(made).__init__(made, *arguments, **keywords)
    if result is not None:
        raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return made


def is_dataclass_init(function: object) -> bool:
    """Whether a function is an `__init__` that `dataclasses.dataclass` has made: it has no source."""
    return isinstance(function, FunctionType) and function.__name__ == "__init__" and is_generated(function)


@INITIALISER.give
def initialiser(function: FunctionType) -> Callable[..., Any] | None:
    """What to call in place of an `__init__` that `dataclasses.dataclass` has made; None: it is another."""
    return partial(initialise_dataclass, function) if is_dataclass_init(function) else None


def initialise_dataclass(function: FunctionType, obj: Any, *arguments: object, **keywords: object) -> None:
    """What the `__init__` of a dataclass does: sets the fields in their order, then calls `__post_init__`."""
    state.about_to_change(obj)
    owner = next(cls for cls in type(obj).__mro__ if cls.__dict__.get("__init__") is function)
    try:
        bound = inspect.signature(function).bind(obj, *arguments, **keywords)
    except TypeError:
        function(obj, *arguments, **keywords)  # raises what Python does
        raise
    bound.apply_defaults()
    given = bound.arguments
    frozen = owner.__dataclass_params__.frozen  # type: ignore[attr-defined]
    late = []
    for field in owner.__dataclass_fields__.values():  # type: ignore[attr-defined]
        kind = field._field_type
        if kind is dataclasses._FIELD_CLASSVAR:  # type: ignore[attr-defined]
            continue
        value = given.get(field.name, dataclasses.MISSING)
        if value is dataclasses.MISSING or value is dataclasses._HAS_DEFAULT_FACTORY:  # type: ignore[attr-defined]
            value = field.default if field.default_factory is dataclasses.MISSING else call(field.default_factory)()
        if kind is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
            late.append(value)
        elif value is not dataclasses.MISSING and (field.init or field.default_factory is not dataclasses.MISSING):
            (object.__setattr__ if frozen else set_attribute)(obj, field.name, value)
    finish = lookup(type(obj).__mro__, "__post_init__")
    if hasattr(owner, "__post_init__"):
        call(finish)(obj, *late) if isinstance(finish, FunctionType) else obj.__post_init__(*late)
