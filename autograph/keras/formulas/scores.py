"""Metrics of classes as a whole: F scores, and intersections over unions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.places import warn
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import absolute, divide_no_nan, logical_and
from autograph.runtime.ops.linalg.diagonals import diag_part
from autograph.runtime.ops.reduce.counts import confusion_matrix
from autograph.runtime.ops.reduce.reduce import argmax, reduce_max, reduce_mean, reduce_sum
from autograph.runtime.ops.shape.create import ones_like
from autograph.runtime.ops.shape.gather import gather
from autograph.runtime.ops.shape.shape import expand_dims, reshape
from autograph.runtime.tensors.convert import convert_to_tensor

from ..base.defaults import epsilon
from .metric import Metric

__all__ = ["BinaryIoU", "F1Score", "FBetaScore", "IoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU"]


class FBetaScore(Metric):
    """``(1 + beta ** 2) * P * R / (beta ** 2 * P + R)`` of precision P and recall R.

    Labels (samples, classes) are 0 and 1, predictions (samples, classes) numbers.

    Parameters
    ----------
    average: None for a score of each class; "micro" for one of all labels together, "macro" for the mean over classes,
        "weighted" for that by the number of labels of a class.
    beta: how much more recall counts than precision.
    threshold: predictions above it are positive; left out, the greatest of each sample is.

    Raises `InvalidArgumentError` for other settings, and for labels or predictions of another rank than 2.
    """

    def __init__(
        self, average: str | None = None, beta: float = 1.0, threshold: float | None = None, name: str = "fbeta_score",
        dtype: Any = None
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if average not in (None, "micro", "macro", "weighted"):
            raise InvalidArgumentError("Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', "
                                       f"'weighted'}}. Received: average={average}")  # fmt: skip
        if not isinstance(beta, float) or beta <= 0:
            raise InvalidArgumentError(
                f"Invalid `beta` argument value. It should be a Python float > 0. Received: beta={beta}"
            )
        if threshold is not None and not (isinstance(threshold, float) and 0 < threshold <= 1):
            raise InvalidArgumentError("Invalid `threshold` argument value. It should verify 0 < threshold <= 1. "
                                       f"Received: threshold={threshold}")  # fmt: skip
        self.average, self.beta, self.threshold = average, beta, threshold
        self._sums: Any = None

    def _build(self, classes: object) -> None:
        if classes is None:
            raise InvalidArgumentError(f"{self.name} needs to know the number of classes")
        size = () if self.average == "micro" else (classes,)
        names = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")
        self._sums = [self.add_variable(size, "zeros", name=name) for name in names]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true, y_pred = cast(y_true, self.dtype), cast(y_pred, self.dtype)
        if y_true.ndim != 2 or y_pred.ndim != 2:
            raise InvalidArgumentError(
                "FBetaScore expects 2D inputs with shape (batch_size, output_dim), with output_dim fully defined "
                f"(not None). Received: y_true.shape={y_true.shape} and y_pred.shape={y_pred.shape}"
            )
        if self._sums is None:
            self._build(y_pred.static_shape[1])
        if self.threshold is None:
            positive = logical_and(y_pred >= reduce_max(y_pred, -1, keepdims=True), absolute(y_pred) > 1e-9)
        else:
            positive = y_pred > self.threshold
        found = cast(positive, self.dtype)
        weight = 1.0 if sample_weight is None else expand_dims(cast(sample_weight, self.dtype), 1)
        axis = None if self.average == "micro" else 0
        parts = (found * y_true, found * (1 - y_true), (1 - found) * y_true, y_true)
        for variable, part in zip(self._sums, parts, strict=True):
            variable.assign_add(reduce_sum(part * weight, axis))

    def result(self) -> Any:
        if self._sums is None:
            raise InvalidArgumentError(f"{self.name} has seen nothing yet")
        right, wrong, missed, labels = [each.value() for each in self._sums]
        precision, recall = right / (right + wrong + epsilon()), right / (right + missed + epsilon())
        beta = self.beta**2
        score = precision * recall / (beta * precision + recall + epsilon()) * (1 + beta)
        if self.average == "weighted":
            return reduce_sum(score * labels / (reduce_sum(labels) + epsilon()))
        return reduce_mean(score) if self.average is not None else score

    def reset_state(self) -> None:
        if self._sums is not None:
            super().reset_state()

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "average": self.average, "beta": self.beta, "threshold": self.threshold}


class F1Score(FBetaScore):
    """`FBetaScore` with a beta of 1: the harmonic mean of precision and recall."""

    def __init__(
        self, average: str | None = None, threshold: float | None = None, name: str = "f1_score", dtype: Any = None
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self) -> dict[str, Any]:
        return {name: value for name, value in super().get_config().items() if name != "beta"}


class IoU(Metric):
    """The mean over some classes of intersections over unions: ``TP / (TP + FP + FN)``, of classes that are there.

    Parameters
    ----------
    num_classes: their number.
    target_class_ids: those that count.
    ignore_class: a label that does not count.
    dtype: int64 when left out; weights of samples are cast to it.
    sparse_y_true, sparse_y_pred: whether labels and predictions are numbers of classes; else the greatest along
        ``axis`` tells the class.

    Raises `InvalidArgumentError` for a class that is not one of ``num_classes``.
    """

    def __init__(
        self, num_classes: int, target_class_ids: Sequence[int], name: str | None = None, dtype: Any = None,
        ignore_class: int | None = None, sparse_y_true: bool = True, sparse_y_pred: bool = True, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(dtype or "int64", name)
        if max(target_class_ids) >= num_classes:
            raise InvalidArgumentError(
                f"Target class id {max(target_class_ids)} is out of range, which is [0, {num_classes})."
            )
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        self.total_cm = self.add_variable((num_classes, num_classes), "zeros", name="total_confusion_matrix")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        labels = y_true if self.sparse_y_true else argmax(y_true, self.axis)
        found = y_pred if self.sparse_y_pred else argmax(y_pred, self.axis)
        labels, found = (reshape(cast(each, "int64"), [-1]) for each in (labels, found))
        weight = ones_like(labels, "float32")
        if sample_weight is not None:
            given = convert_to_tensor(sample_weight)
            if given.dtype.is_floating and "int" in self.dtype:
                warn("IoU counts in integers, to which the floating weights of samples are cast: pass dtype='float32'")
            weight = reshape(cast(cast(given, self.dtype), "float32"), [-1])
        if self.ignore_class is not None:
            counts = labels != self.ignore_class
            labels, found = where(counts, labels, 0), where(counts, found, 0)
            weight = where(counts, weight, 0.0)
        self.total_cm.assign_add(confusion_matrix(labels, found, self.num_classes, weight, "float32"))

    def result(self) -> Any:
        table = self.total_cm.value()
        right = diag_part(table)
        union = reduce_sum(table, 0) + reduce_sum(table, 1) - right
        right, union = gather(right, self.target_class_ids), gather(union, self.target_class_ids)
        there = reduce_sum(cast(union > 0, "float32"))
        return divide_no_nan(reduce_sum(right / (union + epsilon())), there)

    def get_config(self) -> dict[str, Any]:
        names = ("num_classes", "target_class_ids", "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


class MeanIoU(IoU):
    """`IoU` of all classes."""

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: Any = None, ignore_class: int | None = None,
        sparse_y_true: bool = True, sparse_y_pred: bool = True, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(
            num_classes, range(num_classes), name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis
        )

    def get_config(self) -> dict[str, Any]:
        return {name: value for name, value in super().get_config().items() if name != "target_class_ids"}


class BinaryIoU(IoU):
    """`IoU` of two classes: labels of 0 and 1, and predictions, which are 1 from the threshold on."""

    def __init__(
        self, target_class_ids: Sequence[int] = (0, 1), threshold: float = 0.5, name: str | None = None,
        dtype: Any = None
    ) -> None:  # fmt: skip
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        super().update_state(y_true, cast(cast(y_pred, "float32") >= self.threshold, "int64"), sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {"target_class_ids": self.target_class_ids, "threshold": self.threshold, "name": self.name,
                "dtype": self.dtype}  # fmt: skip


class OneHotIoU(IoU):
    """`IoU` of one-hot labels."""

    def __init__(
        self, num_classes: int, target_class_ids: Sequence[int], name: str | None = None, dtype: Any = None,
        ignore_class: int | None = None, sparse_y_pred: bool = False, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        return {name: value for name, value in super().get_config().items() if name != "sparse_y_true"}


class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` of one-hot labels."""

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: Any = None, ignore_class: int | None = None,
        sparse_y_pred: bool = False, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        return {name: value for name, value in super().get_config().items() if name != "sparse_y_true"}
