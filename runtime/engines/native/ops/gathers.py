"""Elements at computed places along an axis."""

from __future__ import annotations

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.infer import axis_of
from ..emit.arrays import Expression, Gather, Splat
from ..emit.emitter import NotLowered
from ..emit.lowering import Fails, Lowering
from ..supported import ENGINE
from .views import reshaped


@lowers(ENGINE, records.gather)
def _gather(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, indices = inputs[0], inputs[1]
    axis, shared = axis_of(node.attributes["axis"], len(x.shape)), node.attributes.get("batch_dims", 0)
    known = lowering.materialised(x)
    if isinstance(indices, Splat) and indices.shape == ():
        indices = Splat((1,), indices.dtype, indices.register)
    if indices.operations:
        indices = lowering.materialised(indices)
    inner = len(indices.shape) - shared
    shape = (*x.shape[:axis], *indices.shape[shared:], *x.shape[axis + 1 :])
    if 0 in shape and indices.size:  # indices are looked at nevertheless
        raise NotLowered("indices of items that are empty")
    if x.shape[axis] == 0 and indices.size:
        raise Fails
    places = [*range(shared), *range(axis, axis + inner)]
    walked = indices.resolved().walk([(place, 1, 0) for place in places], shape)
    strides = (*known.strides[:axis], *[0] * inner, *known.strides[axis + 1 :])
    index = (walked, known.strides[axis], x.shape[axis])
    found = lowering.materialised(Gather(known.buffer, shape, strides, known.offset, known.moved, [index], wraps=False))
    return reshaped(lowering, found, lowering.static_shape(lowering.infer(node, inputs)[0]))
