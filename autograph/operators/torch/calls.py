"""What converted code calls while PyTorch traces it: Python's functions, modules, and what is not converted."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, reduce, wraps
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import torch

from autograph.errors import StagedTypeError

from ..calls import call
from ..data_model.left_alone import FOR_TORCH
from ..data_model.raw_attributes import raw_attribute
from ..functional import branches, tracing
from ..functional.ranges import Numbers, check_step
from ..staging.heap import iterators
from ..staging.heap.locations import where
from ..staging.outside import calls
from . import internals
from .library import TORCH
from .programs import Value
from .reading import number
from .recording import scope
from .scopes import is_one


def range_of(*bounds: Value) -> Any:
    """``range``, also of tensors of which only the run knows what they hold.

    Raises:
        StagedTypeError: a bound is no whole number, or the step is not known while tracing.
    """
    if not any(isinstance(each, torch.Tensor) for each in bounds) or not 1 <= len(bounds) <= 3:
        return range(*bounds)
    step = bounds[2] if len(bounds) == 3 else 1
    check_step(None if isinstance(step, torch.Tensor) else step)
    start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    return Numbers(_bound(start), _bound(stop), step)


def _bound(value: Value) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    kind = TORCH.type_of(value)
    if not is_one(kind) or kind.dtype.is_floating_point or kind.dtype.is_complex:
        raise StagedTypeError(
            f"range() takes whole numbers, not a tensor of shape {kind.shape} and dtype {kind.dtype}",
            **where(),
            construct="range",
            remedy="take one integer: x.long(), x.shape[0]",
        )
    return number(scope(), value, int)


def _as(kind: type) -> Callable[..., Any]:
    @wraps(kind, updated=())
    def converted(*arguments: Value, **keywords: Value) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], torch.Tensor) and not keywords:
            value = arguments[0]
            return number(scope(), TORCH.truth(value) if kind is bool else value, kind)
        return kind(*arguments, **keywords)

    return converted


def _extreme(function: Callable[..., Any], compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """`min` or `max`, of tensors of one value, too: of equal ones the first."""

    def extreme(*values: Value, **keywords: Value) -> Any:
        items = values[0] if len(values) == 1 and type(values[0]) in (list, tuple) else values
        if keywords or len(items) < 2 or not any(isinstance(each, torch.Tensor) for each in items):
            return function(*values, **keywords)
        found, *rest = items
        for each in rest:
            found = _chosen(compare(each, found), each, found)
        return found

    return extreme


def _chosen(test: Value, one: object, other: object) -> Any:
    if not isinstance(test, torch.Tensor):
        return one if test else other
    return branches.if_stmt(TORCH, test, lambda: one, lambda: other, ())


def _joint(function: Callable[..., Any], join: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """`any` or `all`, of lists of tensors of one value, too."""

    def joint(values: Value, /) -> Any:
        if type(values) not in (list, tuple) or not any(isinstance(each, torch.Tensor) for each in values):
            return function(values)
        found = reduce(join, map(TORCH.truth, values))
        return scope().trace.number(found if len(values) > 1 else scope().call(torch.clone, found), bool)

    return joint


def _checking(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that refuses iterators of which only the run knows how far they have come."""

    def run(*arguments: Value, **keywords: Value) -> Any:
        for each in (*arguments, *keywords.values()):
            iterators.check_end(each)
        return function(*arguments, **keywords)

    return run


def _making(function: Any) -> Callable[..., Any]:
    """A function that makes an iterator, over none of which only the run knows how far it has come."""
    return _checking(iterators.making(function))


REPLACED: dict[Any, Callable[..., Any]] = {
    range: range_of,
    min: _extreme(min, operator.lt),
    max: _extreme(max, operator.gt),
    any: _joint(any, TORCH.either),
    all: _joint(all, TORCH.both),
    **{each: _as(each) for each in (bool, int, float)},
    **{each: _making(each) for each in (enumerate, filter, iter, map, reversed, zip)},
}
REPLACED |= {
    each: iterators.using(REPLACED.get(each, each), f"{each.__name__}()")
    for each in (all, any, dict, frozenset, list, max, min, next, set, sorted, sum, tuple)
}
"""What is called in place of Python's functions."""


def replacement(function: Value) -> Callable[..., Any] | None:
    """What to call in place of a function of Python's."""
    if function is internals.IN_EXPORT:
        return _in_export
    return REPLACED.get(function) if isinstance(function, (type, BuiltinFunctionType)) else None


def _in_export(*values: Value, real_callable: Value, tensor_callable: Value, **keywords: Value) -> Any:
    """`min` or `max` where `torch.export` has put functions of its own in their place."""
    return REPLACED[real_callable](*values, **keywords)


def watch_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a function that is not converted."""
    if isinstance(function, torch.nn.Module):
        return _module(function)
    if _is_of_library(function):
        return function
    watched = calls.watch_call(function) if tracing.in_body(TORCH) else function
    return _checking(watched) if iterators.any_spent() else watched


def _module(module: torch.nn.Module) -> Callable[..., Any]:
    """A module, of which a trace runs the converted `forward`, if that is the user's."""
    forward = module.forward
    if _is_of_library(forward) or not isinstance(forward, (MethodType, FunctionType, partial)):
        return module

    def run(*arguments: Value, **keywords: Value) -> Any:
        own = vars(module).get("forward")
        vars(module)["forward"] = call(forward)
        try:
            return module(*arguments, **keywords)
        finally:
            if own is None:
                del vars(module)["forward"]
            else:
                vars(module)["forward"] = own

    return run


def _is_of_library(function: Value) -> bool:
    if isinstance(function, MethodType):
        return _is_of_library(function.__func__)
    if isinstance(function, FunctionType):
        return str(function.__globals__.get("__name__", "")).partition(".")[0] in FOR_TORCH
    found = raw_attribute(function, "__module__") or type(function).__module__ or ""
    return str(found).partition(".")[0] in FOR_TORCH
