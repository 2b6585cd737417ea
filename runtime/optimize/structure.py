"""What becomes of nodes with sub-graphs: branches that are known, loops that never turn, calls of small functions.

* A ``cond`` whose predicate is a constant is replaced by the branch that is taken. In a branch, the predicate is known.
  What both branches take from outside, or a constant in both, is no output of the ``cond``.
* A ``while`` whose test is the constant false is replaced by its initial state. A variable that the body hands on as
  it got it is no state but a captured value.
* A ``call`` of a small function, all of whose nodes are total, is replaced by these. A function that may raise keeps
  its call, which is part of the traceback. Functions that stay are optimised on their own, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.graph import Graph, Node, Value
from ..ir.op import Op
from ..ir.primitive import CALL, COND, CONSTANT, PLACEHOLDER, WHILE, Call, Cond, While
from ..ops.control import same_captures

if TYPE_CHECKING:
    from .rewrite import Rewriter

# Calls of functions of up to this many nodes are replaced by the nodes.
_SMALL = 40


class Scope:
    """A graph under construction, and where it stands.

    Attributes
    ----------
    graph: the new graph.
    outer: the scope around it, None for a function.
    is_loop: what does not change in the graph may be computed before the node that holds it.
    certain: nothing that could be told from outside has been put into the graph, which runs at least once.
    """

    __slots__ = ("certain", "graph", "is_loop", "keys", "outer")

    def __init__(self, graph: Graph, outer: Scope | None, is_loop: bool = False, certain: bool = False) -> None:
        self.graph = graph
        self.outer = outer
        self.is_loop = is_loop
        self.certain = certain
        self.keys: list[Any] = []


class Structure:
    """Repeats nodes with sub-graphs, for a `Rewriter`."""

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter
        self._values = rewriter.values
        self._branches = "branches" in rewriter.enabled
        self._loops = "invariants" in rewriter.enabled
        self._inlines = "inlining" in rewriter.enabled
        self.handlers: dict[Op, Callable[[Scope, Any], None]] = {
            PLACEHOLDER: self._placeholder,
            CONSTANT: self._constant,
            COND: self._cond,
            WHILE: self._while,
            CALL: self._call,
        }

    def _placeholder(self, scope: Scope, node: Node) -> None:
        """Parameters and captured values have been given their values before."""

    def _constant(self, scope: Scope, node: Node) -> None:
        self._values[node.outputs[0]] = self._rewriter.constant(node.attributes["value"], node)

    def _set(self, olds: Sequence[Value], news: Sequence[Value]) -> None:
        self._values.update(zip(olds, news, strict=True))

    def _roots(self, values: Sequence[Value]) -> list[Value]:
        return [self._values[value] for value in values]

    # Conditions

    def _cond(self, scope: Scope, node: Cond) -> None:
        predicate, operands = node.split(self._roots(node.inputs))
        then, orelse = node.subgraphs
        if self._branches and predicate.node.op is CONSTANT:
            taken = then if predicate.node.attributes["value"] else orelse
            if not taken.never_returns:
                self._rewriter.changes["branches"] += 1
                self._set(list(taken.captures.values()), operands)
                self._rewriter.walk(scope, taken.nodes)
                self._set(node.outputs, self._roots(taken.outputs))
                return
        parts, results = [], []
        for branch, is_taken in ((then, True), (orelse, False)):
            given = operands
            if self._branches and predicate.type.shape == () and predicate in operands:
                known = self._rewriter.constant(np.asarray(is_taken), node)
                given = [known if value is predicate else value for value in operands]
            part, found = self._part(scope, branch, given, ())
            parts.append(part)
            results.append(found)
        captured = same_captures(parts)
        types = [value.type for value in node.outputs]
        new = self._rewriter.add(scope, node, COND, [predicate, *captured], {}, types, tuple(parts))
        self._set(node.outputs, new.outputs)
        if self._branches and not then.never_returns and not orelse.never_returns:
            for old, a, b in zip(node.outputs, *results, strict=True):
                if a is b:
                    self._rewriter.changes["branches"] += 1
                    self._values[old] = a

    def _part(self, scope: Scope, source: Graph, captured: Sequence[Value], slots: Sequence[int], is_loop: bool = False,
              certain: bool = False) -> tuple[Graph, list[Value]]:  # fmt: skip
        """A sub-graph as it becomes, with parameters for some of the old one's; also the roots of its outputs."""
        rewriter, values = self._rewriter, self._values
        graph = Graph(source.name, scope.graph)
        graph.never_returns = source.never_returns
        for k in slots:
            old = source.parameters[k]
            values[old] = graph.parameter(old.type, old.node.name)
        self._set(list(source.captures.values()), captured)
        inner = Scope(graph, scope, is_loop, certain)
        rewriter.walk(inner, source.nodes)
        rewriter.leave(inner)
        found = self._roots(source.outputs)
        graph.outputs = [graph.capture(value) for value in found]
        return graph, found

    # Loops

    def _while(self, scope: Scope, node: While) -> None:
        test, body = node.subgraphs
        initial, captured = node.split(self._roots(node.inputs))
        slots = [k for k in range(node.count) if not self._hands_on(body, k)]
        for k in set(range(node.count)).difference(slots):
            self._set([test.parameters[k], body.parameters[k], node.outputs[k]], [initial[k]] * 3)
            self._rewriter.changes["invariants"] += 1
        new_test, verdict = self._part(scope, test, captured, slots, is_loop=True, certain=True)
        if self._never_turns(new_test, verdict):
            self._rewriter.changes["branches"] += 1
            self._set(node.outputs, initial)
            return
        new_body, _ = self._part(scope, body, captured, slots, is_loop=True)
        if not body.never_returns:
            new_body.outputs = [new_body.outputs[k] for k in slots]
        operands = same_captures([new_test, new_body])
        types = [node.outputs[k].type for k in slots]
        inputs = [*[initial[k] for k in slots], *operands]
        new = self._rewriter.add(scope, node, WHILE, inputs, {}, types, (new_test, new_body))
        self._set([node.outputs[k] for k in slots], new.outputs)
        scope.certain = False  # it may go on for ever

    def _hands_on(self, body: Graph, k: int) -> bool:
        return self._loops and not body.never_returns and body.outputs[k] is body.parameters[k]

    def _never_turns(self, test: Graph, verdict: Sequence[Value]) -> bool:
        if not self._branches or test.never_returns or verdict[0].node.op is not CONSTANT:
            return False
        return not verdict[0].node.attributes["value"] and self._rewriter.totality.of_graph(test)

    # Calls

    def _call(self, scope: Scope, node: Call) -> None:
        rewriter, called = self._rewriter, node.called
        inputs = self._roots(node.inputs)
        if self._inlines and self._is_small(called):
            rewriter.changes["inlining"] += 1
            self._set(called.inputs, inputs)
            rewriter.walk(scope, called.nodes)
            self._set(node.outputs, self._roots(called.outputs))
            return
        graph = rewriter.functions.get(called)
        if graph is None:
            graph = rewriter.functions[called] = Graph(called.name)  # now, because it may call itself
            type(rewriter)(rewriter.enabled, rewriter.changes, rewriter.functions).function(called, graph)
        types = [value.type for value in node.outputs]
        self._set(node.outputs, rewriter.add(scope, node, CALL, inputs, {}, types, (graph,)).outputs)

    def _is_small(self, graph: Graph) -> bool:
        if len(graph.nodes) > _SMALL or not self._rewriter.totality.of_graph(graph):
            return False
        return all(i < _SMALL and not isinstance(node, Call) for i, node in enumerate(graph.walk()))
