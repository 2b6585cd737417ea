"""Arrays from several others, and several from one: concat, stack, split, unstack, pad."""

from __future__ import annotations

from collections.abc import Sequence

from ....base.dtypes import DType
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.infer import axis_of
from ..emit.arrays import Expression, Ints, Load, Splat
from ..emit.emitter import NotLowered, literal
from ..emit.lowering import Lowering
from ..supported import ENGINE
from .views import cast, reshaped


def part(x: Load, axis: int, start: int, length: int) -> Load:
    """Some slices of an array along an axis, as a view."""
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    return x.walk([(i, 1, start if i == axis else 0) for i in range(len(shape))], shape)


def _without(x: Load, axis: int, at: int) -> Load:
    """One slice of an array along an axis, without the axis."""
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    places = [(None, 0, at) if i == axis else (i - (i > axis), 1, 0) for i in range(len(x.shape))]
    return x.walk(places, shape)


@lowers(ENGINE, records.concat)
def _concat(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    type_ = lowering.infer(node, inputs)[0]
    target = lowering.new_buffer(type_.dtype, lowering.static_shape(type_))
    axis = axis_of(node.attributes.get("axis", 0), len(target.shape))
    start = 0
    for x in inputs:
        lowering.store([(part(target, axis, start, x.shape[axis]), x)])
        start += x.shape[axis]
    return target


@lowers(ENGINE, records.stack)
def _stack(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    type_ = lowering.infer(node, inputs)[0]
    target = lowering.new_buffer(type_.dtype, lowering.static_shape(type_))
    axis = axis_of(node.attributes.get("axis", 0), len(target.shape))
    for i, x in enumerate(inputs):
        lowering.store([(_without(target, axis, i), x)])
    return target


@lowers(ENGINE, records.split)
def _split(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    if len(inputs) > 1:
        raise NotLowered("a split whose sizes depend on values")
    types = lowering.infer(node, inputs)
    x = lowering.materialised(inputs[0])
    axis = axis_of(node.attributes["axis"], len(x.shape))
    found: list[Expression] = []
    start = 0
    for type_ in types:
        length = lowering.static_shape(type_)[axis]
        found.append(part(x, axis, start, length))
        start += length
    return found


@lowers(ENGINE, records.unstack)
def _unstack(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    x = lowering.materialised(inputs[0])
    axis = axis_of(node.attributes["axis"], len(x.shape))
    if node.attributes["num"] != x.shape[axis]:
        raise NotLowered("an unstack that does not fit")
    return [_without(x, axis, i) for i in range(x.shape[axis])]


@lowers(ENGINE, records.tile)
def _tile(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    if len(inputs) > 1 or None in node.attributes["multiples"]:
        raise NotLowered("a tile whose multiples depend on values")
    x, shape = inputs[0], lowering.static_shape(lowering.infer(node, inputs)[0])
    dims = (1,) * (len(shape) - len(x.shape)) + x.shape
    skipped = len(shape) - len(x.shape)
    both = tuple(n for total, each in zip(shape, dims, strict=True) for n in (total // each if each else 0, each))
    if x.operations:
        x = lowering.materialised(x)
    repeated = x.resolved().walk([(2 * (skipped + i) + 1, 1, 0) for i in range(len(x.shape))], both)
    return reshaped(lowering, repeated, shape)


@lowers(ENGINE, records.pad)
def _pad(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    margins = node.attributes["paddings"]
    if margins is None or node.attributes["mode"] != "constant":
        raise NotLowered("a margin that depends on values, or mirrors what is in it")
    fill = lowering.scalar(cast(lowering, inputs[1], inputs[0].dtype))
    return _surrounded(lowering, inputs[0], margins, fill)


def zeros(lowering: Lowering, dtype: DType, shape: Ints) -> Load:
    """An array of zeros."""
    target = lowering.new_buffer(dtype, shape)
    lowering.store([(target, Splat(shape, dtype, literal(0, dtype)))])
    return target


def padded(lowering: Lowering, x: Load, margins: Sequence[tuple[int, int]], fill: object = 0) -> Load:
    """An array with margins of a number around it; itself if there are none."""
    return _surrounded(lowering, x, margins, literal(fill, x.dtype)) if any(map(any, margins)) else x


def _surrounded(lowering: Lowering, x: Expression, margins: Sequence[tuple[int, int]], fill: str) -> Load:
    shape = tuple(before + n + after for n, (before, after) in zip(x.shape, margins, strict=True))
    target = lowering.new_buffer(x.dtype, shape)
    lowering.store([(target, Splat(shape, x.dtype, fill))])
    inner = target
    for axis, (before, _) in enumerate(margins):
        inner = part(inner, axis, before, x.shape[axis])
    lowering.store([(inner, x)])
    return target
