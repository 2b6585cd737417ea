"""Activation functions with settings or weights of their own, as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import maximum

from .. import activations
from ..base.layer import InputSpec, Layer
from .core import in_own_dtype, known_dimension
from .described import add_described, describe

if TYPE_CHECKING:
    from ..base.registry import Identifier

__all__ = ["ELU", "LeakyReLU", "PReLU", "Softmax", "ThresholdedReLU"]


class _Elementwise(Layer):
    """An activation without weights, which keeps masks."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True


class LeakyReLU(_Elementwise):
    """``x`` where it is not negative, ``negative_slope * x`` elsewhere (Maas et al., 2013)."""

    settings = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.3, **kwargs: Any) -> None:
        negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        if negative_slope is None or negative_slope < 0:
            raise InvalidArgumentError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. "
                f"Expected a float. Received: negative_slope={negative_slope}"
            )
        self.negative_slope = negative_slope

    def call(self, inputs: object) -> Any:
        """The activation."""
        return activations.leaky_relu(in_own_dtype(self, inputs), self.negative_slope)


class ThresholdedReLU(_Elementwise):
    """``x`` where it is greater than ``theta``, else 0 (Konda et al., 2015).

    Raises `ValueError` for a ``theta`` that is None or below 0.
    """

    settings = ("theta",)

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if theta is None:
            raise InvalidArgumentError(
                f"Theta of a Thresholded ReLU layer cannot be None, expecting a float. Received: {theta}"
            )
        if theta < 0:
            raise InvalidArgumentError(
                f"The theta value of a Thresholded ReLU layer should be >=0. Received: {theta}"
            )
        self.theta = float(theta)

    def call(self, inputs: object) -> Any:
        """The activation."""
        x = in_own_dtype(self, inputs)
        return x * cast(x > self.theta, x.dtype)


class ELU(_Elementwise):
    """``x`` where it is positive, ``alpha * (exp(x) - 1)`` elsewhere (Clevert et al., 2016)."""

    settings = ("alpha",)

    def __init__(self, alpha: float = 1.0, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: object) -> Any:
        """The activation."""
        return activations.elu(in_own_dtype(self, inputs), self.alpha)


class Softmax(_Elementwise):
    """``exp(x) / sum(exp(x))`` along an axis, or several; where a mask is False the result is 0."""

    settings = ("axis",)

    def __init__(self, axis: Any = -1, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: object = None) -> Any:
        """The activation."""
        return activations.softmax(inputs, self.axis) if mask is None else masked_softmax(inputs, mask, self.axis)


def masked_softmax(inputs: Any, mask: Any, axis: Any = -1) -> Any:
    """The softmax of the inputs where a mask is True, 0 elsewhere."""
    mask = cast(mask, "bool")
    found = activations.softmax(where(mask, inputs, -1e9 if inputs.dtype.size > 2 else -3e4), axis)
    return found * cast(mask, found.dtype)


class PReLU(Layer):
    """``x`` where it is not negative, ``alpha * x`` elsewhere, with a learnt ``alpha`` for each feature.

    See He et al., 2015.

    ``shared_axes``: the axes along which ``alpha`` is shared, such as those of images; it has length 1 there.
    """

    settings = ("alpha_initializer", "alpha_regularizer", "alpha_constraint", "shared_axes")

    def __init__(
        self, alpha_initializer: Identifier = "Zeros", alpha_regularizer: Identifier = None,
        alpha_constraint: Identifier = None, shared_axes: object = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.supports_masking = True
        describe(self, "alpha", alpha_initializer, alpha_regularizer, alpha_constraint)
        self.shared_axes = None if shared_axes is None else list(
            shared_axes if isinstance(shared_axes, (list, tuple)) else [shared_axes]
        )  # fmt: skip
        self.alpha: Any = None

    def build(self, input_shape: Any) -> None:
        """Make ``alpha``; the sizes of axes that do not share it must be known."""
        shared = self.shared_axes or ()
        sizes = [1 if axis in shared else known_dimension(self, input_shape, axis)
                 for axis in range(1, len(input_shape))]  # fmt: skip
        self.alpha = add_described(self, "alpha", sizes)
        own: dict[int, int | None] = {axis: size for axis, size in enumerate(sizes, 1) if axis not in shared}
        self.input_spec = InputSpec(ndim=len(input_shape), axes=own)

    def call(self, inputs: Any) -> Any:
        """The activation."""
        inputs = in_own_dtype(self, inputs)
        return maximum(inputs, 0.0) - self.alpha.value() * maximum(-inputs, 0.0)
