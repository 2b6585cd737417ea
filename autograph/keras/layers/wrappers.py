"""Layers around a layer: both directions in time, and each step in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.ops.elementwise.elementwise import cast, stop_gradient, where
from autograph.runtime.ops.elementwise.math import equal
from autograph.runtime.ops.elementwise.nn import l2_normalize
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.reduce.reduce import reduce_all
from autograph.runtime.ops.shape.joining import concat, stack
from autograph.runtime.ops.shape.shape import reshape, reverse, transpose

from ..base.layer import Layer, signature_of
from ..base.serialization import deserialize, dtype_config, plain
from ..base.staging import map_time
from ..initializers import TruncatedNormal

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike, TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["Bidirectional", "SpectralNormalization", "TimeDistributed", "Wrapper"]

_MERGE_MODES = ("sum", "mul", "ave", "concat", None)


class Wrapper(Layer):
    """The base of layers around another one, ``layer``. Raises `ValueError` for what is no layer."""

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise InvalidArgumentError(
                f"Layer {layer!r} supplied to Wrapper isn't a supported layer type. Please ensure wrapped "
                "layer is a valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: ShapeLike = None) -> None:
        """Build the layer inside."""
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True

    def get_config(self) -> dict[str, Any]:
        """The configuration of the layer inside."""
        base = {"name": self.name, "trainable": self.trainable, "dtype": dtype_config(self.dtype)}
        return {**base, "layer": plain(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new layer around a new layer. Raises `InvalidTypeError` for one of an unknown class."""
        return cls(**{**config, "layer": deserialize(config["layer"])})


class SpectralNormalization(Wrapper):
    """A layer whose ``kernel`` or ``embeddings`` are divided by their largest singular value in each step of training.

    That is approximated by power iteration (Miyato et al., 2018), ``power_iterations`` steps from where the last one
    has ended, which ``vector_u`` keeps. Raises `ValueError` for less than one, and for a layer without such a weight.
    """

    def __init__(self, layer: Layer, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        require(power_iterations > 0, "`power_iterations` should be greater than zero. Received: "
                f"`power_iterations={power_iterations}`")  # fmt: skip
        self.power_iterations = power_iterations
        self.kernel: Any = None

    def build(self, input_shape: Any = None) -> None:
        """Build the layer inside, and make ``vector_u`` (1, the last axis of its kernel)."""
        super().build(input_shape)
        self.kernel = getattr(self.layer, "kernel", None)
        if self.kernel is None:
            self.kernel = getattr(self.layer, "embeddings", None)
        require(self.kernel is not None, f"{type(self.layer).__name__} object has no attribute 'kernel' nor "
                "'embeddings'")  # fmt: skip
        start = TruncatedNormal(stddev=0.02)
        self.vector_u = self.add_weight((1, self.kernel.shape[-1]), start, name="vector_u", trainable=False)

    @property
    def weights(self) -> list[Any]:
        """The kernel, ``vector_u``, and the other weights of the layer inside."""
        found = super().weights
        return [weight for weight in found if weight is self.kernel] + [
            weight for weight in found if weight is not self.kernel
        ]

    def call(self, inputs: Any, training: Any = False) -> Any:
        """What the layer gives, after its kernel has been divided."""
        if training:
            kernel = self.kernel.value()
            u, divided = self._divided(kernel)
            is_zero = reduce_all(equal(kernel, 0))
            self.vector_u.assign(where(is_zero, self.vector_u.value(), u))
            self.kernel.assign(where(is_zero, kernel, divided))
        return cast(self.layer(inputs), inputs.dtype)

    def _divided(self, kernel: Any) -> tuple[Any, Any]:
        table, u = reshape(kernel, [-1, kernel.shape[-1]]), self.vector_u.value()
        for _ in range(self.power_iterations):
            v = l2_normalize(u @ transpose(table))
            u = l2_normalize(v @ table)
        u, v = stop_gradient(u), stop_gradient(v)
        return u, kernel / reshape(v @ table @ transpose(u), [])

    def get_config(self) -> dict[str, Any]:
        """That of the layer inside, and the number of steps."""
        return {**super().get_config(), "power_iterations": self.power_iterations}


class TimeDistributed(Wrapper):
    """A layer, applied to each step of inputs (batch, time, …) by itself: outputs (batch, time, …).

    A mask (batch, time, …) is given to the layer step by step, if it takes one. In a graph the steps are copies of the
    layer's graph where their number is known, else one staged loop. Raises `ValueError` for what is no layer, and for
    inputs of less than three dimensions.
    """

    def __init__(self, layer: Layer, **kwargs: object) -> None:
        if not isinstance(layer, Layer):
            raise InvalidArgumentError(
                f"Please initialize `TimeDistributed` layer with a `keras.layers.Layer` instance. Received: {layer}"
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any = None) -> None:
        """Build the layer for one step."""
        if input_shape is None or len(input_shape) < 3:
            raise InvalidArgumentError(
                "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, received: "
                f"{input_shape}"
            )
        super().build((input_shape[0], *input_shape[2:]))

    def call(self, inputs: Any, training: object = None, mask: Any = None) -> Any:
        """What the layer gives for each step, along the second axis."""
        if mask is not None and len(mask.static_shape) < 2:
            raise InvalidArgumentError("The `mask` passed to the `TimeDistributed` layer must be at least 2D (e.g., "
                             f"`(batch_size, timesteps)`), but it has shape {mask.static_shape}.")  # fmt: skip
        takes_mask = mask is not None and signature_of(self.layer).takes_mask

        def step(element: Any) -> Any:
            given = {"mask": element[1]} if takes_mask else {}
            return self.layer(element[0], **given)

        elements = tuple(_swapped(each) for each in ((inputs, mask) if takes_mask else (inputs,)))
        count = inputs.static_shape[1]
        if count is None:
            outputs = map_time(step, elements)
        else:
            outputs = stack([step([each[i] for each in elements]) for i in range(count)])
        return _swapped(outputs)


def _swapped(tensor: Any) -> Any:
    """A tensor with its first two axes exchanged."""
    return transpose(tensor, [1, 0, *range(2, len(tensor.static_shape))])


class Bidirectional(Layer):
    """A recurrent layer along time, and a second one from the end to the beginning.

    Parameters
    ----------
    layer: a recurrent layer; it stays as it is: the layers inside are made of its configuration.
    merge_mode: how the outputs become one: "concat" joins their features, "sum", "mul" and "ave" are elementwise;
        None: both are returned, as a tuple.
    weights: first values of the weights, those of the forward layer first.
    backward_layer: the layer for the second direction, with the other ``go_backwards``.

    With ``return_state`` the last states of both follow the outputs. Where a mask leaves steps out of sequences, the
    outputs there are zero. Raises `ValueError` for another mode, and for layers that don't fit together.
    """

    def __init__(
        self, layer: Any, merge_mode: str | None = "concat", weights: object = None, backward_layer: Any = None,
        **kwargs: Any
    ) -> None:  # fmt: skip
        for each in (layer, backward_layer):
            if not isinstance(each, Layer) and (each is not None or each is layer):
                raise InvalidArgumentError(
                    f"Please initialize `Bidirectional` layer with a `keras.layers.Layer` instance. Received: {each}"
                )
            if each is not None and not hasattr(each, "go_backwards"):
                raise InvalidArgumentError(
                    f"Bidirectional takes a recurrent layer, one with `go_backwards`. Received: {each}"
                )
        if merge_mode not in _MERGE_MODES:
            raise InvalidArgumentError(f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                             '{"sum", "mul", "ave", "concat", None}')  # fmt: skip
        super().__init__(**kwargs)
        self.forward_layer = _copy(layer, "forward_", layer.go_backwards)
        self.backward_layer = backward_layer or _copy(layer, "backward_", not layer.go_backwards)
        self.merge_mode = merge_mode
        self._check_layers()
        for each in (self.forward_layer, self.backward_layer):
            each.zero_output_for_mask = each.return_sequences
        self.stateful = layer.stateful
        self.return_sequences = layer.return_sequences
        self.return_state = layer.return_state
        self.supports_masking = True
        self.input_spec = layer.input_spec
        self._record.initial = weights

    def _check_layers(self) -> None:
        forward, backward = self.forward_layer, self.backward_layer
        if forward.go_backwards == backward.go_backwards:
            raise InvalidArgumentError(
                "Forward layer and backward layer should have different `go_backwards` value. Received: "
                f"forward_layer.go_backwards {forward.go_backwards}, "
                f"backward_layer.go_backwards={backward.go_backwards}"
            )
        for name in ("stateful", "return_sequences", "return_state"):
            if getattr(forward, name) != getattr(backward, name):
                raise InvalidArgumentError(
                    "Forward layer and backward layer are expected to have the same value for attribute "
                    f'"{name}", got "{getattr(forward, name)}" for forward layer and "{getattr(backward, name)}" for '
                    "backward layer"
                )

    def build(self, sequences_shape: object, initial_state_shape: object = None) -> None:
        """Make the weights of both layers."""
        for each in (self.forward_layer, self.backward_layer):
            if not each.built:
                each.build(sequences_shape)
        if self._record.initial is not None:
            self.set_weights(self._record.initial)
            self._record.initial = None

    def call(
        self, sequences: TensorLike, initial_state: Any = None, mask: Any = None, training: bool | Tensor | None = None
    ) -> Any:
        """The outputs, and with ``return_state`` the last states of the forward and of the backward layer.

        ``initial_state``: a list of states, those of the forward layer first.
        """
        states = (None, None)
        if initial_state is not None:
            half = len(initial_state) // 2
            states = initial_state[:half], initial_state[half:]
        y = self.forward_layer(sequences, initial_state=states[0], mask=mask, training=training)
        y_back = self.backward_layer(sequences, initial_state=states[1], mask=mask, training=training)
        last: tuple[Any, ...] = ()
        if self.return_state:
            last = (*y[1:], *y_back[1:])
            y, y_back = y[0], y_back[0]
        y, y_back = cast(y, self._record.dtype), cast(y_back, self._record.dtype)
        if self.return_sequences:
            y_back = reverse(y_back, [1])
        outputs = self._merged(y, y_back)
        if not self.return_state:
            return outputs
        return (*outputs, *last) if self.merge_mode is None else (outputs, *last)

    def _merged(self, y: Any, y_back: Any) -> Any:
        match self.merge_mode:
            case "concat":
                return concat([y, y_back], -1)
            case "sum":
                return y + y_back
            case "ave":
                return (y + y_back) / 2
            case "mul":
                return y * y_back
        return y, y_back

    def reset_state(self) -> None:
        """Set the states of stateful layers to zero. Raises `AttributeError` for other layers."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        self.forward_layer.reset_state()
        self.backward_layer.reset_state()

    reset_states = reset_state

    @property
    def states(self) -> list[Any]:
        """The state variables of both layers."""
        return [*self.forward_layer.states, *self.backward_layer.states]

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """That of the inputs for sequences, none for the last outputs and states."""
        found = mask if self.return_sequences else None
        outputs = [found, found] if self.merge_mode is None else [found]
        if not self.return_state:
            return outputs if self.merge_mode is None else found
        return [*outputs, *[None for _ in range(2 * len(nest.flatten(self.forward_layer.state_size)))]]

    def get_config(self) -> dict[str, Any]:
        """The merge mode and the configurations of both layers."""
        base = {"name": self.name, "trainable": self.trainable, "dtype": dtype_config(self.dtype)}
        return {**base, "merge_mode": self.merge_mode, "layer": plain(self.forward_layer),
                "backward_layer": plain(self.backward_layer)}  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new layer around new layers. Raises `InvalidTypeError` for one of an unknown class."""
        inside = {name: deserialize(config[name]) for name in ("layer", "backward_layer") if config.get(name)}
        return cls(**{**config, **inside})


def _copy(layer: Layer, prefix: str, go_backwards: bool) -> Any:
    """A new layer of a layer's configuration, of another name."""
    name = f"{prefix}{layer.name.removeprefix(prefix)}"
    return type(layer).from_config({**layer.get_config(), "name": name, "go_backwards": go_backwards})
