"""How much work a node of an op is: the fields ``work`` and ``products`` of records."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base.shapes import Shape


class Work(enum.Enum):
    NONE = "none"
    """What it gives is there already: a constant, a parameter."""
    LITTLE = "little"
    """Another name for an array that there is, a view of it, or a variable's: no loop over elements."""
    USUAL = "usual"
    LONG = "long"
    """An elementary function of floats: its machine code is long, and takes long to compile."""


Products = Callable[[Sequence[Shape], Sequence[Shape], Mapping[str, Any]], int]
"""How many pairs of elements a product multiplies: for the shapes of inputs and of outputs, and the attributes."""


def size(shape: Shape) -> int:
    """The elements of a shape, as far as its dimensions are known."""
    return math.prod(n for n in shape or () if n is not None)


def inner(inputs: Sequence[Shape], outputs: Sequence[Shape], _: Mapping[str, Any]) -> int:
    """Of a matrix product: for each element of the result those of a row of the first factor."""
    return size(outputs[0]) * size((inputs[0] or (None,))[-1:])


def of_windows(result: Shape, filters: Shape) -> int:
    """Of a convolution, or an adjoint of it: for each element of its result those of a filter.

    Those of a single channel count many times: they are no products of matrices.
    """
    per_filter = (filters or (None, None))[:-1]
    return size(result) * size(per_filter) * (40 if per_filter[-1] == 1 else 1)
