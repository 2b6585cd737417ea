"""What functions of images ask of their arguments, while tracing where it is known then, and else in each run."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...base.shapes import as_shape
from ...tensors import trace
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.math import maximum, minimum
from ..host.checks import RELATION
from ..infer import rank_of, require, text
from ..shape.shape import ensure_shape, shape

Size = Any
"""A dimension: an int where it is known, else a tensor."""

_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {">": operator.gt, ">=": operator.ge, "==": operator.eq}


def known(size: Size) -> Size:
    """A size as an int where it is known."""
    if isinstance(size, Tensor):
        value = trace.static_value(size)
        return size if value is None or value.ndim else value.item()
    return size


def ensure(left: Size, relation: str, right: Size, message: str) -> None:
    """Raise `InvalidArgumentError` unless the relation holds: now, or in each run where a side is a tensor then."""
    left, right = known(left), known(right)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        left, right = convert_to_tensor(left), convert_to_tensor(right)
        trace.apply(RELATION, left, right, relation=relation, other="y", message=message, summarize=3)
    else:
        require(_RELATIONS[relation](left, right), f"{message}: {left} {relation} {right} does not hold")


def dims(images: Tensor) -> list[Size]:
    """The dimensions of a tensor whose rank is known."""
    static = as_shape(images.static_shape)
    assert static is not None
    if None not in static:
        return list(static)
    given = shape(images)
    return [given[axis] if size is None else size for axis, size in enumerate(static)]


def image_of(image: TensorLike, what: str, assumed: int | None = None) -> Tensor:
    """An image, or a batch of them, as a tensor of rank 3 or 4 without empty axes but the batch's.

    assumed: the rank of a tensor whose rank is not known; without it, such a tensor is refused.
    """
    x = convert_to_tensor(image)
    if x.ndim is None and assumed is not None:
        x = ensure_shape(x, [None] * assumed)
    rank = rank_of(x, what)
    require(rank in (3, 4), f"{what} takes an image of rank 3, or a batch of them of rank 4, not one of shape "
            f"{text(x.static_shape)}")  # fmt: skip
    not_empty(x)
    return x


def not_empty(x: Tensor) -> None:
    """Raise unless the last three axes have elements."""
    for size in dims(x)[-3:]:
        ensure(size, ">", 0, "the height, width and channels of an image must be above 0")


def at_least_3d(image: TensorLike, what: str) -> Tensor:
    """An image with any axes in front of height, width and channels."""
    x = convert_to_tensor(image)
    require(rank_of(x, what) >= 3, f"{what} takes images of rank 3 or more, not one of shape {text(x.static_shape)}")
    not_empty(x)
    return x


def larger(a: Size, b: Size) -> Size:
    """The larger one of two sizes."""
    return maximum(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else max(a, b)


def smaller(a: Size, b: Size) -> Size:
    """The smaller one of two sizes."""
    return minimum(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else min(a, b)
