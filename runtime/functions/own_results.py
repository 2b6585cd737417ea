"""Which results of a graph may be the very array that another tensor has.

A gradient tape knows eager tensors by their arrays. So what a call gives gets an array of its own, a view, where a run
may hand on that of an argument, of a constant or of a variable.
"""

from __future__ import annotations

from ..ir.graph import Graph, Value
from ..ir.primitive import Cond

__all__ = ["handed_on"]


def handed_on(graph: Graph) -> tuple[int, ...]:
    """The positions of a graph's outputs, of those that have gradients, which may not be arrays of their own."""
    outputs = graph.outputs
    return tuple(
        [
            i
            for i, value in enumerate(outputs)
            if value.type.dtype.kind in "fc" and (_may_be_held(value) or value in outputs[:i])
        ]
    )


def _may_be_held(value: Value) -> bool:
    node = value.node
    if isinstance(node, Cond):
        k = node.outputs.index(value)
        return any(_may_be_held(graph.outputs[k]) for graph in node.subgraphs)
    return not node.op.is_fresh([each.type for each in node.inputs], node.attributes)
