"""Metrics from counts of right and wrong predictions of labels that are true or false, at thresholds.

A prediction is positive when it is greater than the threshold. Each metric keeps, for each threshold, weighted counts
of true and false positives and negatives, as far as it needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import divide_no_nan
from autograph.runtime.ops.reduce.cumulative import cumsum
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.ops.shape import create as shape_create
from autograph.runtime.ops.shape.gather import gather
from autograph.runtime.ops.shape.scatter import unsorted_segment_sum
from autograph.runtime.ops.shape.shape import broadcast_to, expand_dims, reshape, shape, size
from autograph.runtime.ops.shape.sort import searchsorted, top_k

from .metric import Metric
from .reduction import same_rank

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, TensorLike

__all__ = ["Counts", "FalseNegatives", "FalsePositives", "Precision", "Recall", "TrueNegatives", "TruePositives"]

# What a prediction becomes that is not among the greatest ones.
LOWEST = -1e10


class Counts(Metric):
    """A metric that keeps some of the four counts.

    ``thresholds``: a number or a list of them; ``top_k``: only so many of the greatest predictions of a sample can be
    positive; ``class_id``: only this class counts. Raises `ValueError` for thresholds outside `[0, 1]`.
    """

    kept: Sequence[str]
    columns: int | None = None
    """How many labels are counted each by itself."""
    label_weights: Any = None
    """What each label counts."""

    def __init__(
        self, thresholds: Any = None, top_k: int | None = None, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        self.init_thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        given = thresholds if thresholds is not None else (0.5 if top_k is None else LOWEST)
        self.thresholds = list(given) if isinstance(given, list | tuple) else [given]
        wrong = [t for t in self.thresholds if thresholds is not None and (t is None or t < 0 or t > 1)]
        if wrong:
            raise InvalidArgumentError(f"Threshold values must be in [0, 1]. Received: {wrong}")
        self._make(self.thresholds)

    def _make(self, thresholds: Sequence[float]) -> None:
        self._sorted = np.sort(np.array(thresholds, np.float32))
        # Where each threshold is among the sorted ones.
        self._places = np.argsort(np.argsort(thresholds, kind="stable"), kind="stable")
        shape = (len(thresholds),) if self.columns is None else (len(thresholds), self.columns)
        for name in self.kept:
            setattr(self, name, self.add_variable(shape, "zeros", name=name))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        columns = self.columns
        y_true, y_pred, weight = self._flat(y_true, y_pred, sample_weight)
        count = len(self._sorted)
        # A prediction is positive at just the first `index` thresholds.
        index = searchsorted(self._sorted, y_pred, side="left")
        if columns is not None:
            index = index * columns + shape_create.range(size(index)) % columns
        for label in (True, False):
            sums = unsorted_segment_sum(where(y_true == label, weight, 0), index, (count + 1) * (columns or 1))
            sums = sums if columns is None else reshape(sums, (count + 1, columns))
            positive = gather(cumsum(sums, exclusive=True, reverse=True)[:count], self._places)
            negative = reduce_sum(sums, 0) - positive
            first, second = ("true_positives", "false_negatives") if label else ("false_positives", "true_negatives")
            for name, value in ((first, positive), (second, negative)):
                if name in self.kept:
                    getattr(self, name).assign_add(value)

    def _flat(self, y_true: Any, y_pred: Any, sample_weight: TensorLike | None) -> tuple[Any, Any, Any]:
        """Labels, predictions and weights as vectors of one length."""
        y_pred, y_true = same_rank(cast(y_pred, "float32"), cast(y_true, "bool"))
        if sample_weight is not None:
            sample_weight = expand_dims(cast(sample_weight, "float32"), -1)
            _, sample_weight = same_rank(y_true, sample_weight, expand_vectors=False)
        if self.top_k is not None:
            lowest = top_k(y_pred, self.top_k).values[..., -1:]
            y_pred = where(y_pred >= lowest, y_pred, LOWEST)
        if self.class_id is not None:
            if y_pred.ndim == 1:
                raise InvalidArgumentError("When class_id is provided, y_pred must be a 2D array with shape "
                                 f"(num_samples, num_classes), found shape: {y_pred.shape}")  # fmt: skip
            y_true, y_pred = y_true[..., self.class_id, None], y_pred[..., self.class_id, None]
        weight = broadcast_to(1.0 if sample_weight is None else sample_weight, shape(y_pred))
        if self.label_weights is not None:
            weight = weight * self.label_weights
        return reshape(broadcast_to(y_true, shape(y_pred)), [-1]), reshape(y_pred, [-1]), reshape(weight, [-1])

    def _one(self, result: Any) -> Any:
        return result[0] if len(self.thresholds) == 1 else result

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "thresholds": self.init_thresholds, "top_k": self.top_k,
                "class_id": self.class_id}  # fmt: skip


class Precision(Counts):
    """The part of the positive predictions that are right: `TP / (TP + FP)`, zero when there are none."""

    kept = ("true_positives", "false_positives")
    true_positives: Any
    false_positives: Any

    def result(self) -> Any:
        return self._one(divide_no_nan(self.true_positives, self.true_positives + self.false_positives))


class Recall(Counts):
    """The part of the true labels that are predicted: `TP / (TP + FN)`, zero when there are none."""

    kept = ("true_positives", "false_negatives")
    true_positives: Any
    false_negatives: Any

    def result(self) -> Any:
        return self._one(divide_no_nan(self.true_positives, self.true_positives + self.false_negatives))


class _Count(Counts):
    """One of the counts."""

    def __init__(self, thresholds: object = None, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(thresholds, name=name, dtype=dtype)

    def result(self) -> Any:
        return self._one(getattr(self, self.kept[0]) + 0)

    def get_config(self) -> dict[str, Any]:
        return {**Metric.get_config(self), "thresholds": self.init_thresholds}


class TruePositives(_Count):
    """How many predictions are positive, and right."""

    kept = ("true_positives",)


class FalsePositives(_Count):
    """How many predictions are positive, and wrong."""

    kept = ("false_positives",)


class TrueNegatives(_Count):
    """How many predictions are negative, and right."""

    kept = ("true_negatives",)


class FalseNegatives(_Count):
    """How many predictions are negative, and wrong."""

    kept = ("false_negatives",)
