"""The gradient of ``cond``: a ``cond`` of the branches' gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import shapes
from ..base.dtypes import string, variant
from ..ir.graph import Graph, Type, Value
from ..ir.op import OPS
from ..ir.primitive import COND, Cond
from ..ops.control import cond_node, finish_graph
from ..tensors import trace
from ..tensors.convert import string_scalar
from ..tensors.tensor import SymbolicTensor
from .backprop import RULES, Pairs, backpropagate, fit, type_of, zeros_like
from .copying import prune
from .nested import Extended, Pullback, distinct
from .records import Record, free_sources, is_differentiable, key


def pull_cond(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """Each branch of the gradient repeats the forward branch, then goes back over it."""
    node = record.node
    assert isinstance(node, Cond)
    predicate, operands = node.split(record.inputs)
    outside = [x for x in operands if key(x) in active and is_differentiable(x.dtype)]
    sources = distinct([*outside, *free_sources(node.subgraphs, active)])
    extended = Extended(node)
    parts = [_Branch(branch, given, operands, sources) for branch in extended.graphs]
    connected = [i for i in range(len(sources)) if any(part.gradients[i] is not None for part in parts)]
    if not connected:
        return []
    needed = [part.finish(connected) for part in parts]
    for value in [value for each in needed for value in each.values()]:
        _hand_over(extended, value)
    extended.put(node.inputs)
    record.renew()
    handed = {value: record.outputs[index] for value, index in extended.held.items()}
    then, orelse = [part.given({stand_in: handed[value] for stand_in, value in each.items()})
                    for part, each in zip(parts, needed, strict=True)]  # fmt: skip
    results = cond_node(predicate, then, orelse, name="gradient")
    return list(zip([sources[i] for i in connected], results, strict=True))


class _Branch:
    def __init__(self, branch: Graph, given: list[Any], operands: list[Any], sources: list[Any]) -> None:
        self.sources = sources
        self.pullback = Pullback(branch, f"{branch.name}_gradient")
        self.gradients: list[Any] = [None] * len(sources)
        if branch.never_returns:
            return
        with trace.building(self.pullback.graph):
            records = self.pullback.replay(operands)
            outputs = [SymbolicTensor(self.pullback.values[value]) for value in branch.outputs]
            self.gradients = backpropagate(records, outputs, given, sources)

    def finish(self, connected: list[int]) -> dict[Value, Value]:
        """Let the graph give a gradient (zero, where the branch has none) for each connected source.

        Returns what it needs of the forward branch, by the values that stand for that.
        """
        graph = self.pullback.graph
        with trace.building(graph):
            results = []
            for i in connected:
                gradient, source = self.gradients[i], self.sources[i]
                results.append(zeros_like(source) if gradient is None else fit(gradient, type_of(source)))
            finish_graph(graph, results)
        prune(graph)
        return {stand_in: self.pullback.stand_ins[stand_in] for stand_in in self.pullback.used()}

    def given(self, handed: dict[Value, Any]) -> Graph:
        """The graph, given tensors for what it needs of the forward branch."""
        graph = self.pullback.graph
        if not self.pullback.stand_ins:
            return graph
        final = Graph(graph.name, graph.parent)
        with trace.building(final):
            values = {stand_in: trace.value_of(fit(tensor, stand_in.type)) for stand_in, tensor in handed.items()}
            final.outputs = self.pullback.copy_into(final, values)
        return final


def _hand_over(extended: Extended, value: Value) -> None:
    """Let a ``cond`` give a value of one of its branches, wherever that branch is taken."""
    if value in extended.held:
        return
    branch = value.graph
    (other,) = [graph for graph in extended.graphs if graph is not branch]
    shape = value.type.shape if other.never_returns else None
    branch.outputs.append(value)
    if not other.never_returns:
        other.outputs.append(_dummy(other, value.type))
        shape = shapes.relax(value.type.shape, other.outputs[-1].type.shape)
    extended.give(value, Type(value.type.dtype, shape))


def _dummy(graph: Graph, type_: Type) -> Value:
    if type_.dtype is variant:
        return graph.add(OPS["list_new"], (), {}).outputs[0]
    return graph.constant(string_scalar(b"") if type_.dtype is string else np.zeros((), type_.dtype.numpy))


RULES[COND] = pull_cond
