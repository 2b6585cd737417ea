"""Moments with weights or in parts, histograms, and losses that are averaged over a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.promotion import together
from ...tensors.tracing_state import replica_count
from ..elementwise.elementwise import cast, clip_by_value, stop_gradient, where
from ..elementwise.math import exp, floor, log
from ..infer import require
from ..shape.shape import reshape, shape
from .counts import bincount
from .reduce import Axis, axis_attribute, reduce_prod, reduce_sum

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = [
    "compute_average_loss", "histogram_fixed_width", "histogram_fixed_width_bins", "log_poisson_loss",
    "normalize_moments", "scale_regularization_loss", "sufficient_statistics", "weighted_moments",
]  # fmt: skip


def weighted_moments(
    x: TensorLike, axes: Axis, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of `x` over `axes`, where each element counts as often as its weight says.

    The weights broadcast with `x`. Raises `InvalidArgumentError` for shapes that don't, and axes that don't exist.
    """
    x = convert_to_tensor(x)
    weights = cast(frequency_weights, x.dtype) + x * 0
    total = reduce_sum(weights, axes, keepdims=True)
    mean = reduce_sum(weights * x, axes, keepdims=True) / total
    center = stop_gradient(mean)
    variance = reduce_sum(weights * (x - center) ** 2, axes, keepdims=True) / total
    if keepdims:
        return mean, variance
    like = shape(reduce_sum(x, axes))
    return reshape(mean, like), reshape(variance, like)


def sufficient_statistics(
    x: Any, axes: Axis, shift: object = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What the mean and the variance of `x` over `axes` are made of: count, sum, sum of squares, and `shift`.

    The sums are those of `x - shift`. Raises `InvalidArgumentError` for axes that don't exist.
    """
    x = convert_to_tensor(x)
    one = cast(shape(x), x.dtype)
    chosen = axis_attribute(axes)
    indices = range(x.ndim) if chosen is None else (chosen,) if isinstance(chosen, int) else chosen
    count = reduce_prod([one[i] for i in indices]) if len(indices) else cast(1, x.dtype)
    if shift is not None:
        x, shift = together(x, shift)
        x = x - shift
    mean_shift: Any = shift
    return count, reduce_sum(x, axes, keepdims), reduce_sum(x * x, axes, keepdims), mean_shift


def normalize_moments(
    counts: TensorLike, mean_ss: Any, variance_ss: Any, shift: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance from what `sufficient_statistics` gives."""
    mean_ss, variance_ss, counts = together(mean_ss, variance_ss, counts)
    mean = mean_ss / counts
    variance = variance_ss / counts - mean * mean
    return (mean if shift is None else mean + shift), variance


def histogram_fixed_width_bins(
    values: TensorLike, value_range: TensorLike, nbins: int = 100, dtype: DTypeLike = "int32", name: str | None = None
) -> Tensor:
    """The bin, from 0 to `nbins - 1`, of each value: `value_range`, two numbers, in so many equal parts.

    What lies below or above belongs to the first or the last one. Raises `InvalidArgumentError` for a range that is
    empty, as far as it is known, and for less than one bin.
    """
    values = convert_to_tensor(values)
    ends = cast(value_range, values.dtype)
    require(int(nbins) > 0, f"nbins must be above 0, not {nbins}")
    place = (values - ends[0]) / (ends[1] - ends[0]) * nbins
    return cast(clip_by_value(floor(place), 0, nbins - 1), dtype, name)


def histogram_fixed_width(
    values: TensorLike, value_range: TensorLike, nbins: int = 100, dtype: DTypeLike = "int32", name: str | None = None
) -> Tensor:
    """How many values lie in each bin: a vector of `nbins` counts. See `histogram_fixed_width_bins`."""
    bins = histogram_fixed_width_bins(values, value_range, nbins)
    return bincount(bins, minlength=nbins, maxlength=nbins, dtype=dtype, name=name)


def log_poisson_loss(
    targets: Any, log_input: object, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """`exp(log_input) - log_input * targets`; the full loss adds Stirling's approximation of `log(targets!)`.

    The approximation is left out for targets up to 1. Raises `InvalidArgumentError` for shapes that don't broadcast.
    """
    log_input, targets = together(log_input, targets)
    result = exp(log_input) - log_input * targets
    if not compute_full_loss:
        return result
    above = where(targets > 1, targets, 2)
    extra = targets * log(above) - targets + 0.5 * log(6.283185307179586 * above)
    return result + where((targets >= 0) & (targets <= 1), 0, extra)


def compute_average_loss(
    per_example_loss: object, sample_weight: TensorLike | None = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of the losses of examples, times their weights, over the size of the batch, a scalar.

    The size is that of the first axis, times the number of replicas, unless it is given. Raises
    `InvalidArgumentError` for a scalar without it.
    """
    losses = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = losses * cast(sample_weight, losses.dtype)
    if global_batch_size is None:
        require(losses.ndim != 0, "compute_average_loss needs global_batch_size for a scalar")
        global_batch_size = shape(losses)[0] * replica_count()
    return reduce_sum(losses) / cast(global_batch_size, losses.dtype)


def scale_regularization_loss(regularization_loss: object) -> Tensor:
    """The sum of losses, divided by the number of replicas that train together."""
    total = reduce_sum(regularization_loss)
    return total / replica_count() if replica_count() > 1 else total
