"""Layers that change shapes."""

from __future__ import annotations

import math
from typing import Any

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.image.resizing import resize
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.shape.joining import pad, repeat
from autograph.runtime.ops.shape.shape import expand_dims, reshape, shape, transpose

from ..base.layer import InputSpec, Layer
from .geometry import checked_format, pairs, per_axis

__all__ = [
    "Cropping1D", "Cropping2D", "Cropping3D", "Flatten", "Permute", "RepeatVector", "Reshape", "UpSampling1D",
    "UpSampling2D", "UpSampling3D", "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D",
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
            raise InvalidArgumentError(
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
            raise InvalidArgumentError(
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
            raise InvalidTypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.n = n
        self.input_spec = InputSpec(ndim=2)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The repeated rows."""
        return repeat(expand_dims(inputs, 1), self.n, 1)


class Spatial(Layer):
    """A layer that changes ``rank`` spatial axes and keeps channels."""

    rank: int

    def _init_axes(self, data_format: str | None) -> None:
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.built = True

    @property
    def _first(self) -> int:
        """The first spatial axis."""
        return 2 if self.data_format == "channels_first" else 1


class ZeroPadding(Spatial):
    """Zeros around spatial axes: ``padding`` is a number, one for each axis, or a pair (before, after) for each."""

    settings = ("padding", "data_format")

    def __init__(self, padding: object = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.padding = pairs("padding", padding, self.rank)
        self._init_axes(data_format)

    def call(self, inputs: Any) -> Any:
        """The padded inputs."""
        around = [[0, 0] for _ in range(self.rank + 2)]
        around[self._first : self._first + self.rank] = map(list, self.padding)
        return pad(inputs, around)


class ZeroPadding1D(ZeroPadding):
    """Zeros before and after inputs (batch, time, features); see `ZeroPadding2D`."""

    rank = 1


class ZeroPadding2D(ZeroPadding):
    """Zeros around inputs (batch, height, width, channels).

    ``padding``: a number, one for each axis, or a pair (before, after) for each. Raises `ValueError` for another.
    """

    rank = 2


class ZeroPadding3D(ZeroPadding):
    """Zeros around inputs (batch, depth, height, width, channels); see `ZeroPadding2D`."""

    rank = 3


class Cropping(Spatial):
    """Elements before and after are left out: ``cropping`` as the ``padding`` of `ZeroPadding`."""

    settings = ("cropping", "data_format")

    def __init__(self, cropping: object = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cropping = pairs("cropping", cropping, self.rank)
        self._init_axes(data_format)

    def call(self, inputs: Any) -> Any:
        """The inner part of the inputs. Raises `ValueError` where nothing is left of a known axis."""
        known = inputs.static_shape[self._first : self._first + self.rank]
        for size, cut in zip(known, self.cropping, strict=True):
            if size is not None and sum(cut) >= size:
                raise InvalidArgumentError(
                    "Values in `cropping` parameter should be smaller than the corresponding spatial dimension of the "
                    f"input. Received: input_shape={inputs.static_shape}, cropping={self.cropping}"
                )
        kept = [slice(before, -after if after else None) for before, after in self.cropping]
        return inputs[(slice(None),) * self._first + tuple(kept)]


class Cropping1D(Cropping):
    """The inner part of inputs (batch, time, features); see `Cropping2D`."""

    rank = 1


class Cropping2D(Cropping):
    """The inner part of inputs (batch, height, width, channels).

    ``cropping``: how much is left out, as a number, one for each axis, or a pair (before, after) for each. Raises
    `ValueError` for another.
    """

    rank = 2

    def __init__(self, cropping: object = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: object) -> None:
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(Cropping):
    """The inner part of inputs (batch, depth, height, width, channels); see `Cropping2D`."""

    rank = 3


class UpSampling(Spatial):
    """Each element along spatial axes several times: nearest neighbours."""

    settings: tuple[str, ...] = ("size", "data_format")

    def __init__(self, size: object = 2, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = per_axis("size", size, self.rank)
        self._init_axes(data_format)

    def call(self, inputs: Any) -> Any:
        """The enlarged inputs."""
        for axis, size in enumerate(self.size, self._first):
            inputs = repeat(inputs, size, axis)
        return inputs


class UpSampling1D(UpSampling):
    """Each step of inputs (batch, time, features) several times."""

    rank = 1
    settings = ("size",)

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(size, **kwargs)
        self.size = size  # type: ignore[assignment]

    def call(self, inputs: Any) -> Any:
        """The longer inputs."""
        return repeat(inputs, self.size, 1)


_METHODS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic", "area")


class UpSampling2D(UpSampling):
    """Inputs (batch, height, width, channels), ``size`` times as high and wide.

    ``interpolation``: "nearest" (each row and column several times), "bilinear", "bicubic", "lanczos3", "lanczos5" or
    "area", as `tf.image.resize` has them. Raises `ValueError` for others.
    """

    rank = 2
    settings = ("size", "data_format", "interpolation")
    interpolation = "nearest"

    def __init__(
        self, size: object = (2, 2), data_format: str | None = None, interpolation: str = "nearest", **kwargs: object
    ) -> None:
        super().__init__(size, data_format, **kwargs)
        self.interpolation = interpolation.lower()
        require(self.interpolation in _METHODS, f"Invalid value for argument `interpolation`. Expected of one "
                f"{_METHODS}. Received: interpolation={interpolation}")  # fmt: skip

    def call(self, inputs: Any) -> Any:
        """The enlarged inputs."""
        if self.interpolation == "nearest":
            return super().call(inputs)
        first = self._first == 2
        images = transpose(inputs, (0, 2, 3, 1)) if first else inputs
        sizes = [shape(images)[i] if n is None else n for i, n in enumerate(images.shape[1:3], 1)]
        wanted = [size * factor for size, factor in zip(sizes, self.size, strict=True)]
        found = cast(resize(images, wanted, self.interpolation), inputs.dtype)
        return transpose(found, (0, 3, 1, 2)) if first else found


class UpSampling3D(UpSampling):
    """Each plane, row and column of inputs (batch, depth, height, width, channels) several times."""

    rank = 3
