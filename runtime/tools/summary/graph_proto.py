"""Graphs as TensorBoard's ``GraphDef``: branches and loops are name scopes, which it draws as boxes that open.

A graph that is called is a function of the library, which TensorBoard draws the same way, once for all calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.dtypes import DType
from ...ir.graph import Graph, Node, Type, Value
from ...ir.primitive import PLACEHOLDER, Call, Cond
from .writer import library

# TensorFlow's numbers of element types (``DataType`` in types.proto).
_TYPES = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8, "int64": 9,
    "bool": 10, "uint16": 17, "complex128": 18, "float16": 19, "variant": 21, "uint32": 22, "uint64": 23,
}  # fmt: skip
_LARGEST_CONSTANT = 64  # elements that are shown


def graph_proto(graph: Graph) -> Any:
    """The ``GraphDef`` of a graph. Raises `MissingExtraError` without TensorBoard."""
    result = library("compat.proto.graph_pb2").GraphDef()
    result.versions.producer = 22
    _Writer(result).write(graph)
    return result


class _Writer:
    def __init__(self, result: Any) -> None:
        self.result = result
        self.functions: dict[Graph, str] = {}
        self.taken: set[str] = set()

    def write(self, graph: Graph) -> None:
        body = _Body(self, self.result.node)
        body.graph(graph, "", {})
        for i, value in enumerate(graph.outputs):
            body.node(f"Identity_{i}" if i else "Identity", "Identity", [body.names[value]], value.type)

    def function(self, graph: Graph) -> str:
        """The name of a called graph in the library."""
        known = self.functions.get(graph)
        if known is not None:
            return known
        name, count = graph.name, 1
        while name in self.taken:
            name, count = f"{graph.name}_{count}", count + 1
        self.taken.add(name)
        self.functions[graph] = name  # now: it may call itself
        definition = self.result.library.function.add()
        definition.signature.name = name
        body = _Body(self, definition.node_def)
        inputs = {}
        for value in graph.inputs:
            definition.signature.input_arg.add(name=value.node.name, type=_TYPES[value.type.dtype.name])
            inputs[value] = value.node.name
        body.graph(graph, "", inputs)
        for i, value in enumerate(graph.outputs):
            definition.signature.output_arg.add(name=f"output_{i}", type=_TYPES[value.type.dtype.name])
            definition.ret[f"output_{i}"] = body.names[value]
        return name


class _Body:
    """The nodes of one graph, those of its branches and loops included."""

    def __init__(self, writer: _Writer, nodes: Any) -> None:
        self.writer = writer
        self.nodes = nodes
        self.names: dict[Value, str] = {}

    def graph(self, graph: Graph, scope: str, given: dict[Value, str]) -> None:
        """Add the nodes of a graph; ``given`` names what its placeholders stand for."""
        self.names.update(given)
        for node in graph.nodes:
            if node.op is PLACEHOLDER and node.outputs[0] in given:
                continue
            self._add(node, scope)

    def _add(self, node: Node, scope: str) -> None:
        name = scope + node.name
        inputs = [self.names[value] for value in node.inputs]
        operation = node.type
        if isinstance(node, Call):
            operation = self.writer.function(node.called)
        elif node.subgraphs:
            inputs = self._subgraphs(node, name, inputs)
        made = self.node(name, operation, inputs, node.outputs[0].type if node.outputs else None)
        for key, value in node.details.items():
            _set(made.attr[key], value)
        location = node.location
        if location is not None:
            made.attr["_location"].s = str(location).encode()
        for value in node.outputs:
            self.names[value] = name if value.index == 0 else f"{name}:{value.index}"

    def _subgraphs(self, node: Node, name: str, inputs: list[str]) -> list[str]:
        """Add the sub-graphs in scopes of their own; the inputs of the node itself, which come out of them."""
        results = [self.names[node.predicate]] if isinstance(node, Cond) else []
        for region in node.regions:
            scope = f"{name}/{region.name}/"
            given = {}
            for outer, value in region.pairs:
                own = scope + value.node.name
                self.node(own, "Identity", [self.names[outer]], value.type)
                given[value] = own
            self.graph(region.graph, scope, given)
            results += [self.names[value] for value in region.graph.outputs]
        return results or inputs

    def node(self, name: str, operation: str, inputs: list[str], type_: Type | None) -> Any:
        made = self.nodes.add(name=name, op=operation, input=inputs)
        if type_ is not None:
            made.attr["T"].type = _TYPES[type_.dtype.name]
            shape = made.attr["_output_shapes"].list.shape.add()
            if type_.shape is None:
                shape.unknown_rank = True
            else:
                for size in type_.shape:
                    shape.dim.add(size=-1 if size is None else size)
        return made


def _set(attribute: Any, value: object) -> None:
    if isinstance(value, (bool, np.bool_)):
        attribute.b = bool(value)
    elif isinstance(value, (int, np.integer)) and -(2**63) <= value < 2**63:
        attribute.i = int(value)
    elif isinstance(value, (float, np.floating)):
        attribute.f = float(value)
    elif isinstance(value, DType):
        attribute.type = _TYPES[value.name]
    elif isinstance(value, bytes):
        attribute.s = value
    elif isinstance(value, np.ndarray) and value.size <= _LARGEST_CONSTANT and value.dtype != object:
        attribute.tensor.CopyFrom(library("util.tensor_util").make_tensor_proto(value))
    elif isinstance(value, np.ndarray):
        attribute.s = f"{value.dtype} array of shape {value.shape}".encode()
    else:
        attribute.s = (value if isinstance(value, str) else repr(value)).encode()
