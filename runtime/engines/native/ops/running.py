"""Running sums and products along an axis."""

from __future__ import annotations

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.infer import axis_of
from ..emit.arrays import Expression, Load, Splat
from ..emit.emitter import literal, type_of
from ..emit.forms import apply
from ..emit.lowering import Lowering
from ..supported import ENGINE
from .joining import part


@lowers(ENGINE, records.cumsum, records.cumprod)
def _running(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    """One slice after the other, in NumPy's order, so that the results are the same to the last digit."""
    x, dtype = inputs[0], inputs[0].dtype
    type_of(dtype)
    axis = axis_of(node.attributes.get("axis", 0), len(x.shape))
    source, target = lowering.materialised(x), lowering.new_buffer(dtype, x.shape)
    n = x.shape[axis]
    if x.size == 0:
        return target
    given, result = source, target
    if node.attributes.get("reverse"):
        given, result = _reversed(source, axis), _reversed(target, axis)
    exclusive, is_sum = bool(node.attributes.get("exclusive")), node.op is records.cumsum
    first = part(result, axis, 0, 1)
    start = Splat(first.shape, dtype, literal(0 if is_sum else 1, dtype))
    lowering.store([(first, start if exclusive else part(given, axis, 0, 1))])
    before, after = part(result, axis, 0, n - 1), part(result, axis, 1, n - 1)
    added = part(given, axis, 0 if exclusive else 1, n - 1)
    if after.size == 0:
        return target
    lowering.work += after.size
    with lowering.nest(after.shape, [before, after, added]) as loops:
        loops.open()
        pair = [loops.element(before), loops.element(added)]
        loops.store(after, apply(lowering.e, records.add if is_sum else records.multiply, pair, [dtype, dtype], dtype))
        loops.close()
    return target


def _reversed(x: Load, axis: int) -> Load:
    return x.walk([(i, -1, n - 1) if i == axis else (i, 1, 0) for i, n in enumerate(x.shape)], x.shape)
