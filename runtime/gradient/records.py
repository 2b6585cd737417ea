"""What a gradient tape remembers: applications of ops, eager ones and nodes of graphs alike.

A tensor goes by a *key*: the identity of its array for eager tensors and constants of graphs, the value of the
outermost graph it comes from for everything else. So a value captured by a branch, and an eager tensor that became a
constant of a graph, keep the key that they have outside.

Variables
---------
A variable is any object whose type says ``__variable__ = True`` and that has ``dtype``, ``shape`` and ``trainable``.
It takes part in gradients by two rules:

* Reading it, eagerly or in a trace, ends with ``variable_read(variable, tensor)``, where ``tensor`` is what the read
  gives (a new array, eagerly).
* In a graph the node of the read has the attribute ``variable``, and an effect. Gradients of branches, loops and calls
  find reads inside by it.

The gradient of a variable is the sum of those of all its reads; an assignment lets no gradient through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.list_value import ListValue
from ..engines.device_tensor import DeviceTensor
from ..ir.graph import Graph, Node, Value
from ..ir.kinds import is_variable
from ..ir.op import NOT_DIFFERENTIABLE, Op
from ..ir.primitive import CONSTANT, Call, Replicated
from ..tensors import convert, trace
from ..tensors.tensor import EagerTensor, SymbolicTensor, Tensor

if TYPE_CHECKING:
    pass

__all__ = ["Record", "is_variable", "key", "record_node", "run_recorded", "variable_read"]


def is_differentiable(dtype: Any) -> bool:
    """Whether tensors of a dtype have gradients: floating and complex numbers, and lists of them."""
    return dtype.kind in "fcV"


def key(tensor: object) -> Any:
    """What a tensor or variable goes by; the object has to be kept alive as long as its key."""
    if type(tensor) is SymbolicTensor:
        return key_of_value(tensor.value)
    if type(tensor) is EagerTensor:
        return id(tensor.array)
    return id(tensor.place) if type(tensor) is DeviceTensor else id(tensor)


def key_of_value(value: Value) -> Any:
    """The key of a value in a graph."""
    origins = value.node.graph.origins
    while value in origins:
        value = origins[value]
        origins = value.node.graph.origins
    return id(value.node.attributes["value"]) if value.node.op is CONSTANT else value


def free_sources(graphs: Iterable[Graph], active: set[Any]) -> list[Any]:
    """The eager tensors and variables with active keys that graphs use, at any depth, besides their inputs."""
    found: dict[int, Any] = {}
    for graph in graphs:
        for node in graph.walk():
            if node.op is CONSTANT and id(node.attributes["value"]) in active:
                array = node.attributes["value"]
                found.setdefault(id(array), EagerTensor(array))
            elif "variable" in node.attributes and id(node.attributes["variable"]) in active:
                found.setdefault(id(node.attributes["variable"]), node.attributes["variable"])
    return list(found.values())


class Record:
    """One application of an op.

    Attributes
    ----------
    inputs, outputs: tensors (and variables, for a read) as the code that computes gradients sees them.
    backward: for what is no op of a graph, ``backward(gradients of outputs) -> gradients of inputs``; None elsewhere.
    node: the node, for ops in graphs.
    see: a value of the node's graph -> the tensor that stands for it where the gradient is computed.
    """

    __slots__ = ("attributes", "backward", "inputs", "keys", "node", "op", "outputs", "see")

    def __init__(self, op: Op | None, attributes: dict[str, Any], inputs: Sequence[Any], outputs: Sequence[Any],
                 backward: Callable[[list[Any]], Sequence[Any]] | None = None, node: Node | None = None,
                 see: Callable[[Value], Any] = SymbolicTensor) -> None:  # fmt: skip
        self.op = op
        self.attributes = attributes
        self.inputs = inputs
        self.outputs = outputs
        self.backward = backward
        self.node = node
        self.see = see
        self.keys = [key(x) for x in inputs]

    @classmethod
    def of_node(cls, node: Node) -> Record:
        return cls.of_copy(node, map(SymbolicTensor, node.inputs), map(SymbolicTensor, node.outputs), SymbolicTensor)

    @classmethod
    def of_copy(cls, node: Node, inputs: Iterable[Any], outputs: Iterable[Any], see: Callable[[Value], Any]) -> Record:
        """The record of a node whose inputs and outputs are represented by other tensors."""
        variable = node.attributes.get("variable")
        if variable is not None:
            return cls(None, {}, [variable], list(outputs), backward=list)
        return cls(node.op, node.attributes, list(inputs), list(outputs), node=node, see=see)

    def renew(self) -> None:
        """Be the record of the node that stands in the place of the old one, and takes and gives more, if one does."""
        node = self.node
        if node is None or node.latest is node:
            return
        known = dict(zip(node.inputs, self.inputs, strict=True))
        self.node = node.latest
        self.attributes = self.node.attributes
        self.inputs = [known[value] if value in known else self.see(value) for value in self.node.inputs]
        self.keys = [key(x) for x in self.inputs]
        self.outputs = [*self.outputs, *map(self.see, self.node.outputs[len(node.outputs) :])]

    def is_reached(self, active: set[Any]) -> bool:
        """Whether a gradient can flow to something with an active key."""
        if self.op is not None and self.op.gradient is NOT_DIFFERENTIABLE:
            return False
        if not active.isdisjoint(self.keys):
            return True
        if self.node is None or not self.node.subgraphs:
            return False
        return bool(free_sources(self.node.subgraphs, active))


@trace.RECORD_NODE.give
def record_node(node: Node) -> None:
    """Let this thread's tapes remember a node, if they follow something that it depends on."""
    if node.op.gradient is NOT_DIFFERENTIABLE or not node.outputs:
        return
    if isinstance(node, Call | Replicated):
        for variable in variables_in(node.called):
            access(variable)
    remember(Record.of_node(node))


def remember(record: Record) -> bool:
    """Let this thread's tapes remember a record; whether one did."""
    found = False
    for tape in trace.LOCAL.tapes:
        if record.is_reached(tape.followed):
            tape.add(record)
            found = True
    return found


@trace.RUN_RECORDED.give
def run_recorded(op: Op, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """Run an op eagerly and remember it. Raises as `trace.run_eagerly`."""
    if op.gradient is NOT_DIFFERENTIABLE:
        return trace.run_eagerly(op, inputs, attributes)
    tensors = [x if isinstance(x, Tensor) else convert.convert_to_tensor(x) for x in inputs]
    result = trace.run_eagerly(op, tensors, attributes)
    several = type(result) is tuple
    outputs = fresh(result if several else (result,), tensors)
    remember(Record(op, attributes, tensors, outputs))
    return tuple(outputs) if several else outputs[0]


def fresh(outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """The outputs with arrays of their own where they are those of inputs, or may be elements of them, so that each
    tensor has its own key.
    """
    given = [x.array for x in inputs if type(x) is EagerTensor or (type(x) is DeviceTensor and x.is_here)]
    known = {id(array) for array in given}
    from_list = any(type(array) is ListValue for array in given)
    return [
        EagerTensor(_alias(x.array)) if type(x) is EagerTensor and (id(x.array) in known or (from_list and
        type(x.array) is np.ndarray)) else x
        for x in outputs
    ]


def _alias(array: object) -> Any:
    if type(array) is np.ndarray:
        return array.view()
    return ListValue.of(array.items()) if type(array) is ListValue else array


def variables_in(graph: Graph) -> list[Any]:
    """The variables that a graph reads, at any depth."""
    found = {id(v): v for node in graph.walk() if (v := node.attributes.get("variable")) is not None}
    return list(found.values())


def access(variable: object) -> None:
    """Let this thread's tapes follow a variable, if they follow what is read."""
    for tape in trace.LOCAL.tapes:
        tape.accessed(variable)


def variable_read(variable: object, tensor: object) -> None:
    """To be called by variables when they are read: ``tensor`` is what the read gives."""
    if trace.LOCAL.tapes:
        access(variable)
        remember(Record(None, {}, [variable], [tensor], backward=list))
