"""Constraints: functions that bring a weight back to where it may be, after each update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import UnimplementedError
from autograph.runtime.ops.elementwise.elementwise import cast, clip_by_value
from autograph.runtime.ops.elementwise.math import maximum, sqrt, square
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.defaults import epsilon
from .base.registry import Registry

__all__ = ["Constraint", "MaxNorm", "NonNeg", "UnitNorm", "deserialize", "get", "max_norm", "non_neg", "serialize",
           "unit_norm"]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)



class Constraint:
    """A function from a weight's value to the value that it is to have."""

    def __call__(self, w: object) -> Any:
        raise UnimplementedError(f"{type(self).__name__} does not define __call__")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constraint:
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        return dict(vars(self))


class MaxNorm(Constraint):
    """``w * min(norm, max_value) / norm``, with the norm along `axis`."""

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        w = convert_to_tensor(w)
        norms = sqrt(reduce_sum(square(w), self.axis, keepdims=True))
        return w * (clip_by_value(norms, 0.0, float(self.max_value)) / (norms + epsilon()))


class NonNeg(Constraint):
    """Zero in place of what is negative."""

    def __call__(self, w: object) -> Any:
        w = convert_to_tensor(w)
        return w * cast(w >= 0, w.dtype)


class UnitNorm(Constraint):
    """``w / norm``, with the norm along `axis`."""

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        w = convert_to_tensor(w)
        return w / (epsilon() + sqrt(maximum(reduce_sum(square(w), self.axis, keepdims=True), 0.0)))


max_norm, non_neg, unit_norm = MaxNorm, NonNeg, UnitNorm
registry = Registry("constraint", "keras.constraints", (MaxNorm, NonNeg, UnitNorm))
get, serialize, deserialize = registry.get, registry.serialize, registry.deserialize
leaving.public_module(__name__)
