"""`Model`: a layer that can be trained, and `Sequential`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.base import nest
from autograph.runtime.base.provided import Provided
from autograph.runtime.functions.function import function
from autograph.runtime.state.module import Module
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tools.export.saved_model import save
from autograph.runtime.tools.export.signatures import EXPORTER, ONNX, SERVING, STABLEHLO

from ..base.custom_objects import custom_object_scope
from ..base.layer import Layer
from ..base.symbolic import output_shape, placeholders, specs_of
from ..base.tracking import own_layers
from ..fit.saved_functions import children_of_model
from ..fit.training import Trainer
from .functional import FunctionalGraph
from .functional_config import graph_from_config, graph_to_config

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike

__all__ = ["Functional", "Model"]

# What `models` loads with this module.
PRINT_SUMMARY: Provided[Callable[..., None]] = Provided("keras.networks.summary")
SAVE_MODEL: Provided[Callable[..., None]] = Provided("keras.networks.model_files")
SAVE_WEIGHTS: Provided[Callable[..., None]] = Provided("keras.saved.files", late=True)
LOAD_WEIGHTS: Provided[Callable[..., None]] = Provided("keras.saved.files", late=True)
TO_JSON: Provided[Callable[..., str]] = Provided("keras.networks.model_files")


class Model(Trainer, Layer):
    """A layer that can be trained: by subclassing, or from the symbolic calls between inputs and outputs.

    Subclasses make layers in ``__init__`` and define ``call(self, inputs)``. ``Model(inputs, outputs)`` takes symbolic
    tensors, or lists or dicts of them: what `Input` gave, and what layers made of it.

    >>> import autograph as tf
    >>> inputs = tf.keras.Input((4,))
    >>> model = tf.keras.Model(inputs, tf.keras.layers.Dense(3)(inputs))
    >>> model.output_shape, model.count_params()
    ((None, 3), 15)
    """

    def __new__(cls, *args: object, **kwargs: object) -> Any:
        if cls is Model and (args or "inputs" in kwargs):
            return super().__new__(Functional, *args, **kwargs)
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: object, **kwargs: Any) -> None:
        graph = None
        if args or "inputs" in kwargs:
            given = dict(zip(("inputs", "outputs", "name"), args, strict=False))
            if len(args) > 3 or given.keys() & kwargs.keys():
                raise InvalidArgumentError("a functional model takes inputs, outputs and a name")
            kwargs = {**given, **kwargs}
            if "outputs" not in kwargs:
                raise InvalidArgumentError("a functional model takes inputs and outputs: the outputs are missing")
            graph = FunctionalGraph(kwargs.pop("inputs"), kwargs.pop("outputs"))
        super().__init__(**kwargs)
        self._init_training()
        record = self._record
        record.graph = graph
        if graph is not None:
            record.layers = graph.layers
            record.built = True
            record.output_shapes = [nest.map_structure(lambda leaf: leaf.static_shape, graph.outputs)]

    # Looking

    @property
    def layers(self) -> list[Layer]:
        """The layers that the model holds directly."""
        return own_layers(self)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """The layer of a name, or at an index. Raises `ValueError` when there is none."""
        layers = self.layers
        if index is not None:
            if index >= len(layers):
                raise InvalidArgumentError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(layers)} layers."
                )
            return layers[index]
        if name is None:
            raise InvalidArgumentError("Provide either a layer name or layer index at `get_layer`.")
        for layer in layers:
            if layer.name == name:
                return layer
        raise InvalidArgumentError(f"No such layer: {name}. Existing layers are: {[layer.name for layer in layers]}.")

    @property
    def graph_of_calls(self) -> FunctionalGraph | None:
        """The symbolic calls that the model was made of, None for other models."""
        return self._record.graph

    def _symbolic(self, what: str) -> FunctionalGraph:
        graph = self.graph_of_calls
        if graph is None:
            raise AttributeError(f"model {self.name!r} has no {what}: it is neither functional nor a built Sequential")
        return graph

    @property
    def inputs(self) -> list[Any]:
        """The symbolic inputs of a functional or built sequential model."""
        return nest.flatten(self._symbolic("inputs").inputs)

    @property
    def outputs(self) -> list[Any]:
        return nest.flatten(self._symbolic("outputs").outputs)

    @property
    def input(self) -> Any:
        return self._symbolic("input").inputs

    @property
    def output(self) -> Any:
        return self._symbolic("output").outputs

    @property
    def input_shape(self) -> Any:
        return nest.map_structure(lambda leaf: leaf.static_shape, self._symbolic("input_shape").inputs)

    @property
    def output_shape(self) -> Any:
        return nest.map_structure(lambda leaf: leaf.static_shape, self._symbolic("output_shape").outputs)

    def summary(
        self, line_length: int | None = None, positions: object = None, print_fn: object = None,
        expand_nested: bool = False, show_trainable: bool = False, layer_range: object = None
    ) -> None:  # fmt: skip
        """Print a table of the layers, their output shapes and numbers of parameters; see `summary.print_summary`."""
        PRINT_SUMMARY.function(self, line_length, positions, print_fn, expand_nested, show_trainable, layer_range)

    # Computing

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs for the inputs; subclasses define it."""
        graph = self.graph_of_calls
        if graph is None:
            raise UnimplementedError(f"Model {type(self).__name__} does not have a `call()` method implemented.")
        return graph.run(args[0] if args else kwargs["inputs"])

    def build(self, input_shape: ShapeLike = None) -> None:
        """Make all weights for inputs of a shape, by a trace on placeholders: ``model.build((None, 4))``."""
        if self.graph_of_calls is not None or (self.built and input_shape is None):
            return
        if input_shape is None:
            raise InvalidArgumentError(f"model {self.name!r} needs the shape of its inputs: model.build(input_shape)")
        self._record.built = True
        self._record.call_arguments = (specs_of(placeholders(input_shape, self.dtype)),), {}
        try:
            output_shape(self, input_shape)
        except BaseException:
            self._record.built = False
            raise

    def _build_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._record.call_arguments = specs_of((args, kwargs))
        if type(self).build is Model.build:  # calling it builds the layers
            self._record.built = True
            self._record.path = self.name
        else:
            super()._build_for(args, kwargs)

    # Files

    def save_weights(self, filepath: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Write the weights, and the optimizer's variables of a compiled model, into a file.

        A name that ends in ``.weights.h5`` makes it an HDF5 file that Keras reads, too; all others are written in the
        safetensors format. See `keras.saved`.
        """
        SAVE_WEIGHTS.function(self, filepath, overwrite)

    def load_weights(self, filepath: str | os.PathLike[str], skip_mismatch: bool = False, **kwargs: Any) -> None:
        """Set the weights, and the optimizer's variables of a compiled model, from a file.

        It may come from `save_weights` or from Keras. ``skip_mismatch``: leave out what does not fit, with a warning;
        ``objects_to_skip``: layers that keep their weights, for ``.weights.h5`` files; ``by_name=True``: layers take
        the weights of those of their name, for old ``.h5`` files. A file that is missing, damaged or of another model
        raises an error, and nothing is changed.
        """
        if unknown := kwargs.keys() - {"by_name", "objects_to_skip"}:
            raise InvalidArgumentError(f"Invalid keyword arguments: {sorted(unknown)}")
        LOAD_WEIGHTS.function(self, filepath, skip_mismatch, **kwargs)

    def export(
        self, filepath: str | os.PathLike[str], format: str = "tf_saved_model", verbose: bool | None = None,
        input_signature: object = None
    ) -> None:  # fmt: skip
        """Write a folder that runs without the Python source: ``saved_model.load(filepath).serve(inputs)``.

        With the formats ``"onnx"`` and ``"stablehlo"`` it is a file for other runtimes, see `tf.export.onnx` and
        `tf.export.stablehlo`, and the errors are those that are raised there. ``input_signature``: a `TensorSpec`, or a
        structure of them; left out, the inputs of a functional or built sequential model. Raises `InvalidArgumentError`
        for another format, unless a package adds it (see the README), and where the inputs are not known.
        """
        others = {"onnx": ONNX, "stablehlo": STABLEHLO}
        exporter = others[format].function if format in others else None
        if format != "tf_saved_model":
            exporter = exporter or EXPORTER.function(format)
        if exporter is not None:
            exporter(self, filepath, input_signature)
            return
        if format != "tf_saved_model":
            raise InvalidArgumentError(
                f'models are exported in the formats "tf_saved_model", "onnx" and "stablehlo", not {format!r}'
            )
        module: Any = Module()
        module.serve = self._serving(input_signature)
        module.model_variables = self.weights
        save(module, filepath)

    def _serving(self, input_signature: object) -> Any:
        """What the model does for `predict`, as a traced function of its inputs."""
        graph = self.graph_of_calls
        if input_signature is None and graph is None:
            raise InvalidArgumentError(
                f"model '{self.name}' does not know its inputs: pass input_signature, for example "
                "tf.TensorSpec((None, 4))"
            )
        if input_signature is None and graph is not None:
            input_signature = nest.map_structure(lambda leaf: TensorSpec(leaf.static_shape, leaf.dtype), graph.inputs)

        def serve(inputs: Any) -> Any:
            return self(inputs, training=False)

        return function(serve, input_signature=[input_signature])

    def save(
        self, filepath: str | os.PathLike[str], overwrite: bool = True, zipped: bool | None = None,
        weights_format: str = "safetensors"
    ) -> None:  # fmt: skip
        """Write the configuration, the weights and what `compile` was given into a file; see `models.save_model`."""
        SAVE_MODEL.function(self, filepath, overwrite, zipped, weights_format)

    def to_json(self, **kwargs: object) -> str:
        """The configuration as JSON, for `models.model_from_json`; ``kwargs`` go to `json.dumps`."""
        return TO_JSON.function(self, **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """A new model of new layers for what `get_config` gave, without the weights.

        Raises `InvalidTypeError` for layers of an unknown class, `InvalidArgumentError` for calls that don't fit.
        """
        if "input_layers" not in config:
            return cls(**config)
        with custom_object_scope(custom_objects or {}):
            made = cls(*graph_from_config(config), name=config.get("name"))
        if not config.get("trainable", True):
            made.trainable = False
        return made

    def _saved_children(self) -> dict[str, Any]:
        """What `saved_model.save` takes."""
        return children_of_model(self)

    def _serving_trace(self) -> Any:
        """The signature of a model that is being saved."""
        calling = self._record.calling
        return None if calling is None else next(iter(calling.trace_cache.by_key.values()))


@SERVING.give
def serving(value: object, input_signature: object) -> Any:
    """What a model does, as a traced function; None for all else."""
    return value._serving(input_signature) if isinstance(value, Model) else None


class Functional(Model):
    """The model that ``Model(inputs, outputs)`` makes."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for tensors in the structure of the inputs."""
        graph = self.graph_of_calls
        assert graph is not None
        return graph.run(inputs)

    def get_config(self) -> dict[str, Any]:
        """The layers and their calls, as plain values.

        A class of the user gives the arguments of its constructor. Raises `InvalidArgumentError` where layers were
        called with what no configuration holds.
        """
        if type(self) is not Functional or self.graph_of_calls is None:
            return super().get_config()
        return {"name": self.name, "trainable": self.trainable, **graph_to_config(self.graph_of_calls)}
