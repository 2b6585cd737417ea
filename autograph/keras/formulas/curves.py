"""Metrics of curves: areas below them, and the best of one rate where another one is good enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import where
from autograph.runtime.ops.elementwise.math import divide_no_nan, log, maximum, minimum
from autograph.runtime.ops.elementwise.nn import sigmoid
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.reduce.reduce import reduce_max, reduce_mean, reduce_sum
from autograph.runtime.tensors.convert import convert_to_tensor

from ..base.defaults import epsilon
from .confusion import Counts
from .metric import Metric

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike

__all__ = ["AUC", "Best", "PrecisionAtRecall", "RecallAtPrecision", "SensitivityAtSpecificity",
           "SpecificityAtSensitivity"]  # fmt: skip


class _AllCounts(Counts):
    """A metric that keeps all four counts."""

    kept = ("true_positives", "false_positives", "true_negatives", "false_negatives")
    true_positives: Any
    false_positives: Any
    true_negatives: Any
    false_negatives: Any

    def recall(self) -> Any:
        """The part of the true labels that are predicted, at each threshold; also called sensitivity."""
        return divide_no_nan(self.true_positives, self.true_positives + self.false_negatives)

    def precision_(self) -> Any:
        """The part of the positive predictions that are right, at each threshold."""
        return divide_no_nan(self.true_positives, self.true_positives + self.false_positives)

    def specificity_(self) -> Any:
        """The part of the false labels that are predicted, at each threshold."""
        return divide_no_nan(self.true_negatives, self.true_negatives + self.false_positives)


class AUC(_AllCounts):
    """The area under a curve through the points of some thresholds, by a Riemann sum.

    Parameters
    ----------
    num_thresholds: how many there are, evenly from 0 to 1.
    curve: "ROC", the rate of true positives over that of false positives; "PR", precision over recall; or "PRGAIN",
        their gains over a guess (Flach & Kull, 2015).
    summation_method: "interpolation" (trapezoids; for "PR" as Davis & Goadrich, 2006), "minoring" or "majoring" (the
        lower or the higher side of each).
    thresholds: those between 0 and 1, in place of `num_thresholds`.
    multi_label: each label has an area of its own, and the result is their mean; predictions are (samples, labels).
    num_labels: the number of labels; that of the first predictions when left out.
    label_weights: what each label counts: in that mean, or, without ``multi_label``, among the predictions.
    from_logits: predictions are what a sigmoid makes probabilities of.

    Raises `ValueError` for another curve or method, for less than two thresholds, and for predictions of another rank.
    """

    def __init__(
        self, num_thresholds: int = 200, curve: str = "ROC", summation_method: str = "interpolation",
        name: str | None = None, dtype: DTypeLike | None = None, thresholds: Sequence[float] | None = None,
        multi_label: bool = False, num_labels: int | None = None, label_weights: Any = None, from_logits: bool = False
    ) -> None:  # fmt: skip
        Metric.__init__(self, dtype, name)
        if curve not in ("ROC", "PR", "PRGAIN"):
            raise InvalidArgumentError(f'Invalid `curve` argument value "{curve}". Expected one of: ROC, PR, PRGAIN')
        if summation_method not in ("interpolation", "minoring", "majoring"):
            raise InvalidArgumentError(f'Invalid `summation_method` argument value "{summation_method}". '
                             "Expected one of: interpolation, minoring, majoring")  # fmt: skip
        if thresholds is None and num_thresholds <= 1:
            message = "Argument `num_thresholds` must be an integer > 1. "
            raise InvalidArgumentError(f"{message}Received: num_thresholds={num_thresholds}")
        require(multi_label or not num_labels, "`num_labels` is needed only when `multi_label` is True.")
        self.curve, self.summation_method, self.from_logits = curve, summation_method, from_logits
        self.multi_label, self.num_labels = multi_label, num_labels
        self.given_weights = None if label_weights is None else np.asarray(label_weights, self.dtype)
        self.label_weights = None if multi_label else self.given_weights
        self.init_thresholds, self.top_k, self.class_id = thresholds, None, None
        inner = sorted(thresholds) if thresholds is not None else np.linspace(0, 1, num_thresholds)[1:-1].tolist()
        # One threshold below all predictions, one above.
        self.thresholds = [-epsilon(), *inner, 1 + epsilon()]
        self.num_thresholds = len(self.thresholds)
        if not multi_label or num_labels:
            self.columns = num_labels
            self._make(self.thresholds)

    def update_state(self, y_true: object, y_pred: Any, sample_weight: object = None) -> None:
        y_pred = convert_to_tensor(y_pred)
        if self.multi_label:
            require(y_pred.ndim == 2, "`y_pred` must have rank 2 when `multi_label=True`. Found rank "
                    f"{y_pred.ndim}. Full shape received for `y_pred`: {y_pred.shape}")  # fmt: skip
            if self.columns is None:
                self.columns = y_pred.static_shape[1]
                require(self.columns is not None, f"{self.name} needs to know the number of labels: pass num_labels")
                self._make(self.thresholds)
        super().update_state(y_true, sigmoid(y_pred) if self.from_logits else y_pred, sample_weight)

    def result(self) -> Any:
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._mean(self._interpolated())
        x, y = self._gains() if self.curve == "PRGAIN" else self._rates()
        left, right = y[:-1], y[1:]
        if self.summation_method == "interpolation":
            heights = (left + right) / 2
        else:
            heights = (minimum if self.summation_method == "minoring" else maximum)(left, right)
        return self._mean(reduce_sum((x[:-1] - x[1:]) * heights, 0))

    def _rates(self) -> tuple[Any, Any]:
        if self.curve == "PR":
            return self.recall(), self.precision_()
        return divide_no_nan(self.false_positives, self.false_positives + self.true_negatives), self.recall()

    def _gains(self) -> tuple[Any, Any]:
        right, none = self.true_positives, self.true_positives.value() == 0
        scale = divide_no_nan(right + self.false_negatives, self.true_negatives + self.false_positives)
        recall = where(none, 0.0, 1.0 - scale * divide_no_nan(self.false_negatives, right))
        return maximum(recall, 0.0), where(none, 1.0, 1.0 - scale * divide_no_nan(self.false_positives, right))

    def _mean(self, areas: Any) -> Any:
        """The mean of the areas of labels, by their weights."""
        if not self.multi_label:
            return areas
        if self.given_weights is None:
            return reduce_mean(areas)
        return divide_no_nan(reduce_sum(areas * self.given_weights), reduce_sum(self.given_weights))

    def _interpolated(self) -> Any:
        """Between two thresholds the true positives grow linearly with the positives."""
        true, positive = self.true_positives + 0, self.true_positives + self.false_positives
        more_true, more = true[:-1] - true[1:], positive[:-1] - positive[1:]
        slope = divide_no_nan(more_true, maximum(more, 0))
        offset = true[1:] - slope * positive[1:]
        both = (positive[:-1] > 0) & (positive[1:] > 0)
        ratio = where(both, divide_no_nan(positive[:-1], maximum(positive[1:], 0)), 1)
        areas = slope * (more_true + offset * log(ratio))
        return reduce_sum(divide_no_nan(areas, maximum(true[1:] + self.false_negatives[1:], 0)), 0)

    def get_config(self) -> dict[str, Any]:
        weights = None if self.given_weights is None else self.given_weights.tolist()
        own = {"num_thresholds": self.num_thresholds, "curve": self.curve, "summation_method": self.summation_method,
               "multi_label": self.multi_label, "num_labels": self.num_labels, "label_weights": weights,
               "from_logits": self.from_logits}  # fmt: skip
        given = {} if self.init_thresholds is None else {"thresholds": self.thresholds[1:-1]}
        return {**Metric.get_config(self), **own, **given}


class Best(_AllCounts):
    """The greatest of one rate at the thresholds where another one is at least a value."""

    argument: str

    def __init__(
        self, value: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        word = self.argument
        require(0 <= value <= 1, f"Argument `{word}` must be in the range [0, 1]. Received: {word}={value}")
        require(num_thresholds > 0, "Argument `num_thresholds` must be an integer > 0. Received: "
                f"num_thresholds={num_thresholds}")  # fmt: skip
        Metric.__init__(self, dtype, name)
        self.value, self.num_thresholds, self.class_id, self.top_k = value, num_thresholds, class_id, None
        self.thresholds = [0.5] if num_thresholds == 1 else np.linspace(0, 1, num_thresholds).tolist()
        self._make(self.thresholds)

    def _best(self, constrained: Any, wanted: Any) -> Any:
        return reduce_max(where(constrained >= self.value, wanted, 0.0))

    def get_config(self) -> dict[str, Any]:
        return {**Metric.get_config(self), "class_id": self.class_id, "num_thresholds": self.num_thresholds,
                self.argument: self.value}  # fmt: skip


class SensitivityAtSpecificity(Best):
    """The best sensitivity, `TP / (TP + FN)`, at thresholds where the specificity, `TN / (TN + FP)`, is at least so.

    ``num_thresholds``: so many, evenly from 0 to 1; ``class_id``: only this class counts. Raises `ValueError` for a
    specificity outside of `[0, 1]`, and for less than one threshold.
    """

    argument = "specificity"

    def __init__(
        self, specificity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(specificity, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        return self._best(self.specificity_(), self.recall())


class SpecificityAtSensitivity(Best):
    """The best specificity, `TN / (TN + FP)`, at thresholds where the sensitivity, `TP / (TP + FN)`, is at least so.

    Else as `SensitivityAtSpecificity`.
    """

    argument = "sensitivity"

    def __init__(
        self, sensitivity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        return self._best(self.recall(), self.specificity_())


class PrecisionAtRecall(Best):
    """The best precision, `TP / (TP + FP)`, at thresholds where the recall, `TP / (TP + FN)`, is at least so.

    Else as `SensitivityAtSpecificity`.
    """

    argument = "recall"

    def __init__(
        self, recall: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(recall, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        return self._best(self.recall(), self.precision_())


class RecallAtPrecision(Best):
    """The best recall, `TP / (TP + FN)`, at thresholds where the precision, `TP / (TP + FP)`, is at least so.

    Else as `SensitivityAtSpecificity`.
    """

    argument = "precision"

    def __init__(
        self, precision: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(precision, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        return self._best(self.precision_(), self.recall())
