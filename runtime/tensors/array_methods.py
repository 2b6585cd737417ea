"""The methods of NumPy's arrays on tensors: `x.sum()`, `x.astype(...)`, `x.T`.

An array that staged code stores into becomes a tensor, and goes on being used as the array that the user made.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import StagedAttributeError
from autograph.lazy import did_you_mean

from ..base import dtypes
from ..base.places import user_location
from ..base.provided import Provided
from ..ir.op import FUNCTIONS
from . import convert
from . import tensor as tensors
from .in_place import own
from .operator_methods import KINDS
from .slices import slice_method

if TYPE_CHECKING:
    from .likes import DTypeLike

# Methods that are NumPy's function of the same name with the array as the first argument.
_FUNCTIONS = {
    "all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min",
    "nonzero", "prod", "ravel", "repeat", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace",
    "var",
}  # fmt: skip


def _own(made: object, tensor: object) -> Any:
    return own(made, tensor) if isinstance(tensor, tensors.SymbolicTensor) else made


def _astype(tensor: object, dtype: DTypeLike, *_: object, **__: object) -> Any:
    return _own(convert.cast(tensor, dtypes.as_dtype(dtype)), tensor)


def _reshape(tensor: Any, *shape: Any) -> Any:
    return np.reshape(tensor, shape[0] if len(shape) == 1 else shape)


def _transpose(tensor: Any, *axes: Any) -> Any:
    if not axes or axes == (None,):
        return np.transpose(tensor)
    return np.transpose(tensor, axes[0] if isinstance(axes[0], (tuple, list)) else axes)


def _item(tensor: Any, *index: Any) -> Any:
    if isinstance(tensor, tensors.EagerTensor):
        return tensor.array.item(*index)
    if index:
        tensor = np.ravel(tensor)[index[0]] if len(index) == 1 and not isinstance(index[0], tuple) else tensor[index]
    return _as_number(np.reshape(tensor, ()))


def _as_number(tensor: Any) -> Any:
    """What is one of Python's numbers or strings in plain code."""
    return tensors.SymbolicTensor(tensor.value, KINDS[tensor.dtype.kind])


def _tolist(tensor: Any) -> Any:
    shape = tensor.static_shape
    if isinstance(tensor, tensors.EagerTensor):
        return tensor.array.tolist()
    if shape == ():
        return _as_number(tensor)
    if shape is None or shape[0] is None:
        raise tensors.NO_VALUE.function(tensor, "with tolist()", "write list(x), or loop over it")
    return [_tolist(tensor[index]) for index in range(shape[0])]


def _is_integer(tensor: Any) -> Any:
    if isinstance(tensor, tensors.EagerTensor):
        return tensor.numpy().is_integer()
    return np.isfinite(tensor) & (np.floor(tensor) == tensor)


_METHODS: dict[str, Callable[..., Any]] = {
    "__array_namespace__": lambda tensor, api_version=None: np,
    "astype": _astype,
    "conj": np.conj,
    "conjugate": np.conj,
    "copy": lambda tensor, *_: _own(tensor, tensor),
    "is_integer": _is_integer,
    "item": _item,
    "tolist": _tolist,
    "flatten": lambda tensor, *_: np.ravel(_own(tensor, tensor)),
    "reshape": _reshape,
    "transpose": _transpose,
}
_PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "T": np.transpose,
    "mT": lambda tensor: np.swapaxes(tensor, -1, -2),
    "size": np.size,
    "real": np.real,
    "imag": np.imag,
    "itemsize": lambda tensor: tensor.dtype.numpy.itemsize,
    "nbytes": lambda tensor: np.size(tensor) * tensor.dtype.numpy.itemsize,
}


@tensors.ATTRIBUTES.give
def names() -> set[str]:
    """The attributes that `attribute` gives of every tensor."""
    return {*_FUNCTIONS, *_METHODS, *_PROPERTIES}


EXPORTED: Provided[Callable[..., Any]] = Provided("runtime.engines.dlpack", late=True)
_EXCHANGE: dict[str, Callable[..., Any]] = {
    "__dlpack__": lambda tensor, **keywords: EXPORTED.function(tensor, **keywords),
    "__dlpack_device__": lambda tensor: (1, 0),
}
"""How other libraries get what is in a tensor; see `engines.dlpack`."""


@tensors.ATTRIBUTE.give
def attribute(tensor: object, name: str) -> Any:
    """The method or property of that name that arrays have; `AttributeError` when tensors don't have it."""
    value = _PROPERTIES.get(name)
    if value is not None:
        return value(tensor)
    if name in _EXCHANGE and isinstance(tensor, tensors.EagerTensor):
        return functools.partial(_EXCHANGE[name], tensor)
    method = _METHODS.get(name)
    if method is None:
        found = slice_method(tensor, name) or FUNCTIONS["method_of"](tensor, name)
        if found is not None:
            return found
        if name not in _FUNCTIONS:
            raise _no_attribute(tensor, name)
        method = getattr(np, name)
    return lambda *arguments, **keywords: method(tensor, *arguments, **keywords)


def _no_attribute(tensor: object, name: str) -> AttributeError:
    if isinstance(tensor, tensors.EagerTensor) or (name.startswith("_") and name not in _EXCHANGE):
        return AttributeError(f"{type(tensor).__name__!r} object has no attribute {name!r}")
    if name in _EXCHANGE:
        reason = ", by which other libraries take what is in it: its value is known only when the graph runs"
        remedy = "do it outside of traced code, or in a function that tf.numpy_function calls"
    elif name == "numpy":
        reason = ": its value is known only when the graph runs"
        remedy = "use tf.print to see values, or tf.numpy_function for code that needs arrays"
    elif name.startswith("assign"):
        reason = ": it is a value, not a variable"
        remedy = (
            "assign to the variable itself; where a condition decides which, assign in its branches: "
            "`if x > 0: v.assign(y)`"
        )
    elif any(hasattr(kind, name) for kind in (str, int, float, np.ndarray)):
        reason = ": no operation does what it does to a value of Python"
        remedy = "write it with the functions of tf (tf.math, tf.strings), or call it by tf.py_function"
    elif callable(getattr(np, name, None)):
        reason, remedy = "", f"write np.{name}(x), or a function of tf"
    else:
        reason = did_you_mean(name, [each for each in dir(tensor) if each[0] != "_"])
        remedy = "see dir(x) for those that it has; keep what else belongs to it in an object or a variable"
    location = user_location()
    return StagedAttributeError(
        f"a graph tensor has no attribute {name!r}{reason}",
        **({} if location is None else location._asdict()),
        construct=name,
        remedy=remedy,
    )
