"""Layers that normalise, and layers that add noise while training."""

from __future__ import annotations

from typing import Any

from ...ops.dropout import dropout
from ...ops.elementwise import cast
from ...ops.math import rsqrt, square
from ...ops.random import normal
from ...ops.reduce import reduce_mean, reduce_sum
from ...ops.shape import reshape, shape
from .. import constraints, initializers, regularizers
from ..layer import InputSpec, Layer
from .core import known_dimension

__all__ = ["BatchNormalization", "Dropout", "GaussianNoise", "LayerNormalization", "SpatialDropout1D"]


class BatchNormalization(Layer):
    """``gamma * (x - mean) / sqrt(variance + epsilon) + beta`` (Ioffe & Szegedy, 2015), for each index of an axis.

    While training, mean and variance are those of the batch, and the moving ones go towards them:
    ``moving = moving * momentum + batch * (1 - momentum)``. Else, and with ``trainable = False``, the moving ones are
    used. Weights, each (n,): ``gamma``, ``beta``, ``moving_mean``, ``moving_variance``. Steps that a mask leaves out
    do not count.
    """

    settings = (
        "axis", "momentum", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer",
        "moving_mean_initializer", "moving_variance_initializer", "beta_regularizer", "gamma_regularizer",
        "beta_constraint", "gamma_constraint", "synchronized", "renorm", "renorm_clipping", "renorm_momentum",
    )  # fmt: skip
    synchronized, renorm, renorm_clipping, renorm_momentum = False, False, None, 0.99

    def __init__(
        self, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones", beta_regularizer: Any = None, gamma_regularizer: Any = None,
        beta_constraint: Any = None, gamma_constraint: Any = None, **kwargs: Any
    ) -> None:  # fmt: skip
        for name, only in (("synchronized", False), ("renorm", False), ("renorm_clipping", None)):
            if kwargs.pop(name, only) != only:
                raise ValueError(f"BatchNormalization knows {name}={only} only")
        kwargs.pop("renorm_momentum", None)
        super().__init__(**kwargs)
        self.axis = int(axis)
        self.momentum = float(momentum)
        self.epsilon = float(epsilon)
        self.center = center
        self.scale = scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.supports_masking = True
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the weights; the size of the axis must be known."""
        size = (known_dimension(self, input_shape, self.axis),)
        if self.scale:
            self.gamma = self.add_weight(
                size, self.gamma_initializer, name="gamma", regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )  # fmt: skip
        if self.center:
            self.beta = self.add_weight(
                size, self.beta_initializer, name="beta", regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )  # fmt: skip
        self.moving_mean = self.add_weight(size, self.moving_mean_initializer, trainable=False, name="moving_mean")
        self.moving_variance = self.add_weight(
            size, self.moving_variance_initializer, trainable=False, name="moving_variance"
        )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: size[0]})

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The normalised inputs."""
        rank = len(inputs.static_shape)
        axis = self.axis % rank
        if mask is not None and len(mask.static_shape) != rank - 1:
            mask = None
        if training and self.trainable:
            mean, variance = _moments(inputs, [each for each in range(rank) if each != axis], mask)
            self.moving_mean.assign(self.moving_mean * self.momentum + mean * (1.0 - self.momentum))
            self.moving_variance.assign(self.moving_variance * self.momentum + variance * (1.0 - self.momentum))
        else:
            mean, variance = self.moving_mean.value(), self.moving_variance.value()
        factor = rsqrt(variance + self.epsilon)
        if self.scale:
            factor = factor * self.gamma.value()
        shift = -mean * factor
        if self.center:
            shift = shift + self.beta.value()
        if axis != rank - 1:
            ones = [-1 if each == axis else 1 for each in range(rank)]
            factor, shift = reshape(factor, ones), reshape(shift, ones)
        return inputs * factor + shift


def _moments(inputs: Any, axes: list[int], mask: Any) -> tuple[Any, Any]:
    """Mean and variance over axes; of the steps that a mask has, when there is one."""
    if mask is None:
        mean = reduce_mean(inputs, axes, keepdims=True)
        variance = reduce_mean(square(inputs - mean), axes)
        return reshape(mean, shape(variance)), variance
    weights = cast(mask, inputs.dtype)[..., None]
    count = reduce_sum(weights, axes, keepdims=True) + 1e-7
    mean = reduce_sum(weights * inputs, axes, keepdims=True) / count
    variance = reduce_sum(weights * square(inputs - mean), axes, keepdims=True) / count
    return mean[(0,) * len(axes)], variance[(0,) * len(axes)]


class LayerNormalization(Layer):
    """``gamma * (x - mean) / sqrt(variance + epsilon) + beta`` (Ba et al., 2016), for each sample along an axis.

    Weights ``gamma`` and ``beta`` have the size of the axis, or of several axes.
    """

    settings = (
        "axis", "epsilon", "center", "scale", "rms_scaling", "beta_initializer", "gamma_initializer",
        "beta_regularizer", "gamma_regularizer", "beta_constraint", "gamma_constraint",
    )  # fmt: skip
    rms_scaling = False

    def __init__(
        self, axis: Any = -1, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", beta_regularizer: Any = None,
        gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None, **kwargs: Any
    ) -> None:  # fmt: skip
        if kwargs.pop("rms_scaling", False):
            raise ValueError("LayerNormalization knows rms_scaling=False only")
        super().__init__(**kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}")
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.epsilon = float(epsilon)
        self.center = center
        self.scale = scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.supports_masking = True
        self.gamma: Any = None
        self.beta: Any = None

    @property
    def _axes(self) -> list[int]:
        return [self.axis] if isinstance(self.axis, int) else self.axis

    def build(self, input_shape: Any) -> None:
        """Make the weights; the sizes of the axes must be known."""
        sizes = tuple(known_dimension(self, input_shape, axis) for axis in self._axes)
        if self.scale:
            self.gamma = self.add_weight(
                sizes, self.gamma_initializer, name="gamma", regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )  # fmt: skip
        if self.center:
            self.beta = self.add_weight(
                sizes, self.beta_initializer, name="beta", regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )  # fmt: skip

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        rank = len(inputs.static_shape)
        axes = [axis % rank for axis in self._axes]
        mean = reduce_mean(inputs, axes, keepdims=True)
        variance = reduce_mean(square(inputs - mean), axes, keepdims=True)
        outputs = (inputs - mean) * rsqrt(variance + self.epsilon)
        around = [inputs.static_shape[axis] if axis in axes else 1 for axis in range(rank)]
        if self.scale:
            outputs = outputs * reshape(self.gamma.value(), around)
        return outputs + reshape(self.beta.value(), around) if self.center else outputs


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
            raise ValueError(
                "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: "
                f"rate={rate}"
            )
        self.rate = rate
        self.seed = seed
        self.noise_shape = None if noise_shape is None else tuple(noise_shape)
        self.supports_masking = True
        self.built = True

    def _noise_shape_for(self, inputs: Any) -> Any:
        return self.noise_shape

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, with dropped elements while training."""
        if not training or self.rate == 0:
            return inputs
        if self.rate == 1:
            return inputs * 0
        return dropout(inputs, self.rate, self._noise_shape_for(inputs), self.seed)


class SpatialDropout1D(Dropout):
    """As `Dropout`, of whole features of inputs (batch, time, features)."""

    settings = ("rate", "seed")

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(rate, seed=seed, **kwargs)
        self.input_spec = InputSpec(ndim=3)

    def _noise_shape_for(self, inputs: Any) -> Any:
        return (None, 1, None)


class GaussianNoise(Layer):
    """While training, normally distributed numbers with the standard deviation ``stddev`` are added."""

    settings = ("stddev", "seed")

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= stddev <= 1:
            raise ValueError(
                "Invalid value received for argument `stddev`. Expected a float value between 0 and 1. Received: "
                f"stddev={stddev}"
            )
        self.stddev = stddev
        self.seed = seed
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, noisy while training."""
        if not training or self.stddev == 0:
            return inputs
        return inputs + normal(shape(inputs), 0.0, self.stddev, inputs.dtype, self.seed)
