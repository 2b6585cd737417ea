"""Recurrent layers: a cell, step after step along the second axis."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError

from ... import nest
from ...ops.create import zeros_like
from ...ops.elementwise import cast, where
from ...ops.math import not_equal
from ...ops.reduce import reduce_any
from ...ops.shape import reverse, transpose
from ..layer import InputSpec, Layer
from ..registry import snake_case
from ..staging import fold_time, scan_time
from .cells import GRUCell, LSTMCell, RecurrentCell, SimpleRNNCell, zero_states

__all__ = ["GRU", "LSTM", "RNN", "Masking", "SimpleRNN"]


class RNN(Layer):
    """A cell, applied along the second axis of inputs (batch, time, …).

    In a graph the loop over time is one staged loop, also of unknown length.

    Parameters
    ----------
    cell: a layer that is called with the inputs of one step and a list of states, returns outputs and next states,
        and has a ``state_size``.
    return_sequences: whether the outputs of all steps are returned, (batch, time, units), or those of the last.
    return_state: whether the last states are returned too: a tuple of outputs and states.
    go_backwards: whether to begin with the last step; the outputs stay in that order.
    unroll: whether to make a copy of the cell's graph for each step, where their number is known.
    zero_output_for_mask: whether the outputs of masked steps are zero, rather than those of the step before.

    Steps that a ``mask`` (batch, time) leaves out keep the states. Raises `ValueError` for ``stateful``.
    """

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
        stateful: bool = False, unroll: bool = False, zero_output_for_mask: bool = False, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if stateful:
            raise ValueError(
                "stateful layers are not supported: pass return_state=True, and the states to the next call"
            )
        if not hasattr(cell, "state_size") or not callable(cell):
            raise ValueError(f"The RNN cell should have a `call` method and a `state_size`. Received: cell={cell!r}")
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = False
        self.unroll = unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self.input_spec = InputSpec(ndim=3) if isinstance(cell, RecurrentCell) else None

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Make the cell's weights, for inputs of one step."""
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((sequences_shape[0], *sequences_shape[2:]))

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        """The outputs, and with ``return_state`` the last states."""
        sequences = cast(sequences, self._record.dtype)
        states = self._initial(sequences, initial_state)
        step, projected = self._step(sequences, states, training)
        elements: Any = transpose(projected, [1, 0, *range(2, len(projected.static_shape))])
        masks = None if mask is None else transpose(mask, [1, 0])
        if self.go_backwards:
            elements = reverse(elements, [0])
            masks = None if masks is None else reverse(masks, [0])
        outputs, last, states = self._run(step, elements, masks, states)
        found = transpose(outputs, [1, 0, *range(2, len(outputs.static_shape))]) if self.return_sequences else last
        return (found, *states) if self.return_state else found

    def _initial(self, sequences: Any, given: Any) -> list[Any]:
        zero = zero_states(self.cell.state_size, sequences, self._record.dtype)
        if given is None:
            return zero
        states = [cast(state, self._record.dtype) for state in nest.flatten(given)]
        if len(states) != len(zero):
            raise InvalidArgumentError(f"layer '{self.name}' has {len(zero)} states, initial_state has {len(states)}")
        return states

    def _step(self, sequences: Any, states: list[Any], training: Any) -> tuple[Any, Any]:
        """The function of one step, and the sequence that it goes along."""
        cell = self.cell
        if isinstance(cell, RecurrentCell):
            kept = cell.recurrent_mask(states[0], training)
            sequences = cell.dropped(sequences, training, (None, 1, None))
            return (lambda x, states: cell.advance(x, states, kept)), cell.project(sequences)

        def call(x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
            single = isinstance(cell.state_size, int)
            output, following = cell(x, states[0] if single and not isinstance(cell, Layer) else states)
            return output, nest.flatten(following)

        return call, sequences

    def _run(self, step: Any, elements: Any, masks: Any, states: list[Any]) -> tuple[Any, Any, list[Any]]:
        """All outputs (time, batch, …) with ``return_sequences``, the last outputs, and the last states."""
        first = self._output_like(step, elements, states)

        def advance(before: Any, element: Any) -> Any:
            x, mask = element if masks is not None else (element, None)
            output, following = step(x, list(before[1]))
            if mask is not None:
                shown = zeros_like(output) if self.zero_output_for_mask else before[0]
                output = where(_wide(mask, output), output, shown)
                following = [where(_wide(mask, new), new, old) for new, old in zip(following, before[1], strict=True)]
            return output, tuple(following)

        start = first, tuple(states)
        along = elements if masks is None else (elements, masks)
        if self.unroll and elements.static_shape[0] is not None:
            return self._unrolled(advance, along, start, elements.static_shape[0])
        if self.return_sequences:
            outputs, every = scan_time(advance, along, start)
            return outputs, outputs[-1], [each[-1] for each in every]
        last, final = fold_time(advance, along, start)
        return last, last, list(final)

    def _unrolled(self, advance: Any, along: Any, state: Any, count: int) -> tuple[Any, Any, list[Any]]:
        from ...ops.joining import stack

        outputs = []
        for number in range(count):
            state = advance(state, nest.map_structure(lambda tensor, number=number: tensor[number], along))
            outputs.append(state[0])
        return stack(outputs) if self.return_sequences else state[0], state[0], list(state[1])

    def _output_like(self, step: Any, elements: Any, states: list[Any]) -> Any:
        """Zeros like the outputs of one step."""
        if isinstance(self.cell, RecurrentCell):
            return zeros_like(states[0])
        size = getattr(self.cell, "output_size", None)
        if size is None:
            size = nest.flatten(self.cell.state_size)[0]
        return zero_states([size], transpose(elements, [1, 0, *range(2, len(elements.static_shape))]),
                           self._record.dtype)[0]  # fmt: skip

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs for sequences, none for the last outputs and states."""
        found = mask if self.return_sequences else None
        return [found, *[None for _ in nest.flatten(self.cell.state_size)]] if self.return_state else found

    def get_config(self) -> dict[str, Any]:
        """The settings of the layer and, for a layer that makes its cell itself, those of the cell."""
        from ..serialization import dtype_config, plain

        names = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "zero_output_for_mask")
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable, "dtype": dtype_config(self.dtype)}
        config |= {name: getattr(self, name) for name in names}
        if type(self) is RNN:
            return config | {"cell": plain(self.cell)}
        own = {name: plain(getattr(self.cell, name)) for name in type(self.cell).settings}
        return config | own | {"activity_regularizer": plain(self.activity_regularizer)}


def _wide(mask: Any, like: Any) -> Any:
    """A mask (batch,) with axes of size 1 behind, to choose among tensors (batch, …)."""
    return mask[(..., *[None] * (len(like.static_shape) - 1))]


_OF_LAYERS = (
    "return_sequences", "return_state", "go_backwards", "stateful", "unroll", "zero_output_for_mask", "name", "dtype",
    "trainable", "activity_regularizer", "input_shape", "batch_input_shape", "input_dim", "batch_size", "autocast",
)  # fmt: skip


class _OwnCell(RNN):
    """A recurrent layer that makes its cell itself; the cell's settings are attributes of the layer too."""

    cell_class: type[RecurrentCell]

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("use_cudnn", None)
        layer = {name: kwargs.pop(name) for name in _OF_LAYERS if name in kwargs}
        try:
            name = snake_case(self.cell_class.__name__)
            cell = self.cell_class(units, *args, **kwargs, dtype=layer.get("dtype"), name=name)
        except ValueError as error:
            raise ValueError(str(error).replace(self.cell_class.__name__, type(self).__name__)) from None
        super().__init__(cell, **layer)

    def __getattr__(self, name: str) -> Any:
        cell = vars(self).get("cell")
        if cell is not None and name in (*type(cell).settings, "kernel", "recurrent_kernel", "bias"):
            return getattr(cell, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class SimpleRNN(_OwnCell):
    """`SimpleRNNCell` along time: inputs (batch, time, n) to outputs (batch, units) or (batch, time, units).

    The arguments are those of the cell and of `RNN`.
    """

    cell_class = SimpleRNNCell


class LSTM(_OwnCell):
    """`LSTMCell` along time: inputs (batch, time, n) to outputs (batch, units) or (batch, time, units).

    The arguments are those of the cell and of `RNN`.
    """

    cell_class = LSTMCell


class GRU(_OwnCell):
    """`GRUCell` along time: inputs (batch, time, n) to outputs (batch, units) or (batch, time, units).

    The arguments are those of the cell and of `RNN`.
    """

    cell_class = GRUCell


class Masking(Layer):
    """Leaves out the steps of inputs (batch, time, n) in which all numbers are ``mask_value``: it sets them to 0 and
    gives the outputs a mask."""

    settings = ("mask_value",)

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where any number of a step is not the value."""
        return reduce_any(not_equal(inputs, self.mask_value), -1)

    def call(self, inputs: Any) -> Any:
        """The inputs, with zeros for steps left out."""
        kept = reduce_any(not_equal(inputs, self.mask_value), -1, keepdims=True)
        return inputs * cast(kept, inputs.dtype)
