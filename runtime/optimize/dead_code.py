"""Dead code: nodes, outputs of branches, variables of loops and captured values that nothing needs.

What is needed starts from the graph's outputs and from the nodes that have to run: those with effects, those that are
not total, because Python would raise there (``x[10]`` whose value nobody uses), and loops that may go on for ever.
From there it spreads backwards, through branches by output and through loops by variable, so that a variable that only
feeds itself goes. Every value is looked at once.
"""

from __future__ import annotations

from ..ir.graph import Graph, Node, Value
from ..ir.primitive import COND, PLACEHOLDER, WHILE
from ..ir.termination import ends
from ..ir.total import Totality

__all__ = ["drop_dead_code"]


def drop_dead_code(graph: Graph, totality: Totality) -> int:
    """Drop what nothing needs from a graph that is the caller's own; return the number of nodes dropped."""
    needs = _Needs(totality)
    needs.enter(graph, None)
    for value in graph.outputs:
        needs.value(value)
    needs.spread()
    needs.what_has_to_run()
    return _swept(graph, needs)


class _Needs:
    """The values and nodes that are needed."""

    def __init__(self, totality: Totality) -> None:
        self.values: set[Value] = set()
        self.nodes: set[Node] = set()
        self._totality = totality
        self._waiting: list[Value] = []
        self._holders: dict[Graph, Node | None] = {}
        self._variables: dict[Value, tuple[Node, int]] = {}

    def enter(self, graph: Graph, holder: Node | None) -> None:
        """Note where a graph and its sub-graphs stand, and what their placeholders are."""
        self._holders[graph] = holder
        for node in graph.nodes:
            name = node.op.name
            if name == "cond":
                self.enter(node.attributes["then"], node)
                self.enter(node.attributes["orelse"], node)
            elif name == "while":
                for part in (node.attributes["test"], node.attributes["body"]):
                    for k, value in enumerate(part.parameters):
                        self._variables[value] = node, k
                    self.enter(part, node)

    def value(self, value: Value) -> None:
        if value not in self.values:
            self.values.add(value)
            self._waiting.append(value)

    def node(self, node: Node) -> None:
        """A node is needed, and what decides whether it runs; of one with sub-graphs each output on its own."""
        if node in self.nodes:
            return
        self.nodes.add(node)
        if node.op is COND:
            self.value(node.inputs[0])
        elif node.op is WHILE:
            for value in node.attributes["test"].outputs:
                self.value(value)
        else:
            for value in node.inputs:
                self.value(value)
        holder = self._holders[node.graph]
        if holder is not None:
            self.node(holder)

    def spread(self) -> None:
        """From what is needed to all that it needs."""
        while self._waiting:
            value = self._waiting.pop()
            node = value.node
            if node.op is PLACEHOLDER:
                self._input(value)
                continue
            self.node(node)
            if node.op is COND:
                for branch in node.subgraphs:
                    if not branch.never_returns:
                        self.value(branch.outputs[value.index])
            elif node.op is WHILE:
                self._variable(node, value.index)

    def what_has_to_run(self) -> None:
        """Nodes that are not total are needed even when no value of theirs is, and loops whose end is not certain."""
        for graph in self._holders:
            for node in graph.nodes:
                name = node.op.name
                if node in self.nodes or name in ("cond", "constant", "placeholder"):
                    continue
                if not (ends(node) if name == "while" else self._totality.of_node(node)):
                    self.node(node)
        self.spread()

    def _input(self, value: Value) -> None:
        found = self._variables.get(value)
        if found is not None:
            self._variable(*found)
        else:
            outer = value.graph.origins.get(value)
            if outer is not None:
                self.value(outer)

    def _variable(self, loop: Node, k: int) -> None:
        """A variable of a loop is needed, wherever it is seen."""
        body = loop.attributes["body"]
        self.value(loop.inputs[k])
        self.value(loop.outputs[k])
        for part in (loop.attributes["test"], body):
            self.value(part.parameters[k])
        if not body.never_returns:
            self.value(body.outputs[k])


def _swept(graph: Graph, needs: _Needs) -> int:
    """Drop from a graph and the sub-graphs of what stays; return the number of nodes dropped."""
    kept = []
    dropped = 0
    parameters = {value.node for value in graph.inputs}
    for node in graph.nodes:
        if node not in needs.nodes and node not in parameters:
            dropped += sum(1 + len(part.nodes) for part in node.subgraphs) or 1
            continue
        kept.append(node)
        if node.op is COND:
            dropped += _trim_cond(node, needs)
        elif node.op is WHILE:
            dropped += _trim_while(node, needs)
    graph.nodes = kept
    return dropped


def _trim_cond(node: Node, needs: _Needs) -> int:
    branches = node.subgraphs
    wanted = [i for i, value in enumerate(node.outputs) if value in needs.values]
    for branch in branches:
        if not branch.never_returns:
            branch.outputs = [branch.outputs[i] for i in wanted]
    _keep_outputs(node, wanted)
    _trim_captures(node, 1, needs)
    return sum(_swept(branch, needs) for branch in branches)


def _trim_while(node: Node, needs: _Needs) -> int:
    test, body, count = (node.attributes[key] for key in ("test", "body", "count"))
    wanted = [k for k in range(count) if node.outputs[k] in needs.values]
    _trim_captures(node, count, needs)
    if len(wanted) < count:
        unwanted = set(range(count)).difference(wanted)
        for part in (test, body):
            gone = {part.parameters[k].node for k in unwanted}
            part.nodes = [inner for inner in part.nodes if inner not in gone]
            part.parameters = [part.parameters[k] for k in wanted]
        if not body.never_returns:
            body.outputs = [body.outputs[k] for k in wanted]
        node.inputs = [*[node.inputs[k] for k in wanted], *node.inputs[count:]]
        node.attributes = {**node.attributes, "count": len(wanted)}
        _keep_outputs(node, wanted)
    return _swept(test, needs) + _swept(body, needs)


def _keep_outputs(node: Node, wanted: list[int]) -> None:
    node.outputs = tuple([node.outputs[i] for i in wanted])
    for i, value in enumerate(node.outputs):
        value.index = i


def _trim_captures(node: Node, own: int, needs: _Needs) -> None:
    """Drop the operands, after the first ``own`` inputs, that none of the sub-graphs needs."""
    parts = node.subgraphs
    twins = list(zip(*[part.captures.items() for part in parts], strict=True))
    wanted = [any(inner in needs.values for _, inner in pair) for pair in twins]
    if all(wanted):
        return
    for i, part in enumerate(parts):
        gone = {pair[i][1].node for pair, keep in zip(twins, wanted, strict=True) if not keep}
        part.captures = dict([pair[i] for pair, keep in zip(twins, wanted, strict=True) if keep])
        part.nodes = [inner for inner in part.nodes if inner not in gone]
    operands = [value for value, keep in zip(node.inputs[own:], wanted, strict=True) if keep]
    node.inputs = [*node.inputs[:own], *operands]
