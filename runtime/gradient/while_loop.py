"""The gradient of ``while``: a loop that runs through the turns from the last to the first.

A loop that also counts its turns, and lists each value of the turns that the way back needs, takes the place of the
forward loop; so memory grows by these values with each turn. The way back pops them, repeats the body, and goes back
over it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.dtypes import int64, variant
from ..ir.graph import Graph, Type, Value
from ..ir.op import OPS, Op
from ..ir.primitive import WHILE, While
from ..ops.control import finish_graph, while_node
from ..tensors import trace
from ..tensors.tensor import SymbolicTensor
from .backprop import RULES, Pairs, backpropagate, fit, type_of, zeros_like
from .copying import prune
from .nested import Extended, Pullback, distinct, needed, reached
from .records import Record, free_sources, is_differentiable, key

_LIST = Type(variant, ())
_COUNT = Type(int64, ())
_TURNS = "turns"


def pull_while(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    assert isinstance(record.node, While)
    if record.node.body.never_returns:  # then no turn was completed
        return [(x, g) for x, g in zip(record.inputs, given, strict=False) if g is not None and key(x) in active]
    return _Loop(record, given, active).pull()


class _Loop:
    """States are numbered; an invariant one, which the body passes on, is treated like an operand."""

    def __init__(self, record: Record, given: list[Any], active: set[Any]) -> None:
        assert isinstance(record.node, While)
        self.record = record
        self.given = given
        self.active = active
        self.node = record.node
        self.body = self.node.body
        self.count = self.node.count
        self.operands = self.node.split(record.inputs)[1]
        pairs = enumerate(zip(self.body.parameters, self.body.outputs, strict=True))
        self.invariants = [k for k, (before, after) in pairs if before is after]
        self.states = self._active_states()

    def pull(self) -> Pairs:
        inputs = self.record.inputs
        direct = [(inputs[k], self.given[k]) for k in self.invariants
                  if self.given[k] is not None and key(inputs[k]) in self.active]  # fmt: skip
        if not self.states:
            return direct
        outside = [*[inputs[k] for k in self.invariants], *self.operands]
        outside = [x for x in outside if key(x) in self.active and is_differentiable(x.dtype)]
        sources = distinct([*outside, *free_sources([self.body], self.active)])
        self.extended = _ExtendedLoop(self.node)
        self.body = self.extended.body
        self.pullback = Pullback(self.body, f"{self.body.name}_gradient")
        gradients, sums, connected = self._turn(sources)
        results = self._way_back(gradients, sums, [sources[i] for i in connected])
        after, totals = results[: len(self.states)], results[len(self.states) :]
        found = [(inputs[k], g) for k, g in zip(self.states, after, strict=True) if key(inputs[k]) in self.active]
        return [*direct, *found, *zip([sources[i] for i in connected], totals, strict=True)]

    def _active_states(self) -> list[int]:
        """The states that depend on what is active, and that what has a gradient depends on."""
        body, inputs = self.body, self.record.inputs
        varying = [k for k in range(self.count) if k not in self.invariants]
        seeds = {inner for x, inner in zip(self.operands, body.captures.values(), strict=True)
                 if key(x) in self.active}  # fmt: skip
        seeds.update([body.parameters[k] for k in range(self.count) if key(inputs[k]) in self.active])
        before = -1
        while len(seeds) != before:
            before = len(seeds)
            found = reached(body, seeds, self.active)
            seeds.update([body.parameters[k] for k in varying if body.outputs[k] in found])
        wanted = {k for k in varying if self.given[k] is not None}
        before = -1
        while len(wanted) != before:
            before = len(wanted)
            back = needed(body, [body.outputs[k] for k in wanted])
            wanted.update([k for k in varying if body.parameters[k] in back])
        return [k for k in varying if k in wanted and body.parameters[k] in seeds
                and is_differentiable(body.parameters[k].type.dtype)]  # fmt: skip

    def _turn(self, sources: list[Any]) -> tuple[list[Value], list[Value], list[int]]:
        """One turn back, in the pullback's graph: placeholders for gradients and sums, and what sources it reaches."""
        pullback, body = self.pullback, self.body
        with trace.building(pullback.graph):
            for k, parameter in enumerate(body.parameters):
                if k in self.invariants:
                    pullback.values[parameter] = trace.value_of(self.record.inputs[k])
                else:
                    pullback.see(parameter)
            records = pullback.replay(self.operands)
            gradients = [pullback.placeholder(body.parameters[k].type, "gradient") for k in self.states]
            targets = [SymbolicTensor(pullback.values[body.outputs[k]]) for k in self.states]
            parameters = [SymbolicTensor(pullback.values[body.parameters[k]]) for k in self.states]
            sums = [pullback.placeholder(type_of(source), "sum") for source in sources]
            start = {key(source): total for source, total in zip(sources, sums, strict=True)}
            found = backpropagate(records, targets, gradients, [*parameters, *sources], start)
            results = []
            for state, gradient in zip(parameters, found, strict=False):
                results.append(zeros_like(state) if gradient is None else fit(gradient, type_of(state)))
            totals = found[len(parameters) :]
            connected = [i for i, total in enumerate(totals) if total is not sums[i]]
            results += [fit(totals[i], type_of(sources[i])) for i in connected]
            finish_graph(pullback.graph, results)
        prune(pullback.graph)
        return [x.value for x in gradients], [sums[i].value for i in connected], connected

    def _way_back(self, gradients: list[Value], sums: list[Value], sources: list[Any]) -> Any:
        """Add the loop that goes back; its results: gradients of the states, and sums for the sources."""
        used = self.pullback.used()
        kept = [self.pullback.stand_ins[value] for value in used]
        turns, *lists = self._kept(kept)
        parent = trace.current_graph()
        body, test = Graph(self.pullback.graph.name, parent), Graph("more_turns", parent)
        fixed = [_COUNT, *[_LIST for _ in lists]]
        kinds = [*fixed, *[value.type for value in (*gradients, *sums)]]
        inner = [[graph.parameter(kind, "state") for kind in kinds] for graph in (body, test)]
        values = dict(zip((*gradients, *sums), inner[0][len(fixed) :], strict=True))
        with trace.building(test):
            finish_graph(test, [SymbolicTensor(inner[1][0]) > 0])
        with trace.building(body):
            rests = []
            for stand_in, handle in zip(used, inner[0][1 : len(fixed)], strict=True):
                dtype, shape = stand_in.type
                rest, popped = OPS["list_pop"](SymbolicTensor(handle), dtype=dtype, shape=shape)
                values[stand_in] = popped.value
                rests.append(rest.value)
            left = (SymbolicTensor(inner[0][0]) - 1).value
            body.outputs = [left, *rests, *self.pullback.copy_into(body, values)]
        start = [zeros_like(self.record.outputs[k]) if self.given[k] is None else self.given[k] for k in self.states]
        start = [fit(g, self.body.parameters[k].type) for g, k in zip(start, self.states, strict=True)]
        start += [zeros_like(source) for source in sources]
        return while_node(test, body, [turns, *lists, *start], name="gradient")[len(fixed) :]

    def _kept(self, values: list[Value]) -> list[Any]:
        """How many turns there were, and for each value of the body the list of what it was in these."""
        extended = self.extended
        extended.count_turns()
        for value in values:
            extended.keep(value)
        extended.finish()
        self.record.renew()
        return [self.record.outputs[extended.held[what]] for what in (_TURNS, *values)]


class _ExtendedLoop(Extended):
    """A loop that is to have more variables, which the way back begins with."""

    def __init__(self, node: While) -> None:
        super().__init__(node)
        self.loop = node
        self.test, self.body = self.graphs
        self._starts: list[tuple[Op, dict[str, Any], Type]] = []

    def count_turns(self) -> None:
        if _TURNS not in self.held:
            one = self.body.constant(np.ones((), np.int64))
            self._add_variable(_TURNS, _COUNT, OPS["constant"], {"value": np.zeros((), np.int64)}, OPS["add"], one)

    def keep(self, value: Value) -> None:
        """Let the loop have a list of what a value of its body is in each turn."""
        if value not in self.held:
            self._add_variable(value, _LIST, OPS["list_new"], {}, OPS["list_push"], value)

    def _add_variable(self, what: object, kind: Type, start: Op, attributes: dict[str, Any], step: Op,
                      argument: Value) -> None:  # fmt: skip
        """It begins as ``start()`` and becomes ``step(variable, argument)`` in each turn."""
        self.test.parameter(kind, "saved")
        variable = self.body.parameter(kind, "saved")
        self.body.outputs.append(self.body.add(step, (variable, argument), {}, types=(kind,)).outputs[0])
        self._starts.append((start, attributes, kind))
        self.give(what, kind)

    def finish(self) -> None:
        """Put the loop with the new variables in the place of the old one."""
        graph, node = self.node.graph, self.loop
        with graph.inserting_before(node):
            first = [graph.add(op, (), attributes, types=(kind,)).outputs[0] for op, attributes, kind in self._starts]
        self.put([*node.state, *first, *node.operands])


RULES[WHILE] = pull_while
