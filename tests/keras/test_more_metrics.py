"""Metrics of curves, fits and overlaps: Keras 3.15's numbers, configurations and variables, also in graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from .data import metric_calls as calls

GOLDEN = json.loads((Path(__file__).parent / "data" / "metrics.json").read_text())
metrics = tf.keras.metrics


def assert_close(found: Any, expected: Any) -> None:
    """Structures are the same, numbers but for rounding."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_close(found[key], expected[key])
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other)
    else:
        assert found == expected


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("call, data", calls.CALLS, ids=[call for call, _ in calls.CALLS])
def test_numbers_are_kerass(call: str, data: tuple[Any, ...], staged: bool) -> None:
    metric = eval(f"metrics.{call}")
    update = tf.function(metric.update_state) if staged else metric.update_state
    assert_close(calls.result(metric, data, update), GOLDEN[f"{call} of {len(data)}"])
    again = metrics.deserialize(metrics.serialize(metric))
    assert again.get_config() == metric.get_config()
    metric.reset_state()
    assert not any(np.any(v.numpy()) for v in metric.variables)


def test_functions_are_kerass() -> None:
    found = [getattr(metrics, name)(calls.TRUE, calls.NUMBERS, axis).numpy()[:3]
             for name in ("pearson_correlation", "concordance_correlation") for axis in (-1, 0)]  # fmt: skip
    np.testing.assert_allclose(
        found, [[0.9585791, 0.9975767, 0.9993222], [0.9420322, 0.9632723, 0.9573835],
                [0.9161325, 0.9592789, 0.9372871], [0.9380735, 0.9620337, 0.9562473]], rtol=1e-5)  # fmt: skip


def test_metrics_in_fit() -> None:
    tf.keras.backend.clear_session()
    x = np.random.RandomState(1).rand(30, 4).astype(np.float32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, "sigmoid")])
    model.compile("adam", "mse", metrics=[metrics.R2Score(), metrics.AUC(multi_label=True, num_labels=2),
                                          metrics.PrecisionAtRecall(0.5), metrics.PearsonCorrelation()])  # fmt: skip
    logs = model.fit(x, (x[:, :2] > 0.5).astype(np.float32), epochs=2, verbose=0).history
    assert list(logs) == ["auc", "loss", "pearson_correlation", "precision_at_recall", "r2_score"]
    stop = tf.keras.callbacks.EarlyStopping(monitor="r2_score", patience=5)
    model.fit(x, x[:, :2], epochs=2, verbose=0, callbacks=[stop])  # it is known that more is better


@pytest.mark.parametrize(
    "call, text",
    [("SensitivityAtSpecificity(1.5)", "`specificity` must be in the range"),
     ("RecallAtPrecision(0.5, num_thresholds=0)", "`num_thresholds` must be an integer > 0"),
     ("AUC(num_labels=3)", "`num_labels` is needed only when"), ("AUC(curve='X')", "Expected one of: ROC, PR, PRGAIN"),
     ("AUC(multi_label=True)(np.ones(3), np.ones(3))", "must have rank 2"), ("R2Score('x')", "class_aggregation=x"),
     ("R2Score(num_regressors=-1)", "num_regressors=-1"), ("R2Score()(np.ones(3), np.ones(3))", "expects 2D inputs"),
     ("R2Score().result()", "has seen nothing yet")],
)  # fmt: skip
def test_what_is_refused(call: str, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        eval(f"metrics.{call}")
