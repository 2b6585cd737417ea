"""The cells of recurrent layers: one step in time.

A cell's work is split into what depends on the inputs alone, which a layer does for all steps at once (``project``),
and the rest (``advance``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.ops.elementwise.dropout import dropout
from autograph.runtime.ops.shape.create import ones_like, zeros
from autograph.runtime.ops.shape.joining import concat, split
from autograph.runtime.ops.shape.shape import shape
from autograph.runtime.tensors.convert import convert_to_tensor

from .. import activations, initializers
from ..base.layer import Layer
from ..base.serialization import deserialize, dtype_config, plain
from .core import known_dimension, positive
from .described import add_described, describe

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike, TensorLike
    from autograph.runtime.tensors.tensor import Tensor

    from ..base.registry import Identifier

__all__ = ["GRUCell", "LSTMCell", "SimpleRNNCell", "StackedRNNCells"]


def batch_of(inputs: Any, axis: int = 0) -> Any:
    """The size of batches, as a number where it is known."""
    known = inputs.static_shape
    return known[axis] if known is not None and known[axis] is not None else shape(inputs)[axis]


def zero_states(sizes: Any, batch: object, dtype: Any) -> list[Any]:
    """Zeros (batch, size) for each size, which may be a sequence of sizes itself."""
    found = []
    for size in sizes if isinstance(sizes, (list, tuple)) else [sizes]:
        tail = [size] if isinstance(size, int) else list(size)
        found.append(zeros([batch, *tail], dtype))
    return found


class RecurrentCell(Layer):
    """What the library's cells have in common: ``kernel``, ``recurrent_kernel`` and ``bias``, and dropout.

    Called with inputs (batch, n) and a list of states (batch, units), a cell returns the outputs (batch, units) and
    the next states.
    """

    gates = 1
    state_count = 1
    quiet = ("dropout", "recurrent_dropout", "seed")
    shared = (
        "units", "activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint",
        "recurrent_constraint", "bias_constraint", "dropout", "recurrent_dropout", "seed",
    )  # fmt: skip
    settings: tuple[str, ...] = shared
    bias_initializer: Any

    def __init__(
        self, units: int, activation: Identifier = "tanh", use_bias: bool = True,
        kernel_initializer: Identifier = "glorot_uniform", recurrent_initializer: Identifier = "orthogonal",
        bias_initializer: Identifier = "zeros", kernel_regularizer: Identifier = None,
        recurrent_regularizer: Identifier = None, bias_regularizer: Identifier = None,
        kernel_constraint: Identifier = None, recurrent_constraint: Identifier = None,
        bias_constraint: Identifier = None, dropout: float = 0.0, recurrent_dropout: float = 0.0,
        seed: int | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.units = positive("units", units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        describe(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        describe(self, "recurrent", recurrent_initializer, recurrent_regularizer, recurrent_constraint)
        describe(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.seed = seed
        self.kernel: Any = None
        self.recurrent_kernel: Any = None
        self.bias: Any = None

    @property
    def state_size(self) -> Any:
        """The size of the state, or a list of sizes of several."""
        return self.units if self.state_count == 1 else [self.units] * self.state_count

    @property
    def output_size(self) -> int:
        return self.units

    def _bias_shape(self) -> tuple[int, ...]:
        return (self.gates * self.units,)

    def build(self, input_shape: ShapeLike) -> None:
        """Make ``kernel`` (n, gates * units), ``recurrent_kernel`` (units, gates * units) and ``bias``."""
        size = known_dimension(self, input_shape, -1)
        self.kernel = add_described(self, "kernel", (size, self.gates * self.units))
        self.recurrent_kernel = add_described(
            self, "recurrent", (self.units, self.gates * self.units), "recurrent_kernel"
        )
        if self.use_bias:
            self.bias = add_described(self, "bias", self._bias_shape(), initializer=self._initial_bias)

    def _initial_bias(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
        return self.bias_initializer(shape, dtype=dtype)

    def get_initial_state(self, batch_size: object = None) -> list[Any]:
        """Zeros (batch_size, units) for each state."""
        return [zeros([batch_size, self.units], self._record.dtype) for _ in range(self.state_count)]

    def project(self, inputs: TensorLike) -> Any:
        """What depends on the inputs (…, n) alone: (…, gates * units)."""
        found = inputs @ self.kernel.value()
        return found + self.bias.value() if self.use_bias else found

    def advance(self, projected: object, states: list[Any], kept: object) -> tuple[Any, list[Any]]:
        """One step, from projected inputs (batch, gates * units). ``kept``: what recurrent dropout multiplies by."""
        raise NotImplementedError

    def recurrent_mask(self, state: object, training: bool | Tensor) -> Any:
        """What the state is multiplied by in each step of one sequence; None without recurrent dropout."""
        if not training or not self.recurrent_dropout:
            return None
        return dropout(ones_like(state), self.recurrent_dropout, seed=self.seed)

    def dropped(self, inputs: TensorLike, training: bool | Tensor, noise_shape: object = None) -> Any:
        """The inputs after dropout."""
        if not training or not self.dropout:
            return inputs
        return dropout(inputs, self.dropout, noise_shape, self.seed)

    def call(self, inputs: Any, states: object, training: Any = False) -> tuple[Any, Any]:
        """Outputs (batch, units) and the next states. Raises `InvalidArgumentError` for a wrong number of states."""
        found = [convert_to_tensor(state) for state in nest.flatten(states)]
        if len(found) != self.state_count:
            raise InvalidArgumentError(f"{type(self).__name__} has {self.state_count} states, {len(found)} were given")
        kept = self.recurrent_mask(found[0], training)
        outputs, following = self.advance(self.project(self.dropped(inputs, training)), found, kept)
        return outputs, following if isinstance(states, (list, tuple)) else following[0]


def _kept(state: object, kept: Any) -> Any:
    return state if kept is None else state * kept


class SimpleRNNCell(RecurrentCell):
    """``h = activation(x @ kernel + bias + h @ recurrent_kernel)``."""

    def advance(self, projected: object, states: list[Any], kept: object) -> tuple[Any, list[Any]]:
        """One step."""
        h = self.activation(projected + _kept(states[0], kept) @ self.recurrent_kernel.value())
        return h, [h]


class LSTMCell(RecurrentCell):
    """Long short-term memory (Hochreiter & Schmidhuber, 1997), with states ``h`` and ``c``.

    ``z = x @ kernel + h @ recurrent_kernel + bias`` has four parts i, f, g, o;
    ``c = s(f) * c + s(i) * activation(g)``, ``h = s(o) * activation(c)``, with the recurrent activation s. With
    ``unit_forget_bias`` the bias of f begins with ones.
    """

    gates = 4
    state_count = 2
    settings = (*RecurrentCell.shared, "recurrent_activation", "unit_forget_bias")

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Identifier = "sigmoid", use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: bool = True, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(
            units, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, **kwargs
        )
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    def _initial_bias(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
        if not self.unit_forget_bias:
            return super()._initial_bias(shape, dtype)
        units = self.units
        parts = [
            self.bias_initializer((units,), dtype=dtype),
            initializers.get("ones")((units,), dtype=dtype),
            self.bias_initializer((2 * units,), dtype=dtype),
        ]
        return concat(parts, 0)

    def advance(self, projected: object, states: list[Any], kept: object) -> tuple[Any, list[Any]]:
        """One step."""
        h, c = states
        i, f, g, o = split(projected + _kept(h, kept) @ self.recurrent_kernel.value(), 4, -1)
        gate = self.recurrent_activation
        c = gate(f) * c + gate(i) * self.activation(g)
        h = gate(o) * self.activation(c)
        return h, [h, c]


class GRUCell(RecurrentCell):
    """A gated recurrent unit (Cho et al., 2014).

    With parts z, r, g of ``x @ kernel + bias`` and of ``h @ recurrent_kernel``, and the recurrent activation s:
    ``z = s(z + z')``, ``r = s(r + r')``, ``g = activation(g + r * g')``, ``h = z * h + (1 - z) * g``. With
    ``reset_after=False`` the gate r is applied to the state before the product instead. With it the bias is
    (2, 3 * units): of inputs and of states.
    """

    gates = 3
    settings = (*RecurrentCell.shared, "recurrent_activation", "reset_after")

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Identifier = "sigmoid", use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", reset_after: bool = True, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(
            units, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, **kwargs
        )
        self.recurrent_activation = activations.get(recurrent_activation)
        self.reset_after = reset_after

    def _bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def project(self, inputs: TensorLike) -> Any:
        """The products with the kernel, and the bias of inputs."""
        found = inputs @ self.kernel.value()
        if not self.use_bias:
            return found
        return found + (self.bias[0] if self.reset_after else self.bias.value())

    def advance(self, projected: Any, states: list[Any], kept: object) -> tuple[Any, list[Any]]:
        """One step."""
        h = _kept(states[0], kept)
        units, gate = self.units, self.recurrent_activation
        z, r, g = split(projected, 3, -1)
        kernel = self.recurrent_kernel.value()
        if self.reset_after:
            inner = h @ kernel
            if self.use_bias:
                inner = inner + self.bias[1]
            inner_z, inner_r, inner_g = split(inner, 3, -1)
            z, r = gate(z + inner_z), gate(r + inner_r)
            g = self.activation(g + r * inner_g)
        else:
            z = gate(z + h @ kernel[:, :units])
            r = gate(r + h @ kernel[:, units : 2 * units])
            g = self.activation(g + (r * h) @ kernel[:, 2 * units :])
        h = z * h + (1 - z) * g
        return h, [h]


class StackedRNNCells(Layer):
    """Cells, one on the other: each takes the outputs of the one below.

    ``state_size`` is a list with the size or sizes of each cell. Raises `ValueError` for what is no cell.
    """

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            if not hasattr(cell, "state_size") or not callable(cell):
                raise InvalidArgumentError(
                    f"All cells must have a `call` method and a `state_size`. Received: {cell!r}"
                )
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """The size, or the list of sizes, of each cell's state."""
        return [cell.state_size for cell in self.cells]

    @property
    def flat_sizes(self) -> list[Any]:
        """The sizes of all states."""
        found: list[Any] = []
        for size in self.state_size:
            found += size if isinstance(size, (list, tuple)) else [size]
        return found

    @property
    def output_size(self) -> Any:
        last = self.cells[-1]
        return getattr(last, "output_size", None) or nest.flatten(last.state_size)[0]

    @property
    def is_known(self) -> bool:
        """Whether all cells are of the library's classes."""
        return all(isinstance(cell, RecurrentCell) for cell in self.cells)

    def split(self, states: Any) -> list[list[Any]]:
        """The states of each cell."""
        waiting = list(states)
        found = []
        for size in self.state_size:
            count = len(size) if isinstance(size, (list, tuple)) else 1
            found.append(waiting[:count])
            waiting = waiting[count:]
        return found

    def build(self, input_shape: Any) -> None:
        """Make the weights of the cells."""
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
            size = getattr(cell, "output_size", None) or nest.flatten(cell.state_size)[0]
            input_shape = (*input_shape[:-1], size)

    def step(self, sequences: TensorLike, states: list[Any], training: bool | Tensor) -> Any:
        """The function of one step for sequences (batch, time, n), with one dropout mask for all steps."""
        per_cell = self.split(states)
        kept = [cell.recurrent_mask(each[0], training) for cell, each in zip(self.cells, per_cell, strict=True)]
        widths = [sequences, *[each[0] for each in per_cell]]
        inputs = [cell.dropped(ones_like(width[:, 0] if number == 0 else width), training)
                  for number, (cell, width) in enumerate(zip(self.cells, widths, strict=False))]  # fmt: skip

        def advance(x: TensorLike, flat: list[Any]) -> tuple[Any, list[Any]]:
            following: list[Any] = []
            for number, (cell, own) in enumerate(zip(self.cells, self.split(flat), strict=True)):
                x = x * inputs[number] if training and cell.dropout else x
                x, new = cell.advance(cell.project(x), own, kept[number])
                following += new
            return x, following

        return advance

    def call(self, inputs: Any, states: object, training: object = False) -> tuple[Any, Any]:
        """Outputs of the last cell (batch, units), and the next states in the structure of the given ones."""
        following = []
        for cell, own in zip(self.cells, self.split(nest.flatten(states)), strict=True):
            single = not isinstance(cell.state_size, (list, tuple)) and not isinstance(cell, Layer)
            inputs, new = cell(inputs, own[0] if single else own)
            following += nest.flatten(new)
        return inputs, nest.pack_sequence_as(states, following)

    def get_config(self) -> dict[str, Any]:
        """The configurations of the cells."""
        base = {"name": self.name, "trainable": self.trainable, "dtype": dtype_config(self.dtype)}
        return {**base, "cells": [plain(cell) for cell in self.cells]}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new layer of new cells. Raises `InvalidTypeError` for a cell of an unknown class."""
        return cls(**{**config, "cells": [deserialize(cell) for cell in config["cells"]]})
