"""From a traced graph to one that computes the same with less: IR to IR, before the plan is made.

The traced graph stays as it is: users see it, gradients are derived from it. `optimize` gives a new one, in which every
node keeps its name, and the user's line for errors. The passes, in order, with the reason for each one's place:

=============  =====================================================================================================
inlining       first: what a called function computes is open to all the rest
branches       before a branch is walked: nothing is done for one that is never taken
folding        before the identities, which look for constants
identities     make nodes alike that were written differently, for `sharing`
shapes         are identities of ops that only move elements; they need the shapes that folding finds
sharing        of nodes whose inputs have been shared; nothing that is known already has to be moved
invariants     last of what looks at one node: only what is new, and is not known outside, moves out of a loop
dead_code      on its own, backwards: every pass before it leaves behind what it has replaced
=============  =====================================================================================================

All but the last are one walk (`rewrite`), so that the cost is that of looking at every node about twice. What no pass
ever does: drop, move or double an effect (print, assign, assert, raise, random numbers, datasets); drop what may raise;
change what errors say about the user's lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from autograph.log import log
from autograph.settings import settings

from ..ir import records
from ..ir.graph import Graph, Value
from ..ir.primitive import CONSTANT, PLACEHOLDER
from .dead_code import drop_dead_code
from .options import enabled_passes
from .rewrite import Rewriter

__all__ = ["PASSES", "Optimized", "optimize"]


class Optimized(NamedTuple):
    """An optimised graph, and what was done: for each pass the number of nodes it replaced, moved or dropped."""

    graph: Graph
    source: Graph
    changes: dict[str, int]

    def summary(self) -> str:
        """One line on the number of nodes before and after, and one for each pass that found something to do."""
        before, after = (sum(1 for _ in graph.walk()) for graph in (self.source, self.graph))
        lines = [f"{self.source.name}: {before} nodes -> {after}"]
        lines += [f"  {name:<10} {count:>6}  {_DONE[name]}" for name, count in self.changes.items()]
        return "\n".join(lines)


_DONE = {
    "inlining": "calls replaced by what they call",
    "branches": "branches, or outputs of branches, known beforehand",
    "folding": "nodes replaced by constants",
    "identities": "nodes replaced by simpler ones",
    "shapes": "moves of elements replaced by fewer",
    "sharing": "nodes that others compute too",
    "invariants": "nodes and variables moved out of loops",
    "dead_code": "nodes that nothing needs",
}
PASSES = tuple(_DONE)


def optimize(graph: Graph, passes: Collection[str] | None = None) -> Optimized:
    """A new graph that computes what a finished graph does, with as many inputs (all of them parameters) and outputs.

    Which passes run is decided by `tf.config.optimizer.set_experimental_options`, unless they are given by name; when
    none does, the result holds the graph itself.
    """
    enabled = enabled_passes(graph) if passes is None else frozenset(passes)
    if not enabled:
        return Optimized(graph, graph, {})
    changes: Counter[str] = Counter()
    target = Graph(graph.name)
    functions = {graph: target}
    rewriter = Rewriter(enabled, changes, functions)
    rewriter.function(graph, target)
    if "dead_code" in enabled:
        for each in functions.values():
            changes["dead_code"] += drop_dead_code(each, rewriter.totality)
    _keep_apart(graph, target)
    if settings.checks:
        from ..ir.check import check

        check(target)
    result = Optimized(target, graph, {name: changes[name] for name in PASSES if changes[name]})
    if settings.verbosity >= 3:
        log(3, f"optimised {result.summary()}")
    return result


def _keep_apart(source: Graph, target: Graph) -> None:
    """Outputs that were tensors of their own stay so: gradient tapes tell tensors apart by their arrays."""
    seen: dict[Value, Value] = {}
    for i, (old, new) in enumerate(zip(source.outputs, target.outputs, strict=True)):
        twin = seen.setdefault(new, old)
        given = _is_given(new) and not _is_given(old)
        if twin is not old or given:
            view = target.add(records.stop_gradient, [new], {}, name=old.node.name, where=old.node.where)
            target.outputs[i] = seen[view.outputs[0]] = view.outputs[0]


def _is_given(value: Value) -> bool:
    """Whether the array that a value is belongs to others too."""
    return value.node.op in (PLACEHOLDER, CONSTANT, records.read_variable)
