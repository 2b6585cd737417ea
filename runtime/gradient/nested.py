"""What the gradients of branches and loops share: replaying a sub-graph, and asking the forward pass for values.

The gradient of a sub-graph is a graph that first repeats the sub-graph's nodes, then goes back over them. What it needs
of the forward pass, a new node with copies of the sub-graphs gives, which takes the old one's place. Nodes with
effects (random numbers, reads of variables, calls of Python) can't be repeated: their outputs are handed over from the
forward pass, as are elements taken from lists, so that a loop need not keep a version of the list for every turn, and
what recursive calls give, which take too long to repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..base.dtypes import int32, variant
from ..ir import records
from ..ir.graph import Graph, Node, Type, Value
from ..ir.notes import Note
from ..ir.op import NOT_DIFFERENTIABLE, OPS, STRUCTURAL
from ..ir.primitive import CONSTANT, PLACEHOLDER, Call
from ..tensors import trace
from ..tensors.tensor import SymbolicTensor
from .copying import copy_graph, copy_node, copy_nodes
from .records import Record, free_sources, is_differentiable, key, key_of_value


class Pullback:
    """A graph under construction that computes the gradient of a sub-graph.

    ``stand_ins`` maps placeholders of this graph to the values of the sub-graph that the forward pass has to hand over
    for them; `finish` tells which of them are needed.
    """

    def __init__(self, source: Graph, name: str) -> None:
        self.source = source
        self.graph = Graph(name, trace.current_graph())
        self.values: dict[Value, Value] = {}
        self.stand_ins: dict[Value, Value] = {}

    def placeholder(self, type_: Type, name: str) -> Any:
        return SymbolicTensor(self.graph.placeholder(type_, name))

    def see(self, value: Value) -> Any:
        """The tensor that stands for a value of the sub-graph that is handed over."""
        known = self.values.get(value)
        if known is None:
            known = self.values[value] = self.graph.placeholder(value.type, value.node.name)
            self.stand_ins[known] = value
        return SymbolicTensor(known)

    def replay(self, operands: Iterable[Any]) -> list[Record]:
        """Repeat the sub-graph, whose captured values are the given tensors; the records of its nodes.

        Its parameters must be in ``values``.
        """
        for inner, operand in zip(self.source.captures.values(), operands, strict=True):
            self.values[inner] = trace.value_of(operand)
        return [self._repeat(node) for node in self.source.nodes if node.op is not PLACEHOLDER and node.outputs]

    def _repeat(self, node: Node) -> Record:
        if not _is_handed_over(node):
            return Record.of_node(copy_node(node, self.graph, self.values))
        inputs = [SymbolicTensor(self.values[value]) for value in node.inputs]
        return Record.of_copy(node, inputs, map(self.see, node.outputs), self.see)

    def used(self) -> list[Value]:
        """The stand-ins that are needed for the outputs."""
        self._hand_over_shapes()
        used = {value for node in self.graph.nodes for value in node.inputs}
        used.update(self.graph.outputs)
        return [value for value in self.stand_ins if value in used]

    def _hand_over_shapes(self) -> None:
        """Where only the shape of a value is needed, hand over that: a loop keeps what is handed over of each turn."""
        users: dict[Value, list[Node]] = {value: [] for value in self.stand_ins if value not in self.graph.outputs}
        for node in self.graph.nodes:
            for value in node.inputs:
                if value in users:
                    users[value].append(node)
        for stand_in, nodes in users.items():
            dtypes = {node.attributes.get("dtype", int32) if node.op is records.shape else None for node in nodes}
            if len(dtypes) != 1 or None in dtypes:
                continue
            value = self.stand_ins[stand_in]
            shape = self.source.add(OPS["shape"], (value,), {"dtype": dtypes.pop()}).outputs[0]
            known = self.graph.placeholder(shape.type, "shape")
            self.stand_ins[known] = shape
            identity = OPS["identity"]
            for node in nodes:
                self.graph.replace(node, Node(self.graph, identity, [known], {}, node.name, node.where))

    def copy_into(self, target: Graph, values: dict[Value, Value]) -> list[Value]:
        """Repeat this graph in another one, given the values of all its placeholders; its outputs there."""
        for outer, inner in self.graph.captures.items():
            values[inner] = target.capture(outer)
        copy_nodes(self.graph.nodes, target, values)
        return [values[value] for value in self.graph.outputs]


def _is_handed_over(node: Node) -> bool:
    if node.effect or (isinstance(node, Call) and node.called.calls_itself):
        return True
    takes_list = any(value.type.dtype is variant for value in node.inputs)
    return takes_list and not node.subgraphs and any(value.type.dtype is not variant for value in node.outputs)


def _copied(held: dict[Node, dict[Any, int]], values: dict[Value, Value]) -> dict[Node, dict[Any, int]]:
    return {
        values[node.outputs[0]].node: {values.get(what, what): index for what, index in known.items()}
        for node, known in held.items()
        if node.outputs[0] in values  # it may have been dropped
    }


HELD: Note[dict[Node, dict[Any, int]]] = Note(dict, _copied)
"""What nodes of a graph hand over: value of a sub-graph (or a word) -> index of the output that holds it."""


class Extended:
    """A node that is to give more: with copies of its sub-graphs, which may be added to.

    Attributes
    ----------
    graphs: the copies; ``values`` maps values of the sub-graphs to theirs.
    held: as `HELD`, by values of the copies.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.values: dict[Value, Value] = {}
        self.graphs = tuple([copy_graph(graph, node.graph, self.values) for graph in node.subgraphs])
        known = HELD.of(node.graph).get(node, {})
        self.held = {self.values.get(what, what): index for what, index in known.items()}
        self._more: list[Type] = []

    def give(self, what: object, type_: Type) -> None:
        """The node shall have one more output."""
        self.held[what] = len(self.node.outputs) + len(self._more)
        self._more.append(type_)

    def put(self, inputs: Sequence[Value]) -> None:
        """Put a node with these inputs, that gives more, in the place of the old one."""
        if self._more:
            new = exchange(self.node, inputs, self.node.attributes, self.graphs, self._more)
            held = HELD.of(new.graph)
            held.pop(self.node, None)
            held[new] = self.held


def exchange(old: Node, inputs: Sequence[Value], attributes: dict[str, Any], subgraphs: tuple[Graph, ...],
             more: Sequence[Type]) -> Node:  # fmt: skip
    """Put a node that gives more in the place of one; tapes that follow what this gave follow that, too."""
    new = old.op.node(old.graph, old.op, inputs, attributes, old.name, old.where, subgraphs)
    before = {key_of_value(output) for output in old.outputs}
    old.graph.replace(old, new, more)
    for tape in trace.LOCAL.tapes:
        if not before.isdisjoint(tape.followed):
            tape.followed.update(new.outputs)
    return new


def distinct(tensors: Iterable[Any]) -> list[Any]:
    """The tensors and variables without those that are the same as an earlier one."""
    return list({key(tensor): tensor for tensor in reversed(list(tensors))}.values())[::-1]


def reached(graph: Graph, seeds: set[Value], active: set[Any]) -> set[Value]:
    """The values of a graph into which gradients of the seeds, or of what has an active key, can flow."""
    found = set(seeds)
    for node in graph.nodes:
        if node.op is CONSTANT:
            hit = id(node.attributes["value"]) in active
        elif node.op.gradient is NOT_DIFFERENTIABLE or node.op is PLACEHOLDER:
            continue
        elif "variable" in node.attributes:
            hit = id(node.attributes["variable"]) in active
        else:
            hit = any(value in found for value in node.inputs)
            hit = hit or (node.op.gradient is STRUCTURAL and bool(free_sources(node.subgraphs, active)))
        if hit:
            found.update([value for value in node.outputs if is_differentiable(value.type.dtype)])
    return found


def needed(graph: Graph, outputs: Iterable[Value]) -> set[Value]:
    """The values of a graph that gradients of the outputs can flow back to."""
    found = set(outputs)
    for node in reversed(graph.nodes):
        if node.op.gradient is not NOT_DIFFERENTIABLE and any(value in found for value in node.outputs):
            found.update(node.inputs)
    return found
