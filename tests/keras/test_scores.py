"""F scores and intersections over unions: Keras's numbers for the same labels and predictions, in both ways."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf

metrics = tf.keras.metrics
RANDOM = np.random.RandomState(0)
LABELS = np.eye(3)[RANDOM.randint(0, 3, 9)].astype("f")
PREDICTIONS = RANDOM.rand(9, 3).astype("f")
WEIGHTS = RANDOM.rand(9).astype("f")
CLASSES, GUESSES = LABELS.argmax(1), RANDOM.randint(0, 3, 9)

CASES = [
    (lambda: metrics.F1Score(), True, [0.365476, 0.0, 0.305071]),
    (lambda: metrics.F1Score("micro"), True, 0.222014),
    (lambda: metrics.F1Score("macro"), True, 0.223516),
    (lambda: metrics.F1Score("weighted"), True, 0.214009),
    (lambda: metrics.FBetaScore(None, 2.0, 0.4), True, [0.434653, 0.919287, 0.582293]),
    (lambda: metrics.FBetaScore("micro", 2.0, 0.4), True, 0.636477),
    (lambda: metrics.FBetaScore("weighted", 2.0, 0.4), True, 0.646961),
    (lambda: metrics.MeanIoU(4), False, 0.041667),
    (lambda: metrics.IoU(3, [0, 2]), False, 0.0625),
    (lambda: metrics.OneHotMeanIoU(3), None, 0.138889),
    (lambda: metrics.OneHotIoU(3, [1]), None, 0.0),
]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("make", "weighted", "wanted"), CASES)
def test_numbers_of_keras(make, weighted, wanted, staged):
    metric = make()
    labels, found = (CLASSES, GUESSES) if weighted is False else (LABELS, PREDICTIONS)
    update = tf.function(metric.update_state) if staged else metric.update_state
    update(labels, found)
    if weighted:
        update(labels[:4], found[:4], WEIGHTS[:4])
    else:
        update(labels[:4], found[:4])
    np.testing.assert_allclose(metric.result(), wanted, rtol=1e-4, atol=1e-6)
    again = metrics.deserialize(metrics.serialize(metric))
    assert again.get_config() == metric.get_config()
    metric.reset_state()
    update(labels, labels)
    np.testing.assert_allclose(np.max(metric.result()), 1.0, rtol=1e-5)


def test_weights_and_classes_that_do_not_count():
    with pytest.warns(UserWarning, match="cast"):
        metric = metrics.MeanIoU(3)
        metric.update_state(CLASSES, GUESSES, WEIGHTS)
    assert float(metric.result()) == 0  # the weights are below 1
    metric = metrics.MeanIoU(2, ignore_class=1, dtype="float32")
    metric.update_state([0, 1, 0], [0, 0, 1], [1.0, 5.0, 3.0])
    np.testing.assert_allclose(metric.result(), (1 / 4 + 0) / 2, rtol=1e-5)


def test_settings_that_can_not_be():
    for make in (lambda: metrics.F1Score("median"), lambda: metrics.FBetaScore(beta=-1.0), lambda: metrics.IoU(2, [2]),
                 lambda: metrics.F1Score(threshold=2.0), lambda: metrics.F1Score().result(),
                 lambda: metrics.F1Score().update_state([1.0], [1.0])):  # fmt: skip
        with pytest.raises(ValueError):
            make()


def test_short_names():
    x, y = tf.constant([[1.0, 2.0]]), tf.constant([[2.0, 4.0]])
    assert tf.keras.losses.mse(x, y)[0] == 2.5 == tf.keras.metrics.MSE(x, y)[0]
    assert tf.keras.losses.mae is tf.keras.losses.mean_absolute_error is tf.keras.metrics.mae
