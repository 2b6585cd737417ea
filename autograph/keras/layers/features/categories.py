"""Numbers of categories as vectors: one-hot, multi-hot, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import logical_and, minimum
from autograph.runtime.ops.reduce.reduce import reduce_max, reduce_sum
from autograph.runtime.ops.shape.create import one_hot, ones_like
from autograph.runtime.ops.shape.create import range as range_
from autograph.runtime.ops.shape.scatter import scatter_nd
from autograph.runtime.ops.shape.shape import expand_dims, reshape, shape, squeeze

from .base import FeatureLayer, check_dense, check_mode

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["CategoryEncoding"]


def encoded(inputs: Any, mode: str, depth: int, dtype: DTypeLike, weights: Any = None) -> Any:
    """Numbers of categories, in ``mode``: "int", "one_hot", "multi_hot" or "count"; others than 0 to depth - 1 count
    as none.

    "one_hot" makes of (…) or (…, 1) the shape (…, depth); "multi_hot" and "count" are about the last axis of
    (batch, n): (batch, depth); of (n,): (depth,). Counts are sums of ``weights``, of the shape of the inputs.
    """
    if mode == "int":
        return cast(inputs, dtype)
    if inputs.static_shape == ():
        inputs = expand_dims(inputs, -1)
    rank = len(inputs.static_shape)
    if mode == "one_hot":
        return one_hot(squeeze(inputs, -1) if rank > 1 and inputs.static_shape[-1] == 1 else inputs, depth, dtype=dtype)
    if rank > 2:
        rows = one_hot(inputs, depth, dtype=dtype)
        if mode == "multi_hot":
            return reduce_max(rows, 1)
        return reduce_sum(rows if weights is None else rows * expand_dims(weights, -1), 1)
    counts = _counts(inputs, depth, dtype, weights)
    return minimum(counts, ones_like(counts)) if mode == "multi_hot" else counts


def _counts(inputs: Any, depth: int, dtype: DTypeLike, weights: Any) -> Any:
    """How often each category is in each row, without room for all of them at each place."""
    rows: Any = inputs if len(inputs.static_shape) == 2 else expand_dims(inputs, 0)
    numbers, count = cast(rows, "int64"), cast(shape(rows)[0], "int64")
    inside = logical_and(numbers >= 0, numbers < depth)
    places = where(inside, numbers, depth) + expand_dims(range_(count), -1) * (depth + 1)
    ones = ones_like(numbers, dtype=dtype) if weights is None else reshape(cast(weights, dtype), shape(rows))
    sums = scatter_nd(reshape(places, [-1, 1]), reshape(ones, [-1]), [count * (depth + 1)])
    counts = reshape(sums, [-1, depth + 1])[:, :depth]
    counts.set_shape((rows.static_shape[0], depth))
    return counts if rows is inputs else counts[0]


class CategoryEncoding(FeatureLayer):
    """Numbers of categories, 0 to ``num_tokens - 1``, as vectors of that length.

    Parameters
    ----------
    num_tokens: how many categories there are.
    output_mode: "multi_hot" (1 for each category in a sample), "one_hot" (a vector for each number) or "count".

    Inputs are integers (batch, n) or (n,), one sample. Numbers outside of the range are none. With "count", calls take
    ``count_weights`` of the inputs' shape, that count in place of 1.

    Raises `ValueError` for another mode, and unless num_tokens is positive.
    """

    settings = ("num_tokens", "output_mode")

    def __init__(
        self, num_tokens: int | None = None, output_mode: str = "multi_hot", sparse: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        output_mode = "multi_hot" if output_mode == "binary" else output_mode
        check_mode(self, output_mode, ("count", "one_hot", "multi_hot"))
        check_dense(sparse)
        if num_tokens is None or num_tokens < 1:
            raise InvalidArgumentError(
                "`num_tokens` must be set, and >= 1, to use this layer. If the number of tokens is not known "
                f"beforehand, use the IntegerLookup layer instead. Received: num_tokens={num_tokens}."
            )
        self.num_tokens = num_tokens
        self.output_mode = output_mode
        self.built = True

    def call(self, inputs: Tensor, count_weights: Any = None) -> Any:
        """The vectors, in the layer's dtype. Raises `ValueError` for weights in another mode than "count"."""
        if count_weights is not None and self.output_mode != "count":
            raise InvalidArgumentError(
                "`count_weights` is not used when `output_mode` is not `'count'`. "
                f"Received `count_weights={count_weights}`."
            )
        return encoded(inputs, self.output_mode, self.num_tokens, self._record.dtype, count_weights)
