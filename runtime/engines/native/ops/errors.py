"""Checks and errors."""

from __future__ import annotations

from ....ir.graph import Node
from ....ir.op import Op, lowers
from ....ops.host.assert_true import ASSERT as ASSERT_TRUE
from ....ops.host.checks import CHECK_NUMERICS, RANK, RELATION, SHAPES
from ....ops.host.host import ASSERT, RAISE
from ..emit.arrays import Expression
from ..emit.emitter import NotLowered
from ..emit.lowering import Fails, Lowering
from ..emit.raising import MOST_ELEMENTS, leave
from ..supported import ENGINE
from .reductions import all_true


@lowers(ENGINE, ASSERT, ASSERT_TRUE, RELATION, CHECK_NUMERICS)
def _check(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    def make(op: Op, *given: Expression) -> Expression:
        types = lowering.infer_op(op, given)
        return lowering.elementwise(op, given, types[0].dtype)

    assert node.op.holds is not None
    inputs = [lowering.materialised(x) if x.operations and x.size <= MOST_ELEMENTS else x for x in inputs]
    e, holds = lowering.e, all_true(lowering, node.op.holds(make, *inputs, **node.attributes))
    if holds != "true":
        wrong, good = e.new_label("wrong"), e.new_label("good")
        e.branch(e.let(f"xor i1 {holds}, true"), wrong, good, ", !prof !0")
        e.begin(wrong)
        leave(lowering, node, inputs)
        e.begin(good)
    return inputs[: len(node.outputs)]


@lowers(ENGINE, SHAPES, RANK)
def _check_shapes(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    if any(x.constant is None for x in inputs):
        raise NotLowered("a check of a shape that depends on values")
    try:
        node.op.numpy(*[x.constant for x in inputs], **node.attributes)
    except Exception:  # the plan will say what is wrong
        raise Fails from None
    return []


@lowers(ENGINE, RAISE)
def _raise(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    raise Fails
