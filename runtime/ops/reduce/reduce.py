"""Reductions: `tf.reduce_*`, `tf.argmax` and their like.

`axis` is ``None`` (all axes), an int or a list of ints; negative axes count from the end. Unlike NumPy, and like
TensorFlow, `reduce_sum` and `reduce_prod` keep the dtype of integers, and the mean of integers is an integer, cut
off towards zero, and booleans are refused by sums, products and means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ...base.dtypes import Array, DType, as_dtype, bool_, float64, int64, uint64
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, NOT_DIFFERENTIABLE, Op, Type, op
from ...ir.work import Work
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..declare import broadcast_to_shape_of, finish, holomorphic
from ..elementwise.elementwise import cast
from ..elementwise.math import absolute, divide_no_nan, exp, sqrt, square
from ..infer import axes_of, float_dtype, reduced, require, require_kind, whole
from ..kernels import samples as s
from ..shape.joining import concat
from ..shape.shape import expand_dims, reshape, shape, size, transpose

__all__ = [
    "argmax", "argmin", "count_nonzero", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "zero_fraction",
]  # fmt: skip

Axis = int | Sequence[int] | None


def axis_attribute(axis: object) -> Any:
    """`axis` as an attribute: ``None``, an int or a tuple of ints."""
    if axis is None or isinstance(axis, int):
        return axis
    array = np.asarray(axis)
    if array.size and array.dtype.kind not in "iu":
        raise InvalidTypeError(f"axis is a whole number or a sequence of them, not {axis!r}")
    return int(array) if array.ndim == 0 else tuple(array.astype(int).tolist())


def _samples() -> list[Any]:
    x = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
    return [
        s.sample(x), s.sample(x, axis=0), s.sample(x, axis=-1, keepdims=True), s.sample(x, axis=(0, 1)),
        s.sample(x, axis=()),
        s.sample(np.arange(24, dtype=np.float64).reshape(2, 3, 4), axis=(0, -1), keepdims=True),
        s.sample(np.float64(2.5)),
        s.sample(np.zeros((0, 3), np.float32), axis=1), s.sample(x.astype(np.int32), axis=1),
        s.sample(x.astype(np.float16)),
        s.sample(np.array([100, 100, 100], np.int8)), s.sample(np.array([[200, 100]], np.uint8), axis=1),
        s.sample(s.SPECIAL),
    ]  # fmt: skip


def _with_empty() -> list[Any]:
    return [*_samples(), s.sample(np.zeros((0, 3), np.float32), axis=0),
            s.sample(np.zeros((2, 0), np.int32), keepdims=True)]


def _sums() -> list[Any]:
    return [*_with_empty(), s.sample([True, False, True]), s.sample(s.COMPLEX),
            s.sample([1, 2], dtype=as_dtype("int32")),
            s.sample([1.0, 2.0], dtype=float64)]  # fmt: skip


def _orders() -> list[Any]:
    return [*_with_empty(), s.sample([[True, False]], axis=0), s.sample(np.zeros((0,), bool))]


def _truths() -> list[Any]:
    return [s.sample([[True, False], [True, True]], axis=1), s.sample(True), s.sample(np.zeros((0, 2), bool), axis=0),
            s.sample([[True, False]], keepdims=True), s.sample([1.0, 0.0]), s.sample([[0, 2]], axis=-2)]  # fmt: skip


def sum_dtype(dtype: DType) -> DType:
    """NumPy's dtype for sums: the widest integer of the kind."""
    if dtype.kind in "bi":
        return int64
    return uint64 if dtype.kind == "u" else dtype


def _infer_sum(
    x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | None = None
) -> Type:
    require_kind(x, "biufc")
    return Type(dtype or sum_dtype(x.dtype), reduced(x.shape, axis, keepdims))


def _infer_same(x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Type:
    require_kind(x, "biuf")
    return Type(x.dtype, reduced(x.shape, axis, keepdims))


def _infer_mean(
    x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | None = None
) -> Type:
    require_kind(x, "biufc")
    natural = x.dtype if x.dtype.kind in "fc" else float64
    return Type(dtype or natural, reduced(x.shape, axis, keepdims))


def _infer_spread(x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False, ddof: int = 0) -> Type:
    require_kind(x, "biufc")
    return Type(x.dtype.real_dtype if x.dtype.kind in "fc" else float64, reduced(x.shape, axis, keepdims))


def _sum(function: Any) -> Callable[..., Any]:
    def kernel(
        x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | None = None
    ) -> Any:
        return function.reduce(x, axis=axis, dtype=None if dtype is None else dtype.numpy, keepdims=keepdims)

    return kernel


def _extreme(function: Any, largest: bool) -> Callable[..., Any]:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.size:
            return function.reduce(x, axis=axis, keepdims=keepdims)
        return function.reduce(x, axis=axis, keepdims=keepdims, initial=neutral(x.dtype, largest))

    return kernel


def neutral(dtype: Any, largest: bool) -> Any:
    """The value that never wins: what the maximum (or minimum) of nothing is."""
    if dtype.kind == "b":
        return not largest
    if dtype.kind == "f":
        return dtype.type(-np.inf if largest else np.inf)
    limits = np.iinfo(dtype)
    return limits.min if largest else limits.max


def _mean_kernel(
    x: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | None = None
) -> Any:
    if dtype is not None and dtype.kind in "iu":
        total = _sum(np.add)(x, axis, keepdims, dtype)
        count = max(x.size // max(total.size, 1), 1)
        return np.asarray(np.copysign(1, total) * (abs(total) // count)).astype(dtype.numpy)
    return np.asarray(np.mean(x, axis=axis, keepdims=keepdims, dtype=None if dtype is None else dtype.numpy))


def expand_reduced(g: Tensor, x: Tensor, axis: int | Sequence[int] | None, keepdims: bool) -> Any:
    """A reduction's result (or its gradient), with the reduced axes back as ones where the rank allows it."""
    if keepdims:
        return g
    if axis is None:
        return reshape(g, (1,) * x.ndim) if x.ndim is not None else g
    axes = (axis,) if isinstance(axis, int) else axis
    rank = x.ndim
    require(rank is not None or all(a < 0 for a in axes), "the gradient of a reduction needs the tensor's rank")
    for a in sorted(a if rank is None else a % rank for a in axes):
        g = expand_dims(g, a)
    return g


def _spread_gradient(g: Tensor, out: Tensor, x: Tensor, axis: Any = None, keepdims: bool = False,
    dtype: DTypeLike | None = None) -> tuple[Any]:
    return (cast(broadcast_to_shape_of(expand_reduced(g, x, axis, keepdims), x), x.dtype),)


def _mean_gradient(
    g: Tensor, out: Tensor, x: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False,
    dtype: DTypeLike | None = None
) -> tuple[Any]:  # fmt: skip
    count = cast(size(x), x.dtype) / cast(size(out), x.dtype)
    return (_spread_gradient(g, out, x, axis, keepdims)[0] / count,)


def _prod_gradient(
    g: Any, out: Tensor, x: Any, axis: Any = None, keepdims: bool = False, dtype: DTypeLike | None = None
) -> tuple[Any]:
    """Each element's gradient is the product of all others, right also where elements are zero."""
    rank = x.ndim
    require(rank is not None, "the gradient of a product needs the tensor's rank")
    axes = axes_of(axis, rank)
    order = [i for i in range(rank) if i not in axes] + list(axes)
    moved = transpose(x, order)
    rows = reshape(moved, concat([shape(moved)[: rank - len(axes)], [-1]], 0))
    cumprod = FUNCTIONS["cumprod"]
    others = cumprod(rows, -1, exclusive=True) * cumprod(rows, -1, exclusive=True, reverse=True)
    back = transpose(reshape(others, shape(moved)), np.argsort(order).tolist())
    return (back * expand_reduced(g, x, axis, keepdims),)


def _extreme_gradient(g: Tensor, out: Tensor, x: Tensor, axis: Any = None, keepdims: bool = False) -> tuple[Any]:
    hits = cast(x == expand_reduced(out, x, axis, keepdims), x.dtype)
    count = sum_op(hits, axis=axis, keepdims=True)
    return (hits / count * expand_reduced(g, x, axis, keepdims),)


sum_op = op("sum", infer=_infer_sum, numpy=_sum(np.add), samples=_sums, gradient=_spread_gradient,
            doc="The sum over axes; `dtype` is that of the result, NumPy's by default.",
            total=totality.ranked, native=True, attributes=kinds("axis keepdims dtype"))  # fmt: skip
prod_op = op("prod", infer=_infer_sum, numpy=_sum(np.multiply), samples=_sums, gradient=holomorphic(_prod_gradient),
             doc="The product over axes; `dtype` is that of the result, NumPy's by default.",
             total=totality.ranked, native=True, attributes=kinds("axis keepdims dtype"))  # fmt: skip
mean_op = op("mean", infer=_infer_mean, numpy=_mean_kernel, gradient=_mean_gradient,
             samples=lambda: [*_samples(), s.sample([True, False]), s.sample(s.COMPLEX),
                              s.sample([-1, -2], dtype=as_dtype("int32")),
                              s.sample(np.zeros(0, np.int32), dtype=as_dtype("int32")), s.sample(np.zeros(0))],
             doc="The mean over axes; with an integer `dtype`, cut off towards zero.",
             total=totality.filled, warns=True, native=True, attributes=kinds("axis keepdims dtype"))  # fmt: skip
max_op = op("max", infer=_infer_same, numpy=_extreme(np.maximum, True), samples=_orders, gradient=_extreme_gradient,
            doc="The maximum over axes; of nothing, the lowest value of the dtype.", total=totality.filled,
            native=True, attributes=kinds("axis keepdims"), public="reduce_max math.reduce_max")  # fmt: skip
min_op = op("min", infer=_infer_same, numpy=_extreme(np.minimum, False), samples=_orders, gradient=_extreme_gradient,
            doc="The minimum over axes; of nothing, the highest value of the dtype.",
            total=totality.filled, native=True, attributes=kinds("axis keepdims"),
            public="reduce_min math.reduce_min")  # fmt: skip


def _infer_truth(x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Type:
    require_kind(x, "biufc")
    return Type(bool_, reduced(x.shape, axis, keepdims))


def _infer_count(x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Type:
    require_kind(x, "biufcS")
    return Type(int64, reduced(x.shape, axis, keepdims))


all_op = op("all", gradient=NOT_DIFFERENTIABLE,
            infer=_infer_truth, samples=_truths, doc="Whether all elements over axes are true.",
            numpy=lambda x, axis=None, keepdims=False: np.logical_and.reduce(x, axis=axis,
                keepdims=keepdims), total=totality.ranked, native=True, attributes=kinds("axis keepdims"),
                public="reduce_all math.reduce_all")  # fmt: skip
any_op = op("any", gradient=NOT_DIFFERENTIABLE,
            infer=_infer_truth, samples=_truths, doc="Whether any element over axes is true.",
            numpy=lambda x, axis=None, keepdims=False: np.logical_or.reduce(x, axis=axis,
                keepdims=keepdims), total=totality.ranked, native=True, attributes=kinds("axis keepdims"),
                public="reduce_any math.reduce_any")  # fmt: skip
count_op = op(
    "count_nonzero", gradient=NOT_DIFFERENTIABLE, infer=_infer_count, samples=lambda: [*_truths(), s.sample(["", "a"])],
    numpy=lambda x, axis=None, keepdims=False: np.asarray(np.count_nonzero(x, axis=axis, keepdims=keepdims)),
    doc="The number of elements over axes that are not zero (or not empty text), int64.",
    total=totality.ranked, native=True, attributes=kinds("axis keepdims"))  # fmt: skip


def _logsumexp(x: Tensor | Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
    top = _extreme(np.maximum, True)(x, axis, True)
    top = np.where(np.isfinite(top), top, np.zeros((), x.dtype)).astype(top.dtype)
    result = np.log(np.add.reduce(np.exp(x - top), axis=axis, keepdims=True)) + top
    if keepdims:
        return result
    return result.reshape(()) if axis is None else np.squeeze(result, axis=axis)


def _infer_float(x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Type:
    require_kind(x, "biuf")
    return Type(float_dtype(x.dtype), reduced(x.shape, axis, keepdims))


logsumexp_op = op(
    "logsumexp", infer=_infer_float, samples=_with_empty, numpy=lambda x, axis=None, keepdims=False: _logsumexp(
        x if x.dtype.kind == "f" else x.astype(float_dtype(as_dtype(x.dtype)).numpy), axis, keepdims),
    gradient=lambda g, out, x, axis=None, keepdims=False: (
        expand_reduced(g, x, axis, keepdims) * exp(x - expand_reduced(out, x, axis, keepdims)),),
    doc="`log(sum(exp(x)))` over axes, without overflow.", total=totality.filled,
    work=Work.LONG, native=True, attributes=kinds("axis keepdims"),
    public="reduce_logsumexp math.reduce_logsumexp")  # fmt: skip


var_op = op(
    "var", infer=_infer_spread, samples=lambda: [*_samples(), s.sample([1.0, 2.0, 4.0], ddof=1), s.sample(s.COMPLEX)],
    numpy=lambda x, axis=None, keepdims=False, ddof=0: np.asarray(np.var(x, axis=axis, keepdims=keepdims, ddof=ddof)),
    gradient=lambda g, out, x, axis=None, keepdims=False, ddof=0: (_var_gradient(g, x, axis, keepdims, ddof),),
    doc="The variance over axes, with `ddof` degrees of freedom taken off.", warns=True, native=True,
    attributes=kinds("axis keepdims ddof"), public="math.reduce_variance")  # fmt: skip


def _var_gradient(g: Tensor, x: Tensor, axis: int | Sequence[int], keepdims: bool, ddof: int) -> Any:
    mean = mean_op(x, axis=axis, keepdims=True)
    count = cast(size(x), x.dtype) / cast(size(mean), x.dtype) - ddof
    return expand_reduced(g, x, axis, keepdims) * (x - mean) * 2 / count


std_op = op(
    "std", infer=_infer_spread, samples=lambda: [*_samples(), s.sample([1.0, 2.0, 4.0], ddof=1), s.sample(s.COMPLEX)],
    numpy=lambda x, axis=None, keepdims=False, ddof=0: np.asarray(np.std(x, axis=axis, keepdims=keepdims, ddof=ddof)),
    gradient=lambda g, out, x, axis=None, keepdims=False, ddof=0: (
        _var_gradient(divide_no_nan(g, out * 2), x, axis, keepdims, ddof),),
    doc="The standard deviation over axes, with `ddof` degrees of freedom taken off.",
    warns=True, native=True, attributes=kinds("axis keepdims ddof"), public="math.reduce_std")  # fmt: skip


def _infer_arg(x: Type, axis: int | None = None, keepdims: bool = False, dtype: DType = int64) -> Type:
    require_kind(x, "biuf")
    return Type(dtype, reduced(x.shape, axis, keepdims))


def _arg(function: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(x: TensorLike, axis: int | None = None, keepdims: bool = False, dtype: DType = int64) -> Any:
        return np.asarray(function(x, axis=axis, keepdims=keepdims)).astype(dtype.numpy, copy=False)

    return kernel


def _arg_samples() -> list[Any]:
    return [s.sample([3.0, 1.0, 3.0], axis=0), s.sample([[1, 5], [7, 2]], axis=-1, dtype=as_dtype("int32")),
            s.sample(2.5),
            s.sample([[1, 5], [7, 2]]), s.sample(np.zeros((0, 2)), axis=1, keepdims=True), s.sample(s.SPECIAL),
            s.sample([True, False])]  # fmt: skip


argmax_op = op("argmax", gradient=NOT_DIFFERENTIABLE, infer=_infer_arg, numpy=_arg(np.argmax), samples=_arg_samples,
               doc="The index of the first maximum (or NaN) along an axis, or in the flattened array.",
               total=totality.filled, native=True, tensorflow_name="ArgMax",
               attributes=kinds("axis keepdims dtype"))  # fmt: skip
argmin_op = op("argmin", gradient=NOT_DIFFERENTIABLE, infer=_infer_arg, numpy=_arg(np.argmin), samples=_arg_samples,
               doc="The index of the first minimum (or NaN) along an axis, or in the flattened array.",
               total=totality.filled, native=True, tensorflow_name="ArgMin",
               attributes=kinds("axis keepdims dtype"))  # fmt: skip


# The public functions.


def _numbers(value: Tensor, name: str) -> Any:
    """What is added up, as a tensor: not truth values, as in TensorFlow."""
    x = convert_to_tensor(value)
    if x.dtype is bool_:
        raise InvalidArgumentError(
            f"{name}: not defined for dtype bool",
            remedy="cast to numbers first, tf.cast(x, tf.int32), or count with tf.math.count_nonzero(x)",
        )
    return x


@FUNCTIONS.give
def reduce_sum(input_tensor: Any, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The sum over `axis`, in the dtype of the input; the shape loses `axis` (with `keepdims` it is 1).

    Raises `InvalidArgumentError` for booleans (`tf.math.count_nonzero` counts them), for an axis out of bounds or given
    twice, `InvalidTypeError` for one of no integers.
    """
    x = _numbers(input_tensor, "sum")
    return sum_op(x, axis=axis_attribute(axis), keepdims=keepdims, dtype=x.dtype, name=name)


def reduce_prod(input_tensor: Any, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The product over `axis`, in the dtype of the input. Shape and errors as for `reduce_sum`."""
    x = _numbers(input_tensor, "prod")
    return prod_op(x, axis=axis_attribute(axis), keepdims=keepdims, dtype=x.dtype, name=name)


def reduce_mean(input_tensor: Any, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean over `axis`; of integers an integer, cut off towards zero (as in TensorFlow, unlike NumPy).

    Other dtypes stay. Shape and errors as for `reduce_sum`.
    """
    x = _numbers(input_tensor, "mean")
    dtype = x.dtype if x.dtype.is_integer else None
    return mean_op(x, axis=axis_attribute(axis), keepdims=keepdims, dtype=dtype, name=name)


def _public(record: Op, name_: str, more: str = "") -> Callable[..., Any]:
    def function(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Any:
        return record(input_tensor, axis=axis_attribute(axis), keepdims=keepdims, name=name)

    finish(function, record, name_)
    function.__doc__ = f"{record.__doc__}{more} Shape and errors as for `reduce_sum`."
    return function


reduce_max = _public(max_op, "reduce_max", " The dtype stays.")
reduce_min = _public(min_op, "reduce_min", " The dtype stays.")
reduce_all = _public(all_op, "reduce_all", " Of numbers, too, it is bool.")
reduce_any = _public(any_op, "reduce_any", " Of numbers, too, it is bool.")
reduce_logsumexp = _public(logsumexp_op, "reduce_logsumexp", " Of integers it is of the dtype of their `exp`.")
reduce_variance = _public(var_op, "reduce_variance", " Of integers it is float64, of complex numbers real.")
reduce_std = _public(std_op, "reduce_std", " Of integers it is float64, of complex numbers real.")


def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The root of the sum of squares over `axis`, in the input's dtype (real). Shape and errors as for `reduce_sum`."""
    x = convert_to_tensor(input_tensor)
    return cast(sqrt(reduce_sum(square(absolute(x)), axis, keepdims)), x.dtype.real_dtype, name)


def count_nonzero(
    input: TensorLike, axis: Axis = None, keepdims: bool = False, dtype: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """The number, in `dtype`, of elements that are not zero (or empty text). Shape and errors as for `reduce_sum`."""
    return cast(count_op(input, axis=axis_attribute(axis), keepdims=keepdims, name=name), dtype)


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The fraction of elements that are zero: a float32 scalar, NaN for a tensor without elements."""
    x = convert_to_tensor(value)
    total = cast(size(x, out_type=int64), "float64")
    return cast(1.0 - cast(count_op(x), "float64") / total, "float32", name)


def argmax(
    input: TensorLike, axis: int | None = None, output_type: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """The index of the first maximum along `axis` (0 when it is not given, as in TensorFlow), in `output_type`.

    The shape loses `axis`. Raises `InvalidArgumentError` when it is out of bounds or there is nothing along it.
    """
    return argmax_op(input, axis=0 if axis is None else whole(axis), dtype=as_dtype(output_type), name=name)


def argmin(
    input: TensorLike, axis: int | None = None, output_type: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """The index of the first minimum along `axis` (0 when it is not given, as in TensorFlow), in `output_type`.

    The shape loses `axis`. Raises `InvalidArgumentError` when it is out of bounds or there is nothing along it.
    """
    return argmin_op(input, axis=0 if axis is None else whole(axis), dtype=as_dtype(output_type), name=name)
