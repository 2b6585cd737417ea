"""The checker: what must hold for every graph. Run after tracing and after every pass in tests."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.errors import AutographError, GraphError

from ..base import shapes
from ..base.dtypes import bool_
from .fit import check_fit, check_loop
from .graph import Graph, Node, Type, Value
from .primitive import PLACEHOLDER, Call, Cond, While
from .show import lines

__all__ = ["check"]


def check(graph: Graph, called: set[Graph] | None = None) -> None:
    """Raise `GraphError`, with the lines around the faulty node, unless the graph and its sub-graphs are valid.

    Inputs come from earlier nodes of the same graph; what nodes say of their outputs is what inference says;
    sub-graphs fit the nodes that hold them; names are unique. Graphs in ``called`` are not checked where they are
    called; those that are checked are added.
    """
    _Checker(graph, set() if called is None else called).run()


class _Checker:
    def __init__(self, graph: Graph, called: set[Graph]) -> None:
        self._graph = graph
        self._called = called
        self._known: set[Value] = set()

    def run(self) -> None:
        names: set[str] = set()
        placeholders = {value.node for value in self._graph.inputs}
        for node in self._graph.nodes:
            try:
                self._node(node, placeholders)
                if node.name in names:
                    raise GraphError(f"two nodes are called {node.name!r}")
            except (AutographError, TypeError, ValueError) as error:
                if isinstance(error, GraphError) and error.file is not None:
                    raise
                raise self._fault(node, str(error)) from None
            names.add(node.name)
            self._known.update(node.outputs)
        for value in [*self._graph.outputs, *self._graph.inputs]:
            if value not in self._known:
                raise self._fault(value.node, f"{value!r} is an input or output of the graph, but no node makes it")

    def _node(self, node: Node, placeholders: set[Node]) -> None:
        if node.graph is not self._graph:
            raise GraphError(f"{node.name} belongs to another graph, {node.graph!r}")
        for value in node.inputs:
            if value not in self._known:
                raise GraphError(f"the input {value!r} is not made by an earlier node of this graph")
        for i, value in enumerate(node.outputs):
            if value.node is not node or value.index != i:
                raise GraphError(f"output {i} is {value!r}, which is another node's")
        match node:
            case Cond():
                self._cond(node)
            case While():
                self._while(node)
            case Call():
                self._call(node)
            case _ if node.op is PLACEHOLDER:
                if node not in placeholders:
                    raise GraphError("a placeholder is neither a parameter nor a capture")
            case _:
                self._types(node)

    def _types(self, node: Node) -> None:
        inferred = node.op.infer(*[value.type for value in node.inputs], **node.attributes)
        types: Sequence[Type] = (inferred,) if type(inferred) is Type else inferred  # type: ignore[assignment]
        if len(types) != len(node.outputs):
            raise GraphError(f"inference gives {len(types)} outputs, the node has {len(node.outputs)}")
        for value, type_ in zip(node.outputs, types, strict=True):
            if value.type.dtype is not type_.dtype or not shapes.is_compatible(value.type.shape, type_.shape):
                raise GraphError(f"inference gives {type_}, the node says {value.type}")

    def _cond(self, node: Cond) -> None:
        predicate = node.predicate.type
        if predicate.dtype is not bool_ or not shapes.is_compatible(predicate.shape, ()):
            raise GraphError(f"the predicate is {predicate}, not one bool")
        for region in node.regions:
            branch = region.graph
            self._nested(branch)
            check_fit(f"operands of {region.name}", _types(region.takes), _types(branch.inputs))
            if not branch.never_returns:
                check_fit(f"outputs of {region.name}", _types(branch.outputs), _types(node.outputs))

    def _while(self, node: While) -> None:
        for part in node.subgraphs:
            self._nested(part)
            check_fit("operands of the loop", _types(node.inputs), _types(part.inputs))
        check_loop(node.test, node.body, _types(node.state))
        check_fit("outputs of the loop", _types(node.body.parameters), _types(node.outputs))

    def _call(self, node: Call) -> None:
        graph = node.called
        if graph not in self._called:
            self._called.add(graph)
            _Checker(graph, self._called).run()
        check_fit(f"arguments of {graph.name}", _types(node.inputs), _types(graph.inputs))
        check_fit(f"outputs of {graph.name}", _types(graph.outputs), _types(node.outputs))

    def _nested(self, graph: Graph) -> None:
        if graph.parent is not self._graph:
            raise GraphError(f"the sub-graph {graph.name!r} says that its parent is {graph.parent!r}")
        _Checker(graph, self._called).run()

    def _fault(self, node: Node, message: str) -> GraphError:
        location = node.location
        file, line, function = location if location is not None else (self._graph.name, None, None)
        around = _neighbourhood(self._graph, node)
        return GraphError(f"graph {self._graph.name!r} is not valid at node {node.name!r}: {message}\n{around}",
                          file=file, line=line, function=function)  # fmt: skip


def _types(values: Sequence[Value]) -> list[Type]:
    return [value.type for value in values]


def _neighbourhood(graph: Graph, faulty: Node, count: int = 3) -> str:
    """The lines of a graph around a node, which an arrow marks."""
    shown = list(lines(graph))
    at = next((i for i, (_, node) in enumerate(shown) if node is faulty), 0)
    first = max(at - count, 0)
    marked = [f"{'->' if i == at else '  '} {line}" for i, (line, _) in enumerate(shown)]
    return "\n".join(marked[first : at + count + 1])
