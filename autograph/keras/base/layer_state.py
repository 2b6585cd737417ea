"""`LayerState`: the weights and losses of a layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.state.variable import set_trainable
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor

from .. import constraints, initializers, regularizers
from . import context
from .allocation import taken
from .tracking import Record, Tracked, all_layers, own_layers, own_metrics, own_variables, unique
from .variable import KerasVariable
from .weights import get_arrays, set_arrays

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike

    from .layer import Layer
    from .registry import Identifier

__all__ = ["LayerState"]


class OfFirstCall:
    """What a layer's first symbolic call was given or returned; attributes that users set come before it."""

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self._find = find
        self.__doc__ = find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Layer, owner: type | None = None) -> Any:
        if layer is None:
            return self
        nodes = layer._record.nodes
        if not nodes:
            raise AttributeError(
                f"The layer {layer.name} has never been called and thus has no defined {self._name}.",
                name=self._name, obj=layer,
            )  # fmt: skip
        return self._find(nodes[0])


class LayerState(Tracked):
    """What `Layer` has of weights and losses, and of symbolic calls."""

    _record: Record

    @OfFirstCall
    def input(node: Any) -> Any:
        """The symbolic tensor that the layer was first called with, or a list of them."""
        return node.inputs[0] if len(node.inputs) == 1 else node.inputs

    @OfFirstCall
    def output(node: Any) -> Any:
        """The symbolic tensor that the layer's first call gave, or the structure of them: of a part of a model.

        ``Model(model.inputs, model.get_layer("hidden").output)`` computes what a hidden layer does.
        """
        return node.outputs

    @property
    def name(self) -> str:
        return self._record.name

    @name.setter
    def name(self, value: str) -> None:
        self._record.name = value

    @property
    def path(self) -> str:
        """The name, behind those of the layers in which this one was built."""
        return self._record.path

    @property
    def built(self) -> bool:
        """Whether the layer has its weights."""
        return self._record.built

    @built.setter
    def built(self, value: bool) -> None:
        self._record.built = value

    @property
    def trainable(self) -> bool:
        """Whether the weights are to be trained; setting it holds for the layers inside too."""
        return self._record.trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        record = self._record
        record.trainable = value
        if value:
            for variable in record.frozen:
                set_trainable(variable, True)
            record.frozen = []
        else:
            frozen = [variable for variable in own_variables(self) if variable.trainable]
            record.frozen = unique([*record.frozen, *frozen])
            for variable in frozen:
                set_trainable(variable, False)
        for layer in own_layers(self):
            layer.trainable = value

    # Weights

    def add_weight(
        self, shape: ShapeLike = None, initializer: Identifier = None, dtype: DTypeLike | None = None,
        trainable: bool = True, regularizer: Identifier = None, constraint: Identifier = None,
        name: str | None = None, aggregation: str | None = "none", **kwargs: object
    ) -> KerasVariable:  # fmt: skip
        """A new weight of the layer.

        The initializer is Glorot's uniform one when left out, zeros for other dtypes than floating ones. In a traced
        function new weights follow the rule for variables: the first call may make them. Those of a layer that is
        older than the trace are made outside of the graph.
        """
        if kwargs.keys() - {"autocast", "overwrite_with_gradient"}:
            raise InvalidArgumentError(f"Unrecognized keyword arguments passed to add_weight: {sorted(kwargs)}")
        if isinstance(shape, (int, np.integer)):
            shape = (int(shape),)
        shape = () if shape is None else tuple(shape)
        if any(size is None for size in shape):
            raise InvalidArgumentError(
                f"The shape of a weight must be known, not {shape}: weight {name!r} of {self.name!r}"
            )
        element = self._record.dtype if dtype is None else as_dtype(dtype)
        if initializer is None:
            initializer = "glorot_uniform" if element.is_floating else "zeros"
        initial = initializers.get(initializer)
        if taken(shape, element):
            initial = initializers.Zeros()
        with trace.building(trace.current_graph() if self._record.staged else None):
            variable = KerasVariable(
                initial, shape, element, trainable, name=name,
                regularizer=regularizers.get(regularizer), constraint=constraints.get(constraint),
                aggregation=aggregation,
            )  # fmt: skip
        if trainable and not self._record.trainable:
            variable.trainable = False
            self._record.frozen.append(variable)
        self._record.weights.append(variable)
        return variable

    @property
    def weights(self) -> list[Any]:
        """The variables of the layer and of all layers in it."""
        return unique(variable for layer in all_layers(self) for variable in own_variables(layer))

    @property
    def trainable_weights(self) -> list[Any]:
        return [variable for variable in self.weights if variable.trainable] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        return [variable for variable in self.weights if not (self.trainable and variable.trainable)]

    @property
    def variables(self) -> list[Any]:
        """The weights, and the variables of metrics."""
        return unique([*self.weights, *self.metrics_variables])

    @property
    def trainable_variables(self) -> list[Any]:
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self) -> list[Any]:
        return [variable for variable in self.variables if not variable.trainable]

    @property
    def metrics_variables(self) -> list[Any]:
        """The variables of the metrics that the layer and the layers in it hold."""
        metrics = unique(metric for layer in all_layers(self) for metric in own_metrics(layer))
        return [variable for metric in metrics for variable in metric.variables]

    def get_weights(self) -> list[np.ndarray[Any, Any]]:
        """The values of the weights, as arrays."""
        return get_arrays(self.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Set the values of all weights. Raises `ValueError`, and changes nothing, when number or shapes differ."""
        set_arrays(self, weights)

    def count_params(self) -> int:
        """The number of numbers in all weights. Raises `ValueError` for a layer that is not built."""
        if not self.built:
            raise InvalidArgumentError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't built. You can build it "
                "manually via: `layer.build(input_shape)`."
            )
        return sum(variable.array.size for variable in self.weights)

    # Losses

    def add_loss(self, loss: object) -> None:
        """Add one scalar tensor, or several, to what training minimises; for this call of the outermost layer."""
        record = self._record
        if record.loss_call != context.call_number():
            record.losses, record.loss_call = [], context.call_number()
        record.losses += [convert_to_tensor(each) for each in nest.flatten(loss)]

    @property
    def losses(self) -> list[Any]:
        """What `add_loss` was given in the last call, and the losses of regularizers, of all layers inside too."""
        since = self._record.last_call
        records = [layer._record for layer in all_layers(self)]
        found = [loss for record in records if record.loss_call >= since for loss in record.losses]
        losses = [loss for loss in found if context.is_readable(loss)]
        for variable in self.trainable_weights:
            if getattr(variable, "regularizer", None) is not None:
                losses.append(variable.regularizer(variable))
        return losses
