"""NumPy's functions on tensors, with NumPy's signatures and meanings, where an op has another signature.

`out=`, `where=` and other arguments that are not listed raise `TypeError`, as for any function without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.dtypes import Array, as_dtype, int64
from ...base.shapes import size as size_of
from ...ir.op import OPS
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, ShapeLike, TensorLike
from ...tensors.numpy_protocol import implements
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..elementwise import elementwise
from ..elementwise.math import maximum, minimum
from ..infer import rank_of, require
from ..linalg import diagonals, linalg
from ..reduce import counts, cumulative, reduce
from ..reduce.reduce import axis_attribute
from ..shape import create, gather, index, joining, shape, sort
from ..shape.shape import broadcast_to, reshape

_none: Any = np._NoValue  # what NumPy's own wrappers pass for an argument not given


def _reduction(*names: str, op: str) -> None:
    record = OPS[op]

    def function(a: TensorLike, axis: object = None, out: None = None, keepdims: object = False) -> Any:
        return record(a, axis=axis_attribute(axis), keepdims=bool(keepdims is not _none and keepdims))

    implements(*names)(function)


def _typed_reduction(*names: str, op: str) -> None:
    record = OPS[op]

    def function(
        a: TensorLike, axis: object = None, dtype: DTypeLike | None = None, out: None = None, keepdims: object = False
    ) -> Any:
        wide = None if dtype is None else as_dtype(dtype)
        return record(a, axis=axis_attribute(axis), dtype=wide, keepdims=bool(keepdims is not _none and keepdims))

    implements(*names)(function)


for _names, _op in [(("sum",), "sum"), (("prod",), "prod"), (("mean",), "mean")]:
    _typed_reduction(*_names, op=_op)
for _names, _op in [(("all",), "all"), (("any",), "any")]:
    _reduction(*_names, op=_op)


@implements("add.reduce")
def _add_reduce(
    a: Tensor, axis: int | Sequence[int] = 0, dtype: DTypeLike | None = None, out: None = None,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    return reduce.sum_op(a, axis=axis_attribute(axis), dtype=None if dtype is None else as_dtype(dtype),
        keepdims=keepdims)


def _nonempty(a: Tensor, axis: int | Sequence[int] | None) -> Any:
    """NumPy refuses the maximum of nothing, which `tf.reduce_max` does not."""
    tensor = convert_to_tensor(a)
    dims = tensor.static_shape
    require(dims is None or 0 not in dims, "zero-size array to reduction operation which has no identity")
    return tensor


@implements("max", "amax")
def _max(a: Any, axis: Any = None, out: None = None, keepdims: Any = False) -> Any:
    return reduce.reduce_max(_nonempty(a, axis), axis, keepdims is not _none and keepdims)


@implements("min", "amin")
def _min(a: Any, axis: Any = None, out: None = None, keepdims: Any = False) -> Any:
    return reduce.reduce_min(_nonempty(a, axis), axis, keepdims is not _none and keepdims)


@implements("argmax")
def _argmax(
    a: TensorLike, axis: int | Sequence[int] | None = None, out: None = None, *, keepdims: object = False
) -> Any:
    return reduce.argmax_op(a, axis=axis_attribute(axis), keepdims=bool(keepdims is not _none and keepdims))


@implements("argmin")
def _argmin(
    a: TensorLike, axis: int | Sequence[int] | None = None, out: None = None, *, keepdims: object = False
) -> Any:
    return reduce.argmin_op(a, axis=axis_attribute(axis), keepdims=bool(keepdims is not _none and keepdims))


@implements("var")
def _var(
    a: TensorLike, axis: int | Sequence[int] | None = None, dtype: None = None, out: None = None, ddof: int = 0,
    keepdims: object = False
) -> Any:  # fmt: skip
    require(dtype is None, "np.var of a tensor takes no dtype; cast the tensor")
    return reduce.var_op(a, axis=axis_attribute(axis), ddof=ddof, keepdims=bool(keepdims is not _none and keepdims))


@implements("std")
def _std(
    a: TensorLike, axis: int | Sequence[int] | None = None, dtype: None = None, out: None = None, ddof: int = 0,
    keepdims: object = False
) -> Any:  # fmt: skip
    require(dtype is None, "np.std of a tensor takes no dtype; cast the tensor")
    return reduce.std_op(a, axis=axis_attribute(axis), ddof=ddof, keepdims=bool(keepdims is not _none and keepdims))


@implements("count_nonzero")
def _count_nonzero(a: Tensor, axis: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Any:
    return reduce.count_nonzero(a, axis, keepdims)


def _flattened(a: Any, axis: Any) -> tuple[Any, int]:
    return (shape.reshape(a, (-1,)), 0) if axis is None else (a, int(axis))


@implements("cumsum")
def _cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    return cumulative.cumsum(*_flattened(_accumulated(a, dtype), axis))


@implements("cumprod")
def _cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    return cumulative.cumprod(*_flattened(_accumulated(a, dtype), axis))


def _accumulated(a: Tensor, dtype: DTypeLike) -> Any:
    """The tensor in the dtype in which NumPy adds it up."""
    tensor = convert_to_tensor(a)
    return elementwise.cast(tensor, reduce.sum_dtype(tensor.dtype) if dtype is None else dtype)


@implements("linalg.norm")
def _norm(x: Tensor, ord: object = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
    tensor = convert_to_tensor(x)
    if axis is None and ord is not None and tensor.ndim == 2:
        axis = (0, 1)
    return cumulative.norm_op(tensor, ord=ord, axis=axis_attribute(axis), keepdims=keepdims)


# Elementwise functions that are no ufuncs.


@implements("where")
def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return tuple(joining.unstack(elementwise.where(condition), axis=1))
    return elementwise.where(condition, x, y)


@implements("clip")
def _clip(
    a: Tensor, a_min: object = None, a_max: object = None, out: None = None, *, min: object = None, max: object = None
) -> Any:
    low = (min if min is not _none else None) if a_min is None or a_min is _none else a_min
    high = (max if max is not _none else None) if a_max is None or a_max is _none else a_max
    a = convert_to_tensor(a) if low is None else maximum(a, low)
    return a if high is None else minimum(a, high)


@implements("round", "around")
def _round(a: Tensor, decimals: int = 0, out: None = None) -> Any:
    return OPS["round"](a, decimals=decimals)


@implements("isclose")
def _isclose(a: Tensor, b: Tensor | Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return elementwise.is_close_op(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


@implements("allclose")
def _allclose(a: Tensor, b: Tensor | Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return reduce.reduce_all(_isclose(a, b, rtol, atol, equal_nan))


# Shapes.


@implements("reshape")
def _reshape(a: Tensor, /, shape: ShapeLike = None, order: str = "C", *, copy: object = None) -> Any:
    require(order == "C", f"np.reshape of a tensor knows only order C, not {order!r}")

    return reshape(a, shape)


@implements("ravel")
def _ravel(a: Tensor, order: str = "C") -> Any:
    return shape.reshape(a, (-1,))


@implements("transpose", "permute_dims")
def _transpose(a: Any, axes: Any = None) -> Any:
    return shape.transpose(a, axes)


@implements("squeeze")
def _squeeze(a: TensorLike, axis: int | Sequence[int] | None = None) -> Any:
    return shape.squeeze_op(a, axis=axis_attribute(axis))


@implements("flip")
def _flip(m: object, axis: int | Sequence[int] | None = None) -> Any:
    return shape.reverse_op(m, axis=axis_attribute(axis))


@implements("roll")
def _roll(a: Tensor, shift: Tensor, axis: int | Sequence[int] | None = None) -> Any:
    return shape.roll(a, shift, axis)


@implements("broadcast_to")
def _broadcast_to(array: Array, shape: ShapeLike, subok: bool = False) -> Any:
    return broadcast_to(array, shape)


@implements("concatenate", "concat")
def _concatenate(arrays: Array, axis: int | None = 0, out: None = None) -> Any:
    if axis is None:
        return joining.concat([shape.reshape(a, (-1,)) for a in arrays], 0)
    return joining.concat(list(arrays), axis)


@implements("stack")
def _stack(arrays: Array, axis: int = 0, out: None = None) -> Any:
    return joining.stack(list(arrays), axis)


@implements("vstack")
def _vstack(tup: Any) -> Any:
    return joining.concat([_at_least(a, 2) for a in tup], 0)


@implements("hstack")
def _hstack(tup: Any) -> Any:
    parts = [_at_least(a, 1) for a in tup]
    return joining.concat(parts, 0 if parts[0].ndim == 1 else 1)


def _at_least(a: Tensor, rank: int) -> Any:
    tensor = convert_to_tensor(a)
    for _ in range(rank - rank_of(tensor, "this function of NumPy")):
        tensor = shape.expand_dims(tensor, 0)
    return tensor


@implements("split", "array_split")
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    if isinstance(indices_or_sections, int):
        return joining.split(ary, indices_or_sections, axis)
    ends = [0, *indices_or_sections]
    sizes = [b - a for a, b in pairwise(ends)]
    return joining.split(ary, [*sizes, -1], axis)


@implements("tile")
def _tile(A: Any, reps: Any) -> Any:
    counts = (reps,) if isinstance(reps, int) else tuple(reps)
    tensor = _at_least(A, len(counts))
    return joining.tile(tensor, (1,) * (tensor.ndim - len(counts)) + counts)


@implements("pad")
def _pad(array: Array, pad_width: object, mode: str = "constant", *, constant_values: Any = 0) -> Any:
    tensor = convert_to_tensor(array)
    pairs = np.broadcast_to(np.asarray(pad_width), (rank_of(tensor, "np.pad"), 2)).tolist()
    return joining.pad(tensor, pairs, mode, constant_values)


@implements("shape")
def _shape(a: Tensor) -> Any:
    known = convert_to_tensor(a).static_shape
    require(known is not None and None not in known, "np.shape needs a shape that is known while tracing; use tf.shape")
    return known


@implements("size")
def _size(a: Tensor, axis: int | None = None) -> Any:
    known = convert_to_tensor(a).static_shape
    if axis is not None:
        return known[axis] if known is not None and known[axis] is not None else shape.shape(a, int64)[axis]
    known_size = size_of(known)
    return shape.size(a, int64) if known_size is None else known_size


@implements("ndim")
def _ndim(a: Tensor) -> Any:
    rank = convert_to_tensor(a).ndim
    return shape.rank(a) if rank is None else rank


def _like(number: int) -> Any:
    def function(
        a: TensorLike, dtype: DTypeLike | None = None, order: str = "K", subok: bool = True, shape: None = None
    ) -> Any:
        require(shape is None, "a tensor's zeros_like takes no shape; use tf.zeros")
        return (create.ones_like if number else create.zeros_like)(a, dtype)

    return function


@implements("full_like")
def _full_like(a: Tensor, fill_value: Any, dtype: DTypeLike | None = None, order: str = "K", subok: bool = True,
    shape: None = None) -> Any:
    require(shape is None, "a tensor's full_like takes no shape; use tf.fill")
    tensor = convert_to_tensor(a)
    value = elementwise.cast(fill_value, tensor.dtype if dtype is None else dtype)
    return create.filled_like(tensor, value, None)


@implements("sort")
def _sort(
    a: TensorLike, axis: int | None = -1, kind: object = None, order: None = None, *, stable: bool | None = None
) -> Any:
    return sort.sort(*_flattened(a, axis))


@implements("argsort")
def _argsort(
    a: object, axis: int | None = -1, kind: object = None, order: None = None, *, stable: bool | None = None
) -> Any:
    tensor, place = _flattened(a, axis)
    return sort.argsort_op(tensor, axis=place, dtype=int64)


@implements("searchsorted")
def _searchsorted(a: Tensor, v: Any, side: str = "left", sorter: None = None) -> Any:
    require(sorter is None, "np.searchsorted of a tensor takes no sorter")
    return sort.searchsorted(a, v, side, int64)


@implements("bincount")
def _bincount(x: Tensor, /, weights: Tensor | None = None, minlength: int = 0) -> Any:
    weights = None if weights is None else elementwise.cast(weights, "float64")
    return counts.bincount(x, weights, minlength, dtype=int64)


@implements("trace")
def _trace(a: Tensor, offset: int = 0) -> Any:
    return reduce.sum_op(diagonals.diag_part(a, k=offset), axis=-1)


@implements("diag")
def _diag(v: object, k: int = 0) -> Any:
    tensor = convert_to_tensor(v)
    return diagonals.diag(tensor, k=k) if tensor.ndim == 1 else diagonals.diag_part(tensor, k=k)


@implements("diagonal")
def _diagonal(a: Tensor, offset: int = 0) -> Any:
    return diagonals.diag_part(a, k=offset)


@implements("tril")
def _tril(m: Tensor, k: int = 0) -> Any:
    return elementwise.where(_triangle(m, k), m, create.zeros_like(m))


@implements("triu")
def _triu(m: Tensor, k: int = 0) -> Any:
    return elementwise.where(_triangle(m, k - 1), create.zeros_like(m), m)


def _triangle(m: Tensor, k: int) -> Any:
    dims = shape.shape(m)
    rows, columns = create.range(dims[-2]), create.range(dims[-1])
    return shape.expand_dims(rows, 1) + k >= columns


@implements("meshgrid")
def _meshgrid(*xi: Any, indexing: str = "xy") -> list[Any]:
    return create.meshgrid(*xi, indexing=indexing)


@implements("einsum")
def _einsum(equation: str, *operands: Any, optimize: object = False) -> Any:
    return linalg.einsum(equation, *operands)


@implements("linalg.svd")
def _svd(a: Tensor, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    values, u, v = linalg.svd(a, full_matrices)
    return (u, values, shape.matrix_transpose(v, conjugate=True)) if compute_uv else values


@implements("linalg.solve")
def _solve(a: Tensor, b: Tensor) -> Any:
    a, right = together(a, b)
    if right.ndim == 1:
        return shape.squeeze(linalg.solve(a, shape.expand_dims(right, -1)), -1)
    return linalg.solve(a, right)


@implements("take_along_axis")
def _take_along_axis(arr: TensorLike, indices: Tensor, axis: int = -1) -> Any:
    return gather.take_along_axis(arr, indices, axis)


@implements("repeat")
def _repeat(a: Tensor, repeats: Tensor, axis: int | None = None) -> Any:
    return joining.repeat(a, repeats, axis)


@implements("nonzero")
def _nonzero(a: Tensor) -> tuple[Any, ...]:
    return _where(a)


@implements("compress")
def _compress(condition: Tensor, a: Tensor, axis: int = 0) -> Any:
    return index.get_item(a, (*(np.s_[:],) * axis, condition))


for _name, _function in {
    "expand_dims": shape.expand_dims, "moveaxis": shape.moveaxis, "swapaxes": shape.swapaxes, "dot": linalg.dot,
    "outer": linalg.outer, "take": gather.take, "argwhere": elementwise.where,
    "zeros_like": _like(0), "ones_like": _like(1), "linalg.qr": linalg.qr,
}.items():  # fmt: skip
    implements(_name)(_function)
