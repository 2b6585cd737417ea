"""Poolings over sequences, images and volumes: one number for each window, or for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.reduce.pooling import avg_pool, max_pool
from autograph.runtime.ops.reduce.reduce import reduce_max, reduce_mean, reduce_sum

from ..base.layer import InputSpec, Layer
from .core import in_own_dtype
from .geometry import axes_order, checked_format, checked_padding, per_axis

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import Ints

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "AvgPool1D", "AvgPool2D", "AvgPool3D",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D", "GlobalAvgPool1D", "GlobalAvgPool2D",
    "GlobalAvgPool3D", "GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalMaxPool3D", "GlobalMaxPooling1D",
    "GlobalMaxPooling2D", "GlobalMaxPooling3D", "MaxPool1D", "MaxPool2D", "MaxPool3D", "MaxPooling1D", "MaxPooling2D",
    "MaxPooling3D",
]  # fmt: skip


class Pooling(Layer):
    """One number for each window along ``rank`` spatial axes, by ``pool``.

    The size of the windows is 2 when left out, and so far are they apart. Raises `ValueError` for settings that can't
    be.
    """

    settings = ("pool_size", "padding", "strides", "data_format")
    rank: int
    pool: Callable[..., Any]

    def __init__(
        self, pool_size: Ints = 2, strides: Ints | None = None, padding: str = "valid", data_format: str | None = None,
        name: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.pool_size = per_axis("pool_size", pool_size, self.rank)
        self.strides = self.pool_size if strides is None else per_axis("strides", strides, self.rank)
        self.padding = checked_padding(padding)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.built = True

    def call(self, inputs: object) -> Any:
        """The numbers; elements of the padding do not count."""
        order = axes_order(self.data_format, self.rank)
        return type(self).pool(inputs, self.pool_size, self.strides, self.padding.upper(), order)


class MaxPooling(Pooling):
    """The maximum of each window"""

    pool = staticmethod(max_pool)


class AveragePooling(Pooling):
    """The mean of each window"""

    pool = staticmethod(avg_pool)


class GlobalPooling(Layer):
    """One number for each channel, over all spatial axes; with ``keepdims`` these stay, with length 1."""

    settings = ("data_format", "keepdims")
    rank: int

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.built = True

    @property
    def _axes(self) -> list[int]:
        first = 1 if self.data_format == "channels_last" else 2
        return list(range(first, first + self.rank))


class GlobalAveragePooling(GlobalPooling):
    """The means over all spatial axes"""

    def call(self, inputs: object) -> Any:
        """The means."""
        return reduce_mean(in_own_dtype(self, inputs), self._axes, self.keepdims)


class GlobalMaxPooling(GlobalPooling):
    """The maxima over all spatial axes"""

    def call(self, inputs: object) -> Any:
        """The maxima."""
        return reduce_max(inputs, self._axes, self.keepdims)


class GlobalAveragePooling1D(GlobalAveragePooling):
    """The means over time: (batch, time, channels) to (batch, channels). Steps that a mask leaves out do not count."""

    rank = 1

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: object) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The means."""
        if mask is None:
            return super().call(inputs)
        inputs = in_own_dtype(self, inputs)
        weights = cast(mask, inputs.dtype)
        weights = weights[:, :, None] if self.data_format == "channels_last" else weights[:, None, :]
        total = reduce_sum(inputs * weights, self._axes, self.keepdims)
        return total / reduce_sum(weights, self._axes, self.keepdims)

    def compute_mask(self, inputs: object, mask: object = None) -> Any:
        """None: there is no time any more."""
        return None


_AXES = {1: ("time",), 2: ("height", "width"), 3: ("depth", "height", "width")}


def _for_rank(base: Any, rank: int) -> Any:
    """The class of a pooling for inputs with so many spatial axes: `MaxPooling2D`, of `MaxPooling`."""
    before, after = ", ".join(_AXES[rank]), "" if base.__name__.startswith("Global") else "', ".join((*_AXES[rank], ""))
    doc = f"{base.__doc__}: (batch, {before}, channels) to (batch, {after}channels)."
    return type(f"{base.__name__}{rank}D", (base,), {"rank": rank, "__doc__": doc, "__module__": __name__})


MaxPooling1D, MaxPooling2D, MaxPooling3D = (_for_rank(MaxPooling, rank) for rank in _AXES)
AveragePooling1D, AveragePooling2D, AveragePooling3D = (_for_rank(AveragePooling, rank) for rank in _AXES)
GlobalAveragePooling2D, GlobalAveragePooling3D = (_for_rank(GlobalAveragePooling, rank) for rank in (2, 3))
GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D = (_for_rank(GlobalMaxPooling, rank) for rank in _AXES)

MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
GlobalAvgPool1D, GlobalMaxPool1D = GlobalAveragePooling1D, GlobalMaxPooling1D
GlobalAvgPool2D, GlobalMaxPool2D = GlobalAveragePooling2D, GlobalMaxPooling2D
GlobalAvgPool3D, GlobalMaxPool3D = GlobalAveragePooling3D, GlobalMaxPooling3D
