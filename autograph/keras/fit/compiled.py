"""What `compile` makes of losses and metrics: for one output, or for each of several."""

from __future__ import annotations

import re
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest

from .. import losses as losses_module
from .. import metrics as metrics_module
from ..base.registry import snake_case
from ..base.staging import converted_call
from ..formulas.reduction import of_one_replica
from ..metrics import Mean, Metric

__all__ = ["BY_SHAPE", "CompiledLosses", "CompiledMetrics"]


class CompiledLosses:
    """The losses of a model's outputs and their weighted sum.

    Parameters
    ----------
    loss: a loss for all outputs, or a list or dict of them in the structure of the outputs; None for none.
    loss_weights: factors, in the same structure.
    names: of the outputs, where a model has several by name.
    """

    def __init__(self, loss: object, loss_weights: object = None, names: list[str] | None = None) -> None:
        self.loss = loss
        self.weights = loss_weights
        self.names = names
        self._single = not nest.is_nested(loss)
        self._made: list[Any] | None = None
        self.trackers: list[Mean] = []

    def _make(self, outputs: object, count: int) -> list[tuple[Any, float]]:
        if self._made is None:
            given = per_output(self.loss, outputs, count, self.names, "losses")
            weights = per_output(self.weights, outputs, count, self.names, "loss weights")
            made = [_loss(each) for each in given]
            self._made = [(each, 1.0 if weight is None else weight) for each, weight in zip(made, weights, strict=True)]
        return self._made

    def __call__(self, y: object, outputs: object, sample_weight: object) -> Any:
        """The weighted sum of the losses, None when there is none."""
        predicted = nest.flatten(outputs)
        targets = targets_for(y, outputs, self.names)
        weights = targets_for(sample_weight, outputs, self.names)
        total = None
        values = []
        for (loss, factor), target, output, weight in zip(
            self._make(outputs, len(predicted)), targets, predicted, weights, strict=True
        ):
            if loss is None:
                continue
            value = loss(target, output, weight)
            values.append(value)
            value = value if factor == 1.0 else value * factor
            total = value if total is None else total + value
        self._track(values, predicted)
        return total

    def _track(self, values: list[Any], predicted: list[Any]) -> None:
        if len(predicted) == 1 or len(values) < 2:
            return
        if not self.trackers:
            names = self.names or [f"output_{number}" for number in range(len(predicted))]
            used = [name for name, (loss, _) in zip(names, self._made or (), strict=True) if loss is not None]
            self.trackers = [Mean(name=f"{name}_loss") for name in used]
        for tracker, value in zip(self.trackers, values, strict=True):
            tracker.update_state(of_one_replica(value))


class CompiledMetrics(Metric):
    """The metrics of a model's outputs as one; made when the first outputs are known.

    `result` is a dict: results by name; of names that several metrics have, the later ones get a number.
    """

    def __init__(self, metrics: object, weighted_metrics: object = None, names: list[str] | None = None) -> None:
        super().__init__(name="compile_metrics")
        self.given = metrics
        self.given_weighted = weighted_metrics
        self.names = names
        self._made: list[tuple[int, Metric, str, bool]] | None = None

    @property
    def metrics(self) -> list[Metric]:
        """The metrics, as far as they are made."""
        return [metric for _, metric, _, _ in self._made or ()]

    @property
    def variables(self) -> list[Any]:
        return [variable for metric in self.metrics for variable in metric.variables]

    def reset_state(self) -> None:
        for metric in self.metrics:
            metric.reset_state()

    def _make(self, targets: list[Any], outputs: object) -> list[tuple[int, Metric, str, bool]]:
        if self._made is None:
            predicted = nest.flatten(outputs)
            names = self.names or [f"output_{number}" for number in range(len(predicted))]
            made: list[tuple[int, Metric, str, bool]] = []
            for given, weighted in ((self.given, False), (self.given_weighted, True)):
                lists = metric_lists(given, outputs, len(predicted), self.names)
                for number, each in enumerate(lists):
                    for identifier in each:
                        metric = _metric(identifier, targets[number], predicted[number])
                        name = metric.name if len(predicted) == 1 else f"{names[number]}_{metric.name}"
                        if weighted and any(name == known for _, _, known, _ in made):
                            name = f"weighted_{name}"
                        made.append((number, metric, name, weighted))
            self._made = made
        return self._made

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: object = None) -> None:
        """Take the targets and outputs of a batch into account; weights of samples count for weighted metrics."""
        targets = targets_for(y_true, y_pred, self.names)
        weights = targets_for(sample_weight, y_pred, self.names)
        predicted = nest.flatten(y_pred)
        for number, metric, _, weighted in self._make(targets, y_pred):
            if targets[number] is not None:
                update = converted_call(metric.update_state)
                update(targets[number], predicted[number], sample_weight=weights[number] if weighted else None)

    def by_name(self) -> dict[str, Metric]:
        """The metrics by the names of their results."""
        found: dict[str, Metric] = {}
        for _, metric, name, _ in self._made or ():
            unique, number = name, 1
            while unique in found:
                unique, number = f"{name}_{number}", number + 1
            found[unique] = metric
        return found

    def result(self) -> dict[str, Any]:
        return {name: metric.result() for name, metric in self.by_name().items()}


def per_output(value: object, outputs: object, count: int, names: list[str] | None, what: str) -> list[Any]:
    """One thing for each output. Raises `InvalidArgumentError` for a list of another length, or unknown names."""
    if isinstance(value, dict):
        keys = sorted(outputs) if isinstance(outputs, dict) else names or []
        unknown = value.keys() - set(keys)
        if unknown:
            raise InvalidArgumentError(f"there are {what} for {sorted(unknown)}, but the outputs are {keys}")
        return [value.get(key) for key in keys]
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise InvalidArgumentError(f"there are {len(value)} {what} for {count} outputs")
        return list(value)
    return [value] * count


def metric_lists(value: object, outputs: object, count: int, names: list[str] | None) -> list[list[Any]]:
    """The metrics for each output; a flat list is for a single output."""
    if value is None:
        return [[] for _ in range(count)]
    if isinstance(value, dict):
        found = per_output(value, outputs, count, names, "metrics")
    elif count == 1:
        found = [value]
    elif isinstance(value, (list, tuple)) and len(value) == count:
        found = list(value)
    else:
        raise InvalidArgumentError(
            f"a model with {count} outputs takes a list of {count} lists of metrics, or a dict, not {value!r}"
        )
    return [[] if each is None else list(each) if isinstance(each, (list, tuple)) else [each] for each in found]


def targets_for(value: object, outputs: object, names: list[str] | None) -> list[Any]:
    """The targets (or weights) of each output; None where there are none."""
    count = len(nest.flatten(outputs))
    if value is None:
        return [None] * count
    if isinstance(value, dict):
        keys = sorted(outputs) if isinstance(outputs, dict) else names or []
        return [value.get(key) for key in keys]
    if count == 1:
        return [value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value]
    leaves = nest.flatten(value)
    if len(leaves) != count:
        raise InvalidArgumentError(f"there are targets for {len(leaves)} outputs, but the model has {count}")
    return leaves


def _loss(identifier: Any) -> Any:
    """A loss that takes targets, outputs and weights, and gives a scalar; None for None."""
    found = losses_module.get(identifier)
    if found is None or isinstance(found, losses_module.Loss):
        return found
    return losses_module.LossFunctionWrapper(found, name=getattr(found, "__name__", None))


BY_SHAPE = {
    "accuracy": ("BinaryAccuracy", "SparseCategoricalAccuracy", "CategoricalAccuracy"),
    "acc": ("BinaryAccuracy", "SparseCategoricalAccuracy", "CategoricalAccuracy"),
    "crossentropy": ("BinaryCrossentropy", "SparseCategoricalCrossentropy", "CategoricalCrossentropy"),
    "ce": ("BinaryCrossentropy", "SparseCategoricalCrossentropy", "CategoricalCrossentropy"),
}


def _metric(identifier: Any, target: object, output: object) -> Metric:
    """A metric; ``"accuracy"`` and ``"crossentropy"`` are of the kind that targets and outputs ask for."""
    if isinstance(identifier, str) and identifier.lower() in BY_SHAPE:
        binary, sparse, categorical = BY_SHAPE[identifier.lower()]
        chosen = _kind(target, output, binary, sparse, categorical)
        return getattr(metrics_module, chosen)(name=identifier)
    found = metrics_module.get(identifier)
    if isinstance(found, Metric):
        if isinstance(identifier, str):
            found.name = identifier
        return found
    if not isinstance(identifier, str):
        identifier = snake_case(re.sub(r"\W", "", getattr(found, "__name__", type(found).__name__)))
    return metrics_module.MeanMetricWrapper(found, name=identifier)


def _kind(target: Any, output: Any, binary: str, sparse: str, categorical: str) -> str:
    wanted, given = output.static_shape, None if target is None else target.static_shape
    if wanted is not None and (len(wanted) == 1 or wanted[-1] == 1):
        return binary
    if wanted is not None and given is not None and (len(given) < len(wanted) or given[-1] == 1):
        return sparse
    return categorical
