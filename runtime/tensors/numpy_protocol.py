"""NumPy's functions on tensors: mapped ones become ops, the others are refused by name.

`Op.numpy_names` maps ufuncs and functions that take the op's own inputs; `implements` maps the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import StagedValueError

from ..base import nest
from ..base.places import user_location
from ..ir.op import NUMPY, OPS
from .tensor import FUNCTION, UFUNC, EagerTensor, SymbolicTensor, Tensor

__all__ = ["as_arrays", "function", "implements", "ufunc"]


def implements(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a callable with NumPy's own signature (without ``out`` and ``where``) for NumPy names.

    Names are without ``numpy.``: ``"sum"``, ``"linalg.norm"``, ``"add.reduce"``, ``"multiply.outer"``.
    """

    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        NUMPY.update(dict.fromkeys(names, implementation))
        return implementation

    return register


@implements("divmod")
def _divmod(x: object, y: object) -> tuple[Any, Any]:
    return OPS["floor_divide"](x, y), OPS["remainder"](x, y)


def lookup(name: str) -> Callable[..., Any] | None:
    """The callable for a NumPy name; loads the op families first."""
    found = NUMPY.get(name)
    if found is None:
        OPS.load()
        found = NUMPY.get(name)
    return found


@UFUNC.give
def ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What `Tensor.__array_ufunc__` does for one call."""
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    return _as_scalar(_dispatch(name, getattr(ufunc, method), inputs, keywords))


@FUNCTION.give
def function(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What `Tensor.__array_function__` does for one call."""
    module = (function.__module__ or "").removeprefix("numpy").strip(".")
    name = f"{module}.{function.__name__}" if module else function.__name__
    return _dispatch(name, function, arguments, keywords)


def _dispatch(name: str, original: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords.get("out") is not None:
        raise _refusal(f"np.{name} can't write into out= when tensors take part", "use the result instead")
    keywords.pop("out", None)
    implementation = lookup(name)
    if implementation is not None:
        try:
            made = as_arrays(implementation(*arguments, **keywords), [arguments, *keywords.values()])
            return _as_scalar(made) if name in _GIVE_SCALARS else made
        except TypeError:
            _check_call(name, implementation, arguments, keywords)
            raise
    if not _any_symbolic(arguments) and not _any_symbolic(tuple(keywords.values())):
        return original(*_to_arrays(arguments), **{key: _to_arrays(value) for key, value in keywords.items()})
    raise _refusal(f"np.{name} has no counterpart for graph tensors",
                   f"write it with tensor operations, or tf.numpy_function(np.{name}, [x], dtype)")  # fmt: skip


def as_arrays(result: object, arguments: object) -> Any:
    """What NumPy gives for numbers and arrays that only the graph knows, without a tensor among them: arrays."""
    if isinstance(result, (list, tuple)):
        if not any(type(each) is SymbolicTensor for each in result) or _any_tensor(arguments):
            return result
        parts = [as_arrays(each, ()) for each in result]
        return parts if type(result) is list else nest.sequence_of(type(result), parts)
    if type(result) is not SymbolicTensor or _any_tensor(arguments):
        return result
    return SymbolicTensor(result.value, np.ndarray)


_GIVE_SCALARS = frozenset((
    "all", "any", "argmax", "argmin", "average", "dot", "max", "mean", "median", "min", "prod", "ptp", "std", "sum",
    "trace", "var", "vdot",
))  # fmt: skip
"""Functions that give a number of NumPy's, not an array, where the result has rank 0, as all ufuncs do."""


def _as_scalar(made: Any) -> Any:
    is_scalar = type(made) is SymbolicTensor and made.python is np.ndarray and made.static_shape == ()
    return SymbolicTensor(made.value, np.generic) if is_scalar else made


def _any_tensor(value: object) -> bool:
    """Whether there are tensors that stand for themselves."""
    if isinstance(value, (list, tuple)):
        return any(map(_any_tensor, value))
    return (isinstance(value, Tensor) and value.python is None) or hasattr(type(value), "__tensor__")


def _check_call(name: str, implementation: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Refuses, under NumPy's name, arguments that the counterpart of a NumPy function does not take."""
    try:
        inspect.signature(implementation).bind(*arguments, **keywords)
    except TypeError as error:
        text = f"np.{name} can't be called so when tensors take part: {error}"
        raise _refusal(text, "write it with tensor operations") from None


def _refusal(message: str, remedy: str) -> StagedValueError:
    location = user_location()
    file, line, function = location if location is not None else (None, None, None)
    return StagedValueError(message, file=file, line=line, function=function, remedy=remedy)


def _any_symbolic(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_any_symbolic, value))
    return isinstance(value, SymbolicTensor)


def _to_arrays(value: Any) -> Any:
    """The value with eager tensors, also in lists and tuples, replaced by their arrays."""
    if isinstance(value, EagerTensor):
        return np.asarray(value)
    if type(value) in (list, tuple):
        return type(value)(map(_to_arrays, value))
    return value


