"""Functions of the array API standard that NumPy has besides its own, on tensors.

`x.__array_namespace__()` of a tensor is NumPy: its functions take tensors, and give tensors.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from ...base.dtypes import as_dtype
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike
from ...tensors.numpy_protocol import implements
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..elementwise import elementwise
from ..infer import at_least, axis_of, not_defined_for, require, whole
from ..linalg import diagonals, linalg
from ..reduce import cumulative, reduce
from ..reduce.reduce import axis_attribute
from ..shape import create, joining, shape, sort
from ..shape.index import get_item

__all__: list[str] = []


@implements("astype")
def _astype(x: Tensor, dtype: DTypeLike, copy: bool = True) -> Any:
    return elementwise.cast(x, as_dtype(dtype))


@implements("matrix_transpose", "linalg.matrix_transpose")
def _matrix_transpose(x: Tensor) -> Any:
    return shape.matrix_transpose(x)


@implements("linalg.matmul")
def _matmul(x1: Tensor, x2: Tensor) -> Any:
    return linalg.matmul_op(x1, x2)


@implements("positive")
def _positive(x: Tensor) -> Any:
    x = convert_to_tensor(x)
    if x.dtype.kind not in "iufc":
        raise not_defined_for(x.dtype).about("positive")
    return x


@implements("vecdot", "linalg.vecdot")
def _vecdot(x1: Tensor, x2: Tensor, axis: int = -1) -> Any:
    x1, x2 = together(x1, x2)
    if axis != -1:
        x1, x2 = shape.moveaxis(x1, axis, -1), shape.moveaxis(x2, axis, -1)
    return reduce.sum_op(elementwise.conj(x1) * x2, axis=-1, dtype=None)


@implements("tensordot", "linalg.tensordot")
def _tensordot(x1: Tensor, x2: Tensor, axes: int | Sequence[int] = 2) -> Any:
    return linalg.tensordot(x1, x2, axes)


@implements("linalg.eigvalsh")
def _eigvalsh(a: Tensor) -> Any:
    return linalg.eigvalsh(a)


@implements("linalg.matrix_norm")
def _matrix_norm(x: Tensor, keepdims: bool = False, ord: object = "fro") -> Any:
    return cumulative.norm(x, ord, (-2, -1), keepdims)


@implements("linalg.matrix_power")
def _matrix_power(a: Tensor, n: int) -> Any:
    power = linalg.inv(a) if n < 0 else convert_to_tensor(a)
    at_least(power.static_shape, 2)
    if n == 0:
        return diagonals.set_diag(create.zeros_like(power), create.ones_like(diagonals.diag_part(power)))
    result = None
    for digit in reversed(bin(abs(whole(n, "n")))[2:]):
        if digit == "1":
            result = power if result is None else linalg.matmul_op(result, power)
        power = linalg.matmul_op(power, power)
    return result


@implements("broadcast_arrays")
def _broadcast_arrays(*args: object) -> tuple[Any, ...]:
    tensors = [convert_to_tensor(each) for each in args]
    zero = functools.reduce(operator.add, [elementwise.cast(create.zeros_like(each), "int32") for each in tensors])
    return tuple([shape.broadcast_to(each, shape.shape(zero)) for each in tensors])


@implements("linalg.outer")
def _outer(x1: Tensor, x2: Tensor) -> Any:
    for x in (x1, x2):
        require(convert_to_tensor(x).ndim == 1, "linalg.outer takes vectors")
    return linalg.outer(x1, x2)


@implements("linalg.cross")
def _cross(x1: Tensor, x2: Tensor, axis: int = -1) -> Any:
    x1, x2 = together(x1, x2)
    if axis == -1:
        return linalg.cross(x1, x2)
    return shape.moveaxis(linalg.cross(shape.moveaxis(x1, axis, -1), shape.moveaxis(x2, axis, -1)), -1, axis)


@implements("linalg.diagonal")
def _diagonal(x: Tensor, offset: int = 0) -> Any:
    return diagonals.diag_part(x, k=offset)


@implements("linalg.trace")
def _trace(x: Tensor, offset: int = 0) -> Any:
    return reduce.sum_op(diagonals.diag_part(x, k=offset), axis=-1)


@implements("linalg.svdvals")
def _svdvals(x: Tensor) -> Any:
    return linalg.svd(x, compute_uv=False)


@implements("linalg.vector_norm")
def _vector_norm(x: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: object = 2) -> Any:
    x = convert_to_tensor(x)
    chosen = axis_attribute(axis)
    if isinstance(chosen, tuple):
        require(ord == 2, "linalg.vector_norm of tensors over several axes is that of order 2")
        return reduce.reduce_euclidean_norm(x, chosen, keepdims)
    if chosen is None:
        require(not keepdims, "linalg.vector_norm of tensors needs an axis to keep")
        return cumulative.norm(shape.reshape(x, (-1,)), ord)
    return cumulative.norm(x, ord, chosen, keepdims)


@implements("cumulative_sum")
def _cumulative_sum(x: Tensor, axis: int | None = None) -> Any:
    return cumulative.cumsum(x, _only_axis(x, axis))


@implements("cumulative_prod")
def _cumulative_prod(x: Tensor, axis: int | None = None) -> Any:
    return cumulative.cumprod(x, _only_axis(x, axis))


def _only_axis(x: Tensor, axis: int | None) -> int:
    require(axis is not None or convert_to_tensor(x).ndim == 1, "an axis is needed for more than one dimension")
    return 0 if axis is None else whole(axis)


@implements("unstack")
def _unstack(x: Tensor, axis: int = 0) -> tuple[Any, ...]:
    return tuple(joining.unstack(x, axis=axis))


@implements("unique_values")
def _unique_values(x: Tensor) -> Any:
    return sort.sort(sort.unique(shape.reshape(x, (-1,))).y)


@implements("diff")
def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    a = convert_to_tensor(a)
    at_least(a.static_shape, 1)
    require(a.ndim is not None, "diff needs a tensor whose rank is known")
    require(a.dtype.kind in "iufc", f"diff of tensors is not defined for {a.dtype.name}")
    place = axis_of(whole(axis), a.ndim)
    before = (slice(None),) * place
    for _ in range(whole(n, "n")):
        a = get_item(a, (*before, slice(1, None))) - get_item(a, (*before, slice(None, -1)))
    return a
