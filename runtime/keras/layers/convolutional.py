"""Convolutions and poolings over images."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError

from ...ops.convolution import conv2d
from ...ops.pooling import avg_pool2d, max_pool2d
from ...ops.reduce import reduce_max, reduce_mean
from .. import activations, constraints, initializers, regularizers
from ..layer import InputSpec, Layer
from .core import known_dimension, positive
from .reshaping import checked_format

__all__ = [
    "AveragePooling2D", "AvgPool2D", "Conv2D", "Convolution2D", "GlobalAveragePooling2D", "GlobalAvgPool2D",
    "GlobalMaxPool2D", "GlobalMaxPooling2D", "MaxPool2D", "MaxPooling2D",
]  # fmt: skip


def _pair(name: str, value: Any) -> tuple[int, int]:
    """A setting for both spatial axes: one positive integer, or two."""
    both = (value, value) if not isinstance(value, (list, tuple)) else tuple(value)
    if len(both) != 2 or any(not isinstance(each, int) or isinstance(each, bool) or each < 1 for each in both):
        raise ValueError(f"The `{name}` argument must be a tuple of 2 positive integers. Received: {name}={value}")
    return both


def _padding(value: str) -> str:
    found = str(value).lower()
    if found not in ("valid", "same"):
        raise ValueError(f"The `padding` argument must be one of 'valid', 'same'. Received: padding={value}")
    return found


class Conv2D(Layer):
    """``activation(convolution(inputs, kernel) + bias)`` over images.

    Inputs (batch, height, width, channels) to outputs (batch, height', width', filters); channels come second in both
    with ``data_format="channels_first"``. Weights: ``kernel`` (*kernel_size, channels / groups, filters), ``bias``
    (filters,). Raises `ValueError` for settings that can't be.
    """

    settings = (
        "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "groups", "activation",
        "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
        "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
        data_format: str | None = None, dilation_rate: Any = (1, 1), groups: int = 1, activation: Any = None,
        use_bias: bool = True, kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = positive("filters", filters)
        self.groups = positive("groups", groups)
        if self.filters % self.groups:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. "
                f"Received: groups={groups}, filters={filters}."
            )
        self.kernel_size = _pair("kernel_size", kernel_size)
        self.strides = _pair("strides", strides)
        self.dilation_rate = _pair("dilation_rate", dilation_rate)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.padding = _padding(padding)
        self.data_format = checked_format(data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=4)
        self.kernel: Any = None
        self.bias: Any = None

    @property
    def _channels_axis(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    def build(self, input_shape: Any) -> None:
        """Make the weights; the number of channels must be known, and a multiple of ``groups``."""
        channels = known_dimension(self, input_shape, self._channels_axis)
        if channels % self.groups:
            raise InvalidArgumentError(
                "The number of input channels must be evenly divisible by the number of groups. "
                f"Received groups={self.groups}, but the input has {channels} channels (full input shape is "
                f"{input_shape})."
            )
        self.kernel = self.add_weight(
            (*self.kernel_size, channels // self.groups, self.filters), self.kernel_initializer, name="kernel",
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                (self.filters,), self.bias_initializer, name="bias", regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip
        self.input_spec = InputSpec(ndim=4, axes={self._channels_axis: channels})

    def call(self, inputs: Any) -> Any:
        """The convolved images."""
        outputs = conv2d(
            inputs, self.kernel.value(), self.strides, self.padding.upper(), order_of(self.data_format),
            self.dilation_rate,
        )  # fmt: skip
        if self.use_bias:
            bias = self.bias.value()
            outputs = outputs + (bias if self._channels_axis == -1 else bias[:, None, None])
        return self.activation(outputs)


def order_of(data_format: str) -> str:
    """The name that convolutions and poolings have for an order of axes."""
    return "NHWC" if data_format == "channels_last" else "NCHW"


class Pooling2D(Layer):
    """One number for each window of images (batch, height, width, channels)."""

    settings = ("pool_size", "padding", "strides", "data_format")

    def __init__(
        self, pool_size: Any = (2, 2), strides: Any = None, padding: str = "valid", data_format: str | None = None,
        name: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.pool_size = _pair("pool_size", pool_size)
        self.strides = self.pool_size if strides is None else _pair("strides", strides)
        self.padding = _padding(padding)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=4)
        self.built = True


class MaxPooling2D(Pooling2D):
    """The maximum of each window: (batch, height, width, channels) to (batch, height', width', channels)."""

    def call(self, inputs: Any) -> Any:
        """The maxima."""
        return max_pool2d(inputs, self.pool_size, self.strides, self.padding.upper(), order_of(self.data_format))


class AveragePooling2D(Pooling2D):
    """The mean of each window: (batch, height, width, channels) to (batch, height', width', channels)."""

    def call(self, inputs: Any) -> Any:
        """The means; elements of the padding do not count."""
        return avg_pool2d(inputs, self.pool_size, self.strides, self.padding.upper(), order_of(self.data_format))


class GlobalPooling2D(Layer):
    """One number for each channel of images."""

    settings = ("data_format", "keepdims")

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=4)
        self.built = True

    @property
    def _axes(self) -> list[int]:
        return [1, 2] if self.data_format == "channels_last" else [2, 3]


class GlobalAveragePooling2D(GlobalPooling2D):
    """The means over height and width: (batch, height, width, channels) to (batch, channels)."""

    def call(self, inputs: Any) -> Any:
        """The means."""
        return reduce_mean(inputs, self._axes, self.keepdims)


class GlobalMaxPooling2D(GlobalPooling2D):
    """The maxima over height and width: (batch, height, width, channels) to (batch, channels)."""

    def call(self, inputs: Any) -> Any:
        """The maxima."""
        return reduce_max(inputs, self._axes, self.keepdims)


Convolution2D, MaxPool2D, AvgPool2D = Conv2D, MaxPooling2D, AveragePooling2D
GlobalAvgPool2D, GlobalMaxPool2D = GlobalAveragePooling2D, GlobalMaxPooling2D
