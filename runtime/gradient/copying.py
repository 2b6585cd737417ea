"""Copies of graphs, and of parts of them into other graphs."""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.graph import Graph, Node, Value
from ..ir.primitive import CONSTANT, PLACEHOLDER, Call, Replicated, with_operands


def copy_graph(source: Graph, parent: Graph | None, values: dict[Value, Value]) -> Graph:
    """A copy of a graph, with sub-graphs and what is noted of it.

    ``values`` gives what replaces the values that it captures, and gets what stands for its own values in the copy.
    """
    target = Graph(source.name, parent)
    for value in source.parameters:
        values[value] = target.parameter(value.type, value.node.name)
    for captured, inner in source.captures.items():
        replaced = values.get(captured, captured)
        known = target.captures.get(replaced)
        if known is None:
            known = target.captures[replaced] = target.placeholder(inner.type, inner.node.name)
            target.origins[known] = replaced
        values[inner] = known
    copy_nodes(source.nodes, target, values)
    target.outputs = [values[value] for value in source.outputs]
    target.never_returns, target.calls_itself = source.never_returns, source.calls_itself
    for note, content in source.notes.items():
        if note.copied is not None:
            target.notes[note] = note.copied(content, values)
    return target


def copy_nodes(nodes: Iterable[Node], target: Graph, values: dict[Value, Value]) -> None:
    """Repeat nodes at the end of a graph. ``values`` gives the inputs' new values, and gets those of the outputs."""
    for node in nodes:
        if node.op is not PLACEHOLDER:
            copy_node(node, target, values)


def copy_node(node: Node, target: Graph, values: dict[Value, Value]) -> Node:
    """Repeat one node at the end of a graph; as `copy_nodes`."""
    if node.op is CONSTANT:
        value = target.constant(node.attributes["value"], where=node.where)
        values[node.outputs[0]] = value
        return value.node
    inputs = [values[value] for value in node.inputs]
    subgraphs = node.subgraphs
    if subgraphs and not isinstance(node, Call | Replicated):
        subgraphs = tuple([copy_graph(graph, target, values) for graph in subgraphs])
        captures = next(iter(subgraphs)).captures
        if len(captures) < len(node.operands):  # two captured values have become one
            inputs = with_operands(node, inputs, captures)
    copy = target.add(node.op, inputs, dict(node.attributes), name=node.name, where=node.where,
                      types=[value.type for value in node.outputs], subgraphs=subgraphs)  # fmt: skip
    values.update(zip(node.outputs, copy.outputs, strict=True))
    return copy


def prune(graph: Graph) -> None:
    """Drop the nodes that neither an output nor an effect needs, and the captures that only they used."""
    live = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        if node.op is PLACEHOLDER or node.effect or any(value in live for value in node.outputs):
            kept.append(node)
            live.update(node.inputs)
    graph.nodes = kept[::-1]
    graph.drop_constants(live)
    graph.drop_unused_captures()
