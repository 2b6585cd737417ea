"""How losses and metrics fit values and weights to each other, and bring them down to one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.shapes import is_compatible
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import divide_no_nan
from autograph.runtime.ops.infer import require, text
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.ops.shape.shape import expand_dims, size, squeeze
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tracing_state import replica_count

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, TensorLike

__all__ = [
    "apply_mask", "of_one_replica", "reduce_weighted_values", "require_same_shape", "same_rank", "shared_by_replicas",
    "standardize_reduction",
]  # fmt: skip

_REDUCTIONS = ("sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight")


def standardize_reduction(reduction: str | None) -> str | None:
    """The name of a reduction. Raises `ValueError` for others."""
    if reduction not in _REDUCTIONS:
        raise InvalidArgumentError(
            f"Invalid value for argument `reduction`. Expected one of {_REDUCTIONS}. Received: reduction={reduction}"
        )
    return reduction


def same_rank(a: Any, b: Any, expand_vectors: bool = True) -> tuple[Any, Any]:
    """Two tensors with an axis of size one at the end added or taken away, if just that makes their ranks equal."""
    if a.ndim is None or b.ndim is None or abs(a.ndim - b.ndim) != 1:
        return a, b
    if a.ndim < b.ndim:
        return same_rank(b, a, expand_vectors)[::-1]
    if a.static_shape[-1] != 1:
        return a, b
    return (a, expand_dims(b, -1)) if b.ndim == 1 and expand_vectors else (squeeze(a, -1), b)


def apply_mask(
    sample_weight: TensorLike | None, mask: TensorLike | None, dtype: DTypeLike, reduction: str | None
) -> Any:
    """Sample weights that are zero where a mask is False; those of a mean make up for what is left out."""
    if mask is None:
        return sample_weight
    weight = cast(mask, dtype)
    if reduction in ("mean", "sum_over_batch_size"):
        factor = divide_no_nan(cast(size(weight), dtype), reduce_sum(weight))
        weight = where(cast(mask, "bool"), factor, 0)
    if sample_weight is None:
        return weight
    weight, sample_weight = same_rank(weight, cast(sample_weight, dtype))
    return sample_weight * weight


def reduce_weighted_values(
    values: Any, sample_weight: Any = None, mask: Any = None, reduction: str | None = "sum_over_batch_size",
    dtype: Any = None
) -> Any:  # fmt: skip
    """`values`, times weights, reduced: their sum, or it divided by their number or by the sum of the weights.

    In replicas a mean is divided by their number, too.
    """
    values = convert_to_tensor(values) if dtype is None else cast(values, dtype)
    sample_weight = apply_mask(sample_weight, mask, values.dtype, reduction)
    if sample_weight is not None:
        values, sample_weight = same_rank(values, cast(sample_weight, values.dtype))
        values = values * sample_weight
    if reduction in (None, "none") or values.static_shape in ((), (0,)):
        return values
    total = reduce_sum(values)
    if reduction == "sum":
        return total
    count = reduce_sum(sample_weight) if reduction == "mean_with_sample_weight" and sample_weight is not None else (
        cast(size(values), total.dtype)
    )  # fmt: skip
    return shared_by_replicas(divide_no_nan(total, count))


def shared_by_replicas(loss: Any) -> Any:
    """A loss that is a mean, so that those of all replicas, and their gradients, add up to one."""
    count = replica_count()
    return loss if count == 1 else loss / count


def of_one_replica(loss: Any) -> Any:
    """The mean that `shared_by_replicas` was given."""
    count = replica_count()
    return loss if count == 1 else loss * count


_OF_NUMBERS = (
    "for targets that are the numbers of classes use 'sparse_categorical_crossentropy', or make them "
    "tf.one_hot(target, classes)"
)


def require_same_shape(a: Any, b: Any) -> None:
    """Raise `InvalidArgumentError` unless two tensors may have the same shape."""
    shapes = f"target.shape={text(a.static_shape)}, output.shape={text(b.static_shape)}"
    if a.ndim is not None and b.ndim is not None:
        text_of_ranks = f"Arguments `target` and `output` must have the same rank (ndim). Received: {shapes}"
        require(a.ndim == b.ndim, text_of_ranks, _OF_NUMBERS if b.ndim == a.ndim + 1 else None)
    compatible = is_compatible(a.static_shape, b.static_shape)
    require(compatible, f"Arguments `target` and `output` must have the same shape. Received: {shapes}")
