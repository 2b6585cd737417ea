"""A graph as plain data, in the form of TensorFlow's ``GraphDef``: nodes with names, ops, inputs and attributes.

>>> import autograph as tf
>>> double = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec((2,)))
>>> for node in double.graph.as_graph_def().node:
...     print(f"{node.input} -> {node.name}")
[] -> x
[] -> Const
['x', 'Const'] -> multiply
['multiply'] -> Identity
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .graph import GRAPH_DEF, Graph, Node, Value
from .notes import CONTROL_INPUTS

__all__ = ["FunctionDef", "FunctionLibrary", "GraphDef", "NodeDef", "graph_def"]

@dataclass
class NodeDef:
    """One node. An input is written ``node`` for the first output of a node, and ``node:1`` for another one.

    ``^node`` is one that only has to run before.
    """

    name: str
    op: str
    input: list[str]
    attr: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f'name: "{self.name}"', f'op: "{self.op}"', *[f'input: "{each}"' for each in self.input]]
        for key, value in self.attr.items():
            lines += ["attr {", f'  key: "{key}"', f"  value: {value!r}", "}"]
        return "\n".join(lines) + "\n"


@dataclass
class FunctionDef:
    """A graph that a node of another one runs: a branch, a part of a loop, or a called function."""

    name: str
    input: list[str]
    output: list[str]
    node: list[NodeDef]


@dataclass
class FunctionLibrary:
    """The functions that the nodes of a graph run, innermost first."""

    function: list[FunctionDef] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set, repr=False, compare=False)

    def unique_name(self, base: str) -> str:
        """A name that no other function of the library has."""
        return _unique(base, self._taken)


@dataclass
class GraphDef:
    """A whole graph. ``print`` shows it as text."""

    node: list[NodeDef]
    library: FunctionLibrary

    def __str__(self) -> str:
        return "".join("node {\n" + "".join(f"  {line}\n" for line in str(each).splitlines()) + "}\n"
                       for each in self.node)  # fmt: skip


@GRAPH_DEF.give
def graph_def(graph: Graph) -> GraphDef:
    """A graph as data; what it returns goes through ``Identity`` nodes, as in TensorFlow."""
    names: dict[Graph, str] = {}
    library = FunctionLibrary()
    nodes = list(_nodes(graph, names, library))
    taken = {node.name for node in nodes}
    for value in graph.outputs:
        nodes.append(NodeDef(_unique("Identity", taken), "Identity", [_reference(value)], {"T": value.dtype.name}))
    return GraphDef(nodes, library)


def _nodes(graph: Graph, names: dict[Graph, str], library: FunctionLibrary) -> Iterator[NodeDef]:
    control_inputs = {node.latest: before for node, before in CONTROL_INPUTS.of(graph).items()}
    for node in graph.nodes:
        inputs = [_reference(value) for value in node.inputs]
        inputs += [f"^{each.name}" for each in control_inputs.get(node, ())]
        yield NodeDef(node.name, node.type, inputs, dict(_attributes(node, names, library)))


def _attributes(node: Node, names: dict[Graph, str], library: FunctionLibrary) -> Iterator[tuple[str, Any]]:
    for region in node.regions:
        yield region.name, _function(region.graph, names, library)
    yield from node.details.items()
    if len(node.outputs) == 1:
        yield "dtype", node.outputs[0].dtype.name
        yield "shape", node.outputs[0].shape


def _function(graph: Graph, names: dict[Graph, str], library: FunctionLibrary) -> str:
    """The name under which a sub-graph is in the library."""
    if graph not in names:
        names[graph] = name = library.unique_name(graph.name)  # now: it may call itself
        nodes = list(_nodes(graph, names, library))
        inputs = [value.node.name for value in graph.inputs]
        library.function.append(FunctionDef(name, inputs, [_reference(value) for value in graph.outputs], nodes))
    return names[graph]


def _reference(value: Value) -> str:
    return value.node.name if value.index == 0 else value.name


def _unique(base: str, taken: set[str]) -> str:
    name, count = base, 1
    while name in taken:
        name, count = f"{base}_{count}", count + 1
    taken.add(name)
    return name
