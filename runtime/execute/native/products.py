"""Matrix products: by BLAS, or for small and integer matrices by loops."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING

import numpy as np

from ... import threads
from ...dtypes import float32
from ...ir import Node
from . import blas
from .arrays import Expression, Ints, Load, Splat, broadcast
from .emitter import NotLowered, literal, type_of
from .lowering import lowers
from .views import cast, reshaped

if TYPE_CHECKING:
    from .lowering import Lowering

# Products of fewer multiplications than this are quicker without a call.
_SMALL = 512
_ROW_MAJOR, _AS_IT_IS, _TRANSPOSED = 101, 111, 112


@lowers("matmul")
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
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    m, k, n = *x.shape[-2:], y.shape[-1]
    target = lowering.new_buffer(type_.dtype, (*batch, m, n))
    lowering.work += math.prod(batch) * m * k * n // 4
    product = blas.gemm("s" if type_.dtype is float32 else "d") if type_.dtype.kind == "f" else None
    if k == 0 or target.size == 0:
        lowering.store([(target, Splat(target.shape, type_.dtype, literal(0, type_.dtype)))])
    elif product is None or m * k * n < _SMALL:
        _by_loops(lowering, broadcast(x, (*batch, m, k)), broadcast(y, (*batch, k, n)), target)
    else:
        _by_blas(lowering, broadcast(x, (*batch, m, k)), broadcast(y, (*batch, k, n)), target, product)
    return reshaped(lowering, target, shape)


def _by_loops(lowering: Lowering, x: Expression, y: Expression, target: Load) -> None:
    e, dtype = lowering.e, target.dtype
    *batch, m, n = target.shape
    k = x.shape[-1]
    shape = (*batch, m, k, n)
    rank = len(batch)
    places = [(i, 1, 0) for i in range(rank)]
    a = x.walk([*places, (rank, 1, 0), (rank + 1, 1, 0)], shape)
    b = y.walk([*places, (rank + 1, 1, 0), (rank + 2, 1, 0)], shape)
    c = target.walk([*places, (rank, 1, 0), (rank + 2, 1, 0)], shape)
    lowering.store([(target, Splat(target.shape, dtype, literal(0, dtype)))])
    with lowering.nest(shape, [a, b, c]) as loops:
        loops.open()
        product = e.arithmetic("mul", dtype, loops.element(a), loops.element(b))
        loops.store(c, e.arithmetic("add", dtype, loops.element(c), product))
        loops.close()


def _layout(lowering: Lowering, x: Load) -> tuple[Load, int, int]:
    """A matrix (or stack of them) as BLAS takes it: which way it lies, and the distance of its rows or columns."""
    rows, columns = x.shape[-2:]
    down, across = x.strides[-2:]
    if (across == 1 or columns == 1) and (down >= columns or rows == 1):
        return x, _AS_IT_IS, max(down if rows > 1 else columns, 1)
    if (down == 1 or rows == 1) and (across >= rows or columns == 1):
        return x, _TRANSPOSED, max(across if columns > 1 else rows, 1)
    copy = lowering.new_buffer(x.dtype, x.shape)
    lowering.store([(copy, x)])
    return copy, _AS_IT_IS, columns


def _by_blas(lowering: Lowering, x: Expression, y: Expression, target: Load, product: blas.Gemm) -> None:
    e = lowering.e
    kind, size = type_of(target.dtype), f"i{product.bits}"
    assert isinstance(x, Load) and isinstance(y, Load)
    (x, x_way, x_step), (y, y_way, y_step) = _layout(lowering, x), _layout(lowering, y)
    *batch, m, n = target.shape
    k = x.shape[-1]
    heads = [_head(each, tuple(batch)) for each in (x, y, target)]
    before = _one_thread(lowering, m * k * n)
    loops = lowering.loops(tuple(batch), heads)
    loops.open()
    pointers = [f"ptr {loops.address(head)}" for head in heads]
    one, zero = literal(1, target.dtype), literal(0, target.dtype)
    types = ["i32"] * 3 + [size] * 3 + [kind, "ptr", size, "ptr", size, kind, "ptr", size]
    function = e.address(product.address)
    arguments = [
        f"i32 {_ROW_MAJOR}", f"i32 {x_way}", f"i32 {y_way}", f"{size} {m}", f"{size} {n}", f"{size} {k}",
        f"{kind} {one}", pointers[0], f"{size} {x_step}", pointers[1], f"{size} {y_step}", f"{kind} {zero}",
        pointers[2], f"{size} {n}",
    ]  # fmt: skip
    e.do(f"call void ({', '.join(types)}) {function}({', '.join(arguments)})")
    loops.close()
    if before is not None:
        e.do(f"call void (i32) {_thread_function(lowering, 'set')}(i32 {before})")


def _one_thread(lowering: Lowering, size: int) -> str | None:
    """The number of threads that BLAS took until now, where a product is to take one; see `runtime.threads`."""
    if not threads.needs_one(size):
        return None
    before = lowering.e.let(f"call i32 () {_thread_function(lowering, 'get')}()")
    lowering.e.do(f"call void (i32) {_thread_function(lowering, 'set')}(i32 1)")
    return before


def _thread_function(lowering: Lowering, verb: str) -> str:
    """A register with one of the functions of `threads.setting`."""
    address = ctypes.cast(getattr(threads.setting(), verb), ctypes.c_void_p).value
    assert address is not None
    return lowering.e.address(address)


def _head(x: Load, batch: Ints) -> Load:
    """The first elements of a stack of matrices."""
    places = [(i, 1, 0) for i in range(len(batch))]
    return x.walk([*places, (None, 0, 0), (None, 0, 0)], batch)

