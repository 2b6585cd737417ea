"""What stands for a tensor, a dtype or a shape where users, and the functions of ops, give one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..base.dtypes import Array, DType
from ..base.shapes import TensorShape
from .tensor import Tensor


class Convertible(Protocol):
    """What says which tensor it stands for, as variables do."""

    def __tensor__(self) -> Any: ...


TensorLike = Tensor | Array | np.generic | complex | str | bytes | Convertible | Sequence["TensorLike"]
"""What `convert_to_tensor` takes: a tensor, a variable, an array, a number, a string, or nested lists of these."""
DTypeLike = DType | np.dtype[Any] | type | str
"""What `as_dtype` takes."""
ShapeLike = TensorShape | Tensor | Array | int | Sequence[Any] | None
"""A shape, whose dimensions may be numbers, None for what is unknown, or scalar tensors."""
Ints = int | Sequence[int]
"""One number for all axes of space, or one for each."""
PaddingLike = str | Sequence[Sequence[int]]
"""`"SAME"`, `"VALID"`, or the numbers of elements before and after each axis."""
