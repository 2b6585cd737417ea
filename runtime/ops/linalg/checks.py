"""What decompositions and solvers share: the dtypes and shapes that they take, and NumPy's error as one of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import DType, float64
from ...base.shapes import Shape
from ..infer import at_least, require, text


def inexact(dtype: DType) -> DType:
    """The dtype in which NumPy's linear algebra works; float16 is refused, as there."""
    require(dtype.kind in "biufc" and dtype.name != "float16", f"not defined for dtype {dtype.name}")
    return dtype if dtype.kind in "fc" else float64


def square_matrix(shape: Shape) -> None:
    """Raise unless the last two dimensions may be equal."""
    at_least(shape, 2, "a matrix")
    fits = shape is None or None in shape[-2:] or shape[-1] == shape[-2]
    require(fits, f"a square matrix is needed, not {text(shape)}")


def guarded(kernel: Callable[..., Any], message: str) -> Callable[..., Any]:
    """The kernel, with NumPy's `LinAlgError` as `InvalidArgumentError`."""

    def guard(*arrays: object, **attributes: object) -> Any:
        try:
            return kernel(*arrays, **attributes)
        except np.linalg.LinAlgError as error:
            raise InvalidArgumentError(f"{message} ({error})") from None

    return guard
