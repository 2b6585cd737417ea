"""`Sequential`: layers, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.tensors import trace

from ..base.custom_objects import custom_object_scope
from ..base.layer import Layer
from ..base.names import auto_name, inside
from ..base.serialization import deserialize, dtype_config, plain
from ..base.symbolic import KerasTensor, specs_of
from ..base.tracking import record_of
from ..layers.core import Input, InputLayer
from .functional import FunctionalGraph
from .model import Model

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike

__all__ = ["Sequential"]


class Sequential(Model):
    """A model of layers, one after the other, each with one input and one output.

    It is built at once where the first layer is an `Input` or has an ``input_shape``; else by `build` or by its first
    call.

    Parameters
    ----------
    layers: the layers; `add` adds more.
    trainable, name: as of `Layer`.

    >>> import autograph as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
    >>> model(tf.zeros((2, 4))).shape
    TensorShape([2, 3])
    """

    def __init__(self, layers: Iterable[Any] | None = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(trainable=trainable, name=name)
        if layers is not None and not isinstance(layers, Iterable):
            raise InvalidTypeError(f"a Sequential model takes a list of layers, not {layers!r}")
        for layer in layers or ():
            self._add(layer)
        self._build_from_input()

    def add(self, layer: Layer) -> None:
        """Add a layer at the end. Raises `ValueError` for what is no layer, or a layer of the same name."""
        self._add(layer)
        self._build_from_input()

    def _add(self, layer: object) -> None:
        record = self._record
        if isinstance(layer, KerasTensor) and layer.keras_history is not None:
            layer = layer.keras_history[0].operation
        if not isinstance(layer, Layer):
            raise InvalidArgumentError(
                "Only instances of `keras.Layer` can be added to a Sequential model. "
                f"Received: {layer} (of type {type(layer)})",
                remedy=f"write {layer.__name__}(…), with its arguments" if isinstance(layer, type) else None,
            )
        if any(each.name == layer.name for each in record.layers):
            raise InvalidArgumentError(
                "All layers added to a Sequential model should have unique names. Name "
                f"'{layer.name}' is already the name of a layer in this model."
            )
        if isinstance(layer, InputLayer):
            if record.input is not None or record.layers:
                raise InvalidArgumentError(
                    f"Sequential model '{self.name}' has already been configured to use input shape "
                    f"{self._shape_so_far()}. You cannot add a different Input layer to it."
                )
            record.input = layer.output
            return
        if not record.layers and record.input is None:
            record.input = _input_of(layer)
        record.layers.append(layer)

    def _shape_so_far(self) -> Any:
        return None if self._record.input is None else self._record.input.static_shape

    def pop(self, rebuild: bool = True) -> Layer:
        """Take the last layer away and return it."""
        layer = self._record.layers.pop()
        self._record.built, self._record.graph = False, None
        if rebuild:
            self._build_from_input()
        return layer

    def _build_from_input(self) -> None:
        record = self._record
        record.built, record.graph = False, None
        self._reset_functions()
        if record.input is not None and record.layers:
            with inside(self), trace.building(None):
                outputs = record.input
                for layer in record.layers:
                    outputs = layer(outputs)
            record.graph = FunctionalGraph(record.input, outputs)
            record.built = True
            auto_name("Functional")  # Keras makes a functional model inside: the names of later ones count on from it

    def build(self, input_shape: ShapeLike = None) -> None:
        """Make all weights for inputs of a shape, with the batch dimension; once built, nothing happens."""
        record = self._record
        if record.graph is not None or not record.layers:
            record.built = record.graph is not None
            return
        if input_shape is None:
            raise InvalidArgumentError(
                f"Sequential model '{self.name}' needs the shape of its inputs: pass it to build(), or begin with an "
                "Input"
            )
        record.input = Input(batch_shape=input_shape, dtype=self.dtype)
        self._build_from_input()

    def _build_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._record.call_arguments = specs_of((args, kwargs))
        self._record.built = True
        auto_name("Functional")
        self._record.path = self.name

    def call(self, inputs: object, training: object = None, mask: object = None) -> Any:
        """What the last layer makes of what the layer before it makes of … the inputs."""
        graph = self.graph_of_calls
        if graph is not None:
            (inputs,) = graph.fitting(inputs)
        outputs = inputs
        for layer in self._record.layers:
            outputs = layer(outputs)
        return outputs

    def get_config(self) -> dict[str, Any]:
        """The name, and the configurations of the layers, the `InputLayer` included."""
        record = self._record
        layers = [] if record.input is None else [record.input.keras_history[0].operation]
        layers += record.layers
        config = {"name": self.name, "trainable": self.trainable, "dtype": dtype_config(self.dtype)}
        config["layers"] = [plain(layer) for layer in layers]
        if record.input is not None:
            config["build_input_shape"] = record.input.static_shape
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """A new model, without the weights. Raises `InvalidTypeError` for layers of an unknown class."""
        with custom_object_scope(custom_objects or {}):
            made = cls([deserialize(each) for each in config["layers"]], name=config.get("name"))
        if not config.get("trainable", True):
            made.trainable = False
        return made


def _input_of(layer: Layer) -> Any:
    """The symbolic input that a first layer asks for: by ``input_shape``, or as a functional model."""
    shape = record_of(layer).input_shape
    if shape is not None:
        return Input(batch_shape=shape, dtype=layer.dtype)
    graph = record_of(layer).graph
    if graph is not None and isinstance(graph.inputs, KerasTensor):
        return Input(batch_shape=graph.inputs.static_shape, dtype=graph.inputs.dtype)
    return None
