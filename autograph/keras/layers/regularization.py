"""Layers that add noise while training, or losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.dropout import dropout
from autograph.runtime.ops.elementwise.elementwise import where
from autograph.runtime.ops.elementwise.math import multiply
from autograph.runtime.ops.random.random import normal, uniform
from autograph.runtime.ops.shape.shape import shape

from ..base.layer import InputSpec, Layer
from ..regularizers import L1L2
from .geometry import checked_format

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "ActivityRegularization", "AlphaDropout", "Dropout", "GaussianDropout", "GaussianNoise", "SpatialDropout1D",
    "SpatialDropout2D", "SpatialDropout3D",
]  # fmt: skip


class Dropout(Layer):
    """While training, each element is zero with the probability ``rate``, else multiplied by ``1 / (1 - rate)``.

    With a ``noise_shape`` that broadcasts, elements along its axes of size 1 share their fate. The random numbers are
    those of `tf.random`, which `tf.random.set_seed` and ``seed`` make reproducible. Raises `ValueError` for a rate
    outside of 0 to 1.
    """

    settings: tuple[str, ...] = ("rate", "seed", "noise_shape")

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= 1:
            raise InvalidArgumentError(
                "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: "
                f"rate={rate}"
            )
        self.rate = rate
        self.seed = seed
        self.noise_shape = None if noise_shape is None else tuple(noise_shape)
        self.supports_masking = True
        self.built = True

    def _noise_shape_for(self, inputs: TensorLike) -> Any:
        return self.noise_shape

    def call(self, inputs: Any, training: bool | Tensor | None = False) -> Any:
        """The inputs, with dropped elements while training."""
        if not training or self.rate == 0:
            return inputs
        if self.rate == 1:
            return inputs * 0
        return dropout(inputs, self.rate, self._noise_shape_for(inputs), self.seed)


class SpatialDropout1D(Dropout):
    """As `Dropout`, of whole features of inputs (batch, time, features)."""

    settings = ("rate", "seed")

    def __init__(self, rate: float, seed: int | None = None, **kwargs: object) -> None:
        super().__init__(rate, seed=seed, **kwargs)
        self.input_spec = InputSpec(ndim=3)

    def _noise_shape_for(self, inputs: TensorLike) -> Any:
        return (None, 1, None)


class _SpatialDropout(Dropout):
    """As `Dropout`, of whole channels of images or volumes."""

    settings = ("rate", "seed", "data_format")
    rank: int

    def __init__(self, rate: float, data_format: str | None = None, seed: int | None = None, **kwargs: object) -> None:
        super().__init__(rate, seed=seed, **kwargs)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _noise_shape_for(self, inputs: TensorLike) -> Any:
        ones = (1,) * self.rank
        return (None, *ones, None) if self.data_format == "channels_last" else (None, None, *ones)


class SpatialDropout2D(_SpatialDropout):
    """As `Dropout`, of whole channels of inputs (batch, height, width, channels)."""

    rank = 2


class SpatialDropout3D(_SpatialDropout):
    """As `Dropout`, of whole channels of inputs (batch, depth, height, width, channels)."""

    rank = 3


class GaussianNoise(Layer):
    """While training, normally distributed numbers with the standard deviation ``stddev`` are added."""

    settings = ("stddev", "seed")

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= stddev <= 1:
            raise InvalidArgumentError(
                "Invalid value received for argument `stddev`. Expected a float value between 0 and 1. Received: "
                f"stddev={stddev}"
            )
        self.stddev = stddev
        self.seed = seed
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, training: bool | Tensor | None = False) -> Any:
        """The inputs, noisy while training."""
        if not training or self.stddev == 0:
            return inputs
        return inputs + normal(shape(inputs), 0.0, self.stddev, inputs.dtype, self.seed)


class GaussianDropout(Dropout):
    """While training, inputs are multiplied by normally distributed numbers of mean 1 (Srivastava et al., 2014).

    Their standard deviation is ``sqrt(rate / (1 - rate))``. Raises `ValueError` for a rate outside of 0 to 1.
    """

    settings = ("rate", "seed")

    def __init__(self, rate: float, seed: int | None = None, **kwargs: object) -> None:
        super().__init__(rate, seed=seed, **kwargs)

    def call(self, inputs: Any, training: object = False) -> Any:
        """The inputs, noisy while training."""
        if not training or self.rate == 0:
            return inputs
        deviation = (self.rate / (1.0 - self.rate)) ** 0.5
        return multiply(inputs, normal(shape(inputs), 1.0, deviation, inputs.dtype, self.seed))


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance of what `selu` gives (Klambauer et al., 2017).

    Dropped elements become ``-scale * alpha``, the lower limit of `selu`; then ``a * x + b`` restores mean 0 and
    variance 1.
    """

    settings = ("rate", "seed", "noise_shape")

    def call(self, inputs: Any, training: bool | Tensor | None = False) -> Any:
        """The inputs, with dropped elements while training."""
        if not training or self.rate == 0:
            return inputs
        limit = -1.0507009873554805 * 1.6732632423543772
        sizes: Any = shape(inputs)
        if self.noise_shape is not None:
            sizes = [sizes[axis] if size is None else size for axis, size in enumerate(self.noise_shape)]
        kept = uniform(sizes, 0.0, 1.0, inputs.dtype, self.seed) >= self.rate
        a = ((1 - self.rate) * (1 + self.rate * limit**2)) ** -0.5
        return a * where(kept, inputs, limit) - a * limit * self.rate


class ActivityRegularization(Layer):
    """Adds ``l1 * sum(abs(x)) + l2 * sum(x ** 2)`` to the losses; the outputs are the inputs."""

    settings = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1, l2), **kwargs)
        self.supports_masking = True
        self.l1 = l1
        self.l2 = l2
        self.built = True

    def call(self, inputs: object) -> Any:
        """The inputs."""
        return inputs
