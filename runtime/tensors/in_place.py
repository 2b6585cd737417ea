"""Which arguments a traced function changes in place, when they are NumPy arrays.

A store into a tensor (`x[i] = v`, `x += v`) gives its variable another tensor. Into an array it would change the array
itself, which the caller still holds. While a graph is traced the two look the same: the graph notes each tensor that
is stored into, and a call with an array for an argument that is among these is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base.places import is_user_file
from ..ir import records
from ..ir.graph import Graph, Node, Value
from ..ir.notes import Note
from ..ir.primitive import PLACEHOLDER, Cond, While
from .tracing_state import current_graph

STORED: Note[list[Value]] = Note(
    list, copied=lambda stored, values: [values[each] for each in stored if each in values]
)
"""The values that Python code has stored into while their graph was made, as far as it can see."""


def own(tensor: Any, source: Any) -> Any:
    """What a function gives that copies arrays: `tensor`, made of `source`; never an array that is stored into."""
    if tensor is not source or current_graph() is None:
        return tensor
    # what gives a tensor that may stand for an array that goes on being stored into
    node = tensor.value.node
    may_be_stored = tensor.python is np.ndarray or isinstance(node, Cond | While)
    may_be_stored = may_be_stored or node.op in (PLACEHOLDER, records.set_item)
    may_be_stored = may_be_stored or viewed(tensor.value) is not None
    return type(tensor)(records.identity(tensor).value, tensor.python) if may_be_stored else tensor


def viewed(value: Value) -> Value | None:
    """What a value would be a view of, were it an array; None for what NumPy would make anew."""
    node = value.node
    is_view = node.op.view and not node.op.is_fresh([each.type for each in node.inputs], node.attributes)
    return node.inputs[0] if is_view else None


def note_store(tensor: Any) -> None:
    """Notes that user code stores into a graph tensor."""
    graph = current_graph()
    if graph is not None:
        STORED.of(graph).append(tensor.value)


def note_update(tensor: object) -> None:
    """Notes `x += v` for a graph tensor, if it is user code."""
    frame = sys._getframe(3)
    while frame.f_globals.get("__name__", "").startswith("autograph.operators.") and frame.f_back is not None:
        frame = frame.f_back
    if is_user_file(frame.f_code.co_filename):
        note_store(tensor)


def updated(binary: Callable[[Any, Any], Any], tensor: object, other: object) -> Any:
    """`tensor op= other`: another tensor, and a note that an array would have been changed."""
    note_update(tensor)
    return binary(tensor, other)


def changed_inputs(graph: Graph) -> frozenset[int]:
    """The positions of those parameters of a graph that it stores into, directly or through views of them."""
    stored = list(STORED.of(graph))
    holders: dict[Graph, list[Node]] = {}
    for node in graph.walk():
        for inner in node.subgraphs:
            if inner not in holders:
                stored += STORED.of(inner)
            holders.setdefault(inner, []).append(node)
    if not stored:
        return frozenset()
    seen = set(stored)
    while stored:
        for source in _sources(stored.pop(), holders):
            if source not in seen:
                seen.add(source)
                stored.append(source)
    return frozenset(i for i, value in enumerate(graph.parameters) if value in seen)


def _sources(value: Value, holders: dict[Graph, list[Node]]) -> Iterator[Value]:
    """The values whose memory a value may share, were they arrays."""
    node, graph = value.node, value.node.graph
    if node.op is PLACEHOLDER:
        if value in graph.origins:
            yield graph.origins[value]
        else:
            for holder in holders.get(graph, ()):
                yield from _given(holder, value)
    elif value.node.op.view:
        whole = viewed(value)
        if whole is not None:
            yield whole
    elif isinstance(node, While):
        yield node.state[value.index]
        yield from node.body.outputs[value.index : value.index + 1]
    else:
        for inner in node.subgraphs:
            yield from inner.outputs[value.index : value.index + 1]


def _given(holder: Node, parameter: Value) -> Iterator[Value]:
    """What a node that holds a graph gives to a parameter of it."""
    for region in holder.regions:
        yield from [outer for outer, inner in region.pairs if inner is parameter]
    if isinstance(holder, While):
        after = zip(parameter.graph.parameters, holder.body.outputs, strict=False)  # none where it never returns
        yield from [new for old, new in after if old is parameter]
