"""Tensors made from nothing or from a pattern: zeros, fill, range, linspace, eye, one_hot, meshgrid, diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base import dtypes
from ...base.dtypes import Array, DType, as_dtype, float32, float64
from ...base.shapes import Shape, broadcast, is_compatible
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, NOT_DIFFERENTIABLE, OPS, Op, Type, op
from ...ir.raising import counts, steps
from ...tensors.convert import constant, convert_to_tensor, string_scalar
from ...tensors.likes import DTypeLike, ShapeLike, TensorLike
from ...tensors.promotion import promoted
from ...tensors.tensor import EagerTensor, SymbolicTensor, Tensor
from ..declare import sum_to
from ..elementwise.elementwise import cast, where_op
from ..infer import at_least, axis_of, exactly, float_dtype, require, require_kind, text, whole
from ..kernels import samples as s
from .dims import as_dims
from .known import known_array
from .shape import broadcast_to, moveaxis, reshape, shape, size

__all__ = [
    "eye", "fill", "linspace", "meshgrid", "one_hot", "ones", "ones_like", "range",
    "trace", "zeros", "zeros_like",
]  # fmt: skip

fill_op: Op = op(
    "fill", infer=lambda value, *dims, shape: _infer_fill(value, shape),
    numpy=lambda value, *dims, shape: np.full(tuple(dims[0]) if dims else shape, value, value.dtype), fresh=True,
    gradient=lambda g, out, value, *dims, shape: (OPS["sum"](g), *(None for _ in dims)),
    samples=lambda: [s.sample(2.5, shape=(2, 3)), s.sample(1, shape=()), s.sample("a", shape=(2,)),
                     s.sample(1, shape=(0,)),
                     s.sample(3, [2, 1], shape=(2, None)), s.sample(3, [2], shape=None)],
    raises=counts,
    doc="A tensor of one value. A second input, if any, is the shape.", total=totality.target, native=True,
    attributes=kinds("shape"),
)  # fmt: skip


def _infer_fill(value: Type, shape: Shape) -> Type:
    exactly(value.shape, 0, "the value")
    return Type(value.dtype, shape)


def fill(dims: ShapeLike, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` (ints, scalar tensors, or an integer tensor) that holds `value` everywhere.

    The dtype is that of `value`, a scalar. Raises `InvalidArgumentError` for dimensions that are negative or no ints.
    """
    hint, inputs = as_dims(dims)
    require(hint is None or all(n is None or n >= 0 for n in hint), f"a shape can't have negative dimensions: {hint}")
    return fill_op(value, *inputs, shape=hint, name=name)


def _value(number: int, dtype: DType) -> Any:
    if dtype is dtypes.string:
        require(number == 0, "there is no one of dtype string")
        return EagerTensor(string_scalar(b""))
    return EagerTensor(np.asarray(number, dtype.numpy))


@FUNCTIONS.give
def zeros(shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """A tensor of zeros (of empty text for strings), of `shape` as for `fill`.

    Raises `InvalidArgumentError` for a negative dimension, `InvalidTypeError` for what is no dtype.
    """
    return fill(shape, _value(0, as_dtype(dtype)), name)


def ones(shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """A tensor of ones; shape and errors as for `zeros`. Raises `InvalidArgumentError` for strings."""
    return fill(shape, _value(1, as_dtype(dtype)), name)


def _like(input: object, number: int, dtype: DTypeLike | None, name: str | None) -> Any:
    tensor = convert_to_tensor(input)
    return filled_like(tensor, _value(number, tensor.dtype if dtype is None else as_dtype(dtype)), name)


def filled_like(tensor: Tensor, value: Tensor, name: str | None) -> Any:
    """A tensor of one value in the shape of another."""
    static = tensor.static_shape
    return fill(static if static is not None and None not in static else shape(tensor), value, name)


@FUNCTIONS.give
def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of `input`, and in its dtype unless another is given; errors as for `zeros`."""
    return _like(input, 0, dtype, name)


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones in the shape of `input`, and in its dtype unless another is given; errors as for `ones`."""
    return _like(input, 1, dtype, name)


# Sequences of numbers.


def _infer_range(start: Type, limit: Type, delta: Type, length: int | None = None) -> Type:
    for type_ in (start, limit, delta):
        exactly(type_.shape, 0, "start, limit and delta")
        require_kind(type_, "iuf", "start, limit and delta")
    return Type(start.dtype, (length,))


def _range(start: Any, limit: Any, delta: Any, length: int | None = None) -> Any:
    require(delta != 0, "the step of a range can't be 0")
    return np.arange(start, limit, delta, dtype=start.dtype)


range_op = op(
    "range", gradient=NOT_DIFFERENTIABLE, infer=_infer_range, numpy=_range, promote=0, fresh=True,
    samples=lambda: [s.sample(0, 5, 1), s.sample(5, 0, -2), s.sample(0.0, 1.0, 0.1), s.sample(3, 0, 1),
                     s.sample(np.int64(2), np.int64(5), np.int64(1), length=3),
                     s.sample(np.float64(0), np.float64(1), np.float64(0.25))],
    raises=steps,
    doc="The numbers from start in steps of delta, without limit. `length`, when known, is the static length.",
    native=True, attributes=kinds("length"),
)  # fmt: skip


def range(
    start: TensorLike, limit: TensorLike | None = None, delta: TensorLike = 1, dtype: DTypeLike | None = None,
    name: str = "range"
) -> Tensor:  # fmt: skip
    """The numbers `start, start + delta, …` up to, without, `limit`; with one argument, from 0 to it.

    The dtype is the common one of the arguments, int32 for Python ints. A range that can't start
    (`range(3, 0)`) is empty, as in Python (TensorFlow raises). Raises `InvalidArgumentError` for a step of 0.
    """
    if limit is None:
        start, limit = 0, start
    ends: Sequence[Any] = [_keeping_dtype(end) for end in (start, limit, delta)]
    if dtype is not None:
        ends = [cast(end, dtype) for end in ends]
    ends = list(promoted(range_op, ends))
    known = [known_array(end) for end in ends]
    length = None
    if all(value is not None and value.ndim == 0 for value in known):
        require(known[2] != 0 or type(ends[2]) is SymbolicTensor, "the step of a range can't be 0")
        length = _range_length(*known)
    return range_op(*ends, length=length, name=name)


def _keeping_dtype(end: object) -> Any:
    """An end of a range: the widest dtype is that of the range, also where it is that of an array, as in TensorFlow."""
    return convert_to_tensor(end) if isinstance(end, (np.ndarray, np.generic)) else end


# Of floats, only NumPy itself tells the length, by making them.
_SHORT = 10_000


def _range_length(start: Any, limit: Any, delta: Any) -> int | None:
    import builtins

    if delta == 0:
        return None
    if any(value.dtype.kind not in "iu" for value in (start, limit, delta)):
        is_short = abs(limit - start) < abs(delta) * _SHORT
        return _range(start, limit, delta).size if is_short else None
    return len(builtins.range(int(start), int(limit), int(delta)))


def _infer_linspace(start: Type, stop: Type, num: int, axis: int = 0, endpoint: bool = True) -> Type:
    require(num >= 0, f"the number of points can't be negative: {num}")
    dtype = float64 if start.dtype.kind in "biu" else float_dtype(start.dtype)
    shape = broadcast(start.shape, stop.shape)
    if shape is None:
        return Type(dtype, None)
    place = axis_of(axis, len(shape) + 1)
    return Type(dtype, (*shape[:place], num, *shape[place:]))


def _linspace_gradient(g: Any, start: Tensor, stop: Tensor, num: int, axis: int, endpoint: bool) -> tuple[Any, Any]:
    weights = np.linspace(0.0, 1.0, num, endpoint).reshape((num,) + (1,) * (g.ndim - 1)).astype(g.dtype.numpy)
    g = moveaxis(g, axis, 0)
    return sum_to(OPS["sum"](g * (1 - weights), axis=0), start), sum_to(OPS["sum"](g * weights, axis=0), stop)


linspace_op = op(
    "linspace", infer=_infer_linspace, promote=0,
    gradient=lambda g, out, start, stop, num, axis=0, endpoint=True: _linspace_gradient(
        g, start, stop, num, axis, endpoint),
    numpy=lambda start, stop, num, axis=0, endpoint=True: np.linspace(
        start, stop, num, endpoint, axis=axis, dtype=np.float64 if start.dtype.kind in "biu" else start.dtype),
    samples=lambda: [s.sample(0.0, 1.0, num=5), s.sample(0, 1, num=3), s.sample([0.0, 1.0], 2.0, num=2),
                     s.sample(0.0, 1.0, num=0),
                     s.sample([0.0, 1.0], [1.0, 5.0], num=3, axis=-1),
                     s.sample(np.float64(1), np.float64(0), num=4, endpoint=False)],
    doc="`num` evenly spaced points from start to stop, along a new axis.", attributes=kinds("num axis endpoint"),
)  # fmt: skip


def linspace(start: TensorLike, stop: TensorLike, num: int, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` (a Python int) evenly spaced numbers from `start` to `stop`, both included, along a new `axis`.

    `start` and `stop` broadcast; integers give float64, other dtypes stay. Raises `InvalidArgumentError` for a negative
    `num`, shapes that do not broadcast, an axis out of bounds, or strings.
    """
    return linspace_op(start, stop, num=int(num), axis=whole(axis), name=name)


# Unit vectors and matrices.


def _infer_one_hot(indices: Type, on: Type, off: Type, depth: int, axis: int = -1) -> Type:
    require_kind(indices, "iu", "the indices")
    require(on.dtype is off.dtype, f"on_value and off_value differ in dtype: {on.dtype.name} and {off.dtype.name}")
    if indices.shape is None:
        return Type(on.dtype, None)
    place = axis_of(axis, len(indices.shape) + 1)
    return Type(on.dtype, (*indices.shape[:place], depth, *indices.shape[place:]))


def _one_hot(indices: Any, on: Any, off: Any, depth: int, axis: int = -1) -> Any:
    hits = np.expand_dims(indices, axis) == np.arange(depth).reshape((-1,) + (1,) * (_after(indices.ndim, axis)))
    return np.where(hits, on, off)


def _after(rank: int, axis: int) -> int:
    """How many axes come after the new one."""
    return rank - axis % (rank + 1)


one_hot_op = op(
    "one_hot", infer=_infer_one_hot, numpy=_one_hot,
    gradient=lambda g, out, indices, on, off, depth, axis=-1: (None, *_one_hot_gradient(g, indices, depth, axis)),
    samples=lambda: [s.sample([0, -1, 5, 2], 1.0, 0.0, depth=3), s.sample(1, 1, 0, depth=2),
                     s.sample([[0, 1]], True, False, depth=2, axis=0),
                     s.sample(np.zeros(0, np.int64), 1.0, 0.0, depth=4), s.sample([0, 1], 5, -5, depth=3, axis=1)],
    doc="`on` at the place along a new axis that the index says, `off` elsewhere; an index outside gives only `off`.",
    native=True, attributes=kinds("depth axis"),
)  # fmt: skip


def _one_hot_gradient(g: Tensor, indices: Tensor, depth: int, axis: int) -> tuple[Any, Any]:
    hits, zero = one_hot_op(indices, True, False, depth=depth, axis=axis), zeros_like(g)
    return OPS["sum"](where_op(hits, g, zero)), OPS["sum"](where_op(hits, zero, g))


def one_hot(
    indices: TensorLike, depth: int, on_value: TensorLike | None = None, off_value: TensorLike | None = None,
    axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`indices` as rows of `depth` (a Python int) elements: `on_value` (1) at the index, `off_value` (0) elsewhere.

    The new axis is the last one unless `axis` says otherwise; the dtype is float32 unless it, or the values, say
    otherwise. An index outside `[0, depth)` gives a row of `off_value`. Raises `InvalidArgumentError` for
    an axis out of bounds and a negative depth, `InvalidTypeError` for what is no dtype.
    """
    rows = whole(depth, "depth")
    require(rows >= 0, f"depth must be at least 0, not {rows}")
    given = [convert_to_tensor(v) for v in (on_value, off_value) if v is not None]
    target = as_dtype(dtype) if dtype is not None else given[0].dtype if given else float32
    on, off = (cast(default if v is None else v, target) for v, default in ((on_value, 1), (off_value, 0)))
    return one_hot_op(indices, on, off, depth=rows, axis=-1 if axis is None else whole(axis), name=name)


def eye(
    num_rows: int, num_columns: int | None = None, batch_shape: object = None, dtype: DTypeLike = float32,
    name: str | None = None
) -> Tensor:
    """The identity matrix, or a batch of them: shape `batch_shape + [num_rows, num_columns]`. Sizes are Python ints.

    Raises `InvalidArgumentError` for a `batch_shape` that is not known, and for a negative size.
    """
    rows = whole(num_rows, "num_rows")
    columns = rows if num_columns is None else whole(num_columns, "num_columns")
    require(min(rows, columns) >= 0, f"a matrix can't have {min(rows, columns)} rows or columns")
    matrix = np.eye(rows, columns, dtype=as_dtype(dtype).numpy)
    if batch_shape is None:
        return constant(matrix, name=name or "eye")

    hint, _ = as_dims(batch_shape)
    if hint is None or None in hint:
        raise InvalidArgumentError("eye needs a batch_shape that is known while tracing")
    return broadcast_to(constant(matrix), (*hint, *matrix.shape), name)


def meshgrid(*args: TensorLike, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """Vectors spread over a grid, one tensor for each; `indexing` is `"xy"` (columns first) or `"ij"`.

    Tensors of other ranks are flattened, dtypes stay. Raises `InvalidArgumentError` for another `indexing`.
    """
    require(indexing in ("xy", "ij"), f'indexing is "xy" or "ij", not {indexing!r}')
    vectors: list[Any] = [reshape(x, (-1,)) for x in args]
    order = list(np.arange(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[0], order[1] = order[1], order[0]
    lengths = [v.static_shape[0] if v.static_shape[0] is not None else size(v) for v in vectors]
    dims: list[Any] = [None] * len(vectors)
    for vector_index, axis in enumerate(order):
        dims[axis] = lengths[vector_index]
    columns = [reshape(v, [-1 if i == axis else 1 for i in np.arange(len(vectors))]) for v,
        axis in zip(vectors, order, strict=True)]
    return [broadcast_to(column, dims, name) for column in columns]


# Diagonals of matrices.


def _infer_diag(x: Type, k: int = 0) -> Type:
    at_least(x.shape, 1)
    if x.shape is None:
        return Type(x.dtype, None)
    n = None if x.shape[-1] is None else x.shape[-1] + abs(k)
    return Type(x.dtype, (*x.shape[:-1], n, n))


def _diag(x: Array, k: int = 0) -> Any:
    n = x.shape[-1] + abs(k)
    result = np.zeros((*x.shape[:-1], n, n), x.dtype)
    rows = np.arange(x.shape[-1]) + max(-k, 0)
    result[..., rows, rows + k] = x
    return result


def _infer_diag_part(x: Type, k: int = 0) -> Type:
    at_least(x.shape, 2)
    if x.shape is None:
        return Type(x.dtype, None)
    rows, columns = x.shape[-2:]
    if rows is None or columns is None:
        return Type(x.dtype, (*x.shape[:-2], None))
    return Type(x.dtype, (*x.shape[:-2], max(min(rows + min(k, 0), columns - max(k, 0)), 0)))


_MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)
diag_op: Op = op("diag", infer=_infer_diag, numpy=_diag, gradient=lambda g, out, x, k=0: (diag_part_op(g, k=k),),
             samples=lambda: [s.sample([1, 2]), s.sample([1.0], k=1), s.sample(_MATRIX, k=-1), s.sample(np.zeros(0))],
             doc="Matrices with the last axis on the diagonal `k`.", attributes=kinds("k"))  # fmt: skip
diag_part_op: Op = op("diagonal", infer=_infer_diag_part,
                  numpy=lambda x, k=0: np.diagonal(x, k, -2, -1), gradient=lambda g, out, x, k=0: (
                      set_diag_op(zeros_like(x), g, k=k),),
                  samples=lambda: [s.sample(_MATRIX), s.sample(_MATRIX, k=1), s.sample(_MATRIX, k=-1),
                                   s.sample(_MATRIX[None], k=2)],
                  doc="The diagonal `k` of matrices.", attributes=kinds("k"))  # fmt: skip


def _infer_set_diag(x: Type, diagonal: Type, k: int = 0) -> Type:
    at_least(x.shape, 2)
    require(x.dtype is diagonal.dtype, f"the dtypes {x.dtype.name} and {diagonal.dtype.name} differ")
    expected = _infer_diag_part(x, k).shape
    fits = is_compatible(expected, diagonal.shape)
    require(fits, f"a diagonal of {text(x.shape)} has shape {text(expected)}, not {text(diagonal.shape)}")
    return x


def _set_diag(x: Tensor, diagonal: Tensor, k: int = 0) -> Any:
    result = x.copy()
    rows = np.arange(diagonal.shape[-1]) + max(-k, 0)
    result[..., rows, rows + k] = diagonal
    return result


set_diag_op: Op = op("set_diag", infer=_infer_set_diag, numpy=_set_diag, lenient=True,
                 gradient=lambda g, out, x, d, k=0: (set_diag_op(g, zeros_like(d), k=k), diag_part_op(g, k=k)),
                 samples=lambda: [s.sample(_MATRIX, [9.0, 8.0]), s.sample(_MATRIX, [9.0, 8.0], k=1),
                                  s.sample(_MATRIX[None], [[7.0]], k=2)],
                 doc="Matrices with another diagonal `k`.", attributes=kinds("k"))  # fmt: skip


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of a matrix, or of each matrix of a batch, in their dtype (int64 for booleans).

    Raises `InvalidArgumentError` for a rank below 2.
    """
    return FUNCTIONS["reduce_sum"](diag_part_op(x, k=0), axis=-1, name=name)
