"""Recurrent layers whose cells convolve: long short-term memory over sequences of rows, images or volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.dropout import dropout
from autograph.runtime.ops.linalg.convolution import convolution
from autograph.runtime.ops.shape.create import ones_like, zeros
from autograph.runtime.ops.shape.joining import concat, split
from autograph.runtime.ops.shape.shape import reshape, shape

from .. import activations, initializers
from ..base.layer import InputSpec
from .convolutional import Convolution
from .core import positive
from .described import add_described, describe
from .geometry import axes_order
from .recurrent import OwnCell

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike

    from ..base.registry import Identifier

__all__ = ["ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"]


class ConvLSTMCell(Convolution):
    """One step of `LSTMCell` with convolutions in the place of products (Shi et al., 2015).

    Inputs (batch, …, channels) and states ``h`` and ``c`` (batch, …', filters); that of the inputs has the strides and
    the padding of the arguments, that of ``h`` keeps its size.
    """

    settings = (
        "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "activation",
        "recurrent_activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "unit_forget_bias", "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint",
        "recurrent_constraint", "bias_constraint", "dropout", "recurrent_dropout", "seed",
    )  # fmt: skip
    bias_initializer: Any

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: str | None = None,
        dilation_rate: Any = 1, activation: Identifier = "tanh", recurrent_activation: Identifier = "sigmoid",
        use_bias: bool = True, kernel_initializer: Identifier = "glorot_uniform",
        recurrent_initializer: Identifier = "orthogonal", bias_initializer: Identifier = "zeros",
        unit_forget_bias: bool = True, kernel_regularizer: Identifier = None, recurrent_regularizer: Identifier = None,
        bias_regularizer: Identifier = None, kernel_constraint: Identifier = None,
        recurrent_constraint: Identifier = None, bias_constraint: Identifier = None, dropout: float = 0.0,
        recurrent_dropout: float = 0.0, seed: int | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.filters = positive("filters", filters)
        self._init_geometry(kernel_size, strides, padding, data_format, dilation_rate)
        self._init_outputs(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)
        self.recurrent_activation = activations.get(recurrent_activation)
        describe(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        describe(self, "recurrent", recurrent_initializer, recurrent_regularizer, recurrent_constraint)
        self.unit_forget_bias = unit_forget_bias
        self.dropout, self.recurrent_dropout = min(1.0, max(0.0, dropout)), min(1.0, max(0.0, recurrent_dropout))
        self.seed = seed
        self.state_size: Any = -1
        self.output_size: Any = None
        self.kernel: Any = None
        self.recurrent_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Make ``kernel`` (*kernel_size, channels, 4 * filters), ``recurrent_kernel`` and ``bias``.

        All axes but the batch must be known.
        """
        spatial = input_shape[1:-1] if self._channels_axis == -1 else input_shape[2:]
        if None in spatial:
            raise InvalidArgumentError("ConvLSTM layers only support static input shapes for the spatial dimension. "
                                       f"Received invalid input shape: input_shape={tuple(input_shape)}")  # fmt: skip
        channels = self._channels(input_shape)
        self.kernel = add_described(self, "kernel", (*self.kernel_size, channels, 4 * self.filters))
        wide = (*self.kernel_size, self.filters, 4 * self.filters)
        self.recurrent_kernel = add_described(self, "recurrent", wide, "recurrent_kernel")
        if self.use_bias:
            self.bias = add_described(self, "bias", (4 * self.filters,), initializer=self._initial_bias)
        one = self._convolved(zeros((1, *input_shape[1:]), self.dtype), self.kernel.value()[..., : self.filters])
        self.output_size = tuple(one.static_shape[1:])
        self.state_size = [self.output_size, self.output_size]

    def _initial_bias(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
        start, size = self.bias_initializer, self.filters
        if not self.unit_forget_bias:
            return start(shape, dtype=dtype)
        ones = initializers.get("ones")((size,), dtype=dtype)
        return concat([start((size,), dtype=dtype), ones, start((2 * size,), dtype=dtype)], 0)

    def mask(self, like: Any, rate: float, training: Any) -> Any:
        """What something is multiplied by for each of the four gates; None without dropout."""
        if not training or not 0 < rate < 1:
            return None
        return [dropout(ones_like(like), rate, seed=self.seed) for _ in range(4)]

    def projected(self, inputs: Any, masks: Any) -> Any:
        """The convolved inputs of all gates, (…, 4 * filters), with the bias."""
        kernel = self.kernel.value()
        if masks is None:
            found = self._convolved(inputs, kernel)
        else:
            parts = zip(masks, split(kernel, 4, -1), strict=True)
            found = concat([self._convolved(inputs * mask, part) for mask, part in parts], self._channels_axis)
        if not self.use_bias:
            return found
        bias = self.bias.value()
        return found + (bias if self._channels_axis == -1 else reshape(bias, [-1, *[1] * self.rank]))

    def _recurrent(self, h: Any, masks: Any) -> Any:
        order, kernel = axes_order(self.data_format, self.rank), self.recurrent_kernel.value()
        if masks is None:
            return convolution(h, kernel, 1, "SAME", order)
        parts = zip(masks, split(kernel, 4, -1), strict=True)
        found = [convolution(h * mask, part, 1, "SAME", order) for mask, part in parts]
        return concat(found, self._channels_axis)

    def advance(self, projected: Any, states: list[Any], masks: Any) -> tuple[Any, list[Any]]:
        """One step, from projected inputs."""
        h, c = states
        i, f, g, o = split(projected + self._recurrent(h, masks), 4, self._channels_axis)
        gate = self.recurrent_activation
        c = gate(f) * c + gate(i) * self.activation(g)
        h = gate(o) * self.activation(c)
        return h, [h, c]

    def call(self, inputs: Any, states: Any, training: Any = False) -> tuple[Any, Any]:
        """Outputs (batch, …', filters) and the next states."""
        projected = self.projected(inputs, self.mask(inputs, self.dropout, training))
        return self.advance(projected, list(states), self.mask(states[0], self.recurrent_dropout, training))


class _ConvLSTM(OwnCell):
    """What the layers share: the convolutions of the inputs of all steps are done at once."""

    cell_class: Any

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(filters, kernel_size, *args, **kwargs)
        self.input_spec = InputSpec(ndim=self.cell.rank + 3)

    def _step(self, sequences: Any, states: list[Any], training: Any) -> tuple[Any, Any]:
        cell = self.cell
        sizes = shape(sequences)
        masks = cell.mask(sequences[:, :1], cell.dropout, training)
        repeated = None if masks is None else [self._flat(mask * ones_like(sequences), sizes) for mask in masks]
        flat = cell.projected(self._flat(sequences, sizes), repeated)
        tail = flat.static_shape[1:]
        batch, time = (known if known is not None else sizes[i] for i, known in enumerate(sequences.static_shape[:2]))
        kept = cell.mask(states[0], cell.recurrent_dropout, training)
        return (lambda x, states: cell.advance(x, states, kept)), reshape(flat, [batch, time, *tail])

    def _flat(self, sequences: Any, sizes: Any) -> Any:
        return reshape(sequences, [sizes[0] * sizes[1], *sequences.static_shape[2:]])

    def compute_mask(self, inputs: object, mask: object = None) -> Any:
        """That of the inputs for sequences, none for the last outputs and states."""
        found = mask if self.return_sequences else None
        return [found, None, None] if self.return_state else found


def _layer(rank: int, axes: str) -> Any:
    """The layer of a number of spatial axes."""
    cell = type(f"ConvLSTM{rank}DCell", (ConvLSTMCell,), {"rank": rank, "__module__": __name__})
    doc = f"""Long short-term memory with convolutions: (batch, time, {axes}, channels) to (batch, {axes}', filters).

    The arguments are those of `ConvLSTMCell` and of `RNN`; ``unroll`` and masks (batch, time) are as there. Sizes but
    those of batch and time must be known. Raises `ValueError` for settings that can't be.
    """
    return type(f"ConvLSTM{rank}D", (_ConvLSTM,), {"cell_class": cell, "__doc__": doc, "__module__": __name__})


ConvLSTM1D = _layer(1, "length")
ConvLSTM2D = _layer(2, "height, width")
ConvLSTM3D = _layer(3, "depth, height, width")
