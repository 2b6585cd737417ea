"""Functions of TensorFlow's that are a few ops: shapes, dtypes, errors and gradients come from those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.shapes import TensorShape, as_shape, broadcast
from ..tensors.convert import convert_to_tensor
from ..tensors.indexed_slices import IndexedSlices
from ..tensors.likes import ShapeLike, TensorLike
from ..tensors.promotion import together
from ..tensors.tensor import Tensor
from .control import identity
from .elementwise.elementwise import add_n, cast, where
from .elementwise.math import absolute, divide, exp, floordiv, floormod, lgamma, log1p, maximum, multiply, sqrt
from .elementwise.nn import relu
from .host.assert_true import Assert
from .infer import require
from .linalg.decompose import slogdet, svd, triangular_solve
from .linalg.diagonals import diag, diag_part
from .reduce.cumulative import Axis, cumprod, norm
from .reduce.reduce import reduce_all, reduce_max, reduce_prod, reduce_sum
from .shape.create import ones_like, zeros, zeros_like
from .shape.gather import boolean_mask, gather
from .shape.joining import concat
from .shape.scatter import unsorted_segment_sum
from .shape.shape import reshape, shape

__all__ = [
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "cholesky_solve",
    "clip_by_global_norm",
    "clip_by_norm",
    "crelu",
    "dynamic_partition",
    "embedding_lookup",
    "global_norm",
    "identity_n",
    "is_non_decreasing",
    "is_strictly_increasing",
    "lbeta",
    "logdet",
    "matrix_rank",
    "normalize",
    "polyval",
    "reciprocal_no_nan",
    "scalar_mul",
    "tensor_diag",
    "tensor_diag_part",
    "unravel_index",
    "unsorted_segment_sqrt_n",
    "weighted_cross_entropy_with_logits",
]  # fmt: skip


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """The same values, each through `identity`."""
    return [identity(each, name) for each in input]


# Elementwise.


def scalar_mul(scalar: object, x: TensorLike, name: str | None = None) -> Tensor:
    """`scalar * x`."""
    return multiply(scalar, x, name)


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / x`, and 0 where `x` is 0."""
    x = convert_to_tensor(x)
    nothing = x == 0
    return where(nothing, zeros_like(x), divide(1, where(nothing, 1, x)), name)


def polyval(coeffs: Sequence[Any], x: TensorLike, name: str | None = None) -> Tensor:
    """The polynomial with a list of coefficients, that of the highest power first, at `x` (Horner's rule)."""
    x, *coeffs = together(x, *coeffs)
    value = zeros_like(x)
    for coefficient in coeffs:
        value = value * x + coefficient
    return identity(value, name)


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element is smaller than the one before, in row-major order: a bool."""
    values = reshape(x, [-1])
    return reduce_all(values[1:] >= values[:-1], name=name)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element is greater than the one before, in row-major order: a bool."""
    values = reshape(x, [-1])
    return reduce_all(values[1:] > values[:-1], name=name)


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the Beta function, over the last axis."""
    x = convert_to_tensor(x)
    return (reduce_sum(lgamma(x), -1) - lgamma(reduce_sum(x, -1))) if name is None else identity(lbeta(x), name)


# Norms.


def clip_by_norm(t: Any, clip_norm: TensorLike, axes: Axis = None, name: str | None = None) -> Tensor:
    """`t`, scaled down to the Euclidean norm `clip_norm` over `axes` (all) where its norm is greater."""
    t, clip_norm = together(t, clip_norm)
    squares = reduce_sum(t * t, axes, keepdims=True)
    positive = squares > 0
    length = where(positive, sqrt(where(positive, squares, 1)), squares)
    return divide(t * clip_norm, maximum(length, clip_norm), name)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The Euclidean norm of all elements of some tensors; ``None`` and `IndexedSlices` may be among them."""
    present = [convert_to_tensor(_values(each)) for each in t_list if each is not None]
    return sqrt(add_n([reduce_sum(each * each) for each in present]), name)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: TensorLike, use_norm: object = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Some tensors, all scaled by one factor so that their `global_norm` is at most `clip_norm`, and that norm before.

    ``None`` stays ``None``; a norm that is not finite makes all elements NaN.
    """
    present = [_values(each) for each in t_list if each is not None]
    length = global_norm(t_list) if use_norm is None else together(use_norm, *present)[0]
    # Infinity minus infinity, and NaN minus NaN, are NaN.
    scale = clip_norm / maximum(length, clip_norm) + (length - length)
    return [None if each is None else _scaled(each, scale, name) for each in t_list], length


def _values(t: Tensor) -> Any:
    return t.values if isinstance(t, IndexedSlices) else t


def _scaled(t: Tensor, scale: Tensor, name: str | None) -> Any:
    if isinstance(t, IndexedSlices):
        return IndexedSlices(multiply(t.values, scale, name), t.indices, t.dense_shape)
    return multiply(t, scale, name)


def normalize(
    tensor: TensorLike, ord: object = "euclidean", axis: Axis = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tensor` divided by its `norm` over `axis`, and that norm, with axes of size 1."""
    length = norm(tensor, ord, axis, keepdims=True)
    return divide(tensor, length, name), length


# Linear algebra.


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices."""
    return identity(slogdet(matrix)[1], name)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of shape `s + s` with `diagonal`, of shape `s`, on its diagonal, and zeros elsewhere."""
    sizes = shape(diagonal)
    return reshape(diag(reshape(diagonal, [-1])), concat([sizes, sizes], 0), name)


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal, of shape `s`, of a tensor of shape `s + s`."""
    input = convert_to_tensor(input)
    sizes = shape(input)[: len(input.shape) // 2]
    count = reduce_prod(sizes)
    return reshape(diag_part(reshape(input, [count, count])), sizes, name)


# Indexing.


def unravel_index(indices: TensorLike, dims: ShapeLike, name: str | None = None) -> Tensor:
    """The coordinates of elements of an array of shape `dims` by their row-major positions; the first axis is new."""
    indices, dims = convert_to_tensor(indices), convert_to_tensor(dims)
    column = [-1] + [1] * len(indices.shape)
    strides = reshape(cumprod(dims, exclusive=True, reverse=True), column)
    return floormod(floordiv(indices, cast(strides, indices.dtype)), cast(reshape(dims, column), indices.dtype), name)


def dynamic_partition(
    data: TensorLike, partitions: object, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The slices of `data` with the number 0, those with 1, and so on; `partitions` holds the numbers.

    The shape of `partitions` is that of the first axes of `data`; the number of slices in each part is unknown in
    a graph. Raises `InvalidArgumentError` for a number outside `[0, num_partitions)`.
    """
    partitions = convert_to_tensor(partitions)
    message = f"dynamic_partition: a number is not in [0, {num_partitions})"
    Assert(reduce_all((partitions >= 0) & (partitions < num_partitions)), [message, partitions])
    return [boolean_mask(data, partitions == number) for number in range(num_partitions)]


def broadcast_static_shape(shape_x: object, shape_y: object) -> TensorShape:
    """The `TensorShape` that two known ones broadcast to. Raises `InvalidArgumentError` when they don't."""
    return TensorShape(broadcast(as_shape(shape_x), as_shape(shape_y)))


def broadcast_dynamic_shape(shape_x: object, shape_y: object) -> Tensor:
    """The shape that two shapes, vectors of integers, broadcast to. Raises `InvalidArgumentError` when they don't."""
    x, y = convert_to_tensor(shape_x), convert_to_tensor(shape_y)
    return shape(zeros(x, "bool") | zeros(y, "bool"), x.dtype)


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: int, name: str | None = None
) -> Tensor:
    """The sums of segments over the root of how many rows they have; errors as for `unsorted_segment_sum`."""
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    rows = cast(unsorted_segment_sum(ones_like(ids), ids, num_segments), data.dtype)
    total = unsorted_segment_sum(data, ids, num_segments)
    require(total.ndim is not None, "unsorted_segment_sqrt_n needs tensors whose ranks are known")
    return divide(total, reshape(sqrt(maximum(rows, 1)), (-1, *(1,) * (total.ndim - 1))), name)


def cholesky_solve(chol: Any, rhs: TensorLike, name: str | None = None) -> Tensor:
    """The `x` with `chol @ adjoint(chol) @ x == rhs`, for lower triangular matrices; errors as for `solve`."""
    chol, rhs = together(chol, rhs)
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True, name=name)


def matrix_rank(a: TensorLike, tol: object = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """How many singular values of each matrix are above `tol`, int32.

    Left out, `tol` is the largest one times the larger dimension and the precision of the dtype. `validate_args`
    changes nothing: what does not fit is always refused. Raises `InvalidArgumentError` for a rank below 2.
    """
    a = convert_to_tensor(a)
    values = svd(a, compute_uv=False)
    if tol is None:
        largest = cast(reduce_max(shape(a)[-2:]), values.dtype)
        tol = reduce_max(values, -1, keepdims=True) * largest * float(np.finfo(values.dtype.numpy).eps)
    return reduce_sum(cast(values > tol, "int32"), -1, name=name)


# Neural networks.


def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """`relu` of the features and of their negatives, side by side along `axis` (Shang et al., 2016)."""
    features = convert_to_tensor(features)
    return relu(concat([features, -features], axis), name)


def embedding_lookup(params: TensorLike, ids: TensorLike, max_norm: Any = None, name: str | None = None) -> Tensor:
    """The rows of `params` with some numbers; each scaled down to the norm `max_norm` if that is given."""
    rows = gather(params, ids, name=name)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=list(range(len(convert_to_tensor(ids).shape), len(rows.shape))))


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """`sigmoid_cross_entropy_with_logits`, with the term of positive labels multiplied by `pos_weight`."""
    labels, logits, pos_weight = together(labels, logits, pos_weight)
    weight = 1 + (pos_weight - 1) * labels
    loss = (1 - labels) * logits + weight * (log1p(exp(-absolute(logits))) + relu(-logits))
    return identity(loss, name)
