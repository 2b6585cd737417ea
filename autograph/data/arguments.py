"""Numbers that methods of datasets take: Python ints, or tensors whose value only the run tells."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import EagerTensor

__all__ = ["Number", "flag", "number", "require_positive", "static"]

Number = Any
"""A scalar tensor: eager where the number is known."""


def number(value: object, what: str = "the number") -> Number:
    """A scalar integer tensor for a Python int or what converts to one. `TypeError` for others."""
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise InvalidTypeError(f"{what} must be an integer, not {value!r}")
    if tensor.static_shape not in ((), None):
        raise InvalidArgumentError(f"{what} must be a scalar, not of shape {tensor.shape}")
    return tensor


def flag(value: object) -> Number:
    """A scalar bool tensor."""
    return convert_to_tensor(value, "bool")


def static(value: Number) -> int | None:
    """The number, when it is known now."""
    return int(value.array) if isinstance(value, EagerTensor) else None


def require_positive(value: int, what: str) -> int:
    """The number, after a check."""
    if value <= 0:
        raise InvalidArgumentError(f"{what} must be greater than zero.")
    return value
