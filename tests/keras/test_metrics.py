"""Metrics are what their formulas say over all that they have seen, eagerly and in traced functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.keras import losses, metrics

random = np.random.default_rng(1)
TRUE, FREE = random.random((6, 3)), 2 * random.standard_normal((6, 3))
BINARY = (random.random((6, 3)) > 0.4).astype(float)
PREDICTED = np.round(0.05 + 0.9 * random.random((6, 3)), 2)
SPARSE = np.array([0, 2, 1, 1, 2, 0])
ONE_HOT = np.eye(3)[SPARSE]
WEIGHTS = np.array([0.5, 2.0, 0.0, 1.0, 3.0, 0.25])
# The labels that a metric takes, where they are not numbers of any size.
LABELS: dict[str, Any] = {
    "BinaryCrossentropy": (BINARY, PREDICTED), "CategoricalCrossentropy": (ONE_HOT, PREDICTED),
    "SparseCategoricalCrossentropy": (SPARSE, PREDICTED), "Hinge": (BINARY, FREE), "SquaredHinge": (BINARY, FREE),
    "CategoricalHinge": (ONE_HOT, FREE), "KLDivergence": (TRUE, PREDICTED), "Poisson": (TRUE, PREDICTED),
    "MeanSquaredLogarithmicError": (TRUE, PREDICTED),
}  # fmt: skip
MEANS = ["MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "LogCoshError", "CosineSimilarity",
         *LABELS]  # fmt: skip


def updated(metric: Any, staged: bool) -> Any:
    return tf.function(metric.update_state) if staged else metric.update_state


def seen(metric: Any, staged: bool, *batches: Any) -> Any:
    """The result after some batches."""
    update = updated(metric, staged)
    for batch in batches:
        update(*[tf.constant(np.asarray(x)) for x in batch])
    return np.asarray(metric.result())


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", MEANS)
def test_means_of_losses(name: str, staged: bool) -> None:
    true, predicted = LABELS.get(name, (TRUE, FREE))
    function = losses.get({"LogCoshError": "LogCosh"}.get(name, name)).fn
    values = np.asarray(function(true, predicted)) * (-1 if name == "CosineSimilarity" else 1)
    metric = getattr(metrics, name)()
    got = seen(metric, staged, (true[:4], predicted[:4]), (true[4:], predicted[4:]))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, values.mean(), rtol=1e-5)
    metric.reset_state()
    assert float(metric.result()) == 0
    got = seen(metric, staged, (true[:4], predicted[:4], WEIGHTS[:4]), (true[4:], predicted[4:], WEIGHTS[4:]))
    np.testing.assert_allclose(got, (values * WEIGHTS).sum() / WEIGHTS.sum(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("staged", [False, True])
def test_root_mean_squared_error(staged: bool) -> None:
    squares = (TRUE - FREE) ** 2
    got = seen(metrics.RootMeanSquaredError(), staged, (TRUE[:4], FREE[:4]), (TRUE[4:], FREE[4:]))
    np.testing.assert_allclose(got, np.sqrt(squares.mean()), rtol=1e-5)


RIGHT: dict[str, tuple[Any, Any, dict[str, Any], Any]] = {
    "Accuracy": (SPARSE, [0, 1, 1, 1, 2, 2], {}, [1, 0, 1, 1, 1, 0]),
    "BinaryAccuracy": (BINARY, PREDICTED, {"threshold": 0.3}, ((PREDICTED > 0.3) == BINARY).mean(-1)),
    "CategoricalAccuracy": (ONE_HOT, PREDICTED, {}, PREDICTED.argmax(-1) == SPARSE),
    "SparseCategoricalAccuracy": (SPARSE, PREDICTED, {}, PREDICTED.argmax(-1) == SPARSE),
    "TopKCategoricalAccuracy": (ONE_HOT, PREDICTED, {"k": 2}, PREDICTED.argmin(-1) != SPARSE),
    "SparseTopKCategoricalAccuracy": (SPARSE, PREDICTED, {"k": 2}, PREDICTED.argmin(-1) != SPARSE),
}


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", RIGHT)
def test_accuracies(name: str, staged: bool) -> None:
    true, predicted, settings, right = RIGHT[name]
    right = np.asarray(right, float)
    assert 0 < right.mean() < 1
    metric = getattr(metrics, name)(**settings)
    np.testing.assert_allclose(seen(metric, staged, (true, predicted)), right.mean(), rtol=1e-6)
    metric.reset_state()
    got = seen(metric, staged, (true, predicted, WEIGHTS))
    np.testing.assert_allclose(got, (right * WEIGHTS).sum() / WEIGHTS.sum(), rtol=1e-6)
    assert metric.get_config() == {"name": metric.name, "dtype": "float32", **settings}


def test_accuracies_as_functions() -> None:
    right = (PREDICTED.argmax(-1) == SPARSE).astype(np.float32)
    for got in (
        metrics.sparse_categorical_accuracy(SPARSE, PREDICTED), metrics.categorical_accuracy(ONE_HOT, PREDICTED),
        metrics.sparse_categorical_accuracy(SPARSE[:, None], PREDICTED),
        metrics.sparse_top_k_categorical_accuracy(SPARSE, PREDICTED, k=1),
        metrics.top_k_categorical_accuracy(ONE_HOT, PREDICTED, k=1),
    ):  # fmt: skip
        assert got.dtype == tf.float32 and np.asarray(got).tolist() == right.tolist()
    grid = metrics.sparse_categorical_accuracy(SPARSE.reshape(3, 2), PREDICTED.reshape(3, 2, 3))
    assert np.asarray(grid).tolist() == right.reshape(3, 2).tolist()
    assert np.asarray(metrics.binary_accuracy([1, 0], [[0.7], [0.9]])).tolist() == [[1], [0]]


def counts(threshold: float, weights: Any = 1.0) -> dict[str, float]:
    positive, true = PREDICTED > threshold, BINARY > 0
    both = {"true_positives": positive & true, "false_positives": positive & ~true,
            "true_negatives": ~positive & ~true, "false_negatives": ~positive & true}  # fmt: skip
    return {name: float((cells * np.reshape(weights, (-1, 1))).sum()) for name, cells in both.items()}


@pytest.mark.parametrize("staged", [False, True])
def test_counts(staged: bool) -> None:
    for key in ("true_positives", "false_positives", "true_negatives", "false_negatives"):
        cls = type(metrics.get(key))
        got = seen(cls(), staged, (BINARY[:2], PREDICTED[:2]), (BINARY[2:], PREDICTED[2:]))
        assert got == counts(0.5)[key]
        got = seen(cls([0.7, 0.2]), staged, (BINARY, PREDICTED, WEIGHTS))
        np.testing.assert_allclose(got, [counts(t, WEIGHTS)[key] for t in (0.7, 0.2)])


@pytest.mark.parametrize("staged", [False, True])
def test_precision_and_recall(staged: bool) -> None:
    for threshold in (0.5, 0.3):
        n = counts(threshold, WEIGHTS)
        precision, recall = metrics.Precision(threshold), metrics.Recall(threshold)
        assert float(precision.result()) == 0
        got = [seen(m, staged, (BINARY, PREDICTED, WEIGHTS)) for m in (precision, recall)]
        tp = n["true_positives"]
        np.testing.assert_allclose(got, [tp / (tp + n["false_positives"]), tp / (tp + n["false_negatives"])])
    best = PREDICTED.argmax(-1)
    got = seen(metrics.Precision(top_k=1), staged, (ONE_HOT, PREDICTED))
    np.testing.assert_allclose(got, (best == SPARSE).mean())
    got = seen(metrics.Recall(class_id=1), staged, (BINARY, PREDICTED))
    true, positive = BINARY[:, 1] > 0, PREDICTED[:, 1] > 0.5
    np.testing.assert_allclose(got, (true & positive).sum() / true.sum())


def area(x: Any, y: Any, method: str) -> float:
    left, right = y[:-1], y[1:]
    heights = {"interpolation": (left + right) / 2, "minoring": np.minimum(left, right),
               "majoring": np.maximum(left, right)}[method]  # fmt: skip
    return float(((x[:-1] - x[1:]) * heights).sum())


@pytest.mark.parametrize("method", ["interpolation", "minoring", "majoring"])
@pytest.mark.parametrize("staged", [False, True])
def test_areas(staged: bool, method: str) -> None:
    cells = [counts(t) for t in (-1, 0.25, 0.5, 0.75, 2)]
    tp, fp, tn, fn = (np.array([c[k] for c in cells]) for k in cells[0])
    rate = tp / (tp + fn)
    got = seen(metrics.AUC(5, summation_method=method), staged, (BINARY, PREDICTED))
    np.testing.assert_allclose(got, area(fp / (fp + tn), rate, method), rtol=1e-5)
    got = seen(metrics.AUC(curve="PR", summation_method=method, thresholds=[0.5, 0.25, 0.75]), staged,
               (BINARY, PREDICTED))  # fmt: skip
    if method != "interpolation":
        precision = tp / np.maximum(tp + fp, 1)
        np.testing.assert_allclose(got, area(rate, precision, method), rtol=1e-5)
        return
    # Davis & Goadrich, 2006: between two points true positives are linear in positives, t = a + b p.
    total = 0.0
    for i in range(4):
        p = np.linspace(tp[i + 1] + fp[i + 1], tp[i] + fp[i], 20001)
        slope = (tp[i] - tp[i + 1]) / (p[-1] - p[0]) if p[-1] > p[0] else 0
        offset = tp[i + 1] - slope * p[0]
        precision = slope + offset / np.where(p == 0, 1, p)
        total += slope * (((precision[1:] + precision[:-1]) / 2) * np.diff(p)).sum() / (tp + fn)[0]
    np.testing.assert_allclose(got, total, rtol=1e-4)


def test_perfect_and_random_areas() -> None:
    labels = np.arange(1000) % 2
    auc = metrics.AUC()
    assert seen(auc, False, (labels, labels * 0.8 + 0.1)) == pytest.approx(1, abs=1e-6)
    auc.reset_state()
    assert abs(seen(auc, False, (labels, random.random(1000))) - 0.5) < 0.05
    assert seen(metrics.AUC(from_logits=True), False, (BINARY, FREE)) == pytest.approx(
        seen(metrics.AUC(), False, (BINARY, 1 / (1 + np.exp(-FREE)))))  # fmt: skip


def test_sums_and_means() -> None:
    mean, total = metrics.Mean(), metrics.Sum()
    assert float(mean.result()) == 0 and float(mean([1, 2, 6])) == 3 and float(mean(7.0)) == 4
    assert float(total([1.0, 2.0])) == 3 and float(total([[1.0, 1.0], [5.0, 5.0]], sample_weight=[0.5, 0.0])) == 4
    assert [v.name for v in mean.variables] == ["total", "count"] and not mean.variables[0].trainable
    assert [v.path for v in mean.variables] == [f"{mean.name}/total", f"{mean.name}/count"]
    wide = metrics.Mean(dtype="float64")
    assert wide([1.0]).dtype == tf.float64 and wide.get_config() == {"name": wide.name, "dtype": "float64"}


def test_own_metrics_hold_variables_and_metrics() -> None:
    class Largest(metrics.Metric):
        def __init__(self) -> None:
            super().__init__(name="largest")
            self.value = self.add_weight(initializer="zeros", name="value")
            self.mean = metrics.Mean()
            self.calls = tf.Variable(0)

        def update_state(self, values: Any) -> None:
            if tf.reduce_max(values) > self.value:
                self.value.assign(tf.reduce_max(values))
            self.mean.update_state(values)
            self.calls.assign_add(1)

        def result(self) -> Any:
            return self.value

    metric = Largest()
    step = tf.function(lambda x: metric(x))
    assert float(step(tf.constant([1.0, 5.0]))) == 5 and float(step(tf.constant([2.0, 3.0]))) == 5
    assert float(metric.mean.result()) == 2.75 and int(metric.calls) == 2
    assert len(metric.variables) == 4 and repr(metric) == "<Largest name=largest>"
    metric.reset_state()
    assert [float(v) for v in metric.variables] == [0, 0, 0, 0]

    class Forgetful(metrics.Metric):
        def __init__(self) -> None:
            self.add_weight()

    with pytest.raises(RuntimeError, match="forgot to call"):
        Forgetful()
    for method in (metrics.Metric().update_state, metrics.Metric().result):
        with pytest.raises(NotImplementedError):
            method()


def test_traced_once_for_many_batches() -> None:
    metric = metrics.SparseCategoricalAccuracy()
    step = tf.function(lambda y, p: metric(y, p))
    for i in range(5):
        result = step(tf.constant(SPARSE), tf.constant(np.roll(PREDICTED, i, axis=0)))
    assert step.experimental_get_tracing_count() == 1
    right = [(np.roll(PREDICTED, i, axis=0).argmax(-1) == SPARSE).mean() for i in range(5)]
    np.testing.assert_allclose(result, np.mean(right), rtol=1e-6)


def test_by_name() -> None:
    assert type(metrics.get("mse")) is metrics.MeanSquaredError and metrics.get(None) is None
    assert type(metrics.get("accuracy")) is metrics.Accuracy and metrics.get("mse").name == "mean_squared_error"
    for name, kind in metrics.registry.objects.items():
        # these need arguments
        if kind is not metrics.MeanMetricWrapper and not issubclass(kind, metrics.IoU) and "At" not in kind.__name__:
            again = metrics.deserialize(metrics.serialize(metrics.get(name)))
            assert isinstance(again, metrics.Metric)
    kept = metrics.deserialize(metrics.serialize(metrics.Precision([0.2], name="p")))
    assert kept.get_config() == {
        "name": "p", "dtype": "float32", "thresholds": [0.2], "top_k": None, "class_id": None}  # fmt: skip
    with pytest.raises(ValueError, match="Could not interpret metric identifier: no_such"):
        metrics.get("no_such")


def test_what_does_not_fit() -> None:
    for wrong in (2.0, [0.5, -1.0], [None]):
        with pytest.raises(ValueError, match=r"in \[0, 1\]"):
            metrics.Precision(wrong)
    for settings in ({"curve": "x"}, {"summation_method": "x"}, {"num_thresholds": 1}):
        with pytest.raises(ValueError, match=f"`{next(iter(settings))}`"):
            metrics.AUC(**settings)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="2D"):
        metrics.Recall(class_id=1).update_state([1.0], [0.5])
