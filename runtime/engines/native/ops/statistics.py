"""Variances, and logarithms of sums of exponentials."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.infer import axes_of
from ..emit.arrays import Expression
from ..emit.emitter import Emitter, NotLowered, literal, type_of
from ..emit.lowering import Lowering
from ..supported import ENGINE
from .reductions import extreme_fold, reduce, sum_fold, with_kept
from .views import reshaped


def _sums(lowering: Lowering, x: Expression, axes: Sequence[int]) -> Expression:
    """Sums over axes in the dtype of the elements; the axes stay as ones."""
    found = reduce(lowering, x, axes, sum_fold(x.dtype))
    source = found.dtype
    if source is not x.dtype:
        found = lowering.map(lambda e, r: e.cast(r, source, x.dtype), [found], x.dtype)
    return with_kept(found, x.shape, axes)


def _finished(lowering: Lowering, x: Expression, node: Node, inputs: Sequence[Expression]) -> Expression:
    return reshaped(lowering, x, lowering.static_shape(lowering.infer(node, inputs)[0]))


@lowers(ENGINE, records.var, records.std)
def _var(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x = inputs[0]
    if x.dtype.kind != "f":
        raise NotLowered(f"the variance of {x.dtype.name}")
    dtype, kind = x.dtype, type_of(x.dtype)
    axes = axes_of(node.attributes.get("axis"), len(x.shape))
    count = math.prod(x.shape[axis] for axis in axes)
    freedom = count - node.attributes.get("ddof", 0)
    if x.size == 0 or freedom <= 0:
        raise NotLowered("the variance of too few elements")

    def divided(total: Expression, by: float) -> Expression:
        return lowering.map(lambda e, r: e.let(f"fdiv {kind} {r}, {literal(by, dtype)}"), [total], dtype)

    x = lowering.materialised(x) if x.operations else x
    apart = lowering.elementwise(records.subtract, [x, divided(_sums(lowering, x, axes), count)], dtype)
    found = divided(_sums(lowering, lowering.elementwise(records.square, [apart], dtype), axes), freedom)
    if node.op is records.std:
        found = lowering.elementwise(records.sqrt, [found], dtype)
    return _finished(lowering, found, node, inputs)


@lowers(ENGINE, records.logsumexp)
def _logsumexp(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x = inputs[0]
    if x.dtype.kind != "f" or x.size == 0:
        raise NotLowered(f"logsumexp of {x.dtype.name}, or of nothing")
    dtype = x.dtype
    axes = axes_of(node.attributes.get("axis"), len(x.shape))
    x = lowering.materialised(x) if x.operations else x

    def finite(e: Emitter, r: str) -> str:
        size = e.intrinsic("fabs", dtype, r)
        return e.select(e.compare("lt", dtype, size, literal(math.inf, dtype)), dtype, r, literal(0, dtype))

    top = with_kept(reduce(lowering, x, axes, extreme_fold(dtype, True)), x.shape, axes)
    top = lowering.materialised(lowering.map(finite, [top], dtype)) if top.shape else top
    powers = lowering.elementwise(records.exp, [lowering.elementwise(records.subtract, [x, top], dtype)], dtype)
    logs = lowering.elementwise(records.log, [_sums(lowering, powers, axes)], dtype)
    return _finished(lowering, lowering.elementwise(records.add, [logs, top], dtype), node, inputs)
