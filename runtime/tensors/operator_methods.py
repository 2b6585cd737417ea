"""Makes the methods of tensors that Python calls for its operators.

A graph tensor that stands for a Python number or an array (`Tensor.python`) gives another one with such an operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.dtypes import OF_NUMPY, bool_, int32
from ..ir.op import APPLY, OPS
from .in_place import updated

if TYPE_CHECKING:
    from .tensor import Tensor


def binary(name: str) -> Callable[[Any, Any], Tensor]:
    def method(self: Any, other: object) -> Any:
        if defers(other):
            return NotImplemented
        result = APPLY.function(OPS[name], self, other)
        return result if self.python is None else _of_numbers(result, self, other)

    return method


def reflected(name: str) -> Callable[[Any, Any], Tensor]:
    def method(self: Any, other: object) -> Any:
        result = APPLY.function(OPS[name], other, self)
        return result if self.python is None else _of_numbers(result, self, other)

    return method


def in_place(binary: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``x op= v``: another tensor, and a note that an array would have been changed."""

    def method(self: Any, other: object) -> Any:
        return updated(binary, self, other)

    return method


def unary(name: str) -> Callable[[Any], Tensor]:
    def method(self: Any) -> Any:
        if self.python is bool:
            self = as_int(self)
        result = APPLY.function(OPS[name], self)
        return result if self.python is None else _of_numbers(result, self, self)

    return method


multiplied, multiplied_by = binary("multiply"), reflected("multiply")
remainder, to_the_power = binary("remainder"), binary("power")
equal, not_equal = binary("equal"), binary("not_equal")
KINDS = {"b": bool, "i": int, "u": int, "f": float, "c": complex, "S": str}
"""The types of Python's own values, by kind of dtype."""
_PYTHON = frozenset((bool, int, float, complex, str))


def _of_numbers(result: Any, self: Any, other: object) -> Any:
    """What an operator gives for a Python number, or array, that is known only to the graph, and another operand."""
    kind = type(other) if isinstance(other, (np.ndarray, np.generic)) else getattr(other, "python", None)
    if type(other) in _PYTHON or kind is not None:
        is_array = self.python in OF_NUMPY or (kind is not None and kind not in _PYTHON)
        of_numpy = np.generic if result.static_shape == () else np.ndarray  # no operator gives arrays of rank 0
        result.python = of_numpy if is_array else KINDS[result.dtype.kind]
    return result


def as_int(flag: object) -> Any:
    """A graph tensor that stands for a Python bool as the int that it is to Python's operators: ``~True`` is -2."""
    number = OPS["cast"](flag, dtype=int32)
    number.python = int
    return number


def positive(self: Any) -> Any:
    """``+x``"""
    if self.python is bool:
        return as_int(self)
    return self if self.dtype is not bool_ else np.positive(self)


def defers(other: object) -> bool:
    """Whether an operator leaves the work to the other operand's reflected method."""
    return getattr(type(other), "__tensor_priority__", 0) > 0
