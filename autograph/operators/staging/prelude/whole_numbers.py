"""Floats as whole numbers, with the errors that Python raises for those that have none."""

from __future__ import annotations

from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.tensors.tensor import Tensor

from ...exceptions import raising
from ..control import conditions
from ..control.cond import if_stmt
from ..control.errors import require


def to_whole(value: Tensor, dtype: dtypes.DType) -> Tensor:
    """A number without its fraction; one that has no integer, or none of `dtype`, is an error when the graph runs."""
    if value.dtype.is_floating:
        bound = 2.0 ** (8 * dtype.size - 1)
        wide = value if value.dtype.size >= 4 else OPS["cast"](value, dtype=dtypes.float32)

        def fail() -> None:
            require(conditions.not_(OPS["isnan"](wide)), ValueError("cannot convert float NaN to integer"))
            require(conditions.not_(OPS["isinf"](wide)), OverflowError("cannot convert float infinity to integer"))
            raise raising(OverflowError(f"float too large to convert to {dtype.name}; use tf.cast with a wider dtype"))

        if_stmt(OPS["logical_and"](wide >= -bound, wide < bound), lambda: None, fail, ())
    return OPS["cast"](value, dtype=dtype)
