"""Poolings to a number of windows, whatever the size of the inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ops.infer import require
from autograph.runtime.ops.reduce.reduce import reduce_max, reduce_mean
from autograph.runtime.ops.shape.joining import stack

from ..base.layer import InputSpec, Layer
from .core import in_own_dtype
from .geometry import checked_format, per_axis

__all__ = [
    "AdaptiveAveragePooling1D", "AdaptiveAveragePooling2D", "AdaptiveAveragePooling3D", "AdaptiveMaxPooling1D",
    "AdaptiveMaxPooling2D", "AdaptiveMaxPooling3D",
]  # fmt: skip


class AdaptivePooling(Layer):
    """One number for each of ``output_size`` windows along spatial axes, by ``pool``.

    Window ``i`` of ``n`` goes from ``floor(i * size / n)`` to ``ceil((i + 1) * size / n)``. Spatial axes must be
    known. Raises `ValueError` for settings that can't be.
    """

    settings = ("output_size", "data_format")
    rank: int
    pool: Callable[..., Any]

    def __init__(self, output_size: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.output_size = per_axis("output_size", output_size, self.rank)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The numbers."""
        inputs = in_own_dtype(self, inputs)
        for axis, count in enumerate(self.output_size, 1 if self.data_format == "channels_last" else 2):
            size = inputs.shape[axis]
            require(size is not None, f"{type(self).__name__} needs to know the sizes of its inputs, but their shape "
                    f"is {inputs.shape}")  # fmt: skip
            front = [slice(None)] * axis
            windows = [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
            inputs = stack([type(self).pool(inputs[(*front, window)], axis) for window in windows], axis)
        return inputs


def _layer(name: str, rank: int, pool: Callable[..., Any], words: str) -> Any:
    axes = ("time", "height, width", "depth, height, width")[rank - 1]
    doc = f"{words} of each of ``output_size`` windows of inputs (batch, {axes}, channels); see `AdaptivePooling`."
    members = {"rank": rank, "pool": staticmethod(pool), "__doc__": doc, "__module__": __name__}
    return type(f"{name}{rank}D", (AdaptivePooling,), members)


AdaptiveAveragePooling1D = _layer("AdaptiveAveragePooling", 1, reduce_mean, "The mean")
AdaptiveAveragePooling2D = _layer("AdaptiveAveragePooling", 2, reduce_mean, "The mean")
AdaptiveAveragePooling3D = _layer("AdaptiveAveragePooling", 3, reduce_mean, "The mean")
AdaptiveMaxPooling1D = _layer("AdaptiveMaxPooling", 1, reduce_max, "The maximum")
AdaptiveMaxPooling2D = _layer("AdaptiveMaxPooling", 2, reduce_max, "The maximum")
AdaptiveMaxPooling3D = _layer("AdaptiveMaxPooling", 3, reduce_max, "The maximum")
