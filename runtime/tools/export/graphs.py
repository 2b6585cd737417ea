"""Graphs as JSON.

A graph is ``{"name": …, "nodes": […], "parameters": […], "captures": […], "outputs": […], "never_returns": false}``:
parameters and captures by the places of their ``placeholder`` nodes, outputs as ``[node, output]``. A node is

    {"name": "add", "op": "add", "inputs": [[0, 0], [1, 0]], "attributes": {…}, "outputs": [["float32", [null, 4]]],
     "at": ["model.py", 12, "forward"]}

Inputs are earlier nodes of the same graph. Attributes are as `values` has them, and left out when there are none; so
is ``"at"``, the user's source location. There are two tables. Sub-graphs, which belong to one ``cond``, ``while`` or
``custom_gradient`` node, come before the sub-graph that this node is in; their captures are the last inputs of the
node. Functions are graphs that ``call`` nodes anywhere may name, also their own; they have no captures.
"""

from __future__ import annotations

import os
from types import CodeType
from typing import Any

from autograph.errors import InvalidArgumentError, SavingError

from ...base import shapes
from ...base.places import Place
from ...ir.check import check
from ...ir.graph import Graph, Node, Type, Value
from ...ir.op import OPS, Op
from ...ir.primitive import CALL, COND, PLACEHOLDER, WHILE, Call, CustomGradient
from ...ops.host.host import PRINT, RAISE
from . import exceptions as exceptions  # how errors are saved
from .attributes import check_attributes
from .values import (
    NotSavable,
    Source,
    Target,
    decode,
    decode_dtype,
    decode_shape,
    encode,
    encode_shape,
    is_index,
    require,
)

__all__ = ["GraphReader", "encode_graph"]

_STRUCTURAL = (COND, WHILE, CALL, PLACEHOLDER)
_GRAPH = {"name", "nodes", "parameters", "captures", "outputs", "never_returns"}
_NODE = {"name", "op", "inputs", "outputs"}
_MAX_LINE = 2**24
_MAX_STEPS = 2**18


# Out


def encode_graph(graph: Graph, target: Target, is_function: bool) -> dict[str, Any]:
    """The JSON form; captures of functions are parameters. Raises `SavingError` for nodes that can't be saved."""
    places = {node: i for i, node in enumerate(graph.nodes)}
    captures = list(graph.captures.values())
    if is_function:
        parameters, captures = [*graph.parameters, *captures], []
    else:
        parameters = graph.parameters
    return {
        "name": graph.name,
        "nodes": [_encode_node(node, places, target) for node in graph.nodes],
        "parameters": [places[value.node] for value in parameters],
        "captures": [places[value.node] for value in captures],
        "outputs": [[places[value.node], value.index] for value in graph.outputs],
        "never_returns": graph.never_returns,
    }


def _encode_node(node: Node, places: dict[Node, int], target: Target) -> dict[str, Any]:
    if node.op.unsavable:
        raise _not_savable(node, f"a node {node.op.name!r} runs a Python object", node.op.unsavable)
    if node.op is PRINT and str(node.attributes["stream"]) not in ("stderr", "stdout"):
        raise _not_savable(node, "a node 'print' writes to a file or a Python object", "print to stderr or stdout")
    saved = {**{region.name: region.graph for region in node.regions}, **node.details}
    # What is saved can be loaded again.
    check_attributes(node.op, [value.type for value in node.inputs], saved, len(node.outputs))
    try:
        if isinstance(node, Call):
            attributes: dict[str, Any] = {"graph": {"function": target.function(node.called)}}
        else:
            attributes = {name: encode(value, target) for name, value in saved.items()}
    except NotSavable as error:
        message = f"a node {node.op.name!r} holds {error}"
        raise _not_savable(node, message, "let the function use tensors and variables only") from None
    result: dict[str, Any] = {
        "name": node.name,
        "op": node.op.name,
        "inputs": [[places[value.node], value.index] for value in node.inputs],
        "outputs": [[value.type.dtype.name, encode_shape(value.type.shape)] for value in node.outputs],
    }
    if attributes:
        result["attributes"] = attributes
    location = node.location
    if location is not None:
        result["at"] = [os.path.basename(location.file), location.line, location.function]
    return result


def _not_savable(node: Node, message: str, remedy: str) -> SavingError:
    location = node.location
    file, line, function = location if location is not None else (None, None, None)
    return SavingError(f"{message}, which a saved model can't hold (node {node.name!r})", file=file, line=line,
                       function=function, construct=node.op.name, remedy=remedy)  # fmt: skip


# In


class GraphReader:
    """Makes the graphs of both tables, and checks them. ``source`` gives arrays and variables.

    Raises `InvalidArgumentError` or `GraphError` for what is not a valid graph.
    """

    def __init__(self, parts: Any, functions: Any, source: Source) -> None:
        for table in (parts, functions):
            require(type(table) is list and all(type(data) is dict for data in table), "the graphs are no table")
        self._source = source
        self._parts = [Graph(_name(data.get("name"))) for data in parts]
        self.functions = [Graph(_name(data.get("name"))) for data in functions]
        self._owners: dict[Graph, Node] = {}
        self._captures: dict[Graph, list[Value]] = {}
        self._codes: dict[tuple[str, int, str], CodeType] = {}
        self._known: list[Graph] = []
        OPS.load()
        self._ops: dict[str, Op] = dict(OPS)
        for graph, data in zip([*self._parts, *self.functions], [*parts, *functions], strict=True):
            self._graph(graph, data)
            self._known.append(graph)
        self._check()

    # What attributes refer to

    def array(self, name: Any) -> Any:
        return self._source.array(name)

    def variable(self, index: object) -> Any:
        return self._source.variable(index)

    def graph(self, index: Any) -> Graph:
        """A sub-graph, made before the graph with the node that has it."""
        require(is_index(index, min(len(self._known), len(self._parts))), "there is no such graph")
        require(self._parts[index] not in self._owners, "a sub-graph belongs to two nodes")
        return self._parts[index]

    def function(self, index: Any) -> Graph:
        """A graph to be called."""
        require(is_index(index, len(self.functions)), "there is no such function")
        return self.functions[index]

    # Graphs and nodes

    def _graph(self, graph: Graph, data: dict[str, Any]) -> None:
        require(data.keys() == _GRAPH and type(data["nodes"]) is list, "a graph has other parts than it should")
        require(type(data["never_returns"]) is bool, "a graph does not say whether it returns")
        for node in data["nodes"]:
            self._node(graph, node)
        placeholders = [node.outputs[0] for node in graph.nodes if node.op is PLACEHOLDER]
        graph.parameters = self._placeholders(graph, data["parameters"])
        self._captures[graph] = captures = self._placeholders(graph, data["captures"])
        declared = [*graph.parameters, *captures]
        require(
            len(declared) == len(placeholders) and set(declared) == set(placeholders), "inputs of a graph are wrong"
        )
        graph.outputs = _values(graph, data["outputs"])
        graph.never_returns = data["never_returns"]

    def _placeholders(self, graph: Graph, places: Any) -> list[Value]:
        require(type(places) is list, "inputs of a graph are no list")
        require(all(is_index(i, len(graph.nodes)) and graph.nodes[i].op is PLACEHOLDER for i in places),
                "inputs of a graph are no placeholders")  # fmt: skip
        return [graph.nodes[i].outputs[0] for i in places]

    def _node(self, graph: Graph, data: Any) -> None:
        require(type(data) is dict and data.keys() - {"attributes", "at"} == _NODE, "a node has wrong parts")
        name, op = _name(data["name"]), self._ops.get(_name(data["op"]))
        require(op is not None, f"there is no op {data['op']!r}")
        assert op is not None
        inputs = _values(graph, data["inputs"])
        types = [value.type for value in inputs]
        attributes = data.get("attributes", {})
        require(type(attributes) is dict, "the attributes of a node are not valid")
        attributes = {name: decode(value, self) for name, value in attributes.items()}
        declared = _types(data["outputs"])
        check_attributes(op, types, attributes, len(declared))
        subgraphs = tuple([attributes.pop(part) for part in op.node.parts])
        if op is WHILE:
            del attributes["count"]  # its outputs tell
        if op not in _STRUCTURAL:
            _check_types(op, types, attributes, declared)
        node = graph.add(op, inputs, attributes, name=name, where=self._where(data.get("at")), types=declared,
                         subgraphs=subgraphs)  # fmt: skip
        require(node.name == name, f"two nodes are called {name!r}")
        require(op is not PLACEHOLDER or (len(declared) == 1 and not inputs), "a placeholder has wrong parts")
        self._adopt(graph, node)

    def _adopt(self, graph: Graph, node: Node) -> None:
        """Make sub-graphs those of the node: the captures stand for its last inputs."""
        if isinstance(node, Call):
            return
        for part in node.subgraphs:
            require(part not in self._owners, "a sub-graph belongs to two nodes")
            self._owners[part] = node
            part.parent = graph
            captures = self._captures[part]
            outer = node.operands
            require(len(outer) == len(set(outer)) == len(captures), "a sub-graph captures other values than its node")
            part.captures = dict(zip(outer, captures, strict=True))
            part.origins = {inner: value for value, inner in part.captures.items()}
            if isinstance(node, CustomGradient):
                _check_pullback(node, part)

    def _where(self, data: Any) -> Place | None:
        """The user's location, of a file that nobody will look for: it is somewhere else, if it still exists."""
        if data is None:
            return None
        require(type(data) is list and len(data) == 3, "a source location is not valid")
        file, line, function = data
        require(type(line) is int and 0 < line < _MAX_LINE, "a line number is not valid")
        place = f"<{_name(file)}>", line, _name(function)
        if place not in self._codes:
            self._codes[place] = _LOCATION.replace(
                co_filename=place[0], co_firstlineno=line, co_name=place[2], co_qualname=place[2]
            )
        return Place(self._codes[place], 0)

    def _check(self) -> None:
        """What only all graphs together show."""
        checked: set[Graph] = set()
        require(all(graph in self._owners for graph in self._parts), "a sub-graph belongs to no node")
        require(not any(self._captures[graph] for graph in self.functions), "a function captures")
        require(not any(graph.never_returns for graph in self.functions), "a function never returns")
        ends = (_ends(graph) for graph in self._parts if graph.never_returns)
        require(all(ends), "a graph says that it never returns, but nothing ends it")
        pullbacks = [graph for graph in self._parts if isinstance(self._owners[graph], CustomGradient)]
        for graph in [*self.functions, *pullbacks]:
            if graph in checked:
                continue
            checked.add(graph)
            check(graph, checked)
        self._find_recursion()

    def _find_recursion(self) -> None:
        """Mark the functions that call themselves, also through others: few, so that each may be followed."""
        calls: dict[Graph, set[Graph]] = {graph: set() for graph in self.functions}
        for graph in [*self._parts, *self.functions]:
            called = {node.called for node in graph.nodes if isinstance(node, Call)}
            while called and graph.parent is not None:
                graph = graph.parent
            calls.setdefault(graph, set()).update(called)
        steps = 0
        for graph in _in_circles(calls):
            for node in graph.walk():
                steps += 1
                graph.calls_itself |= isinstance(node, Call) and node.called is graph
            require(steps < _MAX_STEPS, "too many functions call each other")


_LOCATION = (lambda: None).__code__


def _in_circles(calls: dict[Graph, set[Graph]]) -> list[Graph]:
    """The graphs from which calls may lead on without end."""
    callers: dict[Graph, list[Graph]] = {graph: [] for graph in calls}
    for graph, called in calls.items():
        for each in called:
            callers[each].append(graph)
    open_calls = {graph: len(called) for graph, called in calls.items()}
    ended = [graph for graph, count in open_calls.items() if not count]
    for graph in ended:  # which grows
        for caller in callers[graph]:
            open_calls[caller] -= 1
            if not open_calls[caller]:
                ended.append(caller)
    return [graph for graph, count in open_calls.items() if count]


def _name(data: Any) -> str:
    require(type(data) is str and len(data) <= 10_000 and data.isprintable(), "a name is not valid")
    return data


def _values(graph: Graph, data: Any) -> list[Value]:
    require(type(data) is list, "inputs or outputs are no list")
    result = []
    for pair in data:
        require(type(pair) is list and len(pair) == 2 and is_index(pair[0], len(graph.nodes)), "there is no such node")
        outputs = graph.nodes[pair[0]].outputs
        require(is_index(pair[1], len(outputs)), "a node has no such output")
        result.append(outputs[pair[1]])
    return result


def _types(data: Any) -> list[Type]:
    require(type(data) is list and all(type(pair) is list and len(pair) == 2 for pair in data), "outputs have no types")
    return [Type(decode_dtype(dtype), decode_shape(shape)) for dtype, shape in data]


def _check_types(op: Any, types: list[Type], attributes: dict[str, Any], declared: list[Type]) -> None:
    """The types of outputs are what inference says."""
    try:
        inferred = op.infer(*types, **attributes)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidArgumentError(f"a node {op.name!r} is not valid: {error}") from None
    found = [inferred] if type(inferred) is Type else list(inferred)
    require(found == declared, f"a node {op.name!r} says that it gives {_shown(declared)}, not {_shown(found)}")


def _ends(graph: Graph) -> bool:
    """Whether a graph raises, itself or in a part that never returns."""
    raises = any(node.op is RAISE or any(g.never_returns for g in node.subgraphs) for node in graph.nodes)
    return raises and not graph.outputs


def _shown(types: list[Type]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def _check_pullback(node: CustomGradient, pullback: Graph) -> None:
    """The gradient of a ``custom_gradient`` takes one value for each result, and gives those that are connected."""
    results = [value.type for value in node.outputs]
    require([value.type for value in pullback.parameters] == results, "a custom gradient takes other types")
    connected = sum(flag for _, flag in node.sources)
    arguments = sum(variable is None for variable, _ in node.sources)
    require(len(pullback.outputs) == connected and arguments == len(node.split(node.inputs)[0]),
            "a custom gradient gives other values")  # fmt: skip
    require(len(pullback.captures) == len(node.operands), "a custom gradient captures other values")
    fits = all(inner.dtype is outer.dtype and shapes.is_subshape(outer.shape, inner.shape)
               for outer, inner in pullback.captures.items())  # fmt: skip
    require(fits, "a custom gradient captures values of other types")
