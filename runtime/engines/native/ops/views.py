"""Shapes, items and stores: views where NumPy has views too, and reads and writes at computed places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....base.dtypes import DType, bool_, int64
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.infer import axes_of, axis_of
from ..emit.arrays import Expression, Gather, Ints, Iota, Load, Splat, broadcast, buffers, checked_index, transposed
from ..emit.emitter import Emitter, NotLowered, type_of
from ..emit.forms import apply
from ..emit.lowering import Fails, Lowering
from ..supported import ENGINE


@lowers(ENGINE, records.cast)
def _cast(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    target = node.attributes["dtype"]
    type_of(target)
    return cast(lowering, inputs[0], target)


def cast(lowering: Lowering, x: Expression, dtype: DType) -> Expression:
    source = x.dtype
    return x if source is dtype else lowering.map(lambda e, r: e.cast(r, source, dtype), [x], dtype)


@lowers(ENGINE, records.where)
def _where(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    condition, dtype = inputs[0].dtype, lowering.infer(node, inputs)[0].dtype

    def compute(e: Emitter, c: str, x: str, y: str) -> str:
        return e.select(e.cast(c, condition, bool_), dtype, x, y)

    return lowering.map(compute, inputs, dtype)


@lowers(ENGINE, records.round)
def _round(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    if node.attributes.get("decimals", 0) != 0 or inputs[0].dtype.kind not in "iuf":
        raise NotLowered("round to decimal places")
    return lowering.elementwise(records.rint, inputs, inputs[0].dtype) if inputs[0].dtype.kind == "f" else inputs[0]


@lowers(ENGINE, records.add_n)
def _add_n(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    total = inputs[0]
    for x in inputs[1:]:
        total = lowering.elementwise(records.add, [total, x], x.dtype)
    return total


# Shapes


@lowers(ENGINE, records.shape)
def _shape(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    if isinstance(inputs[0], Progression):
        dtype = node.outputs[0].type.dtype
        return Splat((1,), dtype, lowering.e.cast(inputs[0].length, int64, dtype))
    return lowering.constant(np.array(inputs[0].shape, lowering.infer(node, inputs)[0].dtype.numpy))


@lowers(ENGINE, records.size, records.rank)
def _size(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    if isinstance(inputs[0], Progression) and node.op is records.size:
        dtype = node.outputs[0].type.dtype
        return Splat((), dtype, lowering.e.cast(inputs[0].length, int64, dtype))
    number = inputs[0].size if node.op is records.size else len(inputs[0].shape)
    return lowering.constant(np.array(number, lowering.infer(node, inputs)[0].dtype.numpy))


def given_shape(node: Node, dims: Sequence[Expression]) -> Ints:
    """The shape that an op is given as an attribute, or by an input that is known."""
    if not dims:
        return tuple(node.attributes["shape"])
    if dims[0].constant is None:
        raise NotLowered("a shape that depends on values")
    return tuple(int(n) for n in dims[0].constant)


def _wanted(lowering: Lowering, node: Node, inputs: Sequence[Expression]) -> Ints:
    """The shape that an op is given as an attribute, or as an input that is known."""
    if len(inputs) > 1:
        return given_shape(node, inputs[1:])
    return lowering.static_shape(lowering.infer(node, inputs)[0])


@lowers(ENGINE, records.reshape)
def _reshape(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    shape = _wanted(lowering, node, inputs)
    x = inputs[0]
    if -1 in shape:
        rest = int(np.prod([n for n in shape if n != -1]))
        if rest == 0 or x.size % rest:
            raise NotLowered("a reshape that does not fit")
        shape = tuple(x.size // rest if n == -1 else n for n in shape)
    if int(np.prod(shape)) != x.size:
        raise NotLowered("a reshape that does not fit")
    return reshaped(lowering, x, shape)


def reshaped(lowering: Lowering, x: Expression, shape: Ints) -> Expression:
    """The elements in row order in another shape."""
    x = x.resolved()
    if x.shape == shape:
        return x
    if isinstance(x, Splat):
        return Splat(shape, x.dtype, x.register)
    if [n for n in x.shape if n != 1] == [n for n in shape if n != 1]:
        rest = [axis for axis, n in enumerate(shape) if n != 1]
        places = iter(rest)
        return x.walk([(None, 0, 0) if n == 1 else (next(places), 1, 0) for n in x.shape], shape)
    found = lowering.materialised(x, ordered=True)
    return Load(found.buffer, shape, None, found.offset, found.moved)


@lowers(ENGINE, records.expand_dims, records.squeeze)
def _ones(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    return reshaped(lowering, inputs[0], lowering.static_shape(lowering.infer(node, inputs)[0]))


@lowers(ENGINE, records.ensure_shape)
def _ensure(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    lowering.infer(node, inputs)  # raises where the shape is another: the plan will too
    return inputs[0]


@lowers(ENGINE, records.transpose)
def _transpose(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, order = inputs[0], node.attributes.get("perm")
    rank = len(x.shape)
    return transposed(x, range(rank)[::-1] if order is None else [axis_of(a, rank) for a in order])


@lowers(ENGINE, records.broadcast_to)
def _broadcast_to(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    return spread(lowering, inputs[0], _wanted(lowering, node, inputs))


@lowers(ENGINE, records.broadcast_to_shape_of)
def _broadcast_like(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    return spread(lowering, inputs[0], inputs[1].shape)


def spread(lowering: Lowering, x: Expression, shape: Ints) -> Expression:
    """An expression broadcast to a shape; raises `NotLowered` when it does not fit."""
    if len(x.shape) > len(shape) or any(n not in (1, m) for n, m in zip(x.shape[::-1], shape[::-1], strict=False)):
        raise NotLowered("a shape that does not broadcast")
    return broadcast(lowering.materialised(x) if x.operations and x.shape != shape else x, shape)


@lowers(ENGINE, records.flip)
def _flip(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x = inputs[0].resolved()
    axes = axes_of(node.attributes["axis"], len(x.shape))
    return x.walk([(i, -1, n - 1) if i in axes else (i, 1, 0) for i, n in enumerate(x.shape)], x.shape)


@lowers(ENGINE, records.fill)
def _fill(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    shape = _wanted(lowering, node, inputs)
    return Splat(shape, inputs[0].dtype, lowering.scalar(inputs[0]))


class Progression(Expression):
    """The numbers of a range whose length is known only when it runs. They can be counted, and had one by one."""

    __slots__ = ("length", "start", "step")
    has_shape = False

    def __init__(self, dtype: DType, start: str, step: str, length: str) -> None:
        self.dtype, self.constant = dtype, None
        self.start, self.step, self.length = start, step, length

    @property
    def shape(self) -> Ints:  # type: ignore[override]
        raise NotLowered("the length of a range depends on values")

    def item(self, e: Emitter, index: str, dtype: DType) -> str:
        """The register of one number; fails for an index outside."""
        i = e.cast(index, dtype, int64)
        if dtype.kind == "i":
            i = e.select(e.compare("lt", int64, i, "0"), int64, e.arithmetic("add", int64, i, self.length), i)
        e.fail_if(e.let(f"icmp uge i64 {i}, {self.length}"))
        number = e.arithmetic("add", int64, self.start, e.arithmetic("mul", int64, i, self.step))
        return e.cast(number, int64, self.dtype)


@lowers(ENGINE, records.range)
def _range(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    dtype, length = inputs[0].dtype, node.attributes.get("length")
    if dtype.kind not in "iu":
        raise NotLowered("a range of floats")
    if length is None:
        return _progression(lowering, inputs, dtype)
    return lowering.map(
        lambda e, i, start, step: e.arithmetic(
            "add", dtype, e.arithmetic("mul", dtype, e.cast(i, int64, dtype), step), start),
        [Iota((length,), int64, (1,)), inputs[0], inputs[2]], dtype)  # fmt: skip


def _progression(lowering: Lowering, inputs: Sequence[Expression], dtype: DType) -> Progression:
    e = lowering.e
    start, limit, step = (e.cast(lowering.scalar(x), dtype, int64) for x in inputs)
    for end in (start, limit):  # NumPy counts in floats: beyond these it may come to another length
        e.fail_if(e.let(f"icmp ugt i64 {e.arithmetic('add', int64, end, str(1 << 51))}, {1 << 52}"))
    down = e.compare("lt", int64, step, "0")
    e.fail_if(e.compare("eq", int64, step, "0"))
    size = e.select(down, int64, e.arithmetic("sub", int64, "0", step), step)
    way = e.arithmetic("sub", int64, limit, start)
    way = e.select(down, int64, e.arithmetic("sub", int64, "0", way), way)
    up = e.arithmetic("sub", int64, e.arithmetic("add", int64, way, size), "1")
    length = e.select(e.compare("gt", int64, way, "0"), int64, e.binary("udiv", int64, up, size), "0")
    return Progression(dtype, start, step, length)


@lowers(ENGINE, records.one_hot)
def _one_hot(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    indices, on, off = inputs
    shape = lowering.static_shape(lowering.infer(node, inputs)[0])
    axis = axis_of(node.attributes.get("axis", -1), len(shape))
    steps = tuple(int(i == axis) for i in range(len(shape)))
    places = [i for i in range(len(shape)) if i != axis]
    if indices.operations:
        indices = lowering.materialised(indices)
    given = indices.resolved().walk([(place, 1, 0) for place in places], shape)
    if shape == ():
        raise NotLowered("one_hot of no axes")
    dtype = on.dtype
    return lowering.map(
        lambda e, i, at, yes, no: e.select(e.compare("eq", int64, e.cast(i, given.dtype, int64), at), dtype, yes, no),
        [given, Iota(shape, int64, steps), on, off], dtype)  # fmt: skip


# Items


class _Place(NamedTuple):
    """Where an item lies: its shape, and for each axis of it the stride in the array; what is added to the offset."""

    shape: Ints
    strides: Ints
    offset: int
    moved: str | None
    indices: list[tuple[Expression, int, int]]


class _Key:
    """Reads a key as NumPy does: basic parts make axes, arrays of indices are broadcast to axes of their own."""

    def __init__(self, lowering: Lowering, x: Expression, strides: Ints, key: Any,
                 inputs: Sequence[Expression]) -> None:  # fmt: skip
        self.lowering, self.x, self.strides, self.inputs = lowering, x, strides, inputs
        self.axis, self.offset = 0, 0
        self.moved: str | None = None
        self.axes: list[tuple[int, int]] = []
        self.arrays: list[tuple[Expression, int, int]] = []
        self.first: int | None = None
        self.last = self.apart = False
        if any(each.dtype.kind == "b" for each in inputs):
            raise NotLowered("a mask as an index")
        self.has_arrays = any(part[0] == "input" and inputs[part[1]].shape != () for part in key)
        used = sum(part[0] in ("index", "slice", "input") for part in key)
        if ("ellipsis",) not in key:
            key = (*key, ("ellipsis",))
        for part in key:
            self._part(part, len(x.shape) - used, part is key[-1])

    def _part(self, part: Any, skipped: int, is_end: bool) -> None:
        kind = part[0]
        advanced = self.has_arrays and kind in ("index", "input")
        if advanced:
            self.apart = self.apart or (self.first is not None and not self.last)
            self.first = len(self.axes) if self.first is None else self.first
        self.last = advanced or (self.last and kind == "ellipsis" and skipped == 0 and is_end)
        if kind == "ellipsis":
            for _ in range(skipped):
                self._basic(slice(None))
        elif kind == "newaxis":
            self.axes.append((1, 0))
        elif kind == "slice":
            self._basic(slice(*[self._end(end) for end in part[1:]]))
        elif kind == "index":
            n = self.x.shape[self.axis]
            self.offset += (part[1] + n if part[1] < 0 else part[1]) * self.strides[self.axis]
            self.axis += 1
        else:
            self._index(self.inputs[part[1]])

    def _end(self, end: Any) -> int | None:
        if type(end) is not tuple:
            return end
        known = self.inputs[end[1]].constant
        if known is None:
            raise NotLowered("a slice whose ends depend on values")
        return int(known)

    def _basic(self, part: slice) -> None:
        chosen = range(self.x.shape[self.axis])[part]
        stride = self.strides[self.axis]
        self.axes.append((len(chosen), stride * chosen.step))
        self.offset += chosen.start * stride if len(chosen) else 0
        self.axis += 1

    def _index(self, index: Expression) -> None:
        n, stride, e = self.x.shape[self.axis], self.strides[self.axis], self.lowering.e
        if index.shape == ():
            i = checked_index(e, self.lowering.scalar(index), index.dtype, n, True)
            step = i if stride == 1 else e.let(f"mul nsw i64 {i}, {stride}")
            self.moved = step if self.moved is None else e.let(f"add nsw i64 {self.moved}, {step}")
        else:
            self.arrays.append((index, stride, n))
        self.axis += 1

    def place(self) -> _Place:
        joined = np.broadcast_shapes(*[index.shape for index, _, _ in self.arrays])
        at = 0 if self.apart or self.first is None else self.first
        shape = (*[n for n, _ in self.axes[:at]], *joined, *[n for n, _ in self.axes[at:]])
        strides = (*[s for _, s in self.axes[:at]], *[0] * len(joined), *[s for _, s in self.axes[at:]])
        indices = []
        for index, stride, n in self.arrays:
            if index.operations > 4 or (index.operations and index.shape != shape):
                index = self.lowering.materialised(index)
            spread_out = broadcast(index, joined).resolved()
            walked = spread_out.walk([(at + i, 1, 0) for i in range(len(joined))], shape)
            indices.append((walked, stride, n))
        if 0 in shape and any(index.size for index, _, _ in self.arrays):
            raise NotLowered("indices of items that are empty")
        if any(n == 0 and index.size for index, _, n in self.arrays):
            raise Fails
        return _Place(shape, strides, self.offset, self.moved, indices)


def _item_of(x: Load, place: _Place, wraps: bool = True) -> Load | Gather:
    offset = x.offset + place.offset
    if place.indices:
        return Gather(x.buffer, place.shape, place.strides, offset, place.moved, place.indices, wraps)
    return Load(x.buffer, place.shape, place.strides, offset, place.moved)


def item(lowering: Lowering, x: Expression, key: object, inputs: Sequence[Expression]) -> Expression:
    """``x[key]``."""
    x = x.resolved()
    if isinstance(x, Splat):
        place = _Key(lowering, x, (0,) * len(x.shape), key, inputs).place()
        if not place.indices:
            return Splat(place.shape, x.dtype, x.register)
    known = lowering.materialised(x)
    found = _Key(lowering, known, known.strides, key, inputs)
    place = found.place()
    moved = _sum(lowering.e, known.moved, place.moved)
    result = _item_of(known, place._replace(moved=moved))
    if isinstance(result, Gather):  # indices are looked at, whatever of the result is needed
        return lowering.materialised(result)
    if result.shape == () and isinstance(result, Load):
        return Splat((), x.dtype, lowering.scalar(result))
    return result


def _sum(e: Emitter, x: str | None, y: str | None) -> str | None:
    if x is None or y is None:
        return y if x is None else x
    return e.let(f"add nsw i64 {x}, {y}")


@lowers(ENGINE, records.get_item)
def _get_item(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, key = inputs[0], node.attributes["key"]
    if isinstance(x, Progression) and key == (("input", 0),) and inputs[1].shape == ():
        return Splat((), x.dtype, x.item(lowering.e, lowering.scalar(inputs[1]), inputs[1].dtype))
    return item(lowering, inputs[0], node.attributes["key"], inputs[1:])


# Stores


@lowers(ENGINE, records.set_item, records.add_at)
def _set_item(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, value = inputs[0].resolved(), inputs[1]
    if x.shape == ():
        raise NotLowered("a store into a scalar")
    if lowering.dies_at(node.inputs[0], node) and lowering.is_owned(x, node.inputs[0]):
        assert isinstance(x, Load)
        target = Load(x.buffer, x.shape)
    else:
        target = lowering.new_buffer(x.dtype, x.shape)
        lowering.store([(target, x)])
    given = [value, *inputs[2:]]
    given = [lowering.materialised(each) if target.buffer in buffers([each]) else each for each in given]
    # a view of the array itself is no buffer of its own yet
    given = [_copied(lowering, each) if target.buffer in buffers([each]) else each for each in given]
    place = _Key(lowering, target, target.strides, node.attributes["key"], given[1:]).place()
    to = _item_of(target, place)
    value = broadcast(_fitting(lowering, given[0], place.shape), place.shape)
    _write(lowering, to, cast(lowering, value, x.dtype), node.op is records.add_at)
    return Load(target.buffer, target.shape)


def _copied(lowering: Lowering, x: Expression) -> Load:
    target = lowering.new_buffer(x.dtype, x.shape)
    lowering.store([(target, x)])
    return target


def _fitting(lowering: Lowering, x: Expression, shape: Ints) -> Expression:
    """A value without leading ones that the place lacks, computed where it is used more than once."""
    while len(x.shape) > len(shape) and x.shape[0] == 1:
        x = reshaped(lowering, x, x.shape[1:])
    return lowering.materialised(x) if x.operations and x.shape != shape else x


def _write(lowering: Lowering, to: Load | Gather, value: Expression, adds: bool) -> None:
    e = lowering.e
    if to.size == 0:
        return
    lowering.work += to.size
    with lowering.nest(to.shape, [to, value]) as loops:
        loops.open()
        register = loops.element(value)
        if adds:
            register = apply(e, records.add, [loops.element(to), register], [value.dtype, value.dtype], value.dtype)
        loops.store(to, register)
        loops.close()
