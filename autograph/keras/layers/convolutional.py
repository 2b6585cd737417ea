"""Convolutions over sequences, images and volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.linalg.convolution import conv1d_transpose, conv2d_transpose, conv3d_transpose, convolution
from autograph.runtime.ops.shape.joining import pad
from autograph.runtime.ops.shape.shape import reshape, shape

from .. import activations
from ..base.layer import InputSpec, Layer
from .core import in_own_dtype, known_dimension, positive
from .described import add_described, describe
from .geometry import axes_order, checked_format, checked_padding, per_axis

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import Ints, ShapeLike
    from autograph.runtime.tensors.tensor import Tensor

    from ..base.registry import Identifier

__all__ = [
    "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D", "Convolution2DTranspose", "Convolution3D", "Convolution3DTranspose", "DepthwiseConv1D",
    "DepthwiseConv2D", "SeparableConv1D", "SeparableConv2D", "SeparableConvolution1D", "SeparableConvolution2D",
]  # fmt: skip


class Convolution(Layer):
    """What all convolutions share: the geometry of their windows, the activation and the bias.

    Subclasses say the number of spatial axes, ``rank``, and compute the outputs before bias and activation.
    """

    rank: int
    paddings: tuple[str, ...] = ("valid", "same")

    def _init_geometry(
        self, kernel_size: Ints, strides: Ints, padding: str, data_format: Any, dilation_rate: Ints
    ) -> None:
        rank = self.rank
        self.kernel_size = per_axis("kernel_size", kernel_size, rank)
        self.strides = per_axis("strides", strides, rank)
        self.dilation_rate = per_axis("dilation_rate", dilation_rate, rank)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise InvalidArgumentError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.padding = checked_padding(padding, self.paddings)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(min_ndim=rank + 2)
        self.bias: Any = None

    def _init_outputs(
        self,
        activation: Identifier,
        use_bias: bool,
        initializer: Identifier,
        regularizer: Identifier,
        constraint: Identifier,
    ) -> None:
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        describe(self, "bias", initializer, regularizer, constraint)

    @property
    def _channels_axis(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    def _channels(self, input_shape: ShapeLike) -> int:
        """The number of channels of the inputs, which must be known and stays the same."""
        channels = known_dimension(self, input_shape, self._channels_axis)
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channels_axis: channels})
        return channels

    def _add_bias(self, filters: int) -> None:
        if self.use_bias:
            self.bias = add_described(self, "bias", (filters,))

    def _convolved(self, inputs: Tensor, kernel: object) -> Any:
        inputs = in_own_dtype(self, inputs)
        padding = self.padding.upper()
        if padding == "CAUSAL":
            missing = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            time = [[missing, 0]]
            channels = [[0, 0]]
            around = time + channels if self._channels_axis == -1 else channels + time
            inputs, padding = pad(inputs, [[0, 0], *around]), "VALID"
        order = axes_order(self.data_format, self.rank)
        return convolution(inputs, kernel, self.strides, padding, order, self.dilation_rate)

    def _finished(self, outputs: object) -> Any:
        if self.use_bias:
            bias = self.bias.value()
            outputs = outputs + (bias if self._channels_axis == -1 else reshape(bias, [-1, *[1] * self.rank]))
        return self.activation(outputs)


class FullConvolution(Convolution):
    """``activation(convolution(inputs, kernel) + bias)``, of all channels or of groups of them."""

    settings: tuple[str, ...] = (
        "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "groups", "activation",
        "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
        "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: str | None = None,
        dilation_rate: Any = 1, groups: int = 1, activation: Any = None, use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: object = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = positive("filters", filters)
        self.groups = positive("groups", groups)
        if self.filters % self.groups:
            raise InvalidArgumentError(
                "The number of filters must be evenly divisible by the number of groups. "
                f"Received: groups={groups}, filters={filters}."
            )
        self._init_geometry(kernel_size, strides, padding, data_format, dilation_rate)
        self._init_outputs(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)
        describe(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        self.kernel: Any = None

    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel_size, channels // self.groups, self.filters)

    def build(self, input_shape: ShapeLike) -> None:
        """Make the weights; the number of channels must be known, and a multiple of ``groups``."""
        channels = self._channels(input_shape)
        if channels % self.groups:
            raise InvalidArgumentError(
                "The number of input channels must be evenly divisible by the number of groups. "
                f"Received groups={self.groups}, but the input has {channels} channels (full input shape is "
                f"{input_shape})."
            )
        self.kernel = add_described(self, "kernel", self._kernel_shape(channels))
        self._add_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """The convolved inputs."""
        return self._finished(self._convolved(inputs, self.kernel.value()))


class Conv1D(FullConvolution):
    """``activation(convolution(inputs, kernel) + bias)`` over time.

    Inputs (batch, time, channels) to outputs (batch, time', filters); see `Conv2D`. With the padding ``"causal"``
    outputs depend on earlier inputs alone.
    """

    rank = 1
    paddings = ("valid", "same", "causal")


class Conv2D(FullConvolution):
    """``activation(convolution(inputs, kernel) + bias)`` over images.

    Inputs (batch, height, width, channels) to outputs (batch, height', width', filters); channels come second in both
    with ``data_format="channels_first"``. Weights: ``kernel`` (*kernel_size, channels / groups, filters), ``bias``
    (filters,). Raises `ValueError` for settings that can't be.
    """

    rank = 2


class Conv3D(FullConvolution):
    """``activation(convolution(inputs, kernel) + bias)`` over volumes.

    Inputs (batch, depth, height, width, channels) to outputs (batch, depth', height', width', filters); see `Conv2D`.
    """

    rank = 3


class TransposedConvolution(FullConvolution):
    """The adjoint of a convolution: each input adds a multiple of the kernel to the outputs.

    Along an axis of length n, with kernels of size k and strides s, outputs have length ``n * s`` with the padding
    "same", ``n * s + max(k - s, 0)`` with "valid"; ``output_padding`` changes that to
    ``(n - 1) * s + k + output_padding - 2 * p``, where p is ``k // 2`` for "same" and 0 for "valid".
    """

    settings = (*FullConvolution.settings, "output_padding")

    def __init__(
        self, filters: int, kernel_size: Ints, strides: object = 1, padding: str = "valid",
        output_padding: object = None, data_format: str | None = None, dilation_rate: object = 1, *args: Any,
        **kwargs: Any
    ) -> None:  # fmt: skip
        groups = kwargs.pop("groups", 1)
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, groups, *args, **kwargs)
        if self.groups > 1:
            raise InvalidArgumentError(f"{type(self).__name__} knows groups=1 only")
        self.output_padding = None
        if output_padding is not None:
            self.output_padding = per_axis("output_padding", output_padding, self.rank, 0)
            if any(more >= step for more, step in zip(self.output_padding, self.strides, strict=True)):
                raise InvalidArgumentError(
                    f"`output_padding` must be less than `strides`. Received: strides={self.strides}, "
                    f"output_padding={output_padding}"
                )

    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel_size, self.filters, channels)

    def _length(self, axis: int, length: Any) -> Any:
        """The length of the outputs along a spatial axis."""
        step = self.strides[axis]
        size = (self.kernel_size[axis] - 1) * self.dilation_rate[axis] + 1
        if self.output_padding is not None:
            around = size // 2 if self.padding == "same" else 0
            return (length - 1) * step + size - 2 * around + self.output_padding[axis]
        return length * step + (max(size - step, 0) if self.padding == "valid" else 0)

    def call(self, inputs: Any) -> Any:
        """The outputs of transposed convolution."""
        known, dynamic = inputs.static_shape, shape(inputs)
        first = 1 if self._channels_axis == -1 else 2
        sizes = [dynamic[axis] if known[axis] is None else known[axis] for axis in range(len(known))]
        lengths = [self._length(axis, sizes[first + axis]) for axis in range(self.rank)]
        middle = [*lengths, self.filters] if first == 1 else [self.filters, *lengths]
        transposed = (conv1d_transpose, conv2d_transpose, conv3d_transpose)[self.rank - 1]
        outputs = transposed(
            in_own_dtype(self, inputs), self.kernel.value(), [sizes[0], *middle], self.strides, self.padding.upper(),
            axes_order(self.data_format, self.rank), self.dilation_rate,
        )  # fmt: skip
        return self._finished(outputs)


class Conv1DTranspose(TransposedConvolution):
    """The adjoint of `Conv1D`: (batch, time, channels) to (batch, time', filters); see `Conv2DTranspose`."""

    rank = 1


class Conv2DTranspose(TransposedConvolution):
    """The adjoint of `Conv2D`: (batch, height, width, channels) to (batch, height', width', filters).

    Lengths along an axis of n elements are ``n * stride`` with the padding "same", and as large as it takes for all
    kernels with "valid". Weights: ``kernel`` (*kernel_size, filters, channels), ``bias`` (filters,).
    """

    rank = 2


class Conv3DTranspose(TransposedConvolution):
    """The adjoint of `Conv3D`, over volumes; see `Conv2DTranspose`."""

    rank = 3


class DepthwiseConvolution(Convolution):
    """A convolution of each channel by itself, with ``depth_multiplier`` kernels for each."""

    settings: tuple[str, ...] = (
        "kernel_size", "strides", "padding", "depth_multiplier", "data_format", "dilation_rate", "activation",
        "use_bias", "depthwise_initializer", "bias_initializer", "depthwise_regularizer", "bias_regularizer",
        "activity_regularizer", "depthwise_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self, kernel_size: Any, strides: Any = 1, padding: str = "valid", depth_multiplier: int = 1,
        data_format: str | None = None, dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Identifier = None,
        depthwise_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = positive("depth_multiplier", depth_multiplier)
        self._init_geometry(kernel_size, strides, padding, data_format, dilation_rate)
        self._init_outputs(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)
        describe(self, "depthwise", depthwise_initializer, depthwise_regularizer, depthwise_constraint)
        self._kernel: Any = None

    def _add_kernel(self, name: str, channels: int) -> Any:
        return add_described(self, "depthwise", (*self.kernel_size, channels, self.depth_multiplier), name)

    def build(self, input_shape: ShapeLike) -> None:
        """Make the weights; the number of channels must be known."""
        channels = self._channels(input_shape)
        self._kernel = self._add_kernel("kernel", channels)
        self._add_bias(channels * self.depth_multiplier)

    @property
    def kernel(self) -> Any:
        return self._kernel

    def _depthwise(self, inputs: Any) -> Any:
        kernel = self._kernel.value()
        *sizes, channels, multiplier = self._kernel.static_shape
        return self._convolved(inputs, reshape(kernel, [*sizes, 1, channels * multiplier]))

    def call(self, inputs: object) -> Any:
        """The convolved channels."""
        return self._finished(self._depthwise(inputs))


class DepthwiseConv1D(DepthwiseConvolution):
    """A convolution over time of each channel by itself; see `DepthwiseConv2D`."""

    rank = 1


class DepthwiseConv2D(DepthwiseConvolution):
    """A convolution of each channel by itself: (batch, height, width, n) to (batch, height', width', n * multiplier).

    Weights: ``kernel`` (*kernel_size, n, depth_multiplier), ``bias`` (n * depth_multiplier,).
    """

    rank = 2


class SeparableConvolution(DepthwiseConvolution):
    """A depthwise convolution, then one with kernels of size 1 over all of its channels."""

    settings = (
        "filters", *DepthwiseConvolution.settings, "pointwise_initializer", "pointwise_regularizer",
        "pointwise_constraint",
    )  # fmt: skip

    def __init__(
        self, filters: int, kernel_size: Ints, strides: Ints = 1, padding: str = "valid",
        data_format: str | None = None, dilation_rate: Ints = 1, depth_multiplier: int = 1,
        activation: Identifier = None, use_bias: bool = True, depthwise_initializer: Identifier = "glorot_uniform",
        pointwise_initializer: Identifier = "glorot_uniform", bias_initializer: Identifier = "zeros",
        depthwise_regularizer: Identifier = None, pointwise_regularizer: Identifier = None,
        bias_regularizer: Identifier = None, activity_regularizer: Identifier = None,
        depthwise_constraint: Identifier = None, pointwise_constraint: Identifier = None,
        bias_constraint: Identifier = None, **kwargs: object
    ) -> None:  # fmt: skip
        super().__init__(
            kernel_size, strides, padding, depth_multiplier, data_format, dilation_rate, activation, use_bias,
            depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer, activity_regularizer,
            depthwise_constraint, bias_constraint, **kwargs,
        )  # fmt: skip
        self.filters = positive("filters", filters)
        describe(self, "pointwise", pointwise_initializer, pointwise_regularizer, pointwise_constraint)
        self.pointwise_kernel: Any = None

    def build(self, input_shape: ShapeLike) -> None:
        """Make the weights; the number of channels must be known."""
        channels = self._channels(input_shape)
        self._kernel = self._add_kernel("depthwise_kernel", channels)
        sizes = (*[1] * self.rank, channels * self.depth_multiplier, self.filters)
        self.pointwise_kernel = add_described(self, "pointwise", sizes, "pointwise_kernel")
        self._add_bias(self.filters)

    @property
    def depthwise_kernel(self) -> Any:
        return self._kernel

    def call(self, inputs: Any) -> Any:
        """The convolved inputs."""
        order = axes_order(self.data_format, self.rank)
        middle = self._depthwise(inputs)
        return self._finished(convolution(middle, self.pointwise_kernel.value(), 1, "VALID", order))


class SeparableConv1D(SeparableConvolution):
    """A depthwise convolution over time, then one over its channels; see `SeparableConv2D`."""

    rank = 1


class SeparableConv2D(SeparableConvolution):
    """A depthwise convolution, then one over its channels.

    Inputs (batch, height, width, n) to outputs (batch, height', width', filters).
    Weights: ``depthwise_kernel`` (*kernel_size, n, depth_multiplier), ``pointwise_kernel`` (1, 1, n * depth_multiplier,
    filters), ``bias`` (filters,).
    """

    rank = 2


Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution1DTranspose, Convolution2DTranspose, Convolution3DTranspose = (
    Conv1DTranspose, Conv2DTranspose, Conv3DTranspose,
)  # fmt: skip
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
