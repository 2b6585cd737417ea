"""The walk that all passes but the last share: it repeats a graph node by node, simpler where a pass knows how.

Every pass asks about one node, whose inputs have been through all passes already; so one walk does what each would
need several for. In the new graph a value of an enclosing graph is captured when, and if, a node needs it. In between
values are told by where they were made (`root`): the same value has one identity in all graphs that it is seen from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import Any

import numpy as np

from ..base import shapes
from ..ir.graph import Graph, Node, Type, Value
from ..ir.identities import Identity
from ..ir.op import Op
from ..ir.primitive import CONSTANT, PLACEHOLDER, CustomGradient
from ..ir.total import Totality
from .folding import folded
from .invariants import may_move
from .sharing import constant_key, exact, may_share
from .structure import Scope, Structure


def root(value: Value) -> Value:
    """Where a value comes from, for a captured one."""
    while value.node.op is PLACEHOLDER:
        origin = value.node.graph.origins.get(value)
        if origin is None:
            break
        value = origin
    return value


class Rewriter:
    """One walk over one function's graph.

    ``enabled`` names the passes that run; ``changes`` counts the nodes that each replaced or moved. ``functions`` maps
    graphs that are called to what they have become.
    """

    def __init__(self, enabled: Set[str], changes: Counter[str], functions: dict[Graph, Graph]) -> None:
        self.enabled = enabled
        self.changes = changes
        self.functions = functions
        self.totality = Totality()
        self.values: dict[Value, Value] = {}
        self._known: dict[Any, tuple[Value, ...]] = {}
        self._constants: dict[Any, Value] = {}
        self._simplifies = "identities" in enabled
        self._chains = "shapes" in enabled
        self._folds = "folding" in enabled
        self._shares = "sharing" in enabled
        self._moves = "invariants" in enabled
        self._structure = Structure(self)

    def function(self, source: Graph, target: Graph) -> None:
        """Fill ``target`` with what a function's graph becomes; what it captured is a parameter."""
        self._top = target
        for value in source.inputs:
            self.values[value] = target.parameter(value.type, value.node.name)
        self.walk(Scope(target, None), source.nodes)
        target.outputs = [target.capture(self.values[value]) for value in source.outputs]
        target.never_returns = source.never_returns
        target.calls_itself = source.calls_itself

    def walk(self, scope: Scope, nodes: Iterable[Node]) -> None:
        """Repeat nodes at the end of a scope's graph; `values` has their inputs, and gets their outputs."""
        values = self.values
        structure = self._structure.handlers
        for node in nodes:
            handler = structure.get(node.op)
            if handler is not None:
                handler(scope, node)
                continue
            inputs = [values[value] for value in node.inputs]
            for old, new in zip(node.outputs, self._simplified(scope, node, inputs), strict=True):
                values[old] = new

    def leave(self, scope: Scope) -> None:
        """Forget what was computed in a scope that is done."""
        for key in scope.keys:
            del self._known[key]

    def constant(self, array: np.ndarray[Any, Any], node: Node) -> Value:
        """The constant of the function's graph for an array; other graphs repeat it when they need it."""
        key = constant_key(array) if self._shares else id(array)
        value = self._constants.get(key)
        if value is None:
            name = node.name if node.op is CONSTANT else None
            value = self._constants[key] = self._top.constant(array, name, node.where)
        return value

    # One node

    def _simplified(self, scope: Scope, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        op = node.op
        if self._folds and inputs and _all_constant(inputs):
            arrays = folded(node, inputs)
            if arrays is not None:
                self.changes["folding"] += 1
                return [self.constant(array, node) for array in arrays]
        if op.identities and self._simplifies:
            value = self._simpler(scope, node, inputs, "identities", op.identities)
            if value is not None:
                return [value]
        if op.chains and self._chains:
            value = self._simpler(scope, node, inputs, "shapes", op.chains)
            if value is not None:
                return [value]
        if isinstance(node, CustomGradient) and self._simplifies:
            self.changes["identities"] += 1
            return node.split(inputs)[1]
        return self.emit(scope, node, op, inputs, node.attributes)

    def _simpler(self, scope: Scope, node: Node, inputs: Sequence[Value], name: str, rules: Sequence[Identity]
                 ) -> Value | None:  # fmt: skip
        """What the first rule that applies gives."""
        make = _Make(self, scope, node)
        for rule in rules:
            found = rule(node, inputs, make)
            if found is not None:
                value = self.constant(found, node) if isinstance(found, np.ndarray) else root(found)
                if fits(value.type, node.outputs[0].type):
                    self.changes[name] += 1
                    return value
        return None

    def emit(self, scope: Scope, node: Node, op: Op, inputs: Sequence[Value], attributes: dict[str, Any]
             ) -> Sequence[Value]:  # fmt: skip
        """The outputs of an op on some inputs: known already, or of a new node that stands for ``node``."""
        key = None
        if self._shares and may_share(node):
            key = (op, *inputs, exact(attributes)) if attributes else (op, *inputs)
            known = self._known.get(key)
            if known is not None and all(map(fits, _types(known), _types(node.outputs))):
                self.changes["sharing"] += 1
                return known
        place = scope
        if self._moves and scope.is_loop:
            place = self._place(scope, node, op, inputs, attributes)
            self.changes["invariants"] += place is not scope
        subgraphs = node.subgraphs if op is node.op else ()
        outputs = self.add(place, node, op, inputs, attributes, _types(node.outputs), subgraphs).outputs
        if key is not None and key not in self._known:
            self._known[key] = outputs
            place.keys.append(key)
        return outputs

    def _place(self, scope: Scope, node: Node, op: Op, inputs: Sequence[Value], attributes: dict[str, Any]) -> Scope:
        """The scope to put a node in: further out than ``scope`` if that is a loop in which its inputs don't change."""
        place = scope
        while place.is_loop and place.outer is not None:
            graph = place.graph
            if any(value.node.graph is graph for value in inputs) or not may_share(node):
                break
            if not may_move(op, inputs, _types(node.outputs), attributes, place.certain):
                break
            place = place.outer
        return place

    def add(self, scope: Scope, node: Node, op: Op, inputs: Sequence[Value], attributes: dict[str, Any],
            types: Sequence[Type], subgraphs: tuple[Graph, ...] = ()) -> Node:  # fmt: skip
        """A new node at the end of a scope's graph, with the name and the location of an old one."""
        graph = scope.graph
        given = [value if value.node.graph is graph else graph.capture(value) for value in inputs]
        new = graph.add(op, given, attributes, name=node.name, where=node.where, types=types, subgraphs=subgraphs)
        if scope.certain and not self.totality.of_node(new):
            scope.certain = False
        return new


class _Make:
    """What rules add nodes with."""

    __slots__ = ("_node", "_rewriter", "_scope")

    def __init__(self, rewriter: Rewriter, scope: Scope, node: Node) -> None:
        self._rewriter = rewriter
        self._scope = scope
        self._node = node

    def __call__(self, op: Op, *inputs: Any, **attributes: object) -> Value:
        rewriter, node = self._rewriter, self._node
        roots = [rewriter.constant(x, node) if isinstance(x, np.ndarray) else root(x) for x in inputs]
        return rewriter.emit(self._scope, node, op, roots, attributes)[0]


def fits(type_: Type, wanted: Type) -> bool:
    """Whether a value of a type can stand for one of another."""
    return type_ is wanted or (type_.dtype is wanted.dtype and shapes.is_subshape(type_.shape, wanted.shape))


def _all_constant(values: Sequence[Value]) -> bool:
    for value in values:  # noqa: SIM110  (quicker than `all`: this is done for every node)
        if value.node.op is not CONSTANT:
            return False
    return True


def _types(values: Sequence[Value]) -> list[Type]:
    return [value.type for value in values]
