"""Of which type the elements of lists of tensors are: ONNX's sequences say so, also where they are empty.

An op that changes a list gives one of the same elements, and branches and loops hand lists on; so lists that are
connected hold elements of one type. What is known of one is known of all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from ....base import shapes
from ....base.dtypes import float32, variant
from ....ir import records
from ....ir.graph import Graph, Node, Type, Value
from ....ir.primitive import Call, Cond, While
from .supported import ENGINE

__all__ = ["Held", "elements_of"]


class Held(NamedTuple):
    """What lists hold: elements of a type, which one tensor has if ``is_dense``."""

    type: Type
    is_dense: bool


class _Groups:
    """Values that are connected, and what is known of each group."""

    def __init__(self) -> None:
        self._parent: dict[Value, Value] = {}
        self._types: dict[Value, Type] = {}
        self._arrays: set[Value] = set()

    def root(self, value: Value) -> Value:
        parent = self._parent.setdefault(value, value)
        while parent is not self._parent[parent]:
            parent = self._parent[parent]
        self._parent[value] = parent
        return parent

    def join(self, one: Value, other: Value) -> None:
        first, second = self.root(one), self.root(other)
        if first is not second:
            self._parent[second] = first
            known = self._types.pop(second, None)
            if known is not None:
                self.learn(first, known)

    def learn(self, value: Value, type_: Type) -> None:
        root = self.root(value)
        known = self._types.get(root)
        if known is not None:
            type_ = Type(known.dtype, shapes.relax(known.shape, type_.shape))
        self._types[root] = type_

    def is_array(self, value: Value) -> None:
        self._arrays.add(self.root(value))

    def held(self) -> dict[Value, Held]:
        arrays = {self.root(value) for value in self._arrays}
        found = {}
        for value in self._parent:
            type_ = self._types.get(self.root(value), Type(float32, None))  # of what is always empty
            is_dense = self.root(value) in arrays and type_.shape is not None and None not in type_.shape
            found[value] = Held(type_, is_dense)
        return found


def elements_of(graph: Graph) -> dict[Value, Held]:
    """What all values of a graph, and of graphs in it, hold that are lists."""
    groups = _Groups()
    for node in _nodes(graph, set()):
        for value in node.outputs:
            if value.dtype is variant:
                groups.root(value)
        for one, other in _connected(node):
            if one.dtype is variant and other.dtype is variant:
                groups.join(one, other)
    for node in _nodes(graph, set()):
        _learn(node, groups)
    return groups.held()


def _nodes(graph: Graph, seen: set[Graph]) -> Iterator[Node]:
    if graph in seen:
        return
    seen.add(graph)
    for node in graph.nodes:
        yield node
        for inner in node.subgraphs:
            yield from _nodes(inner, seen)


def _connected(node: Node) -> Iterator[tuple[Value, Value]]:
    """Pairs of values that are the same list, or one that has been made of the other."""
    if isinstance(node, (Cond, While, Call)):
        for region in node.regions:
            yield from region.pairs
    if isinstance(node, Cond):
        for branch in (node.then, node.orelse):
            if not branch.never_returns:
                yield from zip(branch.outputs, node.outputs, strict=True)
    elif isinstance(node, While):
        yield from zip(node.state, node.outputs, strict=True)
        if not node.body.never_returns:
            yield from zip(node.body.outputs, node.outputs, strict=True)
    elif isinstance(node, Call):
        if not node.called.never_returns:
            yield from zip(node.called.outputs, node.outputs, strict=True)
    else:
        lists = _lists(node)
        yield from itertools.pairwise(lists)


def _lists(node: Node) -> list[Value]:
    """The lists that a node takes and gives, without those that are elements of others."""
    inputs, outputs = list(node.inputs), list(node.outputs)
    if node.op in _STORING:
        inputs = inputs[:-1]
    elif node.attributes.get("dtype") is variant:
        outputs = outputs[:-1]
    return [value for value in (*inputs, *outputs) if value.dtype is variant]


def _learn(node: Node, groups: _Groups) -> None:
    """What an op that this exporter knows tells of a list: the type of an element that it reads, or that it stores."""
    lists = _lists(node)
    if node.subgraphs or not lists or ENGINE not in node.op.lowerings:
        return
    if node.op is records.array_new:
        groups.is_array(lists[0])
        return
    dtype = node.attributes.get("dtype")
    last = node.inputs[-1].type if node.inputs else None
    if dtype is not None:
        groups.learn(lists[0], Type(dtype, node.attributes.get("shape")))
    elif node.op is records.list_from_tensor and last is not None:
        groups.learn(lists[0], Type(last.dtype, None if last.shape is None else last.shape[1:]))
    elif node.op in _STORING and last is not None:
        groups.learn(lists[0], last)


_STORING = (records.list_push, records.list_set, records.array_write)
