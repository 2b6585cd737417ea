"""Layers that put several inputs together."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.math import logical_and, logical_or
from autograph.runtime.ops.elementwise.math import maximum as larger
from autograph.runtime.ops.elementwise.math import minimum as smaller
from autograph.runtime.ops.elementwise.nn import l2_normalize
from autograph.runtime.ops.linalg.linalg import matmul
from autograph.runtime.ops.reduce.reduce import reduce_any
from autograph.runtime.ops.shape.create import ones_like
from autograph.runtime.ops.shape.joining import concat
from autograph.runtime.ops.shape.shape import expand_dims, transpose

from ..base.layer import Layer

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = [
    "Add", "Average", "Concatenate", "Dot", "Maximum", "Minimum", "Multiply", "Subtract", "add", "average",
    "concatenate", "dot", "maximum", "minimum", "multiply", "subtract",
]  # fmt: skip


class Merge(Layer):
    """A layer that takes a list of tensors and gives one; shapes broadcast."""

    settings: tuple[str, ...] = ()
    least = 1

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs together. Raises `InvalidArgumentError` for what is no list, or one that is too short."""
        if not isinstance(inputs, (list, tuple)):
            raise InvalidArgumentError(
                f"A merge layer should be called on a list of inputs. Received: inputs={inputs} (not a list of tensors)"
            )
        if len(inputs) < self.least:
            raise InvalidArgumentError(
                f"A {type(self).__name__} layer should be called on a list of at least {self.least} inputs. "
                f"Received {len(inputs)} inputs."
            )
        return self.merge(list(inputs))

    def merge(self, inputs: list[Any]) -> Any:
        """What a kind of merging makes of the inputs."""
        raise NotImplementedError

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """Where the mask of any input is True; None where one of them has none."""
        if not isinstance(mask, (list, tuple)) or any(each is None for each in mask):
            return None
        return functools.reduce(logical_or, mask)


class Add(Merge):
    """The sum of a list of tensors."""

    def merge(self, inputs: list[Any]) -> Any:
        """The sum."""
        return functools.reduce(lambda a, b: a + b, inputs)


class Subtract(Merge):
    """The first of two tensors minus the second."""

    least = 2

    def merge(self, inputs: list[Any]) -> Any:
        """Their difference. Raises `InvalidArgumentError` for more than two."""
        if len(inputs) != 2:
            raise InvalidArgumentError(
                f"A `Subtract` layer should be called on exactly 2 inputs. Received: {len(inputs)} inputs"
            )
        return inputs[0] - inputs[1]


class Multiply(Merge):
    """The product, element by element, of a list of tensors."""

    def merge(self, inputs: list[Any]) -> Any:
        """The product."""
        return functools.reduce(lambda a, b: a * b, inputs)


class Average(Merge):
    """The mean of a list of tensors."""

    def merge(self, inputs: list[Any]) -> Any:
        """The sum divided by the number."""
        return functools.reduce(lambda a, b: a + b, inputs) / len(inputs)


class Maximum(Merge):
    """The maximum, element by element, of a list of tensors."""

    def merge(self, inputs: list[Any]) -> Any:
        """The maximum."""
        return functools.reduce(larger, inputs)


class Minimum(Merge):
    """The minimum, element by element, of a list of tensors."""

    def merge(self, inputs: list[Any]) -> Any:
        """The minimum."""
        return functools.reduce(smaller, inputs)


class Concatenate(Merge):
    """A list of tensors one after the other along an axis, the last one when left out."""

    settings = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def merge(self, inputs: list[Any]) -> Any:
        """The tensors in one. Raises `InvalidArgumentError` where the other axes differ."""
        shapes = [each.static_shape for each in inputs]
        if all(each is not None for each in shapes):
            kept = [
                [size for axis, size in enumerate(each) if axis != self.axis % max(len(each), 1)] for each in shapes
            ]
            ranks = {len(each) for each in kept}
            sizes = [{size for size in axis if size is not None} for axis in zip(*kept, strict=False)]
            if len(ranks) > 1 or any(len(each) > 1 for each in sizes):
                raise InvalidArgumentError(
                    "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
                    f"Received: input_shape={shapes}"
                )
        return concat(inputs, self.axis)

    def compute_mask(self, inputs: Any, mask: object = None) -> Any:
        """The masks one after the other; along an axis that masks do not have, where any of them is True.

        Inputs without a mask count as True. None where there are no masks at all.
        """
        if not isinstance(mask, (list, tuple)) or all(each is None for each in mask):
            return None
        rank = max(len(each.static_shape) for each in mask if each is not None)
        wide = []
        for tensor, each in zip(inputs, mask, strict=True):
            found = ones_like(tensor, "bool")
            if each is not None:
                found = logical_and(found, each[(..., *[None] * (len(tensor.static_shape) - len(each.static_shape)))])
            wide.append(found)
        joined: Any = concat(wide, self.axis)
        return reduce_any(joined, list(range(rank, len(joined.static_shape))))


class Dot(Merge):
    """The sums of products of two tensors along an axis of each, sample by sample.

    With ``normalize`` both are divided by their norms along it before, which gives cosines.
    """

    settings = ("axes", "normalize")
    least = 2

    def __init__(self, axes: int | Sequence[int], normalize: bool = False, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.axes = axes if isinstance(axes, int) else tuple(axes)
        self.normalize = normalize

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """None: the axes of masks are gone."""
        return None

    def merge(self, inputs: list[Any]) -> Any:
        """The products, (batch, …); (batch, 1) for two inputs of rank 2."""
        first, second = inputs
        ranks = len(first.static_shape), len(second.static_shape)
        if not {2, 3}.issuperset(ranks):
            raise InvalidArgumentError(f"a Dot layer takes tensors of rank 2 and 3, not {ranks}")
        axes = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        one, other = (axis % rank for axis, rank in zip(axes, ranks, strict=True))
        if self.normalize:
            first, second = l2_normalize(first, one), l2_normalize(second, other)
        first = transpose(first, [*(axis for axis in range(ranks[0]) if axis != one), one])
        second = transpose(second, [0, other, *(axis for axis in range(1, ranks[1]) if axis != other)])
        if ranks == (2, 2):
            return matmul(expand_dims(first, 1), expand_dims(second, 2))[:, :, 0]
        if ranks[0] == 2:
            return matmul(expand_dims(first, 1), second)[:, 0]
        return matmul(first, second) if ranks[1] == 3 else matmul(first, expand_dims(second, 2))[:, :, 0]


def add(inputs: list[Any], **kwargs: object) -> Any:
    """As ``Add(**kwargs)(inputs)``."""
    return Add(**kwargs)(inputs)


def average(inputs: list[Any], **kwargs: object) -> Any:
    """As ``Average(**kwargs)(inputs)``."""
    return Average(**kwargs)(inputs)


def concatenate(inputs: list[Any], axis: int = -1, **kwargs: object) -> Any:
    """As ``Concatenate(axis, **kwargs)(inputs)``."""
    return Concatenate(axis, **kwargs)(inputs)


def subtract(inputs: list[Any], **kwargs: object) -> Any:
    """As ``Subtract(**kwargs)(inputs)``."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs: list[Any], **kwargs: object) -> Any:
    """As ``Multiply(**kwargs)(inputs)``."""
    return Multiply(**kwargs)(inputs)


def maximum(inputs: list[Any], **kwargs: object) -> Any:
    """As ``Maximum(**kwargs)(inputs)``."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs: list[Any], **kwargs: object) -> Any:
    """As ``Minimum(**kwargs)(inputs)``."""
    return Minimum(**kwargs)(inputs)


def dot(inputs: list[Any], axes: Any = -1, **kwargs: Any) -> Any:
    """As ``Dot(axes, **kwargs)(inputs)``."""
    return Dot(axes, **kwargs)(inputs)
