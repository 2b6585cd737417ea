"""Dead code: nodes, outputs of branches, variables of loops and captured values that nothing needs.

What is needed starts from the graph's outputs and from the nodes that have to run: those with effects, those that are
not total, because Python would raise there (``x[10]`` whose value nobody uses), and loops that may go on for ever.
From there it spreads backwards, through branches by output and through loops by variable, so that a variable that only
feeds itself goes. Every value is looked at once.
"""

from __future__ import annotations

from ..ir.graph import Graph, Node, Value
from ..ir.primitive import CONSTANT, PLACEHOLDER, Cond, While
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
        self._variables: dict[Value, tuple[While, int]] = {}

    def enter(self, graph: Graph, holder: Node | None) -> None:
        """Note where a graph and its sub-graphs stand, and what their placeholders are."""
        self._holders[graph] = holder
        for node in graph.nodes:
            if not isinstance(node, Cond | While):
                continue
            for part in node.subgraphs:
                if isinstance(node, While):
                    self._variables.update((value, (node, k)) for k, value in enumerate(part.parameters))
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
        if isinstance(node, Cond):
            self.value(node.predicate)
        elif isinstance(node, While):
            for value in node.test.outputs:
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
            if isinstance(node, Cond):
                for branch in node.subgraphs:
                    if not branch.never_returns:
                        self.value(branch.outputs[value.index])
            elif isinstance(node, While):
                self._variable(node, value.index)

    def what_has_to_run(self) -> None:
        """Nodes that are not total are needed even when no value of theirs is, and loops whose end is not certain."""
        for graph in self._holders:
            for node in graph.nodes:
                if node in self.nodes or isinstance(node, Cond) or node.op in (CONSTANT, PLACEHOLDER):
                    continue
                if not (ends(node) if isinstance(node, While) else self._totality.of_node(node)):
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

    def _variable(self, loop: While, k: int) -> None:
        """A variable of a loop is needed, wherever it is seen."""
        self.value(loop.state[k])
        self.value(loop.outputs[k])
        for part in loop.subgraphs:
            self.value(part.parameters[k])
        if not loop.body.never_returns:
            self.value(loop.body.outputs[k])


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
        if isinstance(node, Cond):
            dropped += _trim_cond(node, needs)
        elif isinstance(node, While):
            dropped += _trim_while(node, needs)
    graph.nodes = kept
    return dropped


def _trim_cond(node: Cond, needs: _Needs) -> int:
    wanted = [i for i, value in enumerate(node.outputs) if value in needs.values]
    for branch in node.subgraphs:
        if not branch.never_returns:
            branch.outputs = [branch.outputs[i] for i in wanted]
    node.inputs = [node.predicate, *_kept_operands(node, needs)]
    _keep_outputs(node, wanted)
    return sum(_swept(branch, needs) for branch in node.subgraphs)


def _trim_while(node: While, needs: _Needs) -> int:
    test, body = node.subgraphs
    wanted = [k for k, value in enumerate(node.outputs) if value in needs.values]
    node.inputs = [*[node.state[k] for k in wanted], *_kept_operands(node, needs)]
    if len(wanted) < node.count:
        for part in (test, body):
            kept = [part.parameters[k] for k in wanted]
            gone = {value.node for value in set(part.parameters).difference(kept)}
            part.nodes = [inner for inner in part.nodes if inner not in gone]
            part.parameters = kept
        if not body.never_returns:
            body.outputs = [body.outputs[k] for k in wanted]
        _keep_outputs(node, wanted)
    return _swept(test, needs) + _swept(body, needs)


def _keep_outputs(node: Node, wanted: list[int]) -> None:
    node.outputs = tuple([node.outputs[i] for i in wanted])
    for i, value in enumerate(node.outputs):
        value.index = i


def _kept_operands(node: Cond | While, needs: _Needs) -> list[Value]:
    """The operands that a sub-graph needs, after all have dropped the captures of the others."""
    parts = node.subgraphs
    twins = list(zip(*[part.captures.items() for part in parts], strict=True))
    wanted = [any(inner in needs.values for _, inner in pair) for pair in twins]
    if all(wanted):
        return list(node.operands)
    for i, part in enumerate(parts):
        gone = {pair[i][1].node for pair, keep in zip(twins, wanted, strict=True) if not keep}
        part.captures = dict([pair[i] for pair, keep in zip(twins, wanted, strict=True) if keep])
        part.nodes = [inner for inner in part.nodes if inner not in gone]
    return [value for value, keep in zip(node.operands, wanted, strict=True) if keep]
