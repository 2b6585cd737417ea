"""How often numbers occur: bincount, confusion matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, as_dtype, int32, int64
from ...base.shapes import is_compatible
from ...ir.kinds import kinds
from ...ir.op import Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast, where
from ..elementwise.math import maximum, minimum
from ..infer import exactly, require, require_kind, text
from ..kernels import samples as s
from ..shape.create import ones_like, zeros_like
from ..shape.create import range as range_
from ..shape.gather import gather
from ..shape.joining import pad, stack
from ..shape.scatter import scatter_nd
from ..shape.shape import reshape, shape, size
from .reduce import reduce_max

__all__ = ["bincount", "confusion_matrix"]


def _infer_bincount(x: Type, *weights: Type, minlength: int = 0, maxlength: int | None = None,
    dtype: DType = int32) -> Type:
    require_kind(x, "iub")
    if weights:
        require_kind(weights[0], "iuf", "the weights")
        require(is_compatible(x.shape, weights[0].shape), f"{text(weights[0].shape)} weights for {text(x.shape)}")
    return Type(weights[0].dtype if weights else dtype, (minlength if minlength == maxlength else None,))


def _bincount(x: Array, *weights: Array, minlength: int = 0, maxlength: int | None = None, dtype: DType = int32) -> Any:
    flat = x.reshape(-1).astype(np.int64)
    if flat.size and flat.min() < 0:
        raise InvalidArgumentError("bincount can't count negative numbers")
    kept = flat if maxlength is None else flat[flat < maxlength]
    target = weights[0].dtype if weights else dtype.numpy
    given = None
    if weights:
        given = weights[0].reshape(-1) if maxlength is None else weights[0].reshape(-1)[flat < maxlength]
    return np.bincount(kept, given, minlength).astype(target)


def _weights_gradient(g: Tensor, out: Tensor, x: Tensor) -> Any:
    """Each weight counts for the number it belongs to, unless that is left out."""
    count = size(out)
    counted = x < count
    picked = gather(g, minimum(x, count - 1))
    return where(counted, picked, zeros_like(picked))


bincount_op = op(
    "bincount", infer=_infer_bincount, numpy=_bincount, lenient=True,
    gradient=lambda g, out, x, *weights, **_: (None, *(_weights_gradient(g, out, x) for w in weights)),
    samples=lambda: [s.sample([1, 1, 3]), s.sample([1, 1, 3], [1.0, 2.0, 3.0]),
                     s.sample([0, 7], minlength=3, maxlength=3), s.sample(np.zeros(0, np.int32)),
                     s.sample([[1], [2]], dtype=int64, minlength=5)],
    raises=(InvalidArgumentError,),
    doc="How often each number occurs, or the sum of its weights.", attributes=kinds("minlength maxlength dtype"),
)  # fmt: skip


def bincount(
    arr: TensorLike, weights: TensorLike | None = None, minlength: int | None = None, maxlength: int | None = None,
    dtype: DTypeLike = int32, name: str | None = None, axis: int | None = None, binary_output: bool = False
) -> Tensor:  # fmt: skip
    """How often each number `0, 1, …` occurs in `arr`, or the sum of its weights.

    A vector of `dtype`, or that of the weights, of at least `minlength` elements; numbers from `maxlength` on are left
    out. With the `axis` -1 there is a row of counts for each row of a matrix. `binary_output` says only whether a
    number occurs, as 1 or 0. Raises `InvalidArgumentError` for negative numbers, weights of another shape, weights with
    `binary_output`, and another `axis` than 0 and -1.
    """
    require(axis in (None, 0, -1), f"bincount counts along the axes 0 and -1, not {axis}")
    require(weights is None or not binary_output, "bincount can't have weights with binary_output")
    arr = convert_to_tensor(arr)
    given = () if weights is None else (weights,)
    top = None if maxlength is None else int(maxlength)
    least = int(minlength or 0) if top is None else min(int(minlength or 0), top)
    if axis == -1 and arr.ndim != 1:
        counts = _row_counts(arr, given, least, top, dtype)
    else:
        counts = bincount_op(arr, *given, minlength=least, maxlength=top, dtype=as_dtype(dtype), name=name)
    if not binary_output:
        return counts

    return cast(counts > 0, counts.dtype)


def _row_counts(x: Any, weights: Any, least: int, most: int | None, dtype: DTypeLike | None) -> Any:
    """The counts for each row of a matrix: of numbers that tell the rows apart, all at once."""
    exactly(x.static_shape, 2, "what is counted row by row")
    require_kind(Type(x.dtype, None), "iu", "what is counted")
    rows = shape(x, int64)[0]
    x = convert_to_tensor(x) + convert_to_tensor(0, int64)
    width = maximum(reduce_max(x) + 1, least)
    width = maximum(width if most is None else minimum(width, most), 0)
    # What is left out goes to a column of its own; negative numbers stay so, and are refused.
    inside = where(x < 0, -rows * (width + 1) - 1, minimum(x, width))
    numbers = inside + reshape(range_(rows), (-1, 1)) * (width + 1)
    total = bincount_op(numbers, *weights, minlength=0, maxlength=None, dtype=as_dtype(dtype))
    whole_rows = pad(total, [[0, rows * (width + 1) - shape(total, int64)[0]]])
    return reshape(whole_rows, [rows, width + 1])[:, :width]


def confusion_matrix(
    labels: TensorLike, predictions: TensorLike, num_classes: int | None = None, weights: TensorLike | None = None,
    dtype: DTypeLike = int32, name: str | None = None,
) -> Tensor:  # fmt: skip
    """How often each label (row) met each prediction (column), as `dtype`.

    `num_classes` is a Python int; left out, one more than the largest class. Raises `IndexOutOfRangeError` for a class
    that is not below it, `InvalidArgumentError` for vectors that differ in size or are not of integers.
    """
    values = ones_like(labels, dtype) if weights is None else cast(weights, dtype)
    pairs = stack([labels, predictions], axis=1)
    count = reduce_max(pairs) + 1 if num_classes is None else int(num_classes)
    return scatter_nd(pairs, values, (count, count), name)
