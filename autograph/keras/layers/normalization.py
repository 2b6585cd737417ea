"""Layers that normalise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.distribute.context import summed_over_replicas
from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import rsqrt, square
from autograph.runtime.ops.elementwise.nn import l2_normalize
from autograph.runtime.ops.reduce.reduce import reduce_mean, reduce_sum
from autograph.runtime.ops.shape.create import ones_like
from autograph.runtime.ops.shape.shape import reshape, shape

from .. import initializers
from ..base.layer import InputSpec, Layer
from .core import in_own_dtype, known_dimension
from .described import add_described, describe

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike
    from autograph.runtime.tensors.tensor import Tensor

    from ..base.registry import Identifier

__all__ = [
    "BatchNormalization", "GroupNormalization", "LayerNormalization", "RMSNormalization", "UnitNormalization",
]  # fmt: skip


class BatchNormalization(Layer):
    """``gamma * (x - mean) / sqrt(variance + epsilon) + beta`` (Ioffe & Szegedy, 2015), for each index of an axis.

    While training, mean and variance are those of the batch, and the moving ones go towards them:
    ``moving = moving * momentum + batch * (1 - momentum)``. Else, and with ``trainable = False``, the moving ones are
    used. Weights, each (n,): ``gamma``, ``beta``, ``moving_mean``, ``moving_variance``. Steps that a mask leaves out
    do not count. In replicas of a strategy the batch is that of one, or with ``synchronized`` that of all.
    """

    settings = (
        "axis", "momentum", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer",
        "moving_mean_initializer", "moving_variance_initializer", "beta_regularizer", "gamma_regularizer",
        "beta_constraint", "gamma_constraint", "synchronized", "renorm", "renorm_clipping", "renorm_momentum",
    )  # fmt: skip
    renorm, renorm_clipping, renorm_momentum = False, None, 0.99

    def __init__(
        self, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Identifier = "zeros", gamma_initializer: Identifier = "ones",
        moving_mean_initializer: Identifier = "zeros", moving_variance_initializer: Identifier = "ones",
        beta_regularizer: Identifier = None, gamma_regularizer: Identifier = None, beta_constraint: Identifier = None,
        gamma_constraint: Identifier = None, **kwargs: Any
    ) -> None:  # fmt: skip
        self.synchronized = bool(kwargs.pop("synchronized", False))
        for name, only in (("renorm", False), ("renorm_clipping", None)):
            if kwargs.pop(name, only) != only:
                raise InvalidArgumentError(f"BatchNormalization knows {name}={only} only")
        kwargs.pop("renorm_momentum", None)
        super().__init__(**kwargs)
        self.axis = int(axis)
        self.momentum = float(momentum)
        self.epsilon = float(epsilon)
        self.center = center
        self.scale = scale
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        describe(self, "beta", beta_initializer, beta_regularizer, beta_constraint)
        describe(self, "gamma", gamma_initializer, gamma_regularizer, gamma_constraint)
        self.supports_masking = True
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the weights; the size of the axis must be known."""
        size = (known_dimension(self, input_shape, self.axis),)
        if self.scale:
            self.gamma = add_described(self, "gamma", size)
        if self.center:
            self.beta = add_described(self, "beta", size)
        self.moving_mean = self.add_weight(
            size, self.moving_mean_initializer, trainable=False, name="moving_mean", aggregation="mean"
        )
        self.moving_variance = self.add_weight(
            size, self.moving_variance_initializer, trainable=False, name="moving_variance", aggregation="mean"
        )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: size[0]})

    def call(self, inputs: Any, training: object = None, mask: Any = None) -> Any:
        """The normalised inputs."""
        inputs = in_own_dtype(self, inputs)
        rank = len(inputs.static_shape)
        axis = self.axis % rank
        if mask is not None and len(mask.static_shape) != rank - 1:
            mask = None
        if training and self.trainable:
            find = _moments_of_all_replicas if self.synchronized else _moments
            mean, variance = find(inputs, [each for each in range(rank) if each != axis], mask)
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


def _moments(inputs: Tensor, axes: list[int], mask: Tensor | None) -> tuple[Any, Any]:
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


def _moments_of_all_replicas(inputs: Tensor, axes: list[int], mask: Tensor | None) -> tuple[Any, Any]:
    """As `_moments`, of what all replicas have, which may be of different lengths."""
    weights = ones_like(inputs)
    if mask is not None:
        weights = weights * cast(mask, inputs.dtype)[..., None]
    sums = [reduce_sum(each, axes, keepdims=True) for each in (weights, weights * inputs)]
    count, total = summed_over_replicas(sums)
    mean = total / count
    (squares,) = summed_over_replicas([reduce_sum(weights * square(inputs - mean), axes)])
    return reshape(mean, shape(squares)), squares / reshape(count, shape(squares))


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
        self, axis: int | Sequence[int] = -1, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Identifier = "zeros", gamma_initializer: Identifier = "ones",
        beta_regularizer: Identifier = None, gamma_regularizer: Identifier = None, beta_constraint: Identifier = None,
        gamma_constraint: Identifier = None, **kwargs: Any
    ) -> None:  # fmt: skip
        if kwargs.pop("rms_scaling", False):
            raise InvalidArgumentError("LayerNormalization knows rms_scaling=False only")
        super().__init__(**kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise InvalidTypeError(
                f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}"
            )
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.epsilon = float(epsilon)
        self.center = center
        self.scale = scale
        describe(self, "beta", beta_initializer, beta_regularizer, beta_constraint)
        describe(self, "gamma", gamma_initializer, gamma_regularizer, gamma_constraint)
        self.supports_masking = True
        self.gamma: Any = None
        self.beta: Any = None

    @property
    def _axes(self) -> list[int]:
        return [self.axis] if isinstance(self.axis, int) else self.axis

    def build(self, input_shape: ShapeLike) -> None:
        """Make the weights; the sizes of the axes must be known."""
        sizes = tuple(known_dimension(self, input_shape, axis) for axis in self._axes)
        if self.scale:
            self.gamma = add_described(self, "gamma", sizes)
        if self.center:
            self.beta = add_described(self, "beta", sizes)

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        inputs = in_own_dtype(self, inputs)
        rank = len(inputs.static_shape)
        axes = [axis % rank for axis in self._axes]
        mean = reduce_mean(inputs, axes, keepdims=True)
        variance = reduce_mean(square(inputs - mean), axes, keepdims=True)
        outputs = (inputs - mean) * rsqrt(variance + self.epsilon)
        around = [inputs.static_shape[axis] if axis in axes else 1 for axis in range(rank)]
        return self._shifted(outputs, around)

    def _shifted(self, outputs: object, around: list[int]) -> Any:
        """The outputs times ``gamma`` plus ``beta``, which are reshaped."""
        if self.scale:
            outputs = outputs * reshape(self.gamma.value(), around)
        return outputs + reshape(self.beta.value(), around) if self.center else outputs


class GroupNormalization(LayerNormalization):
    """As `LayerNormalization`, over groups of the features along ``axis`` and all other axes (Wu & He, 2018).

    Weights ``gamma`` and ``beta`` have the size of the axis, which must be a multiple of ``groups``; -1 stands for a
    group for each feature.
    """

    settings = (
        "groups", "axis", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer", "beta_regularizer",
        "gamma_regularizer", "beta_constraint", "gamma_constraint",
    )  # fmt: skip

    def __init__(self, groups: int = 32, axis: int = -1, *args: Any, **kwargs: Any) -> None:
        super().__init__(axis, *args, **kwargs)
        self.groups = groups

    def build(self, input_shape: ShapeLike) -> None:
        """Make the weights; raises `ValueError` for a number of features that the groups do not share."""
        size = known_dimension(self, input_shape, self._axes[0])
        if self.groups == -1:
            self.groups = size
        if size < self.groups or size % self.groups:
            raise InvalidArgumentError(
                f"Number of groups ({self.groups}) must divide the number of channels ({size})."
            )
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        inputs = in_own_dtype(self, inputs)
        known = inputs.static_shape
        rank, dynamic = len(known), shape(inputs)
        axis = self._axes[0] % rank
        sizes = [dynamic[i] if known[i] is None else known[i] for i in range(rank)]
        grouped = reshape(inputs, [*sizes[:axis], self.groups, known[axis] // self.groups, *sizes[axis + 1 :]])
        axes = [i for i in range(1, rank + 1) if i != axis]
        mean = reduce_mean(grouped, axes, keepdims=True)
        variance = reduce_mean(square(grouped - mean), axes, keepdims=True)
        outputs = reshape((grouped - mean) * rsqrt(variance + self.epsilon), sizes)
        return self._shifted(outputs, [known[axis] if i == axis else 1 for i in range(rank)])


class RMSNormalization(Layer):
    """``x / sqrt(mean(x ** 2) + epsilon) * scale`` along an axis, or several (Zhang & Sennrich, 2019)."""

    settings = ("axis", "epsilon")

    def __init__(self, axis: int | Sequence[int] = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.epsilon = epsilon
        self.scale: Any = None

    @property
    def _axes(self) -> list[int]:
        return [self.axis] if isinstance(self.axis, int) else self.axis

    def build(self, input_shape: ShapeLike) -> None:
        """Make ``scale``; the sizes of the axes must be known."""
        sizes = tuple(known_dimension(self, input_shape, axis) for axis in self._axes)
        self.scale = self.add_weight(sizes, "ones", name="scale")

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        inputs = in_own_dtype(self, inputs)
        rank = len(inputs.static_shape)
        axes = [axis % rank for axis in self._axes]
        factor = rsqrt(reduce_mean(square(inputs), axes, keepdims=True) + self.epsilon)
        around = [inputs.static_shape[axis] if axis in axes else 1 for axis in range(rank)]
        return inputs * factor * reshape(self.scale.value(), around)


class UnitNormalization(Layer):
    """Inputs divided by their Euclidean norm along an axis, or several."""

    settings = ("axis",)

    def __init__(self, axis: int | Sequence[int] = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: object) -> Any:
        """The normalised inputs."""
        return l2_normalize(in_own_dtype(self, inputs), self.axis)
