"""`FunctionalGraph`: the symbolic calls between inputs and outputs, run again on tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest, shapes
from autograph.runtime.ops.shape.shape import expand_dims, squeeze
from autograph.runtime.tensors.convert import cast, convert_to_tensor

from ..base.layer import Layer
from ..base.symbolic import KerasTensor, Node
from ..base.tracking import unique

__all__ = ["FunctionalGraph"]


class FunctionalGraph:
    """The calls that lead from ``inputs`` to ``outputs``, structures of symbolic tensors.

    Raises `InvalidArgumentError` for inputs that are not from `Input`, for what is no symbolic tensor, and for
    outputs that depend on other inputs, and for two layers of one name.
    """

    def __init__(self, inputs: Any, outputs: object) -> None:
        self.inputs = inputs
        self.outputs = outputs
        for leaf in (*nest.flatten(inputs), *nest.flatten(outputs)):
            if not isinstance(leaf, KerasTensor) or leaf.keras_history is None:
                raise InvalidArgumentError(
                    f"All `inputs` and `outputs` values must be KerasTensors. Received: {leaf!r}",
                    remedy="begin with tf.keras.Input(shape) and call layers on it",
                )
        order, visits = self._walk()
        self.nodes, self.operations = _sorted_by_depth(order, visits, [_node(leaf) for leaf in nest.flatten(inputs)])
        names = Counter(each.name for each in self.operations)
        name, count = names.most_common(1)[0]
        if count > 1:
            raise InvalidArgumentError(
                f'The name "{name}" is used {count} times in the model. All operation names should be unique.'
            )
        self.layers = [each for each in self.operations if isinstance(each, Layer)]

    def _walk(self) -> tuple[list[Node], dict[int, int]]:
        """The nodes that the outputs depend on, each before those that it depends on, and numbers for operations.

        The numbers, by identity, tell in which order a walk from the outputs to the inputs meets the operations.
        """
        given = {id(leaf) for leaf in nest.flatten(self.inputs)}
        visits: dict[int, int] = {}
        seen: set[int] = set()
        finished: list[Node] = []
        pending = [(_node(leaf), False) for leaf in reversed(nest.flatten(self.outputs))]
        while pending:
            node, done = pending.pop()
            if done:
                finished.append(node)
                continue
            if id(node) in seen:
                continue
            seen.add(id(node))
            visits.setdefault(id(node.operation), len(visits))
            pending.append((node, True))
            if any(id(leaf) in given for leaf in nest.flatten(node.outputs)):
                continue
            if not node.inputs:
                raise InvalidArgumentError(
                    f"`inputs` not connected to `outputs`: the outputs depend on {node.operation.name!r}, which is no "
                    "input of the model"
                )
            pending += [(_node(leaf), False) for leaf in reversed(node.inputs)]
        return finished[::-1], visits

    def run(self, inputs: object) -> Any:
        """The outputs for tensors in the structure of the inputs."""
        values = {id(leaf): value for leaf, value in zip(nest.flatten(self.inputs), self.fitting(inputs), strict=True)}

        value_of = self.replay(values, lambda operation, *args, **kwargs: operation(*args, **kwargs))
        return nest.map_structure(value_of, self.outputs)

    def replay(self, values: dict[int, Any], call: Callable[..., Any]) -> Callable[[Any], Any]:
        """Make all calls again, by ``call(operation, ...)``, with other values for symbolic tensors, by identity.

        Adds what the calls give to the values. Returns the function from symbolic tensors to values.
        """

        def value_of(leaf: object) -> Any:
            return values[id(leaf)] if isinstance(leaf, KerasTensor) else leaf

        for node in self.nodes:
            outputs = nest.flatten(node.outputs)
            if all(id(leaf) in values for leaf in outputs):
                continue
            args, kwargs = nest.map_structure(value_of, (node.args, node.kwargs))
            results = call(node.operation, *args, **kwargs)
            values.update(zip(map(id, outputs), nest.flatten(results), strict=True))
        return value_of

    def fitting(self, inputs: object) -> list[Any]:
        """The tensors given, in the order of the inputs. Dicts are matched by the names of the input layers."""
        wanted = nest.flatten(self.inputs)
        if isinstance(inputs, dict) and not isinstance(self.inputs, dict):
            names = [_node(leaf).operation.name for leaf in wanted]
            missing = [name for name in names if name not in inputs]
            if missing:
                raise InvalidArgumentError(f"the inputs miss {missing[0]!r}: the model takes {names}")
            leaves = [inputs[name] for name in names]
        elif isinstance(inputs, dict):
            leaves = nest.flatten({name: inputs[name] for name in self.inputs if name in inputs})
        else:
            leaves = nest.flatten(inputs)
        if len(leaves) != len(wanted):
            raise InvalidArgumentError(f"the model takes {len(wanted)} inputs, not {len(leaves)}")
        return [_fit(leaf, spec) for leaf, spec in zip(leaves, wanted, strict=True)]


def _node(tensor: KerasTensor) -> Node:
    """The call that a symbolic tensor comes from."""
    assert tensor.keras_history is not None
    return tensor.keras_history[0]


def _fit(value: object, wanted: KerasTensor) -> Any:
    """A tensor as an input wants it: of its dtype, with a last axis of size 1 more or less."""
    tensor = convert_to_tensor(value)
    if tensor.dtype is not wanted.dtype:
        tensor = cast(tensor, wanted.dtype)
    shape, expected = tensor.static_shape, wanted.static_shape
    if shape is None or expected is None:
        return tensor
    if len(shape) == len(expected) + 1 and shape[-1] == 1:
        tensor = squeeze(tensor, -1)
    elif len(shape) == len(expected) - 1 and expected[-1] == 1:
        tensor = expand_dims(tensor, -1)
    if not shapes.is_compatible(tensor.static_shape, expected):
        raise InvalidArgumentError(
            f"Invalid input shape for input {wanted.name!r}. Expected shape {expected}, but input has incompatible "
            f"shape {shape}",
            remedy=_batched(shape, expected),
        )
    return tensor


def _batched(shape: shapes.Shape, expected: shapes.Shape) -> str | None:
    """What to write for a sample in place of a batch of samples."""
    if shape is None or expected is None or not shapes.is_compatible(shape, expected[1:]):
        return None
    return "the first axis is that of the samples in a batch: write dataset.batch(size), or x[None] for one sample"


def _sorted_by_depth(order: list[Node], visits: dict[int, int], inputs: list[Node]) -> tuple[list[Node], list[Any]]:
    """Nodes and operations, those that others depend on first.

    The depth of a node is the length of the longest way from it to an output; an operation is as deep as its deepest
    node. Operations of one depth come in the order of ``visits``.
    """
    depths: dict[int, int] = {}
    operation_depths: dict[int, int] = {}
    for node in order:
        depth = max(depths.get(id(node), 0), operation_depths.get(id(node.operation), 0))
        depths[id(node)] = operation_depths[id(node.operation)] = depth
        for leaf in node.inputs:
            before = id(_node(leaf))
            depths[before] = max(depths.get(before, 0), depth + 1)
    for node in inputs:
        if id(node) not in depths:  # nothing depends on it
            order = [*order, node]
            depths[id(node)] = operation_depths[id(node.operation)] = 0
    operations = unique(node.operation for node in order)
    operations.sort(key=lambda each: (-operation_depths[id(each)], visits.get(id(each), -1)))
    return sorted(order, key=lambda node: -depths[id(node)]), operations
