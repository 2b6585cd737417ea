"""Metrics: what a model is judged by. Means of accuracies and of losses, and counts of right and wrong predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import sqrt, square
from autograph.tracebacks import leaving

from .base.registry import Registry, snake_case
from .formulas import accuracies
from .formulas import loss_functions as losses
from .formulas.accuracies import *  # noqa: F403
from .formulas.confusion import FalseNegatives, FalsePositives, Precision, Recall, TrueNegatives, TruePositives
from .formulas.curves import (
    AUC,
    PrecisionAtRecall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
)
from .formulas.fits import (
    ConcordanceCorrelation,
    PearsonCorrelation,
    R2Score,
    concordance_correlation,
    pearson_correlation,
)
from .formulas.loss_functions import *  # noqa: F403
from .formulas.metric import Mean, MeanMetricWrapper, Metric, Sum
from .formulas.reduction import same_rank
from .formulas.scores import BinaryIoU, F1Score, FBetaScore, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, TensorLike

__all__ = [
    "AUC", "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "BinaryIoU", "CategoricalAccuracy",
    "CategoricalCrossentropy", "CategoricalHinge", "ConcordanceCorrelation", "CosineSimilarity", "F1Score",
    "FBetaScore", "FalseNegatives", "FalsePositives", "Hinge", "IoU", "KLDivergence", "LogCoshError",
    "Mean", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanIoU",
    "MeanMetricWrapper", "MeanSquaredError", "MeanSquaredLogarithmicError", "Metric", "OneHotIoU", "OneHotMeanIoU",
    "PearsonCorrelation", "Poisson", "Precision", "PrecisionAtRecall", "R2Score", "Recall", "RecallAtPrecision",
    "RootMeanSquaredError", "SensitivityAtSpecificity", "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy",
    "SpecificityAtSensitivity", "SparseTopKCategoricalAccuracy", "SquaredHinge", "Sum", "TopKCategoricalAccuracy",
    "TrueNegatives", "TruePositives", "concordance_correlation", "deserialize", "get", "pearson_correlation",
    "serialize", *accuracies.__all__, *losses.__all__,
]  # fmt: skip
__dir__ = __all__.copy


# Accuracies.


class Accuracy(MeanMetricWrapper):
    """How often labels and predictions are equal."""

    def __init__(self, name: str = "accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(accuracies.accuracy, name, dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """How often labels of 0 and 1 are those of the predictions, which are 1 above the threshold."""

    def __init__(self, name: str = "binary_accuracy", dtype: DTypeLike | None = None, threshold: float = 0.5) -> None:
        super().__init__(accuracies.binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """How often the class of the greatest prediction is that of the one-hot label."""

    def __init__(self, name: str = "categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(accuracies.categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """How often the class of the greatest prediction is the label, a number."""

    def __init__(self, name: str = "sparse_categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(accuracies.sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the class of the one-hot label is among the `k` greatest predictions."""

    def __init__(self, k: int = 5, name: str = "top_k_categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(accuracies.top_k_categorical_accuracy, name, dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the label, the number of a class, is among the `k` greatest predictions."""

    def __init__(
        self, k: int = 5, name: str = "sparse_top_k_categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(accuracies.sparse_top_k_categorical_accuracy, name, dtype, k=k)


# Losses as metrics.


class RootMeanSquaredError(Mean):
    """The square root of the mean of `(y_true - y_pred) ** 2`."""

    def __init__(self, name: str = "root_mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: object = None) -> None:  # type: ignore[override]
        y_true, y_pred = same_rank(cast(y_true, self.dtype), cast(y_pred, self.dtype))
        super().update_state(square(y_pred - y_true), sample_weight)

    def result(self) -> Any:
        return sqrt(super().result())


class CosineSimilarity(MeanMetricWrapper):
    """The cosine of the angle between labels and predictions along `axis`: 1 where they have one direction."""

    def __init__(self, name: str = "cosine_similarity", dtype: DTypeLike | None = None, axis: int = -1) -> None:
        super().__init__(_cosine, name, dtype, axis=axis)


def _cosine(y_true: TensorLike, y_pred: TensorLike, axis: int) -> Any:
    return -losses.cosine_similarity(y_true, y_pred, axis)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean of `binary_crossentropy`."""

    def __init__(
        self, name: str = "binary_crossentropy", dtype: DTypeLike | None = None, from_logits: bool = False,
        label_smoothing: float = 0
    ) -> None:  # fmt: skip
        super().__init__(losses.binary_crossentropy, name, dtype, from_logits=from_logits,
                         label_smoothing=label_smoothing)  # fmt: skip


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean of `categorical_crossentropy`."""

    def __init__(
        self, name: str = "categorical_crossentropy", dtype: DTypeLike | None = None, from_logits: bool = False,
        label_smoothing: float = 0, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(losses.categorical_crossentropy, name, dtype, from_logits=from_logits,
                         label_smoothing=label_smoothing, axis=axis)  # fmt: skip


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean of `sparse_categorical_crossentropy`."""

    def __init__(
        self, name: str = "sparse_categorical_crossentropy", dtype: DTypeLike | None = None, from_logits: bool = False,
        ignore_class: int | None = None, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(losses.sparse_categorical_crossentropy, name, dtype, from_logits=from_logits,
                         ignore_class=ignore_class, axis=axis)  # fmt: skip


def _mean_of(class_name: str, function: Callable[..., Any], name: str) -> Any:
    """The metric class that is the mean of a loss function without settings."""

    def __init__(self: Any, name: str = name, dtype: Any = None) -> None:
        MeanMetricWrapper.__init__(self, function, name, dtype)

    members = {"__init__": __init__, "__doc__": f"The mean of `{function.__name__}`.", "__module__": __name__}
    return type(class_name, (MeanMetricWrapper,), members)


MeanSquaredError = _mean_of("MeanSquaredError", losses.mean_squared_error, "mean_squared_error")
MeanAbsoluteError = _mean_of("MeanAbsoluteError", losses.mean_absolute_error, "mean_absolute_error")
MeanAbsolutePercentageError = _mean_of(
    "MeanAbsolutePercentageError", losses.mean_absolute_percentage_error, "mean_absolute_percentage_error"
)
MeanSquaredLogarithmicError = _mean_of(
    "MeanSquaredLogarithmicError", losses.mean_squared_logarithmic_error, "mean_squared_logarithmic_error"
)
LogCoshError = _mean_of("LogCoshError", losses.log_cosh, "logcosh")
Hinge = _mean_of("Hinge", losses.hinge, "hinge")
SquaredHinge = _mean_of("SquaredHinge", losses.squared_hinge, "squared_hinge")
CategoricalHinge = _mean_of("CategoricalHinge", losses.categorical_hinge, "categorical_hinge")
KLDivergence = _mean_of("KLDivergence", losses.kl_divergence, "kl_divergence")
Poisson = _mean_of("Poisson", losses.poisson, "poisson")

_CLASSES = [
    AUC, Accuracy, BinaryAccuracy, BinaryCrossentropy, CategoricalAccuracy, CategoricalCrossentropy, CategoricalHinge,
    CosineSimilarity, F1Score, FBetaScore, FalseNegatives, FalsePositives, Hinge, IoU, KLDivergence, LogCoshError,
    Mean, MeanAbsoluteError, MeanAbsolutePercentageError, MeanIoU, MeanMetricWrapper, MeanSquaredError,
    MeanSquaredLogarithmicError, OneHotIoU, OneHotMeanIoU, Poisson, Precision, Recall, RootMeanSquaredError,
    SparseCategoricalAccuracy, SparseCategoricalCrossentropy, SparseTopKCategoricalAccuracy, SquaredHinge, Sum,
    TopKCategoricalAccuracy, TrueNegatives, TruePositives, BinaryIoU, ConcordanceCorrelation, PearsonCorrelation,
    PrecisionAtRecall, R2Score, RecallAtPrecision, SensitivityAtSpecificity, SpecificityAtSensitivity,
]  # fmt: skip
_BY_FUNCTION = {snake_case(each.__name__): each for each in _CLASSES}
_SHORT = {name: _BY_FUNCTION[function.__name__] for name, function in losses.SHORT.items()}
_SHORT |= {name.upper(): metric for name, metric in _SHORT.items()}
registry = Registry("metric", "keras.metrics", _CLASSES, aliases=_SHORT)

get = registry.get
serialize = registry.serialize
deserialize = registry.deserialize
leaving.public_module(__name__)
