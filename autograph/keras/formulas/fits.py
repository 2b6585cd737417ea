"""Metrics of how well predicted numbers fit: the coefficient of determination, and correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import is_inf, square
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.reduce.reduce import reduce_mean, reduce_std, reduce_sum, reduce_variance
from autograph.runtime.ops.shape.shape import broadcast_to, expand_dims, shape, size

from ..base.defaults import epsilon
from .loss_functions import floating_predictions
from .metric import MeanMetricWrapper, Metric
from .reduction import same_rank

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike

__all__ = ["ConcordanceCorrelation", "PearsonCorrelation", "R2Score", "concordance_correlation", "pearson_correlation"]


def pearson_correlation(y_true: Any, y_pred: Any, axis: Any = -1) -> Any:
    """Pearson's correlation of labels and predictions along an axis: from -1 to 1."""
    y_pred = floating_predictions(y_pred)
    y_true, y_pred = same_rank(cast(y_true, y_pred.dtype), y_pred)
    normal = []
    for y in (y_true, y_pred):
        y = y - reduce_mean(y, axis, keepdims=True)
        normal.append(y / reduce_std(y, axis, keepdims=True))
    return reduce_mean(normal[0] * normal[1], axis)


def concordance_correlation(y_true: Any, y_pred: Any, axis: Any = -1) -> Any:
    """How well labels and predictions agree along an axis, from -1 to 1 (Lin, 1989), by Keras's formula.

    That takes the labels' distance from the mean of the predictions, not from their own.
    """
    y_pred = floating_predictions(y_pred)
    y_true, y_pred = same_rank(cast(y_true, y_pred.dtype), y_pred)
    true_mean, mean = (reduce_mean(y, axis, keepdims=True) for y in (y_true, y_pred))
    spread = reduce_variance(y_true, axis, keepdims=True) + reduce_variance(y_pred, axis, keepdims=True)
    both = (y_true - mean) * (y_pred - mean)
    return reduce_mean(2 * both / (spread + square(true_mean - mean) + epsilon()), axis)


class PearsonCorrelation(MeanMetricWrapper):
    """The mean of `pearson_correlation`."""

    def __init__(self, name: str = "pearson_correlation", dtype: DTypeLike | None = None, axis: Any = -1) -> None:
        super().__init__(pearson_correlation, name, dtype, axis=axis)


class ConcordanceCorrelation(MeanMetricWrapper):
    """The mean of `concordance_correlation`."""

    def __init__(self, name: str = "concordance_correlation", dtype: DTypeLike | None = None, axis: Any = -1) -> None:
        super().__init__(concordance_correlation, name, dtype, axis=axis)


class R2Score(Metric):
    """The coefficient of determination: 1 where predictions (samples, values) are right, 0 where they are the mean.

    Parameters
    ----------
    class_aggregation: "uniform_average" or "variance_weighted_average" of the scores of all values, or None: (values,)
        scores.
    num_regressors: the number of variables that explain, for the adjusted score. It is not adjusted where there are
        not more numbers than that.

    Raises `ValueError` for another word, a negative number, and predictions of another rank.
    """

    def __init__(
        self, class_aggregation: str | None = "uniform_average", num_regressors: int = 0, name: str = "r2_score",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        known = (None, "uniform_average", "variance_weighted_average")
        require(class_aggregation in known, f"Invalid value for argument `class_aggregation`. Expected one of {known}. "
                f"Received: class_aggregation={class_aggregation}")  # fmt: skip
        require(num_regressors >= 0, "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
                f"num_regressors={num_regressors}")  # fmt: skip
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_variable((), "zeros", name="num_samples")
        self._sums: Any = None

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true, y_pred = same_rank(cast(y_true, self.dtype), cast(y_pred, self.dtype))
        require(y_true.ndim == y_pred.ndim == 2, "R2Score expects 2D inputs with shape (batch_size, output_dim). "
                f"Received input shapes: y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}.")  # fmt: skip
        if self._sums is None:
            width = y_pred.static_shape[1]
            require(width is not None, f"R2Score needs to know output_dim, but y_pred.shape is {y_pred.shape}.")
            names = ("squared_sum", "sum", "residual", "count")
            self._sums = [self.add_variable((width,), "zeros", name=name) for name in names]
        weight = cast(1.0 if sample_weight is None else sample_weight, self.dtype)
        weight = broadcast_to(expand_dims(weight, 1) if weight.ndim == 1 else weight, shape(y_true))
        parts = (y_true * y_true * weight, y_true * weight, square(y_true - y_pred) * weight, weight)
        for variable, part in zip(self._sums, parts, strict=True):
            variable.assign_add(reduce_sum(part, 0))
        self.num_samples.assign_add(cast(size(y_true), self.dtype))

    def result(self) -> Any:
        require(self._sums is not None, f"{self.name} has seen nothing yet")
        squares, total, residual, count = [each.value() for each in self._sums]
        spread = squares - total * (total / count)
        scores = 1 - residual / spread
        scores = where(is_inf(scores), 0.0, scores)
        if self.class_aggregation == "uniform_average":
            scores = reduce_mean(scores)
        elif self.class_aggregation:
            scores = reduce_sum(spread * scores) / reduce_sum(spread)
        if not self.num_regressors:
            return scores
        number, left = self.num_samples.value(), self.num_samples - self.num_regressors - 1
        return where(left > 0, 1 - (1 - scores) * (number - 1) / where(left > 0, left, 1.0), scores)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "class_aggregation": self.class_aggregation,
                "num_regressors": self.num_regressors}  # fmt: skip
