"""`clone_model`: the same model with layers of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest

from ..base.symbolic import Operation
from ..base.tracking import record_of
from ..layers.core import InputLayer
from .functional_config import replay
from .model import Functional, Model
from .sequential import Sequential

if TYPE_CHECKING:
    pass

__all__ = ["clone_model"]


def clone_model(
    model: object, input_tensors: object = None, clone_function: Callable[[Any], Any] | None = None,
    call_function: Callable[..., Any] | None = None, recursive: bool = False, **kwargs: object
) -> Any:  # fmt: skip
    """A model of the same structure, whose layers are new and have new weights; it is not compiled.

    Parameters
    ----------
    model: a functional or sequential model, or one of a class of the user that has a configuration.
    input_tensors: symbolic inputs for the new functional or sequential model.
    clone_function: makes a new layer of a layer, for functional and sequential models; `from_config` of its
        configuration when left out. What it returns may be the layer itself, which is then shared.
    call_function: ``call_function(layer, *args, **kwargs)`` calls the new layers of a functional model.
    recursive: whether models inside are cloned by ``clone_function`` too.

    Raises `ValueError` for what is no model, and for arguments that the model's kind does not take.
    """
    if kwargs:
        raise InvalidArgumentError(f"Unexpected keyword argument(s): {sorted(kwargs)}")
    if not isinstance(model, Model):
        raise InvalidArgumentError(f"Expected `model` argument to be a `Model` instance. Received: {model!r}")
    is_known = type(model) is Functional or isinstance(model, Sequential)
    if not is_known and any(each is not None for each in (input_tensors, clone_function, call_function)):
        raise InvalidArgumentError(
            "Arguments clone_function and input_tensors are only supported for Sequential models or Functional models. "
            f"Received model of type '{type(model).__name__}'"
        )
    if not is_known:
        return type(model).from_config(model.get_config())

    def clone(layer: object) -> Any:
        if recursive and (type(layer) is Functional or isinstance(layer, Sequential)):
            return clone_model(layer, None, clone_function, call_function, True)
        if isinstance(layer, (InputLayer, Operation)) or clone_function is None:
            return _copy(layer)
        return clone_function(layer)

    graph = model.graph_of_calls
    if isinstance(model, Sequential):
        made: Model = _clone_sequential(model, input_tensors, clone)
    else:
        assert graph is not None
        if input_tensors is not None:
            input_tensors = nest.pack_sequence_as(graph.inputs, nest.flatten(input_tensors))
        made = Functional(*replay(graph, clone, input_tensors, call_function), name=model.name)
    if not model.trainable:
        made.trainable = False
    return made


def _copy(layer: Any) -> Any:
    if isinstance(layer, Operation):
        return Operation(layer.kind, layer.name)
    return type(layer).from_config(layer.get_config())


def _clone_sequential(model: Sequential, input_tensors: object, clone: Callable[[Any], Any]) -> Sequential:
    layers = [clone(layer) for layer in model.layers]
    given = record_of(model).input
    if input_tensors is not None:
        (given,) = nest.flatten(input_tensors)
    elif given is not None:
        given = clone(given.keras_history[0].operation)
    return Sequential(layers if given is None else [given, *layers], name=model.name)
