"""What converted code calls while PyTorch traces it: Python's functions, modules, and what is not converted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import Any

import torch

from autograph.errors import StagedTypeError

from ..calls import call
from ..data_model.left_alone import FOR_TORCH
from ..data_model.raw_attributes import raw_attribute
from ..functional import tracing
from ..functional.ranges import Numbers
from ..staging.heap.locations import where
from ..staging.outside import calls
from .library import TORCH
from .reading import number
from .recording import scope
from .scopes import is_one


def range_of(*bounds: Any) -> Any:
    """``range``, also of tensors of which only the run knows what they hold.

    Raises:
        StagedTypeError: a bound is no whole number, or the step is not known while tracing.
    """
    if not any(isinstance(each, torch.Tensor) for each in bounds) or not 1 <= len(bounds) <= 3:
        return range(*bounds)
    step = bounds[2] if len(bounds) == 3 else 1
    if isinstance(step, torch.Tensor):
        raise StagedTypeError(
            "only the run knows the step of this range",
            **where(),
            construct="range",
            remedy="loop over range(n), and compute the item: start + i * step",
        )
    if not step:
        raise ValueError("range() arg 3 must not be zero")
    start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    return Numbers(_bound(start), _bound(stop), step)


def _bound(value: Any) -> Any:
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
    def converted(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], torch.Tensor) and not keywords:
            value = arguments[0]
            return number(scope(), TORCH.truth(value) if kind is bool else value, kind)
        return kind(*arguments, **keywords)

    return converted


REPLACED: dict[Any, Callable[..., Any]] = {range: range_of, **{each: _as(each) for each in (bool, int, float)}}
"""What is called in place of Python's functions."""


def is_hashed(function: object) -> bool:
    """Whether a function may be looked up."""
    return isinstance(function, type)


def watch_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a function that is not converted."""
    if isinstance(function, torch.nn.Module):
        return _module(function)
    if _is_of_library(function):
        return function
    return calls.watch_call(function) if tracing.in_body(TORCH) else function


def _module(module: torch.nn.Module) -> Callable[..., Any]:
    """A module, of which a trace runs the converted `forward`, if that is the user's."""
    forward = module.forward
    if _is_of_library(forward) or not isinstance(forward, (MethodType, FunctionType, partial)):
        return module

    def run(*arguments: Any, **keywords: Any) -> Any:
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


def _is_of_library(function: Any) -> bool:
    if isinstance(function, MethodType):
        return _is_of_library(function.__func__)
    if isinstance(function, FunctionType):
        return str(function.__globals__.get("__name__", "")).partition(".")[0] in FOR_TORCH
    found = raw_attribute(function, "__module__") or type(function).__module__ or ""
    return str(found).partition(".")[0] in FOR_TORCH
