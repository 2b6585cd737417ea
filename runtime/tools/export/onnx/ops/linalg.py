"""Determinants, inverses and solvers, by elimination with pivots in a loop, in float64; and Cholesky's factors.

Decompositions whose vectors the library of a machine chooses (eigenvectors, singular vectors) have no form here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....base.dtypes import float64, int64
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Value
from .dims import counted, dim_of, dims_of, expanded, joined, reshaped, sliced, with_axes
from .elementwise import dtype_of
from .indices import OUTSIDE
from .keys import broadcast_dims
from .loops import loop


def _outer(x: Value) -> Value:
    """The dimensions of a batch of matrices, without those of the matrices."""
    return joined(x.here, x.here.integers(), *[dim_of(x, i) for i in range(x.rank - 2)])


def _at(x: Value, place: Value, axis: int) -> Value:
    """What stands at one place along an axis."""
    shape = None if x.shape is None else tuple([n for i, n in enumerate(x.shape) if i != axis])
    return x.here.add("Gather", x, place, axis=axis, shape=shape)


def _number(here: Lowering, count: Value) -> Value:
    return reshaped(count, here.integers(), ())


def _eliminated(rows: Value, count: Value) -> tuple[Value, Value, Value]:
    """Rows whose first ``count`` columns have become the identity; signs and logarithms of the determinants."""
    here, rank = rows.here, rows.rank
    numbers, end = counted(here, count), _number(here, count)
    outer = _outer(rows)
    ones = _filled(here, 1.0, outer, rank - 2)

    def turn(k: Value, rows: Value, sign: Value, size: Value) -> Sequence[Value]:
        column = abs(_at(rows, k, rank - 1))
        place = here.add("ArgMax", here.where(numbers >= k, column, -1.0), axis=rank - 2, keepdims=0,
                         shape=(None,) * (rank - 2))  # fmt: skip
        best = with_axes(place, rank - 2)
        swapped = here.where(numbers.equals(k), best, here.where(best.equals(numbers), k, numbers))
        order = expanded(with_axes(swapped, rank - 1), dims_of(rows))
        rows = here.add("GatherElements", rows, order, axis=rank - 2, shape=rows.shape)
        row = _at(rows, k, rank - 2)
        pivot = _at(row, k, rank - 2)
        safe = here.where(pivot.equals(0), 1.0, pivot)
        scaled = with_axes(row / with_axes(safe, rank - 2), rank - 2)
        factors = with_axes(_at(rows, k, rank - 1), rank - 1)
        is_row = with_axes(numbers.equals(k), 1)
        sign = sign * here.add("Sign", pivot) * here.where(place.equals(k), 1.0, _filled(here, -1.0, outer, rank - 2))
        return k + 1, here.where(is_row, scaled, rows - factors * scaled), sign, size + here.add("Log", abs(pivot))

    start = [here.constant(0, int64), rows, ones, ones * 0.0]
    _, rows, sign, size = loop(here, start, lambda k, *_: k < end, turn)
    return rows, sign, size


def _filled(here: Lowering, number: float, dims: Value, rank: int) -> Value:
    result = here.add("Expand", here.constant(number, float64), dims)
    result.shape = (None,) * rank
    return result


def _identity(here: Lowering, x: Value) -> Value:
    numbers = counted(here, dim_of(x, x.rank - 1))
    return expanded(with_axes(numbers, 1).equals(numbers).cast(float64), dims_of(x))


def _solved(a: Value, b: Value) -> Value:
    """The solution for columns; the runtime makes an error of a matrix that is singular."""
    here = a.here
    batch = broadcast_dims(here, [_batch_only(a), _batch_only(b)])
    batch.shape = (max(a.rank, b.rank) - 2,)
    a, b = [_in_batch(x.cast(float64), batch) for x in (a, b)]
    rank, n = a.rank, dim_of(a, a.rank - 1)
    rows = here.add("Concat", a, b, axis=rank - 1, shape=(*(a.shape or ())[:-1], None))
    rows, _, size = _eliminated(rows, n)
    is_singular = size.equals(-np.inf)
    return sliced(here.fails_where(is_singular, rows), n, OUTSIDE, rank - 1)


def _batch_only(x: Value) -> Value:
    """Something in the shape of the batch of a matrix, which has no elements of it."""
    static = None if x.shape is None or None in x.shape[:-2] else x.shape[:-2]
    if static is not None:
        return x.here.constant(np.zeros(static), float64)
    return x.here.add("Expand", x.here.constant(0, float64), _outer(x), shape=(None,) * (x.rank - 2))


def _in_batch(x: Value, batch: Value) -> Value:
    here = x.here
    own = [dim_of(x, x.rank - 2), dim_of(x, x.rank - 1)]
    return expanded(x, joined(here, batch, *own))


@lowers(ENGINE, records.solve)
def _solve(here: Lowering, node: Node, a: Value, b: Value) -> Value:
    return _solved(a, b).cast(dtype_of(node))


@lowers(ENGINE, records.triangular_solve)
def _triangular_solve(here: Lowering, node: Node, a: Value, b: Value, lower: bool = True) -> Value:
    rows, columns = [counted(here, dim_of(a, a.rank - i)) for i in (2, 1)]
    below = with_axes(rows, 1) >= columns if lower else with_axes(rows, 1) <= columns
    return _solved(here.where(below, a.cast(float64), 0.0), b).cast(dtype_of(node))


@lowers(ENGINE, records.inv)
def _inv(here: Lowering, node: Node, x: Value) -> Value:
    return _solved(x, _identity(here, x)).cast(dtype_of(node))


@lowers(ENGINE, records.det, records.slogdet)
def _det(here: Lowering, node: Node, x: Value) -> Value | list[Value]:
    _, sign, size = _eliminated(x.cast(float64), dim_of(x, x.rank - 1))
    dtype = dtype_of(node)
    if node.op is records.slogdet:
        return [sign.cast(dtype), size.cast(dtype)]
    return (sign * here.add("Exp", size)).cast(dtype)


@lowers(ENGINE, records.cholesky)
def _cholesky(here: Lowering, node: Node, x: Value) -> Value:
    """Column by column; the runtime makes an error of a matrix that is not positive definite."""
    rank = x.rank
    matrix = x.cast(float64)
    count = dim_of(x, rank - 1)
    numbers, end = counted(here, count), _number(here, count)

    def turn(k: Value, factor: Value) -> Sequence[Value]:
        row = with_axes(_at(factor, k, rank - 2), rank - 1)
        known = here.add("MatMul", factor, row, shape=row.shape)
        column = with_axes(_at(matrix, k, rank - 1), rank - 1) - known
        pivot = here.add("Sqrt", with_axes(_at(column, k, rank - 2), rank - 2))
        pivot = here.fails_where(~(pivot > 0), pivot)
        column = here.where(with_axes(numbers >= k, 1), column / pivot, 0.0)
        return k + 1, here.where(numbers.equals(k), column, factor)

    zeros = matrix * 0.0
    return loop(here, [here.constant(0, int64), zeros], lambda k, _: k < end, turn)[1].cast(dtype_of(node))
