"""Sums of products over pairs of axes, as products of matrices: an axis of both factors and of the result is one of a
stack, one of both alone is summed up, and the rest are rows and columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from ....base.dtypes import DType
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.linalg.linalg import axes_to_sum, subscripts
from ..emit.arrays import Expression, Load, transposed
from ..emit.emitter import NotLowered, type_of
from ..emit.lowering import Lowering
from ..supported import ENGINE
from .products import matrix_product
from .views import cast, reshaped

Names = Sequence[str]


@lowers(ENGINE, records.tensordot)
def _tensordot(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    a, b = inputs
    left, right = axes_to_sum(a.shape, b.shape, node.attributes["axes"])
    summed = {axis: f"sum{i}" for i, axis in enumerate(left)}
    again = {axis: f"sum{i}" for i, axis in enumerate(right)}
    of_a = [summed.get(i, f"a{i}") for i in range(len(a.shape))]
    of_b = [again.get(i, f"b{i}") for i in range(len(b.shape))]
    result = [name for name in (*of_a, *of_b) if name not in summed.values()]
    return _contract(lowering, lowering.infer(node, inputs)[0].dtype, (a, of_a), (b, of_b), result)


@lowers(ENGINE, records.einsum)
def _einsum(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    equation = node.attributes["equation"]
    operands, result = subscripts(equation, [len(x.shape) for x in inputs])
    if any(len({*names}) != len(names) for names in operands):
        raise NotLowered(f"the diagonals of {equation!r}")
    if len(inputs) == 1 and {*operands[0]} == {*result}:
        return transposed(inputs[0], [operands[0].index(name) for name in result])
    if len(inputs) != 2:
        raise NotLowered(f"{equation!r} of {len(inputs)} factors")
    (a, of_a), (b, of_b) = zip(inputs, operands, strict=True)
    return _contract(lowering, lowering.infer(node, inputs)[0].dtype, (a, of_a), (b, of_b), result)


def _contract(
    lowering: Lowering, dtype: DType, first: tuple[Expression, Names], second: tuple[Expression, Names], result: Names
) -> Expression:
    """The product of two factors, each with names for its axes, summed over those that the result has not."""
    if dtype.kind not in "iuf":
        raise NotLowered(f"products of {dtype.name}")
    type_of(dtype)
    (a, of_a), (b, of_b) = first, second
    sizes = dict(zip(of_a, a.shape, strict=True))
    if any(sizes.setdefault(name, n) != n for name, n in zip(of_b, b.shape, strict=True)):
        raise NotLowered("a sum of products that broadcasts")
    stack = [name for name in result if name in of_a and name in of_b]
    rows = [name for name in result if name in of_a and name not in of_b]
    columns = [name for name in result if name in of_b and name not in of_a]
    summed = [name for name in of_a if name not in result]
    if {*summed} != {name for name in of_b if name not in result}:
        raise NotLowered("a sum of products in which an axis of one factor alone is summed")
    x = _stacked(lowering, cast(lowering, a, dtype), of_a, (stack, rows, summed))
    y = _stacked(lowering, cast(lowering, b, dtype), of_b, (stack, summed, columns))
    order = [*stack, *rows, *columns]
    target = _target(lowering, dtype, result, sizes, (stack, rows, columns))
    found = matrix_product(lowering, x, y, target)
    if target is not None:
        return Load(target.buffer, tuple(sizes[name] for name in result))
    whole = reshaped(lowering, found, tuple(sizes[name] for name in order))
    return transposed(whole, [order.index(name) for name in result])


def _stacked(lowering: Lowering, x: Expression, names: Names, groups: tuple[Names, Names, Names]) -> Load:
    """A factor as a stack of matrices: the axes of the second and third group are one each."""
    stack, rows, columns = groups
    known = lowering.materialised(x)
    order = [names.index(name) for group in groups for name in group]
    seen = transposed(known, order)
    sizes = dict(zip(names, known.shape, strict=True))
    shape = (*(sizes[name] for name in stack), *(math.prod(sizes[name] for name in group) for group in (rows, columns)))
    strides = dict(zip(names, known.strides, strict=True))
    steps = [_step([(sizes[name], strides[name]) for name in group]) for group in (rows, columns)]
    if None in steps:
        return lowering.materialised(reshaped(lowering, seen, shape))
    return Load(known.buffer, shape, (*(strides[name] for name in stack), *steps), known.offset, known.moved)  # type: ignore[arg-type]


def _step(axes: Sequence[tuple[int, int]]) -> int | None:
    """The distance of neighbours along axes that are walked over as over one; None if they can't be."""
    axes = [(n, stride) for n, stride in axes if n != 1]
    if any(outer != n * inner for (_, outer), (n, inner) in itertools.pairwise(axes)):
        return None
    return axes[-1][1] if axes else 1


def _target(
    lowering: Lowering, dtype: DType, result: Names, sizes: dict[str, int], groups: tuple[Names, Names, Names]
) -> Load | None:
    """A place for the product in which it lies as the result is wanted; None if rows or columns would be scattered."""
    stack, rows, columns = groups
    order = [*stack, *rows, *columns]
    m, n = (math.prod(sizes[name] for name in group) for group in (rows, columns))
    if order == list(result) or min(m, n) == 1:
        return None
    if not _are_together(result, rows) or list(result[-len(columns) :]) != columns:
        return None
    offered = lowering.new_buffer(dtype, tuple(sizes[name] for name in result))
    if not offered.is_contiguous or offered.offset or offered.moved is not None:
        return None
    strides = dict(zip(result, offered.strides, strict=True))
    shape = (*(sizes[name] for name in stack), m, n)
    return Load(offered.buffer, shape, (*(strides[name] for name in stack), strides[rows[-1]], 1))


def _are_together(names: Names, part: Names) -> bool:
    start = list(names).index(part[0])
    return list(names[start : start + len(part)]) == list(part)
