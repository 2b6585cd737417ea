"""Matrix products: in vector registers, or by BLAS if they are large."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.log import log_once

from ....base.dtypes import float32
from ....ir import records
from ....ir.graph import Graph, Node, Value
from ....ir.op import lowers
from ..emit.arrays import Expression, Ints, Load, Splat, broadcast
from ..emit.emitter import NotLowered, literal, type_of
from ..emit.lowering import Lowering
from ..foreign import blas
from ..supported import ENGINE
from .multiply import Product, multiply
from .views import cast, reshaped

# Products of floats of more multiplications are BLAS's matter, which takes as many threads as the user lets it, and
# packs matrices so that they stay in caches: of smaller ones, those whose second factor does not fit there by itself.
_LARGE, _HUGE, _CACHE = 2**24, 2**26, 2**21
_TILE = 64


@lowers(ENGINE, records.matmul)
def _matmul(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    type_ = lowering.infer(node, inputs)[0]
    shape = lowering.static_shape(type_)
    if type_.dtype.kind not in "iuf":
        raise NotLowered(f"products of {type_.dtype.name}")
    type_of(type_.dtype)
    x, y = (lowering.materialised(cast(lowering, each, type_.dtype)) for each in inputs)
    if len(x.shape) == 1:
        x = reshaped(lowering, x, (1, *x.shape))  # type: ignore[assignment]
    if len(y.shape) == 1:
        y = reshaped(lowering, y, (*y.shape, 1))  # type: ignore[assignment]
    return reshaped(lowering, matrix_product(lowering, x, y), shape)


def matrix_product(lowering: Lowering, x: Load, y: Load, target: Load | None = None) -> Load:
    """The product of matrices, or of stacks of them that broadcast, of one dtype.

    ``target``: where it is to be, if that matters: rows in any places, each with its elements one after the other.
    """
    dtype = x.dtype
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    m, k, n = *x.shape[-2:], y.shape[-1]
    by_vectors = dtype.kind != "f" or not _is_large(m, k, n, dtype.numpy.itemsize)
    if target is None and by_vectors and _is_betterturned(x, y):
        return turned(matrix_product(lowering, turned(y), turned(x)))
    if target is None:
        target = lowering.new_buffer(dtype, (*batch, m, n))
    lowering.work += math.prod(batch) * m * k * n // 4
    x, y = broadcast(x, (*batch, m, k)), broadcast(y, (*batch, k, n))  # type: ignore[assignment]
    if k == 0 or target.size == 0:
        lowering.store([(target, Splat(target.shape, dtype, literal(0, dtype)))])
    elif by_vectors:
        _by_vectors(lowering, x, y, target)
    else:
        _by_blas(lowering, x, y, target, _blas("s" if dtype is float32 else "d"))
    return target


def _is_large(m: int, k: int, n: int, size: int) -> bool:
    return m * k * n > (_LARGE if k * n * size > _CACHE else _HUGE)


def _is_betterturned(x: Load, y: Load) -> bool:
    """Whether the second factor, which would have to be copied, is larger than the first and the result."""
    (m, k), n = x.shape[-2:], y.shape[-1]
    return min(m, k, n) > 1 and y.strides[-1] != 1 and y.strides[-2] == 1 and m * (k + n) < k * n


def turned(x: Load) -> Load:
    """The transposed matrix, or stack of them, as a view."""
    *batch, m, n = x.shape
    rank = len(batch)
    return x.walk([*((i, 1, 0) for i in range(rank)), (rank + 1, 1, 0), (rank, 1, 0)], (*batch, n, m))


def _by_vectors(lowering: Lowering, x: Load, y: Load, target: Load) -> None:
    *batch, m, n = target.shape
    k = x.shape[-1]
    (down, across), (y_down, y_across) = x.strides[-2:], y.strides[-2:]
    if (n == 1 < m and down == 1 != across) or (m == 1 < n and y_down == 1 != y_across):  # with a transposed one
        product = Product(target.dtype, n, k, m, (y_across, y_down), across, m)
        x, y = y, x
    else:
        y = in_rows(lowering, y)
        product = Product(target.dtype, m, k, n, (down, across), y.strides[-2], target.strides[-2])
    heads = [_head(each, tuple(batch)) for each in (x, y, target)]
    loops = lowering.loops(tuple(batch), heads)
    loops.open()
    multiply(lowering.e, product, [loops.address(head) for head in heads])
    loops.close()


def in_rows(lowering: Lowering, x: Expression) -> Any:
    """A matrix (or stack of them) whose rows have their elements one after the other: a copy, if it is transposed."""
    is_transposed = isinstance(x, Load) and len(x.shape) > 1 and x.shape[-1] > 1 and x.strides[-1] != 1
    return copied(lowering, x) if is_transposed else x  # type: ignore[arg-type]


def second_factors(graph: Graph) -> set[Value]:
    """The values of a graph that it, or a graph in it, multiplies matrices by."""
    found: set[Value] = set()
    for node in graph.nodes:
        if node.op is records.matmul:
            found.add(node.inputs[1])
        for region in node.regions:
            wanted = second_factors(region.graph)
            found.update(outer for outer, own in region.pairs if own in wanted)
    return found


def copied(lowering: Lowering, x: Load) -> Load:
    """A copy whose elements lie one after the other."""
    copy = lowering.new_buffer(x.dtype, x.shape)
    lowering.store(zip(_tiles(copy), _tiles(x), strict=True))
    return copy


def _tiles(x: Load) -> Iterator[Load]:
    """A matrix as stripes of so few columns that what is read of them, if it is transposed, stays in the cache."""
    *shape, n = x.shape
    *strides, step = x.strides
    for first, count, width in ((0, n // _TILE, _TILE), (n - n % _TILE, 1, n % _TILE)):
        if count and width:
            steps = _TILE * step, *strides, step
            yield Load(x.buffer, (count, *shape, width), steps, x.offset + first * step, x.moved)


def _layout(lowering: Lowering, x: Load) -> tuple[Load, int, int]:
    """A matrix (or stack of them) as BLAS takes it: which way it lies, and the distance of its rows or columns."""
    rows, columns = x.shape[-2:]
    down, across = x.strides[-2:]
    if (across == 1 or columns == 1) and (down >= columns or rows == 1):
        return x, blas.AS_IT_IS, max(down if rows > 1 else columns, 1)
    if (down == 1 or rows == 1) and (across >= rows or columns == 1):
        return x, blas.TRANSPOSED, max(across if columns > 1 else rows, 1)
    return copied(lowering, x), blas.AS_IT_IS, columns


def _blas(letter: str) -> blas.Gemm:
    """BLAS's product. Raises `NotLowered` where there is none: NumPy does it then."""
    found = blas.gemm(letter)
    if isinstance(found, str):
        log_once(f"large products of matrices do not become machine code: {found}")
        raise NotLowered(f"a large product of matrices: {found}")
    return found


def _by_blas(lowering: Lowering, x: Load, y: Load, target: Load, product: blas.Gemm) -> None:
    e = lowering.e
    kind, size = type_of(target.dtype), f"i{product.bits}"
    (x, x_way, x_step), (y, y_way, y_step) = _layout(lowering, x), _layout(lowering, y)
    *batch, m, n = target.shape
    k = x.shape[-1]
    heads = [_head(each, tuple(batch)) for each in (x, y, target)]
    loops = lowering.loops(tuple(batch), heads)
    loops.open()
    pointers = [f"ptr {loops.address(head)}" for head in heads]
    one, zero = literal(1, target.dtype), literal(0, target.dtype)
    types = ["i32"] * 3 + [size] * 3 + [kind, "ptr", size, "ptr", size, kind, "ptr", size]
    function = e.address(product.address)
    arguments = [
        f"i32 {blas.ROW_MAJOR}", f"i32 {x_way}", f"i32 {y_way}", f"{size} {m}", f"{size} {n}", f"{size} {k}",
        f"{kind} {one}", pointers[0], f"{size} {x_step}", pointers[1], f"{size} {y_step}", f"{kind} {zero}",
        pointers[2], f"{size} {max(target.strides[-2], n)}",
    ]  # fmt: skip
    e.do(f"call void ({', '.join(types)}) {function}({', '.join(arguments)})")
    loops.close()


def _head(x: Load, batch: Ints) -> Load:
    """The first elements of a stack of matrices."""
    places = [(i, 1, 0) for i in range(len(batch))]
    return x.walk([*places, (None, 0, 0), (None, 0, 0)], batch)
