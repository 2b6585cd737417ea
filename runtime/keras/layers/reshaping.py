"""Layers that change shapes, and layers that put several inputs together."""

from __future__ import annotations

import functools
import math
from typing import Any

from autograph.errors import InvalidArgumentError

from ...ops.joining import concat, pad, repeat
from ...ops.linalg import matmul
from ...ops.math import maximum, minimum
from ...ops.nn import l2_normalize
from ...ops.shape import expand_dims, reshape, shape, transpose
from ..layer import InputSpec, Layer

__all__ = [
    "Add", "Average", "Concatenate", "Dot", "Flatten", "Maximum", "Minimum", "Multiply", "Permute", "RepeatVector",
    "Reshape", "Subtract", "UpSampling2D", "ZeroPadding2D", "add", "average", "concatenate",
]  # fmt: skip


class Flatten(Layer):
    """Inputs (batch, …) to outputs (batch, n), where n is the product of the other dimensions; (batch,) to (batch, 1).

    With ``data_format="channels_first"`` the second axis is moved to the end before.
    """

    settings = ("data_format",)

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The flattened inputs."""
        known = inputs.static_shape
        if known is None:
            return reshape(inputs, [shape(inputs)[0], -1])
        if self.data_format == "channels_first" and len(known) > 1:
            inputs = transpose(inputs, [0, *range(2, len(known)), 1])
        size = None if None in known[1:] else math.prod(known[1:])
        if known[0] is not None:
            return reshape(inputs, [known[0], -1 if size is None else size])
        return reshape(inputs, [shape(inputs)[0] if size is None else -1, -1 if size is None else size])


class Reshape(Layer):
    """Inputs (batch, …) to outputs (batch, *target_shape), of which one may be -1: what is left."""

    settings = ("target_shape",)

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        target = (target_shape,) if isinstance(target_shape, int) else tuple(target_shape)
        if sum(size == -1 for size in target) > 1:
            raise ValueError(
                f"The `target_shape` of a Reshape layer may have one -1 at most. Received: target_shape={target}"
            )
        self.target_shape = target
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs in the target shape. Raises `InvalidArgumentError` when the numbers of elements differ."""
        known = inputs.static_shape
        target = self.target_shape
        if known is not None and None not in known[1:]:
            size, wanted = math.prod(known[1:]), math.prod(each for each in target if each != -1)
            if (size != wanted) if -1 not in target else (wanted == 0 or size % wanted):
                raise InvalidArgumentError(
                    f"The total size of the tensor must be unchanged. Received: input_shape={known[1:]}, "
                    f"target_shape={target}"
                )
            target = tuple(size // wanted if each == -1 else each for each in target)
        batch = known[0] if known is not None and known[0] is not None else -1 if -1 not in target else shape(inputs)[0]
        return reshape(inputs, [batch, *target])


class Permute(Layer):
    """The axes after the batch in another order, numbered from 1: ``Permute((2, 1))`` transposes matrices."""

    settings = ("dims",)

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The transposed inputs."""
        return transpose(inputs, [0, *self.dims])


class RepeatVector(Layer):
    """Inputs (batch, features) to outputs (batch, n, features)."""

    settings = ("n",)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.n = n
        self.input_spec = InputSpec(ndim=2)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The repeated rows."""
        return repeat(expand_dims(inputs, 1), self.n, 1)


class ZeroPadding2D(Layer):
    """Zeros around the two spatial axes of inputs (batch, height, width, channels)."""

    settings = ("padding", "data_format")

    def __init__(self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        each = (padding, padding) if isinstance(padding, int) else tuple(padding)
        self.padding = tuple((size, size) if isinstance(size, int) else tuple(size) for size in each)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=4)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The padded inputs."""
        around = list(map(list, self.padding))
        first = self.data_format == "channels_first"
        return pad(inputs, [[0, 0], [0, 0], *around] if first else [[0, 0], *around, [0, 0]])


class UpSampling2D(Layer):
    """Each row and column of inputs (batch, height, width, channels) several times: nearest neighbours."""

    settings = ("size", "data_format")

    def __init__(
        self, size: Any = (2, 2), data_format: str | None = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if interpolation != "nearest":
            raise ValueError(f"UpSampling2D knows interpolation='nearest' only, not {interpolation!r}")
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=4)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The enlarged inputs."""
        axis = 2 if self.data_format == "channels_first" else 1
        return repeat(repeat(inputs, self.size[0], axis), self.size[1], axis + 1)


class Merge(Layer):
    """A layer that takes a list of tensors and gives one; shapes broadcast."""

    settings: tuple[str, ...] = ()
    least = 1

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = False
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
        return functools.reduce(maximum, inputs)


class Minimum(Merge):
    """The minimum, element by element, of a list of tensors."""

    def merge(self, inputs: list[Any]) -> Any:
        """The minimum."""
        return functools.reduce(minimum, inputs)


class Concatenate(Merge):
    """A list of tensors one after the other along an axis, the last one when left out."""

    settings = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
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


class Dot(Merge):
    """The sums of products of two tensors along an axis of each, sample by sample.

    With ``normalize`` both are divided by their norms along it before, which gives cosines.
    """

    settings = ("axes", "normalize")
    least = 2

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes = axes if isinstance(axes, int) else tuple(axes)
        self.normalize = normalize

    def merge(self, inputs: list[Any]) -> Any:
        """The products, (batch, …); (batch, 1) for two inputs of rank 2."""
        first, second = inputs
        ranks = len(first.static_shape), len(second.static_shape)
        axes = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        one, other = (axis % rank for axis, rank in zip(axes, ranks, strict=True))
        if self.normalize:
            first, second = l2_normalize(first, one), l2_normalize(second, other)
        first = transpose(first, [*(axis for axis in range(ranks[0]) if axis != one), one])
        second = transpose(second, [0, other, *(axis for axis in range(1, ranks[1]) if axis != other)])
        if ranks == (2, 2):
            return matmul(expand_dims(first, 1), expand_dims(second, 2))[:, :, 0]
        if max(ranks) > 3:
            raise InvalidArgumentError(f"a Dot layer takes tensors of rank 2 and 3, not {ranks}")
        if ranks[0] == 2:
            return matmul(expand_dims(first, 1), second)[:, 0]
        return matmul(first, second) if ranks[1] == 3 else matmul(first, expand_dims(second, 2))[:, :, 0]


def add(inputs: list[Any], **kwargs: Any) -> Any:
    """As ``Add(**kwargs)(inputs)``."""
    return Add(**kwargs)(inputs)


def average(inputs: list[Any], **kwargs: Any) -> Any:
    """As ``Average(**kwargs)(inputs)``."""
    return Average(**kwargs)(inputs)


def concatenate(inputs: list[Any], axis: int = -1, **kwargs: Any) -> Any:
    """As ``Concatenate(axis, **kwargs)(inputs)``."""
    return Concatenate(axis, **kwargs)(inputs)


def checked_format(data_format: str | None) -> str:
    """The order of axes of images: ``"channels_last"`` when left out. Raises `ValueError` for other words."""
    if data_format is None:
        return "channels_last"
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            "The `data_format` argument must be one of 'channels_first', 'channels_last'. Received: "
            f"data_format={data_format}"
        )
    return data_format
