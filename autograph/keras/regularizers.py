"""Regularizers: functions of a weight that give a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.ops.elementwise.math import absolute, square
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.registry import Registry

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = ["L1", "L1L2", "L2", "Regularizer", "deserialize", "get", "l1", "l1_l2", "l2", "serialize"]
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)


class Regularizer:
    """A function of a weight that gives a scalar loss; subclasses define ``__call__(self, x)``."""

    def __call__(self, x: TensorLike) -> Any:
        raise UnimplementedError(f"{type(self).__name__} does not define __call__")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Regularizer:
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        raise UnimplementedError(f"{type(self).__name__} does not define get_config")


def _penalty(x: TensorLike, l1: float, l2: float) -> Any:
    x = convert_to_tensor(x)
    total = convert_to_tensor(0.0, x.dtype)
    if l1:
        total = total + l1 * reduce_sum(absolute(x))
    return total + l2 * reduce_sum(square(x)) if l2 else total


class L1L2(Regularizer):
    """``l1 * sum(abs(x)) + l2 * sum(x ** 2)``. Raises `ValueError` for factors that are negative or not finite."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1 = _factor("l1", 0.0 if l1 is None else l1)
        self.l2 = _factor("l2", 0.0 if l2 is None else l2)

    def __call__(self, x: TensorLike) -> Any:
        return _penalty(x, self.l1, self.l2)

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1, "l2": self.l2}


class L1(Regularizer):
    """``l1 * sum(abs(x))``. Raises `ValueError` for a factor that is negative or not finite."""

    def __init__(self, l1: float = 0.01) -> None:
        self.l1 = _factor("l1", 0.01 if l1 is None else l1)

    def __call__(self, x: TensorLike) -> Any:
        return _penalty(x, self.l1, 0.0)

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1}


class L2(Regularizer):
    """``l2 * sum(x ** 2)``. Raises `ValueError` for a factor that is negative or not finite."""

    def __init__(self, l2: float = 0.01) -> None:
        self.l2 = _factor("l2", 0.01 if l2 is None else l2)

    def __call__(self, x: TensorLike) -> Any:
        return _penalty(x, 0.0, self.l2)

    def get_config(self) -> dict[str, Any]:
        return {"l2": self.l2}


def _factor(name: str, value: float) -> float:
    if not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        raise InvalidArgumentError(
            f"Invalid value for argument {name}: expected a non-negative float. Received: {name}={value}"
        )
    return float(value)


l1, l2, l1_l2 = L1, L2, L1L2
registry = Registry("regularizer", "keras.regularizers", (L1, L2, L1L2), aliases={"l1_l2": L1L2})
get, serialize, deserialize = registry.get, registry.serialize, registry.deserialize
leaving.public_module(__name__)
