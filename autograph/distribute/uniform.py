"""What is the same in all replicas, found in the graph that each of them runs before it does.

Replicas hold one variable together: it has to be set to the same by all. And where they meet, all have to come: no test
that only some of them pass may stand around it. Both are refused here where that can't be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.errors import UnimplementedError
from autograph.runtime.ir.effects import Effects
from autograph.runtime.ir.graph import Graph, Node
from autograph.runtime.ir.primitive import Call, Cond, While
from autograph.runtime.ops.host.collective import COLLECTIVES, REPLICA_ID
from autograph.runtime.ops.host.state import ASSIGN, ASSIGN_ADD, ASSIGN_SUB, UPDATE
from autograph.runtime.ops.random.random_states import TAKE

__all__ = ["check"]

_OWN = Effects.RANDOM | Effects.HOST
_ASSIGNING = (ASSIGN, ASSIGN_ADD, ASSIGN_SUB, UPDATE, TAKE)


def check(graph: Graph, is_own: Sequence[bool]) -> None:
    """Raise `UnimplementedError` for what replicas can't do together.

    ``is_own``: for each input of the graph, whether each replica has its own.
    """
    _Finder().graph(graph, is_own, False)


class _Finder:
    """Goes through graphs, and finds which values each replica has of its own."""

    def __init__(self) -> None:
        self._active: set[Graph] = set()

    def graph(self, graph: Graph, is_own: Sequence[bool], is_apart: bool) -> list[bool]:
        """Which outputs differ between replicas; ``is_apart``: not all of them may come here."""
        own = {value for value, mine in zip(graph.inputs, is_own, strict=True) if mine}
        if graph in self._active:  # it calls itself
            return [True] * len(graph.outputs)
        self._active.add(graph)
        for node in graph.nodes:
            mine = [value in own for value in node.inputs]
            own.update(v for v, differs in zip(node.outputs, self._node(node, mine, is_apart), strict=True) if differs)
        self._active.discard(graph)
        return [value in own for value in graph.outputs]

    def _node(self, node: Node, own: list[bool], is_apart: bool) -> Sequence[bool]:
        match node:
            case Cond():
                return self._cond(node, own, is_apart)
            case While():
                return self._while(node, own, is_apart)
            case Call():
                return self.graph(node.called, own, is_apart)
        if node.op in COLLECTIVES:
            if is_apart:
                raise _refused(node, "replicas meet where not all of them may come to", _MEETING)
            return [False]
        self._check(node, any(own) or is_apart)
        differs = any(own) or node.op is REPLICA_ID or bool(node.op.effects & _OWN)
        return [differs] * len(node.outputs)

    def _check(self, node: Node, is_own: bool) -> None:
        """Refuse what changes something that replicas share."""
        if node.op in _ASSIGNING:
            if is_own:
                name = node.attributes["target"].name
                raise _refused(node, f"the variable {name!r} is set to what each replica has of its own", _ASSIGNMENT)
        elif node.op.effects & (Effects.WRITES | Effects.HOST):
            raise _refused(node, f"{node.op.name!r} changes or runs something that replicas share", _SHARED)

    def _cond(self, node: Cond, own: list[bool], is_apart: bool) -> Sequence[bool]:
        decides, operands = node.split(own)
        ends = [self.graph(part, operands, is_apart or decides) for part in node.subgraphs if not part.never_returns]
        for part in node.subgraphs:
            if part.never_returns:
                self.graph(part, operands, is_apart or decides)
        return [decides or any(each) for each in zip(*ends, strict=True)] if ends else []

    def _while(self, node: While, own: list[bool], is_apart: bool) -> Sequence[bool]:
        state, operands = node.split(own)
        while True:  # what is refused of less that differs is refused of more, too
            decides = any(self.graph(node.test, [*state, *operands], is_apart))
            after = self.graph(node.body, [*state, *operands], is_apart or decides)
            after = state if node.body.never_returns else after
            wider = [decides or one or other for one, other in zip(state, after, strict=True)]
            if wider == state:
                return state
            state = wider


_MEETING = "call `all_reduce` and the like, and train, below no test of what each replica has of its own"
_ASSIGNMENT = (
    "give the variable an `aggregation`, such as tf.VariableAggregation.MEAN, or assign what "
    "tf.distribute.get_replica_context().all_reduce gives"
)
_SHARED = "do it outside of strategy.run, with what that returns; for random numbers use tf.random.uniform and the like"


def _refused(node: Node, reason: str, remedy: str) -> UnimplementedError:
    location = node.location
    where: dict[str, Any] = {} if location is None else location._asdict()
    return UnimplementedError(f"in strategy.run, {reason}", **where, construct=node.op.name, remedy=remedy)
