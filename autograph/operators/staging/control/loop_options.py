"""What `set_loop_options` says of a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import shapes
from autograph.runtime.base.shapes import Shape
from autograph.runtime.tensors.tensor import Tensor

from ...dispatch import Options
from ..values.specs import Leaf
from .errors import where


def with_shape(spec: Leaf, shape: Shape, label: str) -> Leaf:
    """The specification with the shape that `set_loop_options` gives.

    Raises:
        InvalidArgumentError: the variable has another shape before the loop.
    """
    if not shapes.is_subshape(spec.shape, shape):
        raise InvalidArgumentError(
            f"the shape invariant {shapes.show(shape)} does not hold for `{label}`: before the loop its shape is "
            f"{shapes.show(spec.shape)}",
            **where(),
            construct="set_loop_options",
            remedy="leave the dimensions that change None, or leave the invariant out: shapes relax by themselves",
        )
    return Leaf(spec.dtype, shape, spec.python if shape == () or spec.python is np.ndarray else None)


def shape_invariants(options: Options) -> list[tuple[Any, Any]]:
    """Variables, each with a shape that holds for all turns."""
    return [] if options is None else list(options().get("shape_invariants") or ())


def maximum_iterations(options: Options) -> Any:
    """The option of that name, or None.

    Raises:
        InvalidTypeError: it is neither a whole number nor a scalar tensor of whole numbers.
    """
    limit = None if options is None else options().get("maximum_iterations")
    if limit is None or (isinstance(limit, int) and not isinstance(limit, bool)):
        return limit
    if isinstance(limit, Tensor) and limit.dtype.is_integer and limit.static_shape in (None, ()):
        return limit
    if isinstance(limit, np.integer):
        return int(limit)
    raise InvalidTypeError(f"maximum_iterations is a whole number or a scalar integer tensor, not {limit!r}", **where())
