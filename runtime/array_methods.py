"""The methods of NumPy's arrays on tensors: `x.sum()`, `x.astype(...)`, `x.T`.

An array that staged code stores into becomes a tensor, and goes on being used as the array that the user made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import convert, dtypes
from . import tensor as tensors
from .in_place import own
from .slices import slice_method

# Methods that are NumPy's function of the same name with the array as the first argument.
_FUNCTIONS = {
    "all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min",
    "nonzero", "prod", "ravel", "repeat", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace",
    "var",
}  # fmt: skip


def _own(made: Any, tensor: Any) -> Any:
    return own(made, tensor) if isinstance(tensor, tensors.SymbolicTensor) else made


def _astype(tensor: Any, dtype: Any, *_: Any, **__: Any) -> Any:
    return _own(convert.cast(tensor, dtypes.as_dtype(dtype)), tensor)


def _reshape(tensor: Any, *shape: Any) -> Any:
    return np.reshape(tensor, shape[0] if len(shape) == 1 else shape)


def _transpose(tensor: Any, *axes: Any) -> Any:
    if not axes or axes == (None,):
        return np.transpose(tensor)
    return np.transpose(tensor, axes[0] if isinstance(axes[0], (tuple, list)) else axes)


_METHODS: dict[str, Callable[..., Any]] = {
    "astype": _astype,
    "copy": lambda tensor, *_: _own(tensor, tensor),
    "flatten": lambda tensor, *_: np.ravel(_own(tensor, tensor)),
    "reshape": _reshape,
    "transpose": _transpose,
}
_PROPERTIES: dict[str, Callable[[Any], Any]] = {"T": np.transpose, "size": np.size, "real": np.real, "imag": np.imag}


def attribute(tensor: Any, name: str) -> Any:
    """The method or property of that name that arrays have; `AttributeError` when tensors don't have it."""
    value = _PROPERTIES.get(name)
    if value is not None:
        return value(tensor)
    method = _METHODS.get(name)
    if method is None:
        from .ops.text import method_of

        found = slice_method(tensor, name) or method_of(tensor, name)
        if found is not None:
            return found
        if name not in _FUNCTIONS:
            raise AttributeError(f"{type(tensor).__name__!r} object has no attribute {name!r}")
        method = getattr(np, name)
    return lambda *arguments, **keywords: method(tensor, *arguments, **keywords)
