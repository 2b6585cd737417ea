"""Recurrent layers: a cell, step after step along the second axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import not_equal
from autograph.runtime.ops.reduce.reduce import reduce_any
from autograph.runtime.ops.shape.create import zeros_like
from autograph.runtime.ops.shape.joining import stack
from autograph.runtime.ops.shape.shape import ensure_shape, reverse, transpose
from autograph.runtime.tensors import trace

from ..base.layer import InputSpec, Layer
from ..base.registry import snake_case
from ..base.serialization import deserialize, dtype_config, plain
from ..base.staging import fold_time, scan_time
from ..base.variable import KerasVariable
from .cells import GRUCell, LSTMCell, RecurrentCell, SimpleRNNCell, StackedRNNCells, batch_of, zero_states

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["GRU", "LSTM", "RNN", "Masking", "SimpleRNN"]


# The steps that are unrolled at most.
_LONGEST = 10_000


class RNN(Layer):
    """A cell, applied along the second axis of inputs (batch, time, …).

    In a graph the loop over time is one staged loop, also of unknown length.

    Parameters
    ----------
    cell: a layer that is called with the inputs of one step and a list of states, returns outputs and next states,
        and has a ``state_size``; or a list of such layers, which becomes `StackedRNNCells`.
    return_sequences: whether the outputs of all steps are returned, (batch, time, units), or those of the last.
    return_state: whether the last states are returned too: a tuple of outputs and states.
    go_backwards: whether to begin with the last step; the outputs stay in that order.
    stateful: whether a batch begins with the last states of the batch before, in ``states``; `reset_states` sets them
        to zero. The size of batches must be known and stay the same.
    unroll: whether to make a copy of the cell's graph for each step, where their number is known.
    zero_output_for_mask: whether the outputs of masked steps are zero, rather than those of the step before.

    Steps that a ``mask`` (batch, time) leaves out keep the states. Raises `ValueError` for what is no cell.
    """

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
        stateful: bool = False, unroll: bool = False, zero_output_for_mask: bool = False, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "state_size") or not callable(cell):
            raise InvalidArgumentError(
                f"The RNN cell should have a `call` method and a `state_size`. Received: cell={cell!r}"
            )
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self.input_spec = InputSpec(ndim=3) if isinstance(cell, RecurrentCell) else None

    def build(self, sequences_shape: Any, initial_state_shape: object = None) -> None:
        """Make the cell's weights, for inputs of one step."""
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((sequences_shape[0], *sequences_shape[2:]))
        if self.stateful and not self.states:
            self._make_states(sequences_shape)

    def _make_states(self, sequences_shape: Any) -> None:
        batch = sequences_shape[0]
        if batch is None:
            raise InvalidArgumentError(
                "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
                f"sequence.shape={tuple(sequences_shape)}",
                remedy="give the size of batches: tf.keras.Input(batch_shape=(size, time, features))",
            )
        record = self._record
        with trace.building(trace.current_graph() if record.staged else None):
            record.states = [
                KerasVariable(zero, zero.static_shape, record.dtype, trainable=False, name="rnn_state")
                for zero in self._zeros(batch)
            ]

    @property
    def states(self) -> list[Any]:
        """The variables (batch, units) of a stateful layer that has been called; they are no weights."""
        return self._record.states

    def reset_state(self) -> None:
        """Set the states of a stateful layer to zero."""
        for state in self.states:
            state.assign(zeros_like(state))

    reset_states = reset_state

    @property
    def state_size(self) -> Any:
        """The size of the cell's state, or a list of sizes."""
        return self.cell.state_size

    def get_initial_state(self, batch_size: object) -> list[Any]:
        """Zeros (batch_size, units) for each state."""
        return self._zeros(batch_size)

    def _zeros(self, batch: object) -> list[Any]:
        sizes = self.cell.flat_sizes if isinstance(self.cell, StackedRNNCells) else self.cell.state_size
        return zero_states(sizes, batch, self._record.dtype)

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        """The outputs, and with ``return_state`` the last states."""
        sequences = cast(sequences, self._record.dtype)
        if self.stateful:
            sequences = self._of_size(sequences)
        states = self._initial(sequences, initial_state)
        step, projected = self._step(sequences, states, training)
        elements: Any = transpose(projected, [1, 0, *range(2, len(projected.static_shape))])
        masks = None if mask is None else transpose(mask, [1, 0])
        if self.go_backwards:
            elements = reverse(elements, [0])
            masks = None if masks is None else reverse(masks, [0])
        outputs, last, states = self._run(step, elements, masks, states)
        for variable, state in zip(self.states, states, strict=False):
            variable.assign(state)
        found = transpose(outputs, [1, 0, *range(2, len(outputs.static_shape))]) if self.return_sequences else last
        if isinstance(self.cell, StackedRNNCells):
            states = self.cell.split(states)
        return (found, *states) if self.return_state else found

    def _of_size(self, sequences: Any) -> Any:
        """Sequences of the states' batch size. Raises `InvalidArgumentError` for others, also when a graph runs."""
        wanted, given = self.states[0].static_shape[0], sequences.static_shape
        if given[0] is not None and given[0] != wanted:
            raise InvalidArgumentError(
                "If an RNN is stateful, the batch size of the input sequences must be the same as the batch size of "
                f"the initial state.\n- Expected batch size: {wanted}\n- Received batch size: {given[0]}"
            )
        return ensure_shape(sequences, (wanted, *given[1:]))

    def _initial(self, sequences: TensorLike, given: object) -> list[Any]:
        if given is None and self.stateful:
            return [state.value() for state in self.states]
        zero = self._zeros(batch_of(sequences))
        if given is None:
            return zero
        states = [cast(state, self._record.dtype) for state in nest.flatten(given)]
        if len(states) != len(zero):
            raise InvalidArgumentError(f"layer '{self.name}' has {len(zero)} states, initial_state has {len(states)}")
        return states

    def _step(self, sequences: TensorLike, states: list[Any], training: bool | Tensor) -> tuple[Any, Any]:
        """The function of one step, and the sequence that it goes along."""
        cell = self.cell
        if isinstance(cell, StackedRNNCells) and cell.is_known:
            return cell.step(sequences, states, training), sequences
        if isinstance(cell, RecurrentCell):
            kept = cell.recurrent_mask(states[0], training)
            sequences = cell.dropped(sequences, training, (None, 1, None))
            return (lambda x, states: cell.advance(x, states, kept)), cell.project(sequences)

        def call(x: Tensor, states: list[Any]) -> tuple[Any, list[Any]]:
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
        if count > _LONGEST:
            raise InvalidArgumentError(f"unroll=True would make {count} copies of the cell of layer '{self.name}'",
                                       remedy="leave it out: one staged loop does it")  # fmt: skip
        outputs = []
        for number in range(count):
            state = advance(state, nest.map_structure(lambda tensor, number=number: tensor[number], along))
            outputs.append(state[0])
        return stack(outputs) if self.return_sequences else state[0], state[0], list(state[1])

    def _output_like(self, step: Any, elements: TensorLike, states: list[Any]) -> Any:
        """Zeros like the outputs of one step."""
        if isinstance(self.cell, RecurrentCell):
            return zeros_like(states[0])
        size = getattr(self.cell, "output_size", None)
        if size is None:
            size = nest.flatten(self.cell.state_size)[0]
        return zero_states([size], batch_of(elements, 1), self._record.dtype)[0]

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """That of the inputs for sequences, none for the last outputs and states."""
        found = mask if self.return_sequences else None
        return [found, *[None for _ in nest.flatten(self.cell.state_size)]] if self.return_state else found

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new layer, with a cell of its own. Raises `InvalidTypeError` for a cell of an unknown class."""
        cell = config.get("cell")
        return cls(**{**config, "cell": deserialize(cell)}) if isinstance(cell, dict) else cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The settings of the layer and, for a layer that makes its cell itself, those of the cell."""
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


class OwnCell(RNN):
    """A recurrent layer that makes its cell itself; the cell's settings are attributes of the layer too."""

    cell_class: type[Any]

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("use_cudnn", None)
        layer = {name: kwargs.pop(name) for name in _OF_LAYERS if name in kwargs}
        try:
            name = snake_case(self.cell_class.__name__)
            cell = self.cell_class(units, *args, **kwargs, dtype=layer.get("dtype"), name=name)
        except ValueError as error:
            raise InvalidArgumentError(str(error).replace(self.cell_class.__name__, type(self).__name__)) from None
        super().__init__(cell, **layer)

    def __getattr__(self, name: str) -> Any:
        cell = vars(self).get("cell")
        if cell is not None and name in (*type(cell).settings, "kernel", "recurrent_kernel", "bias"):
            return getattr(cell, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class SimpleRNN(OwnCell):
    """`SimpleRNNCell` along time: inputs (batch, time, n) to outputs (batch, units) or (batch, time, units).

    The arguments are those of the cell and of `RNN`.
    """

    cell_class = SimpleRNNCell


class LSTM(OwnCell):
    """`LSTMCell` along time: inputs (batch, time, n) to outputs (batch, units) or (batch, time, units).

    The arguments are those of the cell and of `RNN`.
    """

    cell_class = LSTMCell


class GRU(OwnCell):
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

    def compute_mask(self, inputs: object, mask: object = None) -> Any:
        """Where any number of a step is not the value."""
        return reduce_any(not_equal(inputs, self.mask_value), -1)

    def call(self, inputs: Any) -> Any:
        """The inputs, with zeros for steps left out."""
        kept = reduce_any(not_equal(inputs, self.mask_value), -1, keepdims=True)
        return inputs * cast(kept, inputs.dtype)
