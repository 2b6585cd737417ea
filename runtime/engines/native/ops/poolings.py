"""Poolings: the elements of each window combined, one place of the windows after the other; and their adjoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op, lowers
from ....ops.reduce.reduce import neutral
from ....ops.shape.windows import Windows
from ..emit.arrays import Expression, Ints, Load, broadcast
from ..emit.emitter import literal, type_of
from ..emit.lowering import Lowering
from ..supported import ENGINE
from .joining import padded, zeros
from .views import given_shape
from .windows import places_of, seen


def _windows(lengths: Ints, sizes: Ints, strides: Ints, padding: Any) -> Windows:
    return Windows(lengths, sizes, strides, (1,) * len(sizes), padding)


def _geometry(node: Node) -> dict[str, Any]:
    return {name: node.attributes[name] for name in ("sizes", "strides", "padding")}


def _with_padding(lowering: Lowering, x: Expression, windows: Windows, fill: object = 0) -> Load:
    type_of(x.dtype)
    return padded(lowering, lowering.materialised(x), [(0, 0), *windows.pads, (0, 0)], fill)


def _folded(lowering: Lowering, op: Op, x: Load, windows: Windows) -> Expression:
    """The elements of each window, combined by an op of two."""
    first, *rest = (seen(x, windows, place) for place in places_of(windows.sizes))
    total: Expression = first
    for each in rest:
        total = lowering.elementwise(op, [total, each], x.dtype)
    return total


@lowers(ENGINE, records.max_pool)
def _max_pool(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    windows = _windows(inputs[0].shape[1:-1], **_geometry(node))
    x = _with_padding(lowering, inputs[0], windows, neutral(inputs[0].dtype.numpy, True))
    return _folded(lowering, records.maximum, x, windows)


@lowers(ENGINE, records.max_pool_transpose)
def _max_pool_transpose(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    """For each window, the gradient added to the first place that has its maximum."""
    g, given = inputs
    windows = _windows(given.shape[1:-1], **_geometry(node))
    places = list(places_of(windows.sizes))
    pads = [(0, 0), *windows.pads, (0, 0)]
    x = _with_padding(lowering, given, windows, neutral(given.dtype.numpy, True))
    target = zeros(lowering, g.dtype, x.shape)
    shape = (x.shape[0], *windows.counts, x.shape[-1])
    if 0 not in shape:
        ones = np.pad(np.ones((1, *windows.lengths, 1), bool), pads)
        inside = lowering.constant(ones) if any(map(any, pads)) else None
        _add_to_first(lowering, windows, places, (g, x, target), inside)
    return _inner(target, windows)


def _add_to_first(
    lowering: Lowering, windows: Windows, places: Sequence[Ints], tensors: tuple[Expression, Load, Load],
    inside: Expression | None
) -> None:  # fmt: skip
    """``inside``: which elements of the padded tensor are no padding, where there is padding."""
    g, x, target = tensors
    elements, totals = ([seen(each, windows, place) for place in places] for each in (x, target))
    best = lowering.materialised(_folded(lowering, records.maximum, x, windows))
    shape = best.shape
    known = [None if inside is None else _valid(inside, windows, place, shape) for place in places]
    e, kind = lowering.e, type_of(g.dtype)
    lowering.work += len(places) * best.size
    with lowering.nest(shape, [g, best, *elements, *totals, *(each for each in known if each is not None)]) as loops:
        loops.open()
        value, most = loops.element(g), loops.element(best)
        is_found = "false"
        for element, total, valid in zip(elements, totals, known, strict=True):
            each = loops.element(element)
            here = e.compare("eq", x.dtype, each, most)
            here = e.either(here, e.is_nan(x.dtype, each))
            here = e.let(f"icmp ugt i1 {here}, {is_found}")
            if valid is not None:
                here = e.let(f"and i1 {here}, {loops.element(valid)}")
            is_found = e.either(here, is_found)
            added = e.let(f"select i1 {here}, {kind} {value}, {kind} {literal(0, g.dtype)}")
            loops.store(total, e.arithmetic("add", g.dtype, loops.load(target.buffer, loops.place(total)), added))
        loops.close()


def _valid(inside: Expression, windows: Windows, place: Ints, shape: Ints) -> Expression:
    """Which windows have no padding at a place."""
    if not isinstance(inside, Load):
        return broadcast(inside, shape) if inside.shape != shape else inside
    return broadcast(seen(inside, windows, place), shape)


def _inner(x: Load, windows: Windows) -> Load:
    """What is no padding."""
    if not any(map(any, windows.pads)):
        return x
    places = [(0, 1, 0), *((i + 1, 1, before) for i, (before, _) in enumerate(windows.pads)), (len(x.shape) - 1, 1, 0)]
    return x.walk(places, (x.shape[0], *windows.lengths, x.shape[-1]))


def _counts(lowering: Lowering, windows: Windows, dtype: Any) -> Expression:
    """The number of elements in each window that are no padding."""
    ones = windows.padded(np.ones((1, *windows.lengths, 1), dtype.numpy))
    total = sum(ones[index] for _, index in windows.taps())
    return lowering.constant(np.asarray(total, dtype.numpy))


@lowers(ENGINE, records.avg_pool)
def _avg_pool(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    windows = _windows(inputs[0].shape[1:-1], **_geometry(node))
    x = _with_padding(lowering, inputs[0], windows)
    total = _folded(lowering, records.add, x, windows)
    if total.size == 0:
        return total
    return lowering.elementwise(records.divide, [total, _counts(lowering, windows, x.dtype)], x.dtype)


@lowers(ENGINE, records.avg_pool_transpose)
def _avg_pool_transpose(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    g, shape = inputs[0], given_shape(node, inputs[1:])
    windows = _windows(shape[1:-1], **_geometry(node))
    target = zeros(lowering, g.dtype, (shape[0], *windows.padded_lengths, shape[-1]))
    places = list(places_of(windows.sizes))
    if g.size:
        share = lowering.elementwise(records.divide, [g, _counts(lowering, windows, g.dtype)], g.dtype)
        share = lowering.materialised(share)
        for place in places:
            part = seen(target, windows, place)
            lowering.store([(part, lowering.elementwise(records.add, [part, share], g.dtype))])
    return _inner(target, windows)
