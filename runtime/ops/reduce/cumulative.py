"""Running sums and products along an axis, and norms: `tf.cumsum`, `tf.cumprod`, `tf.norm`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import Array, float64
from ...base.shapes import is_compatible
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, Op, Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..declare import holomorphic, through
from ..elementwise.elementwise import cast, where_op
from ..elementwise.math import absolute, equal, exp, log, power, sign
from ..infer import axis_of, reduced, require, require_kind, text, whole
from ..kernels import samples as s
from ..linalg.linalg import svd
from ..shape.create import zeros_like
from ..shape.index import get_item
from ..shape.joining import concat_op
from ..shape.shape import ensure_shape_op, moveaxis, reverse, squeeze
from .reduce import Axis, axis_attribute, expand_reduced, reduce_max, reduce_min, reduce_sum

__all__ = ["cumprod", "cumsum", "cumulative_logsumexp", "norm"]


def _infer_cumulative(x: Type, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Type:
    require_kind(x, "iufc")
    if x.shape is not None:
        axis_of(axis, len(x.shape))
    return x


def _cumulative(function: Any, start: object) -> Callable[..., Any]:
    def kernel(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
        if reverse:
            x = np.flip(x, axis)
        result = function.accumulate(x, axis=axis, dtype=x.dtype)
        if exclusive:
            shifted = np.roll(result, 1, axis)
            shifted[(slice(None),) * (axis % x.ndim) + (slice(0, 1),)] = start
            result = shifted
        return np.flip(result, axis) if reverse else result

    return kernel


def _cumulative_samples() -> list[Any]:
    x = np.array([[1.0, -2.0, 3.0], [4.0, 0.5, 2.0]], np.float32)
    return [s.sample(x, axis=1), s.sample(x, axis=0, exclusive=True), s.sample(x, axis=-1, reverse=True),
            s.sample(x[:0], axis=0),
            s.sample(x, axis=1, exclusive=True, reverse=True),
            s.sample(np.array([100, 100], np.int8), axis=0)]  # fmt: skip


cumsum_op: Op = op(
    "cumsum", infer=_infer_cumulative, numpy=_cumulative(np.add, 0),
    samples=lambda: [*_cumulative_samples(), s.sample(s.COMPLEX)],
    gradient=lambda g, out, x, axis=0, exclusive=False, reverse=False: (
        cumsum_op(g, axis=axis, exclusive=exclusive, reverse=not reverse),),
    doc="The running sum along an axis; exclusive leaves out the element itself.", total=totality.fixed,
    native=True, attributes=kinds("axis exclusive reverse"))  # fmt: skip
cumprod_op: Op = op(
    "cumprod", infer=_infer_cumulative, numpy=_cumulative(np.multiply, 1), samples=_cumulative_samples,
    gradient=holomorphic(lambda g, out, x, axis=0, exclusive=False, reverse=False: (
        _cumprod_gradient(g, x, axis, exclusive, reverse),)),
    doc="The running product along an axis; exclusive leaves out the element itself.",
    total=totality.fixed, native=True, attributes=kinds("axis exclusive reverse"))  # fmt: skip


def _infer_recurrence(a: Type, b: Type, axis: int) -> Type:
    require_kind(b, "iufc")
    require(is_compatible(a.shape, b.shape), f"the shapes {text(a.shape)} and {text(b.shape)} differ")
    if b.shape is not None:
        axis_of(axis, len(b.shape))
    return b


def _recurrence(a: Array, b: Array, axis: int) -> Any:
    result = np.array(b)
    rows, factors = np.moveaxis(result, axis, 0), np.moveaxis(a, axis, 0)
    for i in range(1, len(rows)):
        rows[i] += factors[i] * rows[i - 1]
    return result


recurrence_op: Op = op(
    "linear_recurrence", infer=_infer_recurrence, lenient=True, numpy=_recurrence, promote=0,
    gradient=holomorphic(lambda g, out, a, b, axis: _recurrence_gradient(g, out, a, axis)),
    samples=lambda: [s.sample([2.0, 0.0, 3.0, -1.0], [1.0, 2.0, 3.0, 4.0], axis=0),
                     s.sample([[1.0, 2.0], [0.5, 3.0]], [[1.0, -1.0], [2.0, 4.0]], axis=-1)],
    doc="`y[i] = a[i] * y[i - 1] + b[i]` along an axis, from `y[0] = b[0]`.", attributes=kinds("axis"))  # fmt: skip


def _moved(x: Tensor, axis: int, back: bool) -> Any:
    """The elements moved by one place along an axis, towards its start or (``back``) its end; zero comes in."""
    at = (slice(None),) * axis if axis >= 0 else (Ellipsis,)
    after = (slice(None),) * (-axis - 1) if axis < 0 else ()
    first, others = get_item(x, (*at, slice(0, 1), *after)), slice(0, -1) if back else slice(1, None)
    kept = get_item(x, (*at, others, *after))
    zero = zeros_like(first)
    moved = concat_op(zero, kept, axis=axis) if back else concat_op(kept, zero, axis=axis)
    return ensure_like(moved, x)


def ensure_like(x: TensorLike, like: Any) -> Any:
    """`x`, with the static shape of a tensor that has the same shape."""
    return ensure_shape_op(x, shape=like.static_shape)


def _recurrence_gradient(g: Tensor, out: Tensor, a: Tensor, axis: int) -> tuple[Any, Any]:
    later = _moved(a, axis, back=False)
    total = reverse(recurrence_op(reverse(later, [axis]), reverse(g, [axis]), axis=axis), [axis])
    return total * _moved(out, axis, back=True), total


def _cumprod_gradient(g: Tensor, x: Tensor, axis: int, exclusive: bool, backwards: bool) -> Any:
    """The product before an element, times a recurrence over what comes after: no division, so zeros do no harm."""
    if backwards:
        g, x = reverse(g, [axis]), reverse(x, [axis])
    if exclusive:
        g = _moved(g, axis, back=False)
    before = cumprod_op(x, axis=axis, exclusive=True, reverse=False)
    later = _moved(x, axis, back=False)
    after = reverse(recurrence_op(reverse(later, [axis]), reverse(g, [axis]), axis=axis), [axis])
    return reverse(before * after, [axis]) if backwards else before * after


def _logsumexp_gradient(g: Tensor, out: Tensor, x: Tensor, axis: int, exclusive: bool, reverse: bool) -> Any:
    """Positive and negative gradients apart, each in logarithms, so that nothing overflows (as TensorFlow does)."""
    def part(g: Tensor) -> Any:
        some = g > 0
        logs = where_op(some, log(where_op(some, g, 1)), -np.inf) - where_op(some, out, 0)
        return exp(cumulative_logsumexp_op(logs, axis=axis, exclusive=exclusive, reverse=not reverse) + x)

    return part(g) - part(-g)


def _infer_cumulative_float(x: Type, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Type:
    require_kind(x, "f")
    return _infer_cumulative(x, axis)


cumulative_logsumexp_op = op(
    "cumulative_logsumexp", infer=_infer_cumulative_float, numpy=_cumulative(np.logaddexp, -np.inf),
    gradient=lambda g, out, x, axis=0, exclusive=False, reverse=False: (
        _logsumexp_gradient(g, out, x, axis, exclusive, reverse),),
    samples=lambda: [x for x in _cumulative_samples() if x[0][0].dtype.kind == "f"],
    doc="The running `log(sum(exp(x)))` along an axis, without overflow.",
    attributes=kinds("axis exclusive reverse"))  # fmt: skip


# Norms.


def _infer_norm(x: Type, ord: object = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Type:
    require_kind(x, "biufc")
    return Type(x.dtype.real_dtype if x.dtype.kind in "fc" else float64, reduced(x.shape, axis, keepdims))


def _norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is None and ord is not None:
        result = np.asarray(np.linalg.norm(x.reshape(-1), ord=ord))
        return result.reshape((1,) * x.ndim) if keepdims else result
    return np.asarray(np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims))


norm_op = op(
    "norm", infer=_infer_norm, numpy=_norm, gradient=lambda g, out, x, ord=None, axis=None, keepdims=False: (
        _norm_gradient(g, out, x, ord, axis, keepdims),),
    samples=lambda: [
        s.sample([3.0, 4.0]), s.sample([[3.0, 4.0], [1.0, -2.0]], ord=1, axis=0),
        s.sample([[3.0, 4.0]], ord=float("inf"), axis=-1),
        s.sample([[3.0, 4.0], [1.0, 2.0]], ord="fro", axis=(0, 1), keepdims=True), s.sample([3, 4]),
        s.sample(s.COMPLEX),
        s.sample([[3.0, 4.0], [1.0, 2.0]], ord=2), s.sample(np.zeros(0, np.float32)),
        s.sample(np.float64(-2.0), ord=1, keepdims=True),
    ],
    doc="The norm of vectors (one axis), matrices (two axes) or of all elements as one vector (no axis).",
    warns=True, attributes=kinds("ord axis keepdims"))  # fmt: skip


def _norm_gradient(g: Tensor, out: Tensor, x: Tensor, ord: Any, axis: int | Sequence[int], keepdims: bool) -> Any:
    if isinstance(axis, tuple) and len(axis) == 2 and ord not in (None, "fro"):
        return _matrix_norm_gradient(g, x, ord, axis, keepdims)
    g, out = expand_reduced(g, x, axis, keepdims), expand_reduced(out, x, axis, keepdims)
    zero = convert_to_tensor(0, dtype=x.dtype)
    if ord in (None, "fro", 2):
        return where_op(out == 0, zero, x * cast(g / where_op(out == 0, 1, out), x.dtype))
    if ord == 0:
        return g * zero
    if abs(ord) == float("inf"):
        hits = cast(equal(absolute(x), out), g.dtype)
        return sign(x) * cast(g * hits / reduce_sum(hits, axis, keepdims=True), x.dtype)
    return sign(x) * cast(g * power(absolute(x) / out, ord - 1), x.dtype)


def _matrix_norm_gradient(g: Tensor, x: Tensor, ord: Any, axis: tuple[int, int], keepdims: bool) -> Any:
    """By way of what defines these norms: sums of rows and columns, or singular values."""
    def norm_of(matrices: Any) -> Any:
        if ord in (1, -1, float("inf"), -float("inf")):
            sums = reduce_sum(absolute(matrices), -2 if abs(ord) == 1 else -1)
        else:
            sums = svd(matrices, compute_uv=False)
        if ord == "nuc":
            return reduce_sum(sums, -1)
        return reduce_max(sums, -1) if ord > 0 else reduce_min(sums, -1)

    matrices = moveaxis(x, axis, (-2, -1))
    if keepdims:
        g = squeeze(g, axis)
    return moveaxis(through(norm_of, g, matrices)[0], (-2, -1), axis)


# The public functions.


def cumsum(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running sum along `axis`: `[a, a + b, a + b + c]`.

    `exclusive` leaves the element itself out (`[0, a, a + b]`); `reverse` runs from the end. The result has the shape
    and dtype of `x`. Raises `InvalidArgumentError` for an axis out of bounds.
    """
    return cumsum_op(x, axis=whole(axis), exclusive=exclusive, reverse=reverse, name=name)


@FUNCTIONS.give
def cumprod(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running product along `axis`; `exclusive`, `reverse`, shape, dtype and errors as for `cumsum`."""
    return cumprod_op(x, axis=whole(axis), exclusive=exclusive, reverse=reverse, name=name)


def cumulative_logsumexp(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running `log(sum(exp(x)))` along `axis`; `exclusive`, `reverse`, shape and dtype as for `cumsum`.

    Raises `InvalidArgumentError` for an axis out of bounds and for a dtype that is not floating.
    """
    return cumulative_logsumexp_op(x, axis=whole(axis), exclusive=exclusive, reverse=reverse, name=name)


def norm(
    tensor: TensorLike, ord: object = "euclidean", axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The norm of vectors (`axis` an int), matrices (`axis` a pair), or of all elements as one vector (no `axis`).

    `ord` is `"euclidean"`, `"fro"` or any order that `numpy.linalg.norm` knows. Integers give float64, complex numbers
    a real dtype; the shape is as for `reduce_sum`. Raises `InvalidArgumentError` for strings, an axis out of bounds,
    or an `ord` that vectors or matrices do not have.
    """
    ord = None if ord in ("euclidean", "fro") else ord
    return norm_op(tensor, ord=ord, axis=axis_attribute(axis), keepdims=keepdims, name=name)
