"""Graphs for people: text, one line for each node, and DOT for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .graph import TEXT, Graph, Node, Region, Value
from .primitive import CONSTANT, PLACEHOLDER, Call

__all__ = ["dot", "lines", "text"]


@TEXT.give
def text(graph: Graph) -> str:
    """The graph as text: a line for each node, its sub-graphs indented below it, the user's line as a comment.

    Scalar constants are shown where they are used.
    """
    return "\n".join(line for line, _ in lines(graph))


def lines(graph: Graph, indent: str = "") -> Iterator[tuple[str, Node | None]]:
    """The lines of `text`, each with the node that it shows."""
    open_ones = [_steps(graph, indent)]
    while open_ones:
        step = next(open_ones[-1], None)
        if step is None:
            open_ones.pop()
        elif isinstance(step, tuple):
            yield step
        else:
            open_ones.append(step)


_Steps = Iterator["tuple[str, Node | None] | _Steps"]


def _steps(graph: Graph, indent: str, key: str = "") -> _Steps:
    """The lines of a graph, and for each sub-graph its own steps, so that no line passes through all around it."""
    inputs = ", ".join(f"{value.node.name}: {value.type}" for value in graph.parameters)
    captured = ", ".join(value.node.name for value in graph.captures.values())
    yield f"{indent}{key}{graph.name}({inputs}{' | ' if captured else ''}{captured}):", None
    indent += "  "
    for node in graph.nodes:
        if node.op is PLACEHOLDER or is_scalar_constant(node):
            continue
        yield f"{indent}{describe(node)}", node
        for region in () if isinstance(node, Call) else node.regions:
            yield _steps(region.graph, indent + "  ", f"{region.name} ")
    result = "raises" if graph.never_returns else f"return {', '.join(map(reference, graph.outputs))}".rstrip()
    yield indent + result, None


def describe(node: Node) -> str:
    """One line for one node: ``add = add(x, 1): float32[3]  # model.py:12``."""
    attributes = [f"{key}={_shown(value)}" for key, value in node.details.items()]
    if isinstance(node, Call):
        attributes.append(node.called.name)
    arguments = ", ".join([*map(reference, node.inputs), *attributes])
    outputs = ", ".join(map(reference, node.outputs))
    types = ", ".join(str(value.type) for value in node.outputs)
    line = f"{outputs}{' = ' if outputs else ''}{node.op.name}({arguments}){': ' if types else ''}{types}"
    location = node.location
    return line if location is None else f"{line}  # {location.file.rpartition('/')[2]}:{location.line}"


def reference(value: Value) -> str:
    """How a value is written where it is used: its node's name, or the number of a scalar constant."""
    node = value.node
    if is_scalar_constant(node):
        return _shown(node.attributes["value"][()])
    return node.name if len(node.outputs) == 1 else value.name


def is_scalar_constant(node: Node) -> bool:
    return node.op is CONSTANT and node.attributes["value"].ndim == 0


def _shown(value: Any) -> str:
    if getattr(type(value), "__variable__", False):
        return value.name
    if isinstance(value, np.ndarray):
        return np.array2string(value, threshold=6, separator=", ").replace("\n", "")
    shown = str(value) if isinstance(value, np.generic) else repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def dot(graph: Graph) -> str:
    """The graph in Graphviz's DOT language; the sub-graphs of ``cond``, ``while`` and ``call`` are clusters."""
    writer = _Dot()
    writer.graph(graph)
    title = _quoted(graph.name)
    return "\n".join([f"digraph {title} {{", "  node [shape=box, fontname=monospace];", *writer.lines, "}"]) + "\n"


class _Dot:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: dict[Node, int] = {}
        self._drawn: set[Graph] = set()  # a graph may be called twice, or call itself

    def graph(self, graph: Graph, indent: str = "  ") -> None:
        for node in graph.nodes:
            if is_scalar_constant(node):
                continue
            self._node(node, indent)
            self._edges(node, indent)
        for i, value in enumerate(graph.outputs):
            end = f"{self._name(value.node)}_out{i}"
            self.lines.append(f"{indent}{end} [label={_quoted(f'output {i}')}, shape=ellipse];")
            if is_scalar_constant(value.node):
                self._node(value.node, indent)
            self.lines.append(f"{indent}{self._name(value.node)} -> {end};")

    def _node(self, node: Node, indent: str) -> None:
        constants = [reference(value) for value in node.inputs if is_scalar_constant(value.node)]
        label = node.name if node.op.name == node.name else f"{node.name}\n{node.op.name}"
        if is_scalar_constant(node):
            label = reference(node.outputs[0])
        details = ", ".join(str(value.type) for value in node.outputs)
        label += f"\n{details}" + (f"\nwith {', '.join(constants)}" if constants else "")
        shape = ", shape=ellipse" if node.op is PLACEHOLDER else ""
        self.lines.append(f"{indent}{self._name(node)} [label={_quoted(label)}{shape}];")
        for region in node.regions:
            if region.graph not in self._drawn:
                self._drawn.add(region.graph)
                self._cluster(node, region, indent)

    def _cluster(self, node: Node, region: Region, indent: str) -> None:
        self.lines.append(f"{indent}subgraph cluster_{len(self._drawn)} {{")
        self.lines.append(f"{indent}  label={_quoted(f'{node.name} {region.name}')};")
        self.graph(region.graph, indent + "  ")
        self.lines.append(f"{indent}}}")
        for outer, inner in region.pairs:
            if not is_scalar_constant(outer.node):
                self.lines.append(f"{indent}{self._name(outer.node)} -> {self._name(inner.node)} [style=dashed];")

    def _edges(self, node: Node, indent: str) -> None:
        for value in node.inputs:
            if not is_scalar_constant(value.node):
                self.lines.append(f"{indent}{self._name(value.node)} -> {self._name(node)};")

    def _name(self, node: Node) -> str:
        return f"n{self._numbers.setdefault(node, len(self._numbers))}"


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
