"""Which variables a graph reads or changes."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Graph
from ..ops.host.state import READ


class Held:
    """Stands for what a variable holds."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and other.variable is self.variable

    def __hash__(self) -> int:
        return id(self.variable)


def held_in(graph: Graph) -> list[Held]:
    """The variables that a graph reads or changes."""
    nodes = [node for node in graph.walk() if "target" in node.attributes or node.op is READ]
    return list(dict.fromkeys(Held(node.attributes.get("target", node.attributes.get("variable"))) for node in nodes))


def changed_in(*graphs: Graph, known: dict[Graph, list[Held]] | None = None) -> list[Held]:
    """The variables that graphs change; ``known`` has what was found before: nested graphs cost nothing."""
    known = {} if known is None else known
    found: dict[Held, None] = {}
    for graph in graphs:
        if graph not in known:
            known[graph] = []
            mine: dict[Held, None] = {}
            for node in graph.nodes:
                if "target" in node.attributes:
                    mine[Held(node.attributes["target"])] = None
                if node.subgraphs:
                    mine.update(dict.fromkeys(changed_in(*node.subgraphs, known=known)))
            known[graph] = list(mine)
        found.update(dict.fromkeys(known[graph]))
    return list(found)
