"""Control flow as nodes: ``cond``, ``while`` and ``call`` hold sub-graphs; also constants, placeholders, identity.

The builders here check and join what a front end traced; they do not trace themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import GraphError

from ..base import shapes
from ..base.dtypes import bool_
from ..ir import totality
from ..ir.fit import check_fit, check_loop
from ..ir.graph import Graph, Type, Value
from ..ir.identities import first
from ..ir.op import op, same
from ..ir.primitive import CALL, COND, WHILE
from ..ir.work import Work
from ..tensors import trace
from ..tensors.likes import TensorLike
from ..tensors.tensor import SymbolicTensor

if TYPE_CHECKING:
    from ..tensors.tensor import Tensor

__all__ = ["call_node", "call_of", "cond_node", "finish_graph", "identity", "same_captures", "while_node"]


IDENTITY = op("identity", infer=same, numpy=lambda x: x, gradient=lambda g, out, x: (g,), numpy_names=("copy",),
              samples=lambda: [(np.array([1, 2], np.float32),), (np.int32(3),)], doc="The input itself.",
              total=totality.always, work=Work.LITTLE, native=True, identities=(first,))  # fmt: skip



def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """The same tensor, under a node of its own in a graph."""
    return IDENTITY(input, name=name)


def finish_graph(graph: Graph, outputs: Sequence[Any]) -> Graph:
    """Set a traced graph's outputs (tensors, or what converts to tensors) and return it."""
    with trace.building(graph):
        graph.outputs = [trace.value_of(output) for output in outputs]
    return graph


def cond_node(predicate: TensorLike, then: Graph, orelse: Graph, name: str | None = None) -> tuple[SymbolicTensor, ...]:
    """Add a ``cond`` node to the current graph; return its outputs.

    ``then`` and ``orelse`` were traced with the current graph as parent, have no parameters, and give equally many
    outputs, pairwise of one dtype; shapes that differ are relaxed. A branch with ``never_returns`` gives none: the
    other one decides. Raises `GraphError` when the branches do not fit.
    """
    operands = same_captures([then, orelse])
    types = _joined_types(then, orelse)
    value = trace.value_of(predicate)
    if value.type.dtype is not bool_ or not shapes.is_compatible(value.type.shape, ()):
        raise GraphError(f"the predicate of a cond must be one bool, not {value.type}")
    node = trace.add_node(COND, [value, *operands], {}, types, name, (then, orelse))
    return tuple(map(SymbolicTensor, node.outputs))


def _joined_types(then: Graph, orelse: Graph) -> list[Type]:
    if then.never_returns or orelse.never_returns:
        return [value.type for value in (orelse if then.never_returns else then).outputs]
    if len(then.outputs) != len(orelse.outputs):
        raise GraphError(f"the branches of a cond give {len(then.outputs)} and {len(orelse.outputs)} outputs")
    types = []
    for a, b in zip(then.outputs, orelse.outputs, strict=True):
        if a.type.dtype is not b.type.dtype:
            raise GraphError(f"the branches of a cond give {a.type} and {b.type}")
        types.append(Type(a.type.dtype, shapes.relax(a.type.shape, b.type.shape)))
    return types


def while_node(test: Graph, body: Graph, state: Sequence[Any], name: str | None = None) -> tuple[SymbolicTensor, ...]:
    """Add a ``while`` node to the current graph; return the last state.

    ``test`` and ``body`` were traced with the current graph as parent and have one parameter for each value of the
    state, of equal types in both; ``test`` gives one bool, ``body`` the next state. The parameters' types must
    allow the initial state and the body's outputs: a dtype is equal, a shape at least as exact. Raises `GraphError`
    otherwise.
    """
    operands = same_captures([test, body])
    initial = [trace.value_of(tensor) for tensor in state]
    check_loop(test, body, [value.type for value in initial])
    types = [parameter.type for parameter in body.parameters]
    node = trace.add_node(WHILE, [*initial, *operands], {}, types, name, (test, body))
    return tuple(map(SymbolicTensor, node.outputs))


def call_node(graph: Graph, arguments: Sequence[Any], name: str | None = None) -> tuple[SymbolicTensor, ...]:
    """Add a ``call`` of a finished graph to the current graph; return its outputs.

    The graph has no parent, or one that encloses the current graph (then its captures are passed on).
    """
    inputs = [trace.value_of(argument) for argument in arguments]
    check_fit(f"arguments of {graph.name}", [v.type for v in inputs], [v.type for v in graph.parameters])
    return call_of(graph, inputs, list(graph.captures), [value.type for value in graph.outputs], name)


def call_of(graph: Graph, inputs: Sequence[Value], captured: Sequence[Value], types: Sequence[Type],
            name: str | None = None) -> tuple[SymbolicTensor, ...]:  # fmt: skip
    """As `call_node`, of a graph that may still be made: what it will capture, and the types of what it will give."""
    node = trace.add_node(CALL, [*inputs, *captured], {}, types, name or graph.name, (graph,))
    return tuple(map(SymbolicTensor, node.outputs))


def same_captures(graphs: Sequence[Graph]) -> list[Value]:
    """Bring the captures of sub-graphs of one node into one order; return the captured values of the parent."""
    for graph in graphs:
        graph.drop_unused_captures()
    outer = list(dict.fromkeys(value for graph in graphs for value in graph.captures))
    for graph in graphs:
        graph.captures = {value: graph.capture(value) for value in outer}
    return outer
