"""`*x` where only the run tells how many items `x` has: in lists, tuples and calls, and on the left of `=`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any, NoReturn

from autograph.errors import StagedValueError
from autograph.runtime.ops.host.host import assert_node
from autograph.runtime.ops.text.text import apply_text
from autograph.runtime.tensors.tensor import SymbolicTensor

from ...calls import call
from ...data_model.raw_attributes import raw_attribute
from ..control.cond import if_stmt
from ..control.errors import require, where
from ..values.iterables import StagedIterable
from ..values.lists import StagedList
from ..values.sets import as_set
from ..values.tuples import tuple_of
from .sequences import list_, unwrapped

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def items_of(values: Any) -> Any:
    """The items of what is iterated over: a tuple, or a staged list when only the run tells how many they are."""
    values = unwrapped(values)
    if not isinstance(values, (StagedList, StagedIterable, SymbolicTensor)):
        return (*values,)
    made = list_(values)
    return made if isinstance(made, StagedList) else tuple(made)


def joined(kind: type, parts: tuple[Any, ...]) -> StagedList:
    """A staged list, tuple or set of the items of some parts."""
    made = tuple_of(*parts)
    return made if kind is tuple else as_set(made) if kind is set else made.listed()


def unpack_starred(items: StagedList, before: int, after: int) -> list[Any]:
    """The values of the variables of ``a, b, *c, d = items``, with a check of the number of items."""
    length = items.length()
    text = f"not enough values to unpack (expected at least {before + after}, got %d)"
    assert_node(length >= before + after, ValueError(apply_text("__mod__", text, length)))
    first = [items[index] for index in range(before)]
    last = [items[index] for index in range(-after, 0)]
    return [*first, items[before : -after if after else None], *last]


def call_display(function: Callable[..., Any], parts: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Calls a function with positional arguments of unknown number, if its parameters tell how many it takes.

    Raises:
        StagedValueError: it takes any number, or there are others after them.
    """
    filled = [part for part in parts if isinstance(part, StagedList) or part]
    given = [] if isinstance(filled[0], StagedList) else list(filled.pop(0))
    if len(filled) > 1:
        _refuse("has arguments after `*x`", "put all of them into one list")
    items: StagedList = filled[0]
    if not given and (function is max or function is min):
        require(items.length() > 1, TypeError(f"{function.__name__}(*x) needs at least two values"))
        return call(function)(items, **keywords)
    free = _free_parameters(function, len(given), keywords)
    required = sum(each.default is Parameter.empty for each in free)
    length, name = items.length(), raw_attribute(function, "__name__", "the function")
    few = f"{name}() takes at least {len(given) + required} positional arguments but %d were given"
    many = f"{name}() takes {len(given) + len(free)} positional arguments but %d were given"
    for inside, text in ((length >= required, few), (length <= len(free), many)):
        assert_node(inside, TypeError(apply_text("__mod__", text, length + len(given))))
    found = [items[index] for index in range(required)]
    for index, parameter in enumerate(free[required:], start=required):
        found.append(_or_default(items, index, parameter.default))
    return call(function)(*given, *found, **keywords)


def _or_default(items: StagedList, index: int, default: object) -> Any:
    return if_stmt(items.length() > index, lambda: items[index], lambda: default, ())


def _free_parameters(function: Callable[..., Any], given: int, keywords: dict[str, Any]) -> list[Parameter]:
    """The parameters that positional arguments of unknown number go to."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if not parameters or any(each.kind is Parameter.VAR_POSITIONAL for each in parameters):
        _refuse("is called with `*x`", "give it the list itself, or take out as many as it needs: a, b = x")
    positional = [each for each in parameters if each.kind in _POSITIONAL]
    return [each for each in positional[given:] if each.name not in keywords]


def _refuse(what: str, remedy: str) -> NoReturn:
    raise StagedValueError(
        f"a function {what}, a list of which only the run tells the length, and the function takes any number",
        **where(),
        construct="f(*x)",
        remedy=remedy,
    )
