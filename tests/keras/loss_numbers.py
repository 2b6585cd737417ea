"""What losses give, with their gradients, next to what Keras's give for the same labels and predictions.

The file ``data/keras_losses.json`` holds Keras's. It is written, where TensorFlow is installed, by

    python -m tests.keras.loss_numbers
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

FILE = pathlib.Path(__file__).parent / "data" / "keras_losses.json"

_wave = np.sin(np.arange(12) * 0.7).reshape(4, 3).astype(np.float32)
PROBABILITIES = 0.5 + 0.45 * _wave
LOGITS = 4 * _wave
LABELS = np.array([[1.0, 0, 0], [0, 0, 1], [1, 1, 0], [0, 1, 0]], np.float32)
ONE_HOT = np.eye(3, dtype=np.float32)[[0, 2, 1, 1]]
CLASSES = np.array([0, 2, 0, 1], np.int32)
# Samples 0 and 2 are of one class, the others alone in theirs.
UNIT = _wave / np.linalg.norm(_wave, axis=-1, keepdims=True)
IMAGES = np.sin(np.arange(24)).reshape(2, 3, 2, 2).astype(np.float32) / 2 + 0.5
REGIONS = np.round(np.cos(np.arange(24)).reshape(2, 3, 2, 2).astype(np.float32) / 2 + 0.5)
WEIGHTS = np.array([0.5, 2.0, 0.0, 1.0], np.float32)

Case = tuple[str, dict[str, Any], Any, Any, Any]
CASES: dict[str, Case] = {}


def _case(name: str, true: Any, predicted: Any, weights: Any = None, **settings: Any) -> None:
    CASES[f"{name} {len(CASES)}"] = name, settings, true, predicted, weights


for _reduction in ("sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", None):
    for _given in (None, WEIGHTS):
        _case("BinaryFocalCrossentropy", LABELS, PROBABILITIES, _given, reduction=_reduction)
        _case("CategoricalFocalCrossentropy", ONE_HOT, PROBABILITIES, _given, reduction=_reduction)
        _case("CategoricalGeneralizedCrossEntropy", CLASSES, PROBABILITIES, _given, reduction=_reduction)
        _case("Circle", CLASSES, UNIT, _given, reduction=_reduction)
        _case("Dice", LABELS, PROBABILITIES, _given, reduction=_reduction, axis=1)
        _case("Tversky", LABELS, PROBABILITIES, _given, reduction=_reduction, axis=-1)
for _settings in ({"from_logits": True}, {"gamma": 0.5, "alpha": 0.6}, {"label_smoothing": 0.2}, {"axis": 0}):
    _scores = LOGITS if "from_logits" in _settings else PROBABILITIES
    for _name in ("BinaryFocalCrossentropy", "CategoricalFocalCrossentropy"):
        _case(_name, LABELS, _scores, reduction=None, **_settings)
    _case("BinaryFocalCrossentropy", LABELS, _scores, reduction=None, apply_class_balancing=True, **_settings)
_case("BinaryFocalCrossentropy", LABELS, 30 * LOGITS, reduction=None, from_logits=True)
_case("CategoricalFocalCrossentropy", LABELS, 30 * LOGITS, reduction=None, from_logits=True)
for _q in (0.1, 0.9):
    _case("CategoricalGeneralizedCrossEntropy", CLASSES, PROBABILITIES, q=_q)
_case("Circle", CLASSES, UNIT, reduction=None, remove_diagonal=False)
_case("Circle", CLASSES, UNIT, reduction=None, gamma=8.0, margin=0.1)
_case("Circle", CLASSES[:, None], UNIT)
for _axis in (None, (1, 2), (1, 2, 3), -1):
    _case("Dice", REGIONS, IMAGES, axis=_axis)
    _case("Dice", REGIONS, IMAGES, axis=_axis, reduction=None)
    _case("Tversky", REGIONS, IMAGES, axis=_axis, alpha=0.3, beta=0.7)
    _case("Tversky", REGIONS, IMAGES, axis=_axis, reduction=None)
_case("Dice", LABELS, PROBABILITIES, WEIGHTS)
_case("Tversky", np.zeros_like(LABELS), np.zeros_like(LABELS))


def gradient_of(tf: Any, losses: Any, case: Case) -> Callable[[Any], tuple[Any, Any]]:
    """The loss of predictions, and the slopes of its sum."""
    name, settings, true, _, weights = case
    loss = getattr(losses, name)(**settings)

    def call(predicted: Any) -> tuple[Any, Any]:
        with tf.GradientTape() as tape:
            tape.watch(predicted)
            value = loss(true, predicted, sample_weight=weights)
            total = tf.reduce_sum(value)
        return value, tape.gradient(total, predicted)

    return call


if __name__ == "__main__":
    import keras
    import tensorflow

    lines = []
    for title, case in CASES.items():
        parts = gradient_of(tensorflow, keras.losses, case)(tensorflow.constant(case[3]))
        lines.append(f" {json.dumps(title)}: {json.dumps([np.asarray(part).tolist() for part in parts])}")
    names = sorted({case[0] for case in CASES.values()})
    configs = {name: getattr(keras.losses, name)().get_config() for name in names}
    lines.append(f' "configurations": {json.dumps(configs)}')
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
