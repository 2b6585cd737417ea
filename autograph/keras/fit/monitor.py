"""`Monitor`: the base of callbacks that watch one of the losses or metrics."""

from __future__ import annotations

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.places import warn

from .. import metrics
from ..formulas import confusion, curves, fits, scores
from .callback import Callback, Logs
from .compiled import CompiledMetrics

__all__ = ["Monitor"]

# Metrics of which a larger value is better, and of which a smaller one is; of counts and sums neither is known.
_UP = (
    curves.AUC, curves.Best, confusion.Precision, confusion.Recall, scores.FBetaScore, scores.IoU, fits.R2Score,
    fits.PearsonCorrelation, fits.ConcordanceCorrelation, metrics.Accuracy,
    metrics.BinaryAccuracy, metrics.CategoricalAccuracy, metrics.CosineSimilarity, metrics.SparseCategoricalAccuracy,
    metrics.SparseTopKCategoricalAccuracy, metrics.TopKCategoricalAccuracy,
)  # fmt: skip
_DOWN = (
    metrics.BinaryCrossentropy, metrics.CategoricalCrossentropy, metrics.CategoricalHinge, metrics.Hinge,
    metrics.KLDivergence, metrics.LogCoshError, metrics.MeanAbsoluteError, metrics.MeanAbsolutePercentageError,
    metrics.MeanSquaredError, metrics.MeanSquaredLogarithmicError, metrics.Poisson, metrics.RootMeanSquaredError,
    metrics.SparseCategoricalCrossentropy, metrics.SquaredHinge,
)  # fmt: skip


class Monitor(Callback):
    """A callback that watches a value: ``mode`` "min" or "max" says which is better, "auto" what the metric is."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            warn(f"mode {mode!r} is unknown, falling back to 'auto'")
            mode = "auto"
        self.monitor = monitor
        self.mode = mode
        self.min_delta = abs(min_delta)

    def is_better(self, value: float, than: float | None) -> bool:
        """Whether a value is better than another by more than ``min_delta``."""
        if than is None:
            return True
        mode = self._mode_of_metric() if self.mode == "auto" else self.mode
        return value - self.min_delta > than if mode == "max" else value + self.min_delta < than

    def _mode_of_metric(self) -> str:
        name = self.monitor.removeprefix("val_")
        if name == "loss" or name.endswith("_loss"):
            return "min"
        for metric in self.model.metrics:
            found = metric.by_name().get(name) if isinstance(metric, CompiledMetrics) else metric
            if isinstance(metric, CompiledMetrics) or metric.name == name:
                if isinstance(found, _UP):
                    return "max"
                if isinstance(found, _DOWN):
                    return "min"
        raise InvalidArgumentError(
            f"{type(self).__name__} callback received monitor={self.monitor}, but it isn't known whether that metric "
            "should be maximized or minimized",
            remedy="pass mode='max' to monitor the highest value, or mode='min' to monitor the lowest one",
        )

    def value(self, logs: Logs) -> float | None:
        """The watched value; a warning and None when there is none."""
        found = (logs or {}).get(self.monitor)
        if found is None:
            warn(
                f"{type(self).__name__} conditioned on metric `{self.monitor}` which is not available. Available "
                f"metrics are: {','.join(logs or {})}",
            )
        elif self.mode == "auto":
            self._mode_of_metric()  # at the first value, not when there is another to compare it with
        return found
