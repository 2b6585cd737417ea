"""The gradient of ``cond``: a ``cond`` of the branches' gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import shapes
from ..base.dtypes import string, variant
from ..ir.graph import Graph, Node, Type, Value
from ..ir.op import OPS
from ..ir.primitive import Cond
from ..ops.control import cond_node, finish_graph
from ..tensors import trace
from ..tensors.convert import string_scalar
from ..tensors.tensor import SymbolicTensor
from .backprop import RULES, Pairs, backpropagate, fit, type_of, zeros_like
from .copying import prune
from .nested import Pullback, add_output, distinct, exports
from .records import Record, free_sources, is_differentiable, key


def pull_cond(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """Each branch of the gradient repeats the forward branch, then goes back over it."""
    node = record.node
    assert isinstance(node, Cond)
    predicate, operands = node.split(record.inputs)
    outside = [x for x in operands if key(x) in active and is_differentiable(x.dtype)]
    sources = distinct([*outside, *free_sources(node.subgraphs, active)])
    parts = [_Branch(record, branch, given, operands, sources) for branch in node.subgraphs]
    connected = [i for i in range(len(sources)) if any(part.gradients[i] is not None for part in parts)]
    if not connected:
        return []
    then, orelse = [part.finish(connected) for part in parts]
    results = cond_node(predicate, then, orelse, name="gradient")
    return list(zip([sources[i] for i in connected], results, strict=True))


class _Branch:
    def __init__(self, record: Record, branch: Graph, given: list[Any], operands: list[Any], sources: list[Any]
                 ) -> None:  # fmt: skip
        self.record = record
        self.sources = sources
        self.pullback = Pullback(branch, f"{branch.name}_gradient")
        self.gradients: list[Any] = [None] * len(sources)
        if branch.never_returns:
            return
        with trace.building(self.pullback.graph):
            records = self.pullback.replay(operands)
            outputs = [SymbolicTensor(self.pullback.values[value]) for value in branch.outputs]
            self.gradients = backpropagate(records, outputs, given, sources)

    def finish(self, connected: list[int]) -> Graph:
        """The graph, which gives a gradient (zero, where the branch has none) for each connected source."""
        graph = self.pullback.graph
        with trace.building(graph):
            results = []
            for i in connected:
                gradient, source = self.gradients[i], self.sources[i]
                results.append(zeros_like(source) if gradient is None else fit(gradient, type_of(source)))
            finish_graph(graph, results)
        prune(graph)
        used = self.pullback.used()
        if not self.pullback.stand_ins:
            return graph
        final = Graph(graph.name, graph.parent)
        values: dict[Value, Value] = {}
        with trace.building(final):
            for stand_in in used:
                handed = self.record.see(hand_over(self.record.node, self.pullback.stand_ins[stand_in]))
                values[stand_in] = trace.value_of(fit(handed, stand_in.type))
            final.outputs = self.pullback.copy_into(final, values)
        return final


def hand_over(node: Node | None, value: Value) -> Value:
    """The output of a ``cond`` node that holds a value of one of its branches, wherever that branch was taken."""
    assert isinstance(node, Cond)
    known = exports(node)
    if value not in known:
        branch = value.node.graph
        other = node.orelse if branch is node.then else node.then
        shape = value.type.shape if other.never_returns else None
        branch.outputs.append(value)
        if not other.never_returns:
            other.outputs.append(_dummy(other, value.type))
            shape = shapes.relax(value.type.shape, other.outputs[-1].type.shape)
        known[value] = add_output(node, Type(value.type.dtype, shape))
    return node.outputs[known[value]]


def _dummy(graph: Graph, type_: Type) -> Value:
    if type_.dtype is variant:
        return graph.add(OPS["list_new"], (), {}).outputs[0]
    return graph.constant(string_scalar(b"") if type_.dtype is string else np.zeros((), type_.dtype.numpy))


RULES["cond"] = pull_cond
