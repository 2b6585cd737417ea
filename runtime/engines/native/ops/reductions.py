"""Reductions over axes: sums, products, extremes, truth, positions; and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ....base.dtypes import DType, bool_, float32, float64, int32, int64
from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op, lowers
from ....ops.infer import axes_of
from ....ops.reduce.reduce import neutral
from ..emit.arrays import Expression, Gather, Ints, Iota, Load, Loops, Map, Splat, transposed
from ..emit.emitter import Emitter, NotLowered, literal, type_of
from ..emit.lowering import Fails, Lowering
from ..supported import ENGINE
from .elementwise import maximum, minimum


class Fold(NamedTuple):
    """How elements are reduced: cast to a dtype, then combined with what there is, beginning with ``first``."""

    dtype: DType
    first: str
    combine: Callable[[Emitter, str, str], str]


def reduce(lowering: Lowering, x: Expression, axes: Sequence[int], make: Callable[[bool], Fold]) -> Expression:
    """Reduce axes. ``make`` gives the fold: in one register, if told so, or in memory, row upon row."""
    x = x.resolved()
    kept = [axis for axis in range(len(x.shape)) if axis not in axes]
    shape = tuple(x.shape[axis] for axis in kept)
    inner = max((axis for axis, n in enumerate(x.shape) if n > 1), default=0)
    if x.size == 0:
        fold = make(True)
        return Splat(shape, fold.dtype, fold.first)
    lowering.work += x.size
    if inner in axes or not kept:
        return _in_register(lowering, transposed(x, [*kept, *axes]), shape, make(True))
    return _in_memory(lowering, x, kept, shape, make(False))


def _in_register(lowering: Lowering, x: Expression, shape: Ints, fold: Fold) -> Expression:
    """The last axes are reduced one point of the first ones after the other."""
    e = lowering.e
    x = x.resolved()
    kind = type_of(fold.dtype)
    target = lowering.new_buffer(fold.dtype, shape)
    spread = _spread(target, range(len(shape)), x.shape)
    extra = lowering.also_needed(x.shape, [x])
    with lowering.nest(x.shape, [x, spread, *_parts(extra)]) as loops:
        memory = e.let_first(f"alloca {kind}")
        loops.open(loops.count(len(shape)))
        e.do(f"store {kind} {fold.first}, ptr {memory}")
        inner = len(loops.shape) - len(loops.indices)
        loops.open(inner)
        element = e.cast(loops.element(x), x.dtype, fold.dtype)
        e.do(f"store {kind} {fold.combine(e, e.let(f'load {kind}, ptr {memory}'), element)}, ptr {memory}")
        _store(loops, extra)
        loops.close(inner)
        loops.store(spread, e.let(f"load {kind}, ptr {memory}"))
        loops.close()
    _stored(extra)
    return Splat(shape, fold.dtype, lowering.scalar(Load(target.buffer, ()))) if target.size == 1 else target


def _spread(target: Load, axes: Sequence[int], shape: Ints) -> Load:
    """A buffer seen from a larger shape, of which it has some axes."""
    return target.walk([(axis, 1, 0) for axis in axes], shape)


def _in_memory(lowering: Lowering, x: Expression, kept: Sequence[int], shape: Ints, fold: Fold) -> Expression:
    """Whole rows are combined, so that the elements are visited in the order in which they lie."""
    e = lowering.e
    target = lowering.new_buffer(fold.dtype, shape)
    lowering.store([(target, Splat(shape, fold.dtype, fold.first))])
    spread = _spread(target, kept, x.shape)
    extra = lowering.also_needed(x.shape, [x])
    with lowering.nest(x.shape, [x, spread, *_parts(extra)]) as loops:
        loops.open()
        element = e.cast(loops.element(x), x.dtype, fold.dtype)
        loops.store(spread, fold.combine(e, loops.element(spread), element))
        _store(loops, extra)
        loops.close()
    _stored(extra)
    return target


def _parts(pairs: Sequence[tuple[Load, Map]]) -> list[Expression]:
    return [part for pair in pairs for part in pair]


def _store(loops: Loops, extra: Sequence[tuple[Load, Map]]) -> None:
    """Store what is needed later, where it has been computed for a reduction."""
    for target, x in extra:
        loops.store(target, loops.element(x))


def _stored(extra: Sequence[tuple[Load, Map]]) -> None:
    for target, x in extra:
        x.stored = target


def with_kept(x: Expression, full: Ints, axes: Sequence[int]) -> Expression:
    """A reduction's result with the reduced axes back as ones."""
    places = [axis for axis in range(len(full)) if axis not in axes]
    shape = tuple(1 if axis in axes else n for axis, n in enumerate(full))
    return x.resolved().walk([(place, 1, 0) for place in places], shape)


def _finished(lowering: Lowering, x: Expression, node: Node, inputs: Sequence[Expression], axes: Sequence[int],
              compute: Callable[..., str] | None = None) -> Expression:  # fmt: skip
    """The result in the dtype and shape that inference promises."""
    wanted = lowering.infer(node, inputs)[0]
    source = x.dtype
    if compute is not None or source is not wanted.dtype:
        def default(e: Emitter, r: str) -> str:
            return e.cast(r, source, wanted.dtype)

        x = lowering.map(compute or default, [x], wanted.dtype)
    return with_kept(x, inputs[0].shape, axes) if node.attributes.get("keepdims") else x


def sum_fold(dtype: DType) -> Callable[[bool], Fold]:
    """Integers wrap. In one register float32 is added up as float64; the order is open, so that it vectorises."""

    def make(in_register: bool) -> Fold:
        wide = float64 if dtype is float32 and in_register else dtype
        if dtype.kind != "f":
            return Fold(dtype, "0", lambda e, total, x: e.arithmetic("add", dtype, total, x))
        text = "fadd reassoc" if in_register else "fadd"
        return Fold(wide, literal(0.0, wide), lambda e, total, x: e.let(f"{text} {type_of(wide)} {total}, {x}"))

    return make


def product_fold(dtype: DType) -> Callable[[bool], Fold]:
    return lambda _: Fold(dtype, literal(1, dtype), lambda e, total, x: e.arithmetic("mul", dtype, total, x))


def extreme_fold(dtype: DType, largest: bool) -> Callable[[bool], Fold]:
    """NaN wins. Of zeros of both signs floats give the larger or smaller; which NumPy gives depends on their number."""
    rule = maximum if largest else minimum
    first = literal(neutral(dtype.numpy, largest), dtype)

    def combine(e: Emitter, total: str, x: str) -> str:
        if dtype.kind == "f":  # in a form that vectorises
            return e.intrinsic("maximum" if largest else "minimum", dtype, total, x)
        return rule(e, dtype, x, total)

    return lambda _: Fold(dtype, first, combine)


def truth_fold(all_of_them: bool) -> Callable[[bool], Fold]:
    word, first = ("and", "true") if all_of_them else ("or", "false")
    return lambda _: Fold(bool_, first, lambda e, total, x: e.let(f"{word} i1 {total}, {x}"))


def all_true(lowering: Lowering, x: Expression) -> str:
    """The register of whether all elements are true."""
    found = reduce(lowering, x, range(len(x.shape)), truth_fold(True)) if x.shape else x
    register = lowering.scalar(found)
    return lowering.e.cast(register, found.dtype, bool_)


def _axes(node: Node, x: Expression) -> tuple[int, ...]:
    return axes_of(node.attributes.get("axis"), len(x.shape))


@lowers(ENGINE, records.sum, records.prod)
def _sum(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    axes, dtype = _axes(node, inputs[0]), lowering.infer(node, inputs)[0].dtype
    type_of(dtype)
    fold = sum_fold(dtype) if node.op is records.sum else product_fold(dtype)
    return _finished(lowering, reduce(lowering, inputs[0], axes, fold), node, inputs, axes)


@lowers(ENGINE, records.mean)
def _mean(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, dtype = inputs[0], lowering.infer(node, inputs)[0].dtype
    if dtype.kind != "f":
        raise NotLowered("a mean that is an integer")
    type_of(dtype)
    axes = _axes(node, x)
    total = reduce(lowering, x, axes, sum_fold(dtype))
    count = math.prod(x.shape[axis] for axis in axes)
    return _finished(lowering, total, node, inputs, axes, _divided(total.dtype, dtype, count))


def _divided(source: DType, dtype: DType, count: int) -> Callable[..., str]:
    def compute(e: Emitter, r: str) -> str:
        return e.binary("fdiv", dtype, e.cast(r, source, dtype), literal(count, dtype))

    return compute


@lowers(ENGINE, records.max, records.min)
def _extreme(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    axes = _axes(node, inputs[0])
    fold = extreme_fold(inputs[0].dtype, node.op is records.max)
    return _finished(lowering, reduce(lowering, inputs[0], axes, fold), node, inputs, axes)


@lowers(ENGINE, records.all, records.any, records.count_nonzero)
def _truth(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    axes = _axes(node, inputs[0])
    x = lowering.map(lambda e, r: e.cast(r, inputs[0].dtype, bool_), [inputs[0]], bool_)
    fold = sum_fold(int64) if node.op is records.count_nonzero else truth_fold(node.op is records.all)
    return _finished(lowering, reduce(lowering, x, axes, fold), node, inputs, axes)


@lowers(ENGINE, records.sum_to_shape_of)
def _sum_to(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    g, shape = inputs[0], inputs[1].shape
    extra = len(g.shape) - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, g.shape[extra:], strict=True)):
        raise Fails
    axes = [*range(extra), *[extra + i for i, n in enumerate(shape) if n == 1 and g.shape[extra + i] != 1]]
    if not axes:
        return g
    if g.dtype.kind not in "f" and g.dtype not in (int64,):
        raise NotLowered("a gradient of small integers")
    found = reduce(lowering, g, axes, sum_fold(g.dtype))
    if found.dtype is not g.dtype:
        source = found.dtype
        found = lowering.map(lambda e, r: e.cast(r, source, g.dtype), [found], g.dtype)
    kept = [axis for axis in range(len(g.shape)) if axis not in axes]
    return found.resolved().walk([(axis - extra, 1, 0) for axis in kept], shape)


# Positions


@lowers(ENGINE, records.argmax, records.argmin)
def _position(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, axis = inputs[0].resolved(), node.attributes.get("axis")
    axes = axes_of(axis, len(x.shape))
    if x.size == 0:
        raise NotLowered("the position of the maximum of nothing")
    kept = [each for each in range(len(x.shape)) if each not in axes]
    moved = transposed(lowering.materialised(x), [*kept, *axes])
    best = reduce(lowering, moved, range(len(kept), len(x.shape)), extreme_fold(x.dtype, node.op is records.argmax))
    return _finished(lowering, _first_places(lowering, moved, best), node, inputs, axes)


def _first_places(lowering: Lowering, x: Expression, wanted: Expression) -> Expression:
    """Where along the last axes the elements are first that equal given ones, or are NaN where these are.

    All elements are looked at, which vectorises; it would not if the loop stopped.
    """
    rank = len(wanted.shape)
    inner = x.shape[rank:]
    index = int32 if math.prod(inner) < 2**31 else int64
    steps = [0] * rank + [math.prod(inner[i + 1 :]) for i in range(len(inner))]
    nowhere = literal(math.prod(inner), index)

    def compute(e: Emitter, element: str, best: str, place: str) -> str:
        same = e.compare("eq", x.dtype, element, best)
        if x.dtype.kind == "f":
            both = e.let(f"and i1 {e.is_nan(x.dtype, element)}, {e.is_nan(x.dtype, best)}")
            same = e.either(same, both)
        return e.select(same, index, place, nowhere)

    spread = wanted.resolved().walk([(i, 1, 0) for i in range(rank)], x.shape)
    places = lowering.map(compute, [x, spread, Iota(x.shape, index, tuple(steps))], index)
    found = reduce(lowering, places, range(rank, len(x.shape)), extreme_fold(index, False))
    return lowering.map(lambda e, r: e.cast(r, index, int64), [found], int64)


# Made of reductions


def _binary(lowering: Lowering, op: Op, x: Expression, y: Expression) -> Expression:
    return lowering.elementwise(op, [x, y], x.dtype)


def _unary(lowering: Lowering, op: Op, x: Expression) -> Expression:
    return lowering.elementwise(op, [x], x.dtype)


def _total(lowering: Lowering, x: Expression, axis: int) -> Expression:
    found = reduce(lowering, x, [axis], sum_fold(x.dtype))
    if found.dtype is not x.dtype:
        source = found.dtype
        found = lowering.map(lambda e, r: e.cast(r, source, x.dtype), [found], x.dtype)
    return with_kept(found, x.shape, [axis])


def _shifted(lowering: Lowering, x: Expression, axis: int) -> Expression:
    """The elements less the largest along an axis, so that ``exp`` does not overflow."""
    top = reduce(lowering, x, [axis], extreme_fold(x.dtype, True))
    return _binary(lowering, records.subtract, x, with_kept(top, x.shape, [axis]))


@lowers(ENGINE, records.softmax, records.log_softmax)
def _softmax(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, axis = inputs[0], axes_of(node.attributes.get("axis", -1), len(inputs[0].shape))[0]
    type_of(x.dtype)
    if x.size == 0:
        return x
    if x.operations > 1:
        x = lowering.materialised(x)
    shifted = lowering.materialised(_shifted(lowering, x, axis))
    if node.op is records.log_softmax:
        total = _total(lowering, _unary(lowering, records.exp, shifted), axis)
        return _binary(lowering, records.subtract, shifted, _unary(lowering, records.log, total))
    powers = lowering.materialised(_unary(lowering, records.exp, shifted))
    return _binary(lowering, records.divide, powers, _total(lowering, powers, axis))


@lowers(ENGINE, records.softmax_cross_entropy)
def _cross_entropy(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    labels, logits = inputs
    type_of(logits.dtype)
    logits = lowering.materialised(logits)
    axis = len(logits.shape) - 1
    if logits.size == 0:
        raise NotLowered("the cross-entropy of nothing")
    shifted = lowering.materialised(_shifted(lowering, logits, axis))
    total = _total(lowering, _unary(lowering, records.exp, shifted), axis)
    logs = _binary(lowering, records.subtract, shifted, _unary(lowering, records.log, total))
    found = reduce(lowering, _binary(lowering, records.multiply, labels, logs), [axis], sum_fold(logits.dtype))
    source, dtype = found.dtype, logits.dtype
    return lowering.map(lambda e, r: e.let(f"fneg {type_of(dtype)} {e.cast(r, source, dtype)}"), [found], dtype)


@lowers(ENGINE, records.sparse_softmax_cross_entropy)
def _sparse_cross_entropy(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    labels, logits = inputs
    type_of(logits.dtype)
    if logits.size == 0 or logits.shape[:-1] != labels.shape:
        raise NotLowered("the cross-entropy of nothing")
    logits, axis = lowering.materialised(logits), len(logits.shape) - 1
    shifted = lowering.materialised(_shifted(lowering, logits, axis))
    total = _total(lowering, _unary(lowering, records.exp, shifted), axis)
    if labels.shape == ():
        labels = Splat((1,), labels.dtype, lowering.scalar(labels))
    elif labels.operations:
        labels = lowering.materialised(labels)
    shape, strides = labels.shape, shifted.strides[:-1] or (0,)
    place = (labels.resolved(), shifted.strides[-1], logits.shape[-1])
    picked = Gather(shifted.buffer, shape, strides, shifted.offset, shifted.moved, [place], wraps=False)
    rest = _unary(lowering, records.log, total).resolved().walk([*_axes_but_last(logits.shape), (None, 0, 0)], shape)
    found = lowering.materialised(_binary(lowering, records.subtract, rest, picked))
    return found if logits.shape[:-1] else Splat((), logits.dtype, lowering.scalar(Load(found.buffer, ())))


def _axes_but_last(shape: Ints) -> list[tuple[int | None, int, int]]:
    return [(i, 1, 0) for i in range(len(shape) - 1)]
