"""Running sums and products along an axis, and norms: `tf.cumsum`, `tf.cumprod`, `tf.norm`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..convert import convert_to_tensor
from ..dtypes import float64
from ..op import Op, Type, op
from . import samples as s
from .elementwise import where_op
from .infer import axis_of, reduced, require, require_kind
from .reduce import Axis, _expand, axis_attribute

__all__ = ["cumprod", "cumsum", "cumulative_logsumexp", "norm"]


def _infer_cumulative(x: Type, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Type:
    require_kind(x, "iufc")
    if x.shape is not None:
        axis_of(axis, len(x.shape))
    return x


def _cumulative(function: Any, start: Any) -> Callable[..., Any]:
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
    doc="The running sum along an axis; exclusive leaves out the element itself.")  # fmt: skip
cumprod_op: Op = op(
    "cumprod", infer=_infer_cumulative, numpy=_cumulative(np.multiply, 1), samples=_cumulative_samples,
    gradient=lambda g, out, x, axis=0, exclusive=False, reverse=False: (
        cumsum_op(g * out, axis=axis, exclusive=exclusive, reverse=not reverse) / x,),
    doc="The running product along an axis; exclusive leaves out the element itself.")  # fmt: skip


def _infer_cumulative_float(x: Type, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Type:
    require_kind(x, "f")
    return _infer_cumulative(x, axis)


cumulative_logsumexp_op = op(
    "cumulative_logsumexp", infer=_infer_cumulative_float, numpy=_cumulative(np.logaddexp, -np.inf),
    samples=lambda: [x for x in _cumulative_samples() if x[0][0].dtype.kind == "f"],
    doc="The running `log(sum(exp(x)))` along an axis, without overflow.")  # fmt: skip


# Norms.


def _infer_norm(x: Type, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Type:
    require_kind(x, "biufc")
    return Type(x.dtype.real_dtype if x.dtype.kind in "fc" else float64, reduced(x.shape, axis, keepdims))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
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
    doc="The norm of vectors (one axis), matrices (two axes) or of all elements as one vector (no axis).")  # fmt: skip


def _norm_gradient(g: Any, out: Any, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    from .math import absolute, power, sign

    g, out = _expand(g, x, axis, keepdims), _expand(out, x, axis, keepdims)
    if ord in (None, "fro", 2) and (ord != 2 or not isinstance(axis, tuple)):
        return where_op(out == 0, convert_to_tensor(0, dtype=x.dtype), g * x / out)
    require(not isinstance(axis, tuple) and ord != float("inf"), f"the norm with ord={ord!r} has no gradient yet")
    return g * sign(x) * power(absolute(x) / out, ord - 1)


# The public functions.


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """The running sum along `axis`: `[a, a + b, a + b + c]`.

    `exclusive` leaves the element itself out (`[0, a, a + b]`); `reverse` runs from the end.
    """
    return cumsum_op(x, axis=int(axis), exclusive=exclusive, reverse=reverse, name=name)


def cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """The running product along `axis`; `exclusive` and `reverse` as for `cumsum`."""
    return cumprod_op(x, axis=int(axis), exclusive=exclusive, reverse=reverse, name=name)


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """The running `log(sum(exp(x)))` along `axis`; `exclusive` and `reverse` as for `cumsum`."""
    return cumulative_logsumexp_op(x, axis=int(axis), exclusive=exclusive, reverse=reverse, name=name)


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The norm of vectors (`axis` an int), matrices (`axis` a pair), or of all elements as one vector (no `axis`).

    `ord` is `"euclidean"`, `"fro"` or any order that `numpy.linalg.norm` knows. Integers give float64.
    """
    ord = None if ord in ("euclidean", "fro") else ord
    return norm_op(tensor, ord=ord, axis=axis_attribute(axis), keepdims=keepdims, name=name)
