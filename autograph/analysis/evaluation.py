"""The order of evaluation inside of one statement or expression that holds `:=`.

`(m := f()) and m.x` reads an `m` that is always set; `c and (m := f())` sets `m` only when it is true. Where
there is no `:=`, all reads see the variables as they were before the statement, and this module isn't needed.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast

from .scopes import Activity, Scopes


class Evaluation:
    """Walks expressions in the order in which Python evaluates them.

    `assigned` holds the bits of the names that are bound so far for sure; `exposed` the loads that may see the
    value from before, with their bits.
    """

    def __init__(self, scopes: Scopes, activity: Activity) -> None:
        self.assigned = 0
        self.exposed: list[tuple[gast.Name, int]] = []
        self._bits = {id(node): bit for node, bit in activity.loads}
        self._walrus_bits = scopes.walrus_bits
        self._names = scopes.names

    def run(self, node: gast.AST | None) -> None:
        """Evaluate a node, whatever it gives."""
        if node is None:
            return
        if isinstance(node, (gast.BoolOp, gast.IfExp, gast.Compare)) or (
            isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)
        ):
            when_true, when_false = self.test(node)
            self.assigned = when_true & when_false
        elif isinstance(node, gast.Name):
            self._name(node)
        elif isinstance(node, gast.NamedExpr):
            self.run(node.value)
            self.assigned |= self._walrus_bits[node]
        elif isinstance(node, gast.AugAssign):
            self._augmented(node)
        else:
            self.all(_in_order(node))
            if isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp)):
                self._turns(node)

    def _name(self, node: gast.Name) -> None:
        bit = self._bits.get(id(node), 0)
        if bit and not bit & self.assigned:
            self.exposed.append((node, bit))
        if isinstance(node.ctx, gast.Store) and not node.id.startswith("__"):  # a private name may have another bit
            self.assigned |= self._names.bit(node.id)

    def _augmented(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            before = self.assigned
            self._name(node.target)
            self.assigned = before
            self.run(node.value)
            self._name(node.target)
        else:
            self.run(node.target)
            self.run(node.value)

    def all(self, nodes: Iterable[gast.AST | None]) -> None:
        """Evaluate nodes one after the other."""
        for node in nodes:
            self.run(node)

    def test(self, node: gast.AST) -> tuple[int, int]:
        """Evaluate a condition: what is assigned for sure when it is true, and when it is false."""
        if isinstance(node, gast.BoolOp):
            return self._bool_op(node)
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            when_true, when_false = self.test(node.operand)
            return when_false, when_true
        if isinstance(node, gast.IfExp):
            when_true, when_false = self.test(node.test)
            self.assigned = when_true
            body = self.test(node.body)
            self.assigned = when_false
            orelse = self.test(node.orelse)
            return body[0] & orelse[0], body[1] & orelse[1]
        if isinstance(node, gast.Compare):
            self.all((node.left, node.comparators[0]))
            at_least = self.assigned
            self.all(node.comparators[1:])
            return self.assigned, at_least
        self.run(node)
        return self.assigned, self.assigned

    def _bool_op(self, node: gast.BoolOp) -> tuple[int, int]:
        stops_when_false = isinstance(node.op, gast.And)
        stopped = -1
        for value in node.values:
            when_true, when_false = self.test(value)
            stopped &= when_false if stops_when_false else when_true
            self.assigned = when_true if stops_when_false else when_false
        return (self.assigned, stopped) if stops_when_false else (stopped, self.assigned)

    def _turns(self, node: gast.AST) -> None:
        """What a comprehension does in its turns, of which there may be none."""
        before = self.assigned
        for index, generator in enumerate(node.generators):
            self.all([generator.iter] if index else [])
            self.run(generator.target)
            for condition in generator.ifs:
                self.assigned = self.test(condition)[0]
        self.all((node.key, node.value) if isinstance(node, gast.DictComp) else (node.elt,))
        self.assigned = before

    def statement(self, node: gast.AST) -> None:
        """Evaluate a simple statement that is no definition."""
        if isinstance(node, gast.Assert):
            when_true, self.assigned = self.test(node.test)
            self.run(node.msg)
            self.assigned = when_true
        else:
            self.run(node)


def _in_order(node: gast.AST) -> Iterable[gast.AST | None]:
    """The parts of a node that are evaluated with it, in order."""
    if isinstance(node, gast.Assign):
        return (node.value, *node.targets)
    if isinstance(node, gast.AnnAssign):
        return (node.value, node.target)
    if isinstance(node, gast.Dict):
        return (part for pair in zip(node.keys, node.values, strict=True) for part in pair)
    if isinstance(node, gast.Lambda):
        return (*node.args.defaults, *node.args.kw_defaults)
    if isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
        return (node.generators[0].iter,)
    return gast.iter_child_nodes(node)
