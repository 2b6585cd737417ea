"""What the graphs of a loop's test and body do."""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from autograph.runtime.base import dtypes, shapes
from autograph.runtime.ir.effects import Effects
from autograph.runtime.ir.graph import Graph, Node, Type, Value
from autograph.runtime.ir.primitive import Cond, While

Fact = TypeVar("Fact")


def acts(graph: Graph) -> bool:
    """Whether a graph has effects other than looking at variables and iterators, which a test may do each time."""
    return any(node.op.effects & ~Effects.READS for node in graph.walk())


def stands_in(graph: Graph | None, outer: Graph | None) -> bool:
    """Whether a graph is a part of another one, at any depth, or that itself."""
    while graph is not None and graph is not outer:
        graph = graph.parent
    return graph is not None


def read_in(graph: Graph) -> set[Any]:
    """The values that nodes of a graph take, but for those that a branch only hands on."""
    read: set[Any] = set()
    for node in graph.nodes:
        if not isinstance(node, Cond):
            read.update(node.inputs)
            continue
        read.add(node.predicate)
        for part in node.subgraphs:
            inside = read_in(part)
            read.update(outer for outer, own in part.captures.items() if own in inside)
    return read


class Flow(abc.ABC, Generic[Fact]):
    """What is known of some values of a graph, and of those that follow from them in their dtype or shape."""

    def __init__(self) -> None:
        self.known: dict[Value, Fact] = {}

    def note(self, value: Value, fact: Fact) -> bool:
        """Notes something of a value; whether it is new."""
        old, new = self.known.get(value), self.merged(value, fact)
        if new == old:
            return False
        self.known[value] = new
        return True

    @abc.abstractmethod
    def merged(self, value: Value, fact: Fact) -> Fact:
        """A fact together with what is known of the value already."""

    @abc.abstractmethod
    def after(self, node: Node) -> Iterable[tuple[Value, Fact]]:
        """What follows for the outputs of a node that holds no graphs."""

    def spread(self, graph: Graph) -> None:
        """Finds what follows in a graph, and in those that it holds."""
        for node in graph.nodes:
            if self.known.keys().isdisjoint(node.inputs):
                continue
            if isinstance(node, (Cond, While)):
                self._spread_inside(node)
            else:
                for value, fact in self.after(node):
                    self.note(value, fact)

    def _spread_inside(self, node: Cond | While) -> None:
        pending = True
        while pending:
            pending = False
            for region in node.regions:
                self._pass_on(region.pairs)
                self.spread(region.graph)
                if isinstance(node, Cond) or region.graph is node.body:
                    self._pass_on(zip(region.graph.outputs, node.outputs, strict=False))
            if isinstance(node, While):
                pending = self._pass_on(zip(node.body.outputs, node.body.parameters, strict=False))
        if isinstance(node, While):
            self._pass_on(zip(node.state, node.outputs, strict=True))

    def _pass_on(self, pairs: Iterable[tuple[Value, Value]]) -> bool:
        new = [self.note(other, self.known[one]) for one, other in pairs if one in self.known]
        return any(new)


class WiderTypes(Flow[Type]):
    """The types that values would have if some were wider: what tracing again would show, where it is certain."""

    def merged(self, value: Value, fact: Type) -> Type:
        return wider(self.known.get(value, value.type), fact)

    def note(self, value: Value, fact: Type) -> bool:
        return self.merged(value, fact) != value.type and super().note(value, fact)

    def after(self, node: Node) -> Iterator[tuple[Value, Type]]:
        types = [self.known.get(each, each.type) for each in node.inputs]
        new = {
            type_.dtype for each, type_ in zip(node.inputs, types, strict=True) if type_.dtype is not each.type.dtype
        }
        try:
            if new and node.op.promote is not None:
                common = functools.reduce(dtypes.promote, new)
                types[node.op.promote :] = [Type(common, each.shape) for each in types[node.op.promote :]]
            inferred = node.op.infer(*types, **node.attributes)
        except Exception:  # what the op makes of such types, if anything, tracing shows
            return
        olds = {each.type.dtype for each in node.inputs if each in self.known}
        for output, type_ in zip(node.outputs, [inferred] if isinstance(inferred, Type) else inferred, strict=False):
            if output.type.dtype in olds and (type_.dtype is output.type.dtype or type_.dtype in new):
                yield output, type_


class Sources(Flow[frozenset[Any]]):
    """From which of some values others have their types: a way of one dtype leads from these to those."""

    def merged(self, value: Value, fact: frozenset[Any]) -> frozenset[Any]:
        return self.known.get(value, frozenset()) | fact

    def after(self, node: Node) -> Iterator[tuple[Value, frozenset[Any]]]:
        for output in node.outputs:
            for each in node.inputs:
                if each in self.known and each.type.dtype is output.type.dtype:
                    yield output, self.known[each]


def wider(one: Type, other: Type) -> Type:
    """A type of which values of both are; that of two of no common dtype is the second."""
    try:
        dtype = dtypes.promote(one.dtype, other.dtype) if one.dtype.kind == other.dtype.kind else other.dtype
    except TypeError:
        dtype = other.dtype
    return Type(dtype, shapes.relax(one.shape, other.shape))
