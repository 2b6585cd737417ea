"""Variables: what they hold is given to the code, and what they hold at the end comes back as more results.

What calls the code puts that into the variables: see transaction.py.

While code is written, `Lowering.values` has what each variable holds at that place, under its `Held`. Loops and
branches that assign to one have it as one more value of theirs.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ....base.shapes import is_compatible
from ....ir import records
from ....ir.graph import Node
from ....ir.op import OPS, lowers
from ....ops.host.state import ASSIGN, ASSIGN_ADD, ASSIGN_SUB, READ, UPDATE
from ...held import Held
from ..emit.arrays import Expression
from ..emit.emitter import NotLowered
from ..emit.lowering import Fails, Lowering
from ..supported import ENGINE
from .views import cast


def settle(lowering: Lowering) -> None:
    """Store what variables hold, before a loop or branch in which it may be read."""
    for key, x in list(lowering.values.items()):
        if isinstance(key, Held) and x.resolved().operations:
            lowering.values[key] = lowering.materialised(x)


@lowers(ENGINE, READ)
def _read(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    return lowering.values[Held(node.attributes["variable"])].resolved()


def _set(lowering: Lowering, variable: Any, value: Expression) -> list[Expression]:
    if not is_compatible(value.shape, variable.static_shape):
        raise Fails
    lowering.values[Held(variable)] = value
    return []


@lowers(ENGINE, ASSIGN)
def _assign(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    return _set(lowering, node.attributes["target"], inputs[0])


@lowers(ENGINE, ASSIGN_ADD, ASSIGN_SUB)
def _step(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    variable = node.attributes["target"]
    old, op = lowering.values[Held(variable)].resolved(), records.add if node.op is ASSIGN_ADD else records.subtract
    if old.shape != inputs[0].shape:
        raise Fails
    return _set(lowering, variable, cast(lowering, lowering.elementwise(op, [old, inputs[0]], old.dtype), old.dtype))


@lowers(ENGINE, UPDATE)
def _update(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    attributes = dict(node.attributes)
    variable, by = attributes.pop("target"), OPS[attributes.pop("by")]
    if by not in (records.set_item, records.add_at):
        raise NotLowered(f"a variable changed by {by.name!r}")
    key = Held(variable)
    inner: Any = SimpleNamespace(op=by, attributes=attributes, inputs=[key, *node.inputs])
    return _set(lowering, variable, by.lowerings[ENGINE](lowering, inner, [lowering.values[key].resolved(), *inputs]))
