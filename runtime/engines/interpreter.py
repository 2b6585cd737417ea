"""The meaning of a graph, node by node: slow, and simple enough to be the reference for every other executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..base.dtypes import string
from ..ir.graph import Graph, Node, Value
from ..ir.primitive import PLACEHOLDER, Call, Cond, While
from ..ops.kernels.common import as_string
from ..tensors import trace
from .failure import user_error


def interpret(graph: Graph, inputs: Sequence[Any], stand_ins: Mapping[int, Any] | None = None) -> list[Any]:
    """Run a graph on arrays for its `Graph.inputs`; return the arrays of its outputs.

    ``stand_ins``: what is read and assigned to in the place of variables, by the identities of these.
    Raises what the kernels and the ``raise`` and ``assert`` nodes raise, located at the user's lines.
    """
    with np.errstate(all="ignore"):
        return _run(graph, inputs, [], stand_ins or {})


def run_node(node: Node, inputs: Sequence[Any]) -> Sequence[Any]:
    """Run one node on arrays for its inputs; return the arrays of its outputs."""
    return _results(node, list(inputs), [], {})


def _run(graph: Graph, inputs: Sequence[Any], callers: list[Node], stand_ins: Mapping[int, Any]) -> list[Any]:
    values: dict[Value, Any] = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        if node.op is PLACEHOLDER:
            continue
        results = _results(node, [values[value] for value in node.inputs], callers, stand_ins)
        values.update(zip(node.outputs, results, strict=True))
    return [values[value] for value in graph.outputs]


def _results(node: Node, inputs: list[Any], callers: list[Node], stand_ins: Mapping[int, Any]) -> Sequence[Any]:
    match node:
        case Cond():
            predicate, operands = node.split(inputs)
            return _run(node.then if predicate else node.orelse, operands, callers, stand_ins)
        case While():
            state, operands = node.split(inputs)
            while _run(node.test, [*state, *operands], callers, stand_ins)[0]:
                state = _run(node.body, [*state, *operands], callers, stand_ins)
            return state
        case Call():
            return _run(node.called, inputs, [*callers, node], stand_ins)
    try:
        attributes = {key: stand_ins.get(id(value), value) for key, value in node.attributes.items()}
        result = trace.kernel_of(node)(*inputs, **attributes)
    except Exception as error:
        raise user_error(error, [*callers, node]) from error.__cause__
    results = result if type(result) is tuple else (result,)
    return [as_string(r) if o.type.dtype is string else r for r, o in zip(results, node.outputs, strict=True)]
