"""Which results of a graph may be the very array that another tensor has.

A gradient tape knows eager tensors by their arrays. So what a call gives gets an array of its own, a view, where a run
has handed on that of an argument, or may have handed on that of a constant or of a variable.
"""

from __future__ import annotations

from collections import defaultdict

from ..ir.graph import Graph, Value
from ..ir.primitive import Cond, While

__all__ = ["handed_on"]


def handed_on(graph: Graph) -> dict[int, tuple[int, ...] | None]:
    """By position the outputs, of those that have gradients, which may not be arrays of their own.

    For each the positions of the parameters that it may be; None: it may be something else.
    """
    outputs, found = graph.outputs, {}
    given = _given(graph)
    parameters = {value: i for i, value in enumerate(graph.inputs)}
    for i, value in enumerate(outputs):
        if value.type.dtype.kind in "fc":
            held = _held(value, given)
            is_known = held <= parameters.keys() and value not in outputs[:i]
            if held or not is_known:
                found[i] = tuple(parameters[each] for each in held) if is_known else None
    return found


def _given(graph: Graph) -> dict[Value, list[Value]]:
    """What the parameters of the graphs in branches and loops may be."""
    given: dict[Value, list[Value]] = defaultdict(list)
    for node in graph.walk():
        if isinstance(node, Cond | While):
            for part in node.subgraphs:
                for inner, outer in zip(part.inputs, node.takes, strict=True):
                    given[inner].append(outer)
        if isinstance(node, While):
            for part in node.subgraphs:
                for inner, next_ in zip(part.parameters, node.body.outputs, strict=False):
                    given[inner].append(next_)
    return given


def _held(value: Value, given: dict[Value, list[Value]]) -> set[Value]:
    """The values, not made where they are needed, whose array a value may have."""
    found, seen, pending = set(), {value}, [value]
    while pending:
        each = pending.pop()
        node = each.node
        if each in given:
            sources = given[each]
        elif isinstance(node, Cond | While):
            sources = [part.outputs[each.index] for part in node.subgraphs if len(part.outputs) == len(node.outputs)]
            sources += node.state[each.index : each.index + 1] if isinstance(node, While) else []
        else:
            sources = []
            if not node.op.is_fresh([given_.type for given_ in node.inputs], node.attributes):
                found.add(each)
        pending += [source for source in sources if source not in seen]
        seen.update(sources)
    return found
