"""Which nodes are total: they neither raise nor warn, whatever their inputs hold.

A total node may be left out when nobody needs its result, and may run where the program would not have got to. Every
other node runs exactly where Python would have run it: ``x[10]`` raises also when its value is not used. Whether a
node is total is told by its op (the field ``total``; see `totality`), the static types of its inputs, and divisors
that are constants.

A loop is total when its nodes are, and when its end is certain (see `termination`): Python would never get past one
that goes on for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graph import Graph, Node, Value
from .op import Op
from .primitive import Call, Cond, While
from .termination import ends

__all__ = ["Totality", "is_total"]


def is_total(op: Op, inputs: Sequence[Value], attributes: dict[str, Any]) -> bool:
    """Whether an op without sub-graphs is total on inputs of these types."""
    return op.total is not None and not op.effect and op.total(inputs, attributes)


class Totality:
    """Whether nodes are total, those with sub-graphs too; what is found of a graph is remembered."""

    def __init__(self) -> None:
        self._known: dict[Graph, bool] = {}

    def of_node(self, node: Node) -> bool:
        """Whether a node, and all in it, is total."""
        if isinstance(node, Cond | While | Call):
            return all(map(self.of_graph, node.subgraphs)) and (not isinstance(node, While) or ends(node))
        return is_total(node.op, node.inputs, node.attributes)

    def of_graph(self, graph: Graph) -> bool:
        """Whether all nodes of a graph are total; a graph that calls itself is not."""
        known = self._known.get(graph)
        if known is None:
            self._known[graph] = False
            known = self._known[graph] = not graph.never_returns and all(map(self.of_node, graph.nodes))
        return known
