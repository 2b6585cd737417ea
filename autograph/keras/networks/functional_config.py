"""Functional models as plain values: the layers, and for each the calls of it, by the tensors that they were given.

A tensor goes by the name of the layer or operation that gave it, the number of the call, and its place among what the
call gave. Other arguments of calls are plain values, slices and small arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.tensor import EagerTensor

from ..base.layer import Layer
from ..base.serialization import deserialize, plain
from ..base.symbolic import OPERATIONS, KerasTensor, Node, Operation
from ..layers.core import InputLayer
from .functional import FunctionalGraph

__all__ = ["graph_from_config", "graph_to_config", "replay"]

_OPERATIONS = "keras.ops"


# Out


def graph_to_config(graph: FunctionalGraph) -> dict[str, Any]:
    """What `graph_from_config` makes an equal graph of, with layers of its own.

    Raises `InvalidArgumentError` for arguments of calls that no configuration holds.
    """
    calls = _calls(graph)
    numbers = {id(node): number for nodes in calls.values() for number, node in enumerate(nodes)}

    def place(tensor: KerasTensor) -> list[Any]:
        assert tensor.keras_history is not None
        node, index = tensor.keras_history
        return [node.operation.name, numbers[id(node)], index]

    layers = []
    for operation in graph.operations:
        nodes = [] if isinstance(operation, InputLayer) else calls[id(operation)]
        inbound = [{"args": [_encode(each, place) for each in node.args],
                    "kwargs": {name: _encode(each, place) for name, each in node.kwargs.items()}} for node in nodes]
        layers.append({**_operation_config(operation), "name": operation.name, "inbound_nodes": inbound})
    return {"layers": layers, "input_layers": nest.map_structure(place, graph.inputs),
            "output_layers": nest.map_structure(place, graph.outputs)}  # fmt: skip


def _calls(graph: FunctionalGraph) -> dict[int, list[Node]]:
    """The calls of the graph by the identity of what was called, in the order in which they were made."""
    found: dict[int, list[Node]] = {id(operation): [] for operation in graph.operations}
    for node in sorted(graph.nodes, key=lambda node: node.index):
        found[id(node.operation)].append(node)
    return found


def _operation_config(operation: object) -> dict[str, Any]:
    if isinstance(operation, Operation):
        return {"module": _OPERATIONS, "class_name": operation.kind, "config": {"name": operation.name},
                "registered_name": None}  # fmt: skip
    return dict(plain(operation))


def _encode(value: object, place: Callable[[KerasTensor], list[Any]]) -> Any:
    """An argument of a call; what JSON does not have is a dict with a ``class_name``."""
    if isinstance(value, KerasTensor):
        config = {"shape": value.static_shape, "dtype": value.dtype.name, "keras_history": place(value)}
        return {"class_name": "__keras_tensor__", "config": config}
    if isinstance(value, (EagerTensor, np.ndarray, np.generic, Variable)):
        array = np.asarray(value)
        return {"class_name": "__numpy__", "config": {"value": array.tolist(), "dtype": array.dtype.name}}
    if isinstance(value, slice):
        parts = [_encode(part, place) for part in (value.start, value.stop, value.step)]
        return {"class_name": "__slice__", "config": parts}
    if value is ...:
        return {"class_name": "__ellipsis__", "config": []}
    if type(value) is tuple:
        return {"class_name": "__tuple__", "config": [_encode(each, place) for each in value]}
    if type(value) is list:
        return [_encode(each, place) for each in value]
    if isinstance(value, dict) and "class_name" not in value and all(isinstance(key, str) for key in value):
        return {key: _encode(each, place) for key, each in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise InvalidArgumentError(
        f"a layer of the functional model was called with {value!r}, which a configuration can't hold",
        remedy="pass it to the constructor of the layer",
    )


# In


def graph_from_config(config: dict[str, Any]) -> tuple[Any, Any]:
    """The symbolic inputs and outputs of new layers for what `graph_to_config` gave.

    Raises `InvalidTypeError` for layers of an unknown class, `InvalidArgumentError` for calls that don't fit together.
    """
    made: dict[str, Any] = {}
    waiting: list[tuple[str, list[Any]]] = []
    for each in config["layers"]:
        name = each["name"]
        if name in made:
            raise InvalidArgumentError(f'The name "{name}" is used twice in the model.')
        made[name] = _operation(each)
        waiting.append((name, list(each["inbound_nodes"])[::-1]))
    outputs: dict[tuple[str, int, int], KerasTensor] = {
        (name, 0, 0): each.output for name, each in made.items() if isinstance(each, InputLayer)
    }
    done = dict.fromkeys(made, 0)

    def tensor(place: Any) -> KerasTensor:
        return outputs[place[0], place[1], place[2]]

    while waiting:
        before = sum(len(nodes) for _, nodes in waiting)
        for name, nodes in waiting:
            while nodes and _is_ready(nodes[-1], outputs):
                call = nodes.pop()
                args, kwargs = (_decode(call[part], tensor) for part in ("args", "kwargs"))
                for index, leaf in enumerate(nest.flatten(made[name](*args, **kwargs))):
                    outputs[name, done[name], index] = leaf
                done[name] += 1
        waiting = [(name, nodes) for name, nodes in waiting if nodes]
        if waiting and sum(len(nodes) for _, nodes in waiting) == before:
            raise InvalidArgumentError(f"the calls of layer {waiting[0][0]!r} depend on tensors that nothing gives")
    return _places(config["input_layers"], tensor), _places(config["output_layers"], tensor)


def _operation(config: dict[str, Any]) -> Any:
    if config.get("module") == _OPERATIONS:
        if config["class_name"] not in OPERATIONS:
            raise InvalidTypeError(f"there is no operation {config['class_name']!r}")
        return Operation(config["class_name"], config["name"])
    made = deserialize(config)
    if not isinstance(made, Layer):
        raise InvalidTypeError(f"{config['class_name']} is no class of layers")
    return made


def _is_ready(value: object, outputs: dict[tuple[str, int, int], KerasTensor]) -> bool:
    """Whether all tensors that a call was given are made."""
    if isinstance(value, list):
        return all(_is_ready(each, outputs) for each in value)
    if not isinstance(value, dict):
        return True
    if value.get("class_name") == "__keras_tensor__":
        return tuple(value["config"]["keras_history"]) in outputs
    return all(_is_ready(each, outputs) for each in value.values())


def _decode(value: object, tensor: Callable[[Any], KerasTensor]) -> Any:
    if isinstance(value, list):
        return [_decode(each, tensor) for each in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("class_name")
    if kind is None:
        return {key: _decode(each, tensor) for key, each in value.items()}
    config = value["config"]
    match kind:
        case "__keras_tensor__":
            return tensor(config["keras_history"])
        case "__numpy__":
            return np.array(config["value"], config["dtype"])
        case "__slice__":
            return slice(*[_decode(each, tensor) for each in config])
        case "__ellipsis__":
            return ...
        case "__tuple__":
            return tuple([_decode(each, tensor) for each in config])
    raise InvalidTypeError(f"a call was given a value of no known kind: {kind!r}")


def _places(value: Any, tensor: Callable[[Any], KerasTensor]) -> Any:
    if isinstance(value, dict):
        return {key: _places(each, tensor) for key, each in value.items()}
    if len(value) == 3 and isinstance(value[0], str):
        return tensor(value)
    return [_places(each, tensor) for each in value]


def replay(
    graph: FunctionalGraph, operation_for: Callable[[Any], Any], given: object = None,
    call: Callable[..., Any] | None = None
) -> tuple[Any, Any]:  # fmt: skip
    """The symbolic inputs and outputs of the same calls of other layers.

    ``operation_for`` gives the layer or operation to call in place of one; ``given`` are symbolic inputs to begin
    with, in the structure of the graph's, in place of new ones; ``call(layer, ...)`` calls a layer.
    """
    replaced: dict[int, Any] = {}
    tensors: dict[int, Any] = {}
    if given is not None:
        tensors = dict(zip(map(id, nest.flatten(graph.inputs)), nest.flatten(given), strict=True))

    def call_other(operation: object, *args: object, **kwargs: object) -> Any:
        other = replaced.get(id(operation))
        if other is None:
            other = replaced[id(operation)] = operation_for(operation)
        if isinstance(other, InputLayer):
            return other.output
        return other(*args, **kwargs) if call is None else call(other, *args, **kwargs)

    value_of = graph.replay(tensors, call_other)
    return nest.map_structure(value_of, graph.inputs), nest.map_structure(value_of, graph.outputs)
