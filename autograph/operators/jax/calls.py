"""What converted code calls while JAX traces it: `range` on tracers, JAX's own functions, and what is not converted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import Any

import jax
import numpy as np

from autograph.errors import MutationError, StagedTypeError
from autograph.runtime.base.dtypes import Array

from ..calls import call
from ..data_model.left_alone import FOR_TRACERS
from ..data_model.raw_attributes import raw_attribute
from ..functional import tracing
from ..functional.ranges import Numbers, check_step
from ..staging.heap import state
from ..staging.heap.locations import where
from ..staging.outside import calls
from .library import JAX

_ON_THE_HOST = frozenset(("pure_callback", "io_callback", "callback", "print"))
_IN_PLACE = frozenset(
    (
        "fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort", "__setitem__", "__iadd__",
        "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__", "__iand__", "__ior__",
        "__ixor__", "__ilshift__", "__irshift__", "__imatmul__",
    )
)  # fmt: skip
_WRITING = (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)


def range_of(*bounds: Any) -> Any:
    """``range``, also of arrays of which only the run knows what they hold.

    Raises:
        StagedTypeError: a bound is no whole number, or the step is not known while tracing.
    """
    known = [_known(each) for each in bounds]
    if all(each is not None for each in known) or not 1 <= len(bounds) <= 3:
        return range(*(each if known_one is None else known_one for each, known_one in zip(bounds, known, strict=True)))
    step = known[2] if len(bounds) == 3 else 1
    check_step(step)
    start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    known_start, known_stop = (0, known[0]) if len(bounds) == 1 else known[:2]
    dtype = jax.numpy.result_type(*(each for each in (start, stop) if isinstance(each, jax.Array)))
    if jax.numpy.issubdtype(dtype, jax.numpy.unsignedinteger):
        dtype = jax.numpy.result_type(dtype, jax.numpy.int8)
    start = start.astype(dtype) if known_start is None else known_start
    return Numbers(start, stop.astype(dtype) if known_stop is None else known_stop, step)


def _known(bound: object) -> Any:
    """A bound that is known while tracing; None for one that only the run knows."""
    if not isinstance(bound, jax.core.Tracer):
        return bound
    if bound.shape or not jax.numpy.issubdtype(bound.dtype, jax.numpy.integer):
        raise StagedTypeError(
            f"range() takes whole numbers, not an array of shape {bound.shape} and dtype {bound.dtype}",
            **where(),
            construct="range",
            remedy="take one integer: x.astype(int), x.shape[0]",
        )
    try:
        return bound.__index__()
    except jax.errors.JAXTypeError:
        return None


def watch_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a function that is not converted."""
    if _is_of_library(function):
        return _converting(function)
    if not tracing.in_body(JAX):
        return function
    owner = raw_attribute(function, "__self__")
    if isinstance(owner, np.ndarray):
        return _of_array(function, owner)
    if isinstance(function, np.ufunc) or _module(function) == "numpy":
        return _of_numpy(function)
    return calls.watch_call(function)


def _module(function: object) -> str:
    return (raw_attribute(function, "__module__") or type(function).__module__ or "").partition(".")[0]


def _is_of_library(function: Callable[..., Any]) -> bool:
    if isinstance(function, FunctionType):
        return str(function.__globals__.get("__name__", "")).partition(".")[0] in FOR_TRACERS
    if isinstance(function, MethodType):
        return _is_of_library(function.__func__)
    if isinstance(function, type):
        return function.__module__.partition(".")[0] in FOR_TRACERS
    return type(function).__module__.partition(".")[0] in FOR_TRACERS


def _converting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of JAX's, which gets the functions that it is to call in their converted form."""
    if raw_attribute(function, "__name__", "") in _ON_THE_HOST:
        return function

    @wraps(function, updated=())
    def run(*arguments: object, **keywords: object) -> Any:
        return function(*map(_converted, arguments), **{name: _converted(each) for name, each in keywords.items()})

    return function if isinstance(function, type) else run


def _converted(argument: object) -> Any:
    return call(argument) if isinstance(argument, (FunctionType, MethodType, partial)) else argument


def refuse_store(array: Array) -> None:
    """Refuses a store into a NumPy array in a staged body that has not made it.

    Raises:
        MutationError: it is one.
    """
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    journals = state.stack()
    if journals and not (journals[-1].is_created(root) and root.base is None):
        raise MutationError(
            "a NumPy array that is older than the branch or loop around is changed in there, which JAX stages",
            **where(),
            construct="NumPy array",
            remedy="make it an array of JAX: x = jnp.asarray(x); then x[i] = v gives the variable a new one",
        )


def _of_array(function: Callable[..., Any], array: Array) -> Callable[..., Any]:
    if function.__name__ in _IN_PLACE:
        refuse_store(array)
    return _noting_arrays(function)


def _of_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        written = keywords.get("out")
        targets = list(written) if isinstance(written, tuple) else [written]
        if any(function is each for each in _WRITING) or getattr(function, "__name__", "") == "at":
            targets += arguments[:1]
        if isinstance(function, np.ufunc):
            targets += arguments[function.nin :]
        for each in targets:
            if isinstance(each, np.ndarray):
                refuse_store(each)
        return function(*arguments, **keywords)

    return _noting_arrays(run)


def _noting_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        made = function(*arguments, **keywords)
        if type(made) is np.ndarray and made.base is None and not any(made is each for each in arguments):
            state.created(made)
        return made

    return run
