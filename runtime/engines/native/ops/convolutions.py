"""Convolutions and their adjoints as products of matrices whose inner axis is that of all elements of a window.

No matrix of the windows is made: a product walks over the padded tensor itself, as its strides say (a direct
convolution, as in J. Zhang, F. Franchetti and T. M. Low, "High Performance Zero-Memory Overhead Direct Convolutions",
2018). The adjoint in the tensor is such a product for each residue of the strides, with those filters' elements that
meet the places of it. Where each group has one channel, elements are multiplied and added up as they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.shape.windows import Windows
from ..emit.arrays import Expression, Ints, Load, Splat, broadcast
from ..emit.emitter import NotLowered, literal, type_of
from ..emit.lowering import Lowering
from ..supported import ENGINE
from .joining import padded, zeros
from .multiply import Product, multiply
from .products import copied, matrix_product, turned
from .reductions import Fold, reduce
from .views import cast, given_shape, reshaped
from .windows import MOST_PLACES, places_of, seen


class _Axis(NamedTuple):
    """A dimension of the loops around a product: its length, and its strides in both factors and in the result."""

    length: int
    first: int
    second: int
    result: int


class _Tensors(NamedTuple):
    """Where the factors and the result begin."""

    first: Load
    second: Load
    result: Load


def _floats(lowering: Lowering, node: Node, inputs: Sequence[Expression]) -> tuple[Ints, list[Load]]:
    """The result's shape, and the tensor and filters (or what is like them), in the result's dtype, in memory."""
    type_ = lowering.infer(node, inputs)[0]
    if type_.dtype.kind != "f":
        raise NotLowered(f"convolutions of {type_.dtype.name}")
    type_of(type_.dtype)
    shape = given_shape(node, inputs[2:]) if "shape" in node.attributes else lowering.static_shape(type_)
    return shape, [lowering.materialised(cast(lowering, x, type_.dtype), ordered=True) for x in inputs[:2]]


def _merged(axes: Sequence[Ints]) -> list[Ints]:
    """Axes, each a length and strides, where those that are walked over as over one are one; none of length 1."""
    found: list[Ints] = []
    for n, *strides in axes:
        if n == 1:
            continue
        if found and all(outer == n * inner for outer, inner in zip(found[-1][1:], strides, strict=True)):
            found[-1] = (found[-1][0] * n, *strides)
        else:
            found.append((n, *strides))
    return found


def _multiply(
    lowering: Lowering, around: Sequence[_Axis], rows: _Axis, inner: Sequence[tuple[int, int, int]],
    columns: int, tensors: _Tensors, adds: bool = False
) -> None:  # fmt: skip
    """A product for each point of the axes ``around``; the columns of the second factor and result lie one by one.

    ``inner``: the axes that are summed up, with their strides in both factors.
    """
    axes = [_Axis(*axis) for axis in _merged(around)]
    inside = _merged(inner) or [(1, 0, 0)]
    if axes and rows.length > 1:
        last = axes[-1]
        if (last.first, last.second, last.result) == (rows.length * rows.first, 0, rows.length * rows.result):
            rows = _Axis(last.length * rows.length, rows.first, 0, rows.result)
            axes.pop()
    length, across, down = inside[-1]
    product = Product(
        tensors.first.dtype, rows.length, length, columns, (rows.first, across), down, rows.result,
        tuple(inside[:-1]), adds  # type: ignore[arg-type]
    )  # fmt: skip
    work = rows.length * columns * math.prod(n for n, *_ in inside)
    lowering.work += math.prod(axis.length for axis in axes) * work // 4
    shape = tuple(axis.length for axis in axes)
    strides = zip(*(axis[1:] for axis in axes), strict=True) if axes else [()] * 3
    heads = [
        Load(x.buffer, shape, tuple(steps), x.offset, x.moved) for x, steps in zip(tensors, strides, strict=True)
    ]
    loops = lowering.loops(shape, heads)
    loops.open()
    lowering.e.poll(work // 4)
    multiply(lowering.e, product, [loops.address(head) for head in heads])
    loops.close()


def _moved(x: Load, offset: int) -> Load:
    return Load(x.buffer, x.shape, x.strides, x.offset + offset, x.moved)


# The convolution


@lowers(ENGINE, records.convolution)
def _convolution(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    shape, (x, w) = _floats(lowering, node, inputs)
    *sizes, depth, total = w.shape
    windows = Windows(x.shape[1:-1], sizes, **node.attributes)
    if 0 in (math.prod(shape), w.size):
        return Splat(shape, x.dtype, literal(0, x.dtype))
    if depth == 1 < x.shape[-1]:
        return reshaped(lowering, _of_channels(lowering, x, w, windows), shape)
    if _is_product(windows, depth, x):
        return reshaped(lowering, matrix_product(lowering, _as_matrix(x), _as_matrix(w)), shape)
    x = padded(lowering, x, [(0, 0), *windows.pads, (0, 0)])
    target = lowering.new_buffer(x.dtype, shape)
    groups, number = x.shape[-1] // depth, total * depth // x.shape[-1]
    steps = [stride * n for stride, n in zip(windows.strides, x.strides[1:-1], strict=True)]
    *places, rows = (
        _Axis(n, step, 0, result) for n, step, result in zip(windows.counts, steps, target.strides[1:-1], strict=True)
    )
    around = [_Axis(groups, depth, number, number), _Axis(shape[0], x.strides[0], 0, target.strides[0]), *places]
    taps = [(n, d * a, b) for n, d, a, b in zip(sizes, windows.dilations, x.strides[1:-1], w.strides, strict=False)]
    _multiply(lowering, around, rows, [*taps, (depth, 1, total)], number, _Tensors(x, w, target))
    return target


def _is_product(windows: Windows, depth: int, x: Load) -> bool:
    """Whether windows are single elements, so that a convolution is a product of two matrices."""
    is_single = max(windows.sizes) == max(windows.strides) == 1 and not any(map(any, windows.pads))
    return is_single and depth == x.shape[-1]


def _as_matrix(x: Load) -> Load:
    return Load(x.buffer, (x.size // x.shape[-1], x.shape[-1]), None, x.offset, x.moved)


# Its adjoint in the filters


@lowers(ENGINE, records.convolution_filters)
def _filters(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    shape, (x, g) = _floats(lowering, node, inputs)
    *sizes, depth, total = shape
    windows = Windows(x.shape[1:-1], sizes, **_geometry(node))
    if 0 in (math.prod(shape), g.size):
        return Splat(shape, x.dtype, literal(0, x.dtype))
    if depth == 1 < x.shape[-1]:
        return _filters_of_channels(lowering, x, g, windows, shape)
    if _is_product(windows, depth, x):
        return reshaped(lowering, matrix_product(lowering, turned(_as_matrix(x)), _as_matrix(g)), shape)
    x = padded(lowering, x, [(0, 0), *windows.pads, (0, 0)])
    target = zeros(lowering, x.dtype, shape)
    groups, number = x.shape[-1] // depth, total * depth // x.shape[-1]
    taps = [
        _Axis(n, d * step, 0, result)
        for n, d, step, result in zip(sizes, windows.dilations, x.strides[1:-1], target.strides, strict=False)
    ]
    rows = _Axis(depth, 1, 0, total)
    if groups == 1 and windows.dilations[-1] == 1:  # the channels of neighbours lie one after the other
        rows = _Axis(taps.pop().length * depth, 1, 0, total)
    around = [_Axis(x.shape[0], x.strides[0], g.strides[0], 0), _Axis(groups, depth, number, number), *taps]
    steps = [stride * n for stride, n in zip(windows.strides, x.strides[1:-1], strict=True)]
    inner = list(zip(windows.counts, steps, g.strides[1:-1], strict=True))
    _multiply(lowering, around, rows, inner, number, _Tensors(x, g, target), adds=True)
    return target


def _geometry(node: Node) -> dict[str, Any]:
    return {name: node.attributes[name] for name in ("strides", "dilations", "padding")}


# Its adjoint in the tensor


class _Residue(NamedTuple):
    """The places along an axis that one residue of the stride has: what of the filters and of the result meets there.

    The place ``start + step * m`` gets the sum over ``j`` of element ``tap + tap_step * j`` of the filters and element
    ``at + m - back * j`` of the convolution's result, which is zero outside.
    """

    start: int
    step: int
    length: int
    tap: int
    tap_step: int
    taps: int
    at: int
    back: int


def _residues(length: int, size: int, stride: int, dilation: int, before: int) -> list[_Residue]:
    if stride == 1:
        return [_Residue(0, 1, length, 0, 1, size, before, dilation)]
    if dilation != 1:
        raise NotLowered("the gradient of a convolution with strides and dilations")
    found = []
    for residue in range(stride):
        first = -(-(before - residue) // stride)
        start = residue - before + stride * first
        count, taps = max(0, -(-(length - start) // stride)), max(0, -(-(size - residue) // stride))
        if count:
            found.append(_Residue(start, stride, count, residue, stride, taps, first, 1))
    return found


@lowers(ENGINE, records.convolution_transpose)
def _transpose(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    shape, (g, w) = _floats(lowering, node, inputs)
    *sizes, depth, _ = w.shape
    windows = Windows(shape[1:-1], sizes, **_geometry(node))
    if 0 in (math.prod(shape), g.size, w.size):
        return Splat(shape, g.dtype, literal(0, g.dtype))
    by_channel = depth == 1 < shape[-1]
    if not by_channel and _is_product(windows, depth, Load(g.buffer, shape)):
        return reshaped(lowering, matrix_product(lowering, _as_matrix(g), turned(_as_matrix(w))), shape)
    geometry = zip(shape[1:-1], sizes, windows.strides, windows.dilations, windows.pads, strict=True)
    residues = [_residues(length, size, s, d, before) for length, size, s, d, (before, _) in geometry]
    margins = [_margins(each, n) for each, n in zip(residues, g.shape[1:-1], strict=True)]
    g = padded(lowering, g, [(0, 0), *margins, (0, 0)])
    target = lowering.new_buffer(g.dtype, shape)
    if not by_channel:  # so that the columns of the products are the channels
        w = copied(lowering, turned(w))
    for combination in itertools.product(*residues):
        begin = [each.at + before for each, (before, _) in zip(combination, margins, strict=True)]
        _transpose_at(lowering, combination, begin, _Tensors(g, w, target), depth, by_channel)
    return target


def _margins(residues: Sequence[_Residue], count: int) -> tuple[int, int]:
    before = max((each.back * (each.taps - 1) - each.at for each in residues), default=0)
    after = max((each.at + each.length - count for each in residues), default=0)
    return max(before, 0), max(after, 0)


def _transpose_at(
    lowering: Lowering, residues: Sequence[_Residue], begin: Sequence[int], tensors: _Tensors, depth: int,
    by_channel: bool
) -> None:  # fmt: skip
    """What the places of some residues get; ``begin``: the element of the first factor that the first of them meets."""
    g, w, target = tensors
    shape = tuple(each.length for each in residues)
    strides = [each.step * n for each, n in zip(residues, target.strides[1:-1], strict=True)]
    offset = sum(each.start * n for each, n in zip(residues, target.strides[1:-1], strict=True))
    full = (target.shape[0], *shape, target.shape[-1])
    part = Load(target.buffer, full, (target.strides[0], *strides, 1), target.offset + offset, target.moved)
    if any(each.taps == 0 for each in residues):
        lowering.store([(part, Splat(full, target.dtype, literal(0, target.dtype)))])
        return
    first = _moved(g, sum(at * n for at, n in zip(begin, g.strides[1:-1], strict=True)))
    if by_channel:
        _add_channels(lowering, residues, first, w, part)
        return
    groups = target.shape[-1] // depth
    number = w.shape[-2] // groups
    second = _moved(w, sum(each.tap * n for each, n in zip(residues, w.strides, strict=False)))
    *places, rows = (
        _Axis(n, step, 0, result) for n, step, result in zip(shape, g.strides[1:-1], strides, strict=True)
    )
    around = [
        _Axis(groups, number, number * depth, depth), _Axis(g.shape[0], g.strides[0], 0, target.strides[0]), *places
    ]  # fmt: skip
    taps = [
        (each.taps, -each.back * a, each.tap_step * b)
        for each, a, b in zip(residues, g.strides[1:-1], w.strides, strict=False)
    ]
    _multiply(lowering, around, rows, [*taps, (number, 1, depth)], depth, _Tensors(first, second, part))


# Groups of one channel


def _seen(x: Load, windows: Windows, place: Ints, repeats: int) -> Load:
    """The elements at a place of all windows, with another axis for the filters of a channel."""
    found = seen(x, windows, place)
    return found.walk([(i, 1, 0) for i in range(len(found.shape))], (*found.shape, repeats))


def _of_channel(w: Load, place: Ints, channels: int) -> Load:
    """The elements at a place of filters, `[channels, filters of each]`."""
    offset = sum(i * n for i, n in zip(place, w.strides, strict=False))
    return _moved(Load(w.buffer, (channels, w.shape[-1] // channels), None, w.offset, w.moved), offset)


def _sum_of_products(lowering: Lowering, pairs: Sequence[tuple[Expression, Expression]]) -> Expression:
    total: Expression | None = None
    for pair in pairs:
        product = lowering.elementwise(records.multiply, list(pair), pair[0].dtype)
        total = product if total is None else lowering.elementwise(records.add, [total, product], product.dtype)
    assert total is not None
    return total


def _of_channels(lowering: Lowering, x: Load, w: Load, windows: Windows) -> Expression:
    channels = x.shape[-1]
    places = list(places_of(windows.sizes))
    x = padded(lowering, x, [(0, 0), *windows.pads, (0, 0)])
    repeats = w.shape[-1] // channels
    return _sum_of_products(
        lowering, [(_seen(x, windows, place, repeats), _of_channel(w, place, channels)) for place in places]
    )


def _filters_of_channels(lowering: Lowering, x: Load, g: Load, windows: Windows, shape: Ints) -> Expression:
    channels = x.shape[-1]
    places = list(places_of(windows.sizes))
    x = padded(lowering, x, [(0, 0), *windows.pads, (0, 0)])
    target = lowering.new_buffer(x.dtype, shape)
    repeats = shape[-1] // channels
    seen = (g.shape[0], *windows.counts, channels, repeats)
    given = Load(g.buffer, seen, None, g.offset, g.moved)
    fold = Fold(x.dtype, literal(0, x.dtype), lambda e, a, b: e.arithmetic("add", x.dtype, a, b))
    for place in places:
        product = lowering.elementwise(records.multiply, [_seen(x, windows, place, repeats), given], x.dtype)
        total = reduce(lowering, product, range(len(seen) - 2), lambda _: fold)
        lowering.store([(_of_channel(target, place, channels), broadcast(total, (channels, repeats)))])
    return target


def _add_channels(lowering: Lowering, residues: Sequence[_Residue], first: Load, w: Load, part: Load) -> None:
    channels = part.shape[-1]
    repeats = w.shape[-1] // channels
    shape = tuple(each.length for each in residues)
    pairs: list[tuple[Expression, Expression]] = []
    for place in places_of([each.taps for each in residues]):
        back = sum(j * each.back * n for j, each, n in zip(place, residues, first.strides[1:-1], strict=True))
        tap = tuple(each.tap + each.tap_step * j for j, each in zip(place, residues, strict=True))
        filters = _of_channel(w, tap, channels)
        for i in range(repeats):
            given = Load(
                first.buffer, (part.shape[0], *shape, channels), (*first.strides[:-1], repeats),
                first.offset - back + i, first.moved
            )  # fmt: skip
            pairs.append((given, filters.walk([(0, 1, 0), (None, 0, i)], (channels,))))
    if len(pairs) > MOST_PLACES:
        raise NotLowered(f"windows of more than {MOST_PLACES} places")
    lowering.store([(part, _sum_of_products(lowering, pairs))])


