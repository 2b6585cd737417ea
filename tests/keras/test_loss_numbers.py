"""Focal, overlap and circle losses give Keras's numbers and gradients, with every reduction, weights and settings."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.keras import activations, losses, metrics
from autograph.keras.base import context

from . import loss_numbers as numbers

KERAS = json.loads(numbers.FILE.read_text())
NAMES = sorted({case[0] for case in numbers.CASES.values()})


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("title", numbers.CASES)
def test_values_and_gradients(title: str, staged: bool) -> None:
    case = numbers.CASES[title]
    call: Any = numbers.gradient_of(tf, losses, case)
    if staged:
        call = tf.function(call, input_signature=[tf.TensorSpec([None] * case[3].ndim)])
    value, slopes = call(tf.constant(case[3]))
    assert value.dtype == tf.float32
    for found, expected in ((value, KERAS[title][0]), (slopes, KERAS[title][1])):
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_configurations(name: str) -> None:
    config = getattr(losses, name)().get_config()
    assert config == KERAS["configurations"][name]
    again = losses.deserialize(losses.serialize(getattr(losses, name)(reduction="sum")))
    assert type(again).__name__ == name and again.get_config() == {**config, "reduction": "sum"}


def test_names() -> None:
    for name in ("binary_focal_crossentropy", "categorical_focal_crossentropy", "dice", "tversky", "circle"):
        assert losses.get(name) is getattr(losses, name)
    for name in ("binary_focal_crossentropy", "categorical_focal_crossentropy"):
        assert getattr(metrics, name) is getattr(losses, name)
    assert "dice" not in dir(metrics)


@pytest.mark.parametrize("q", [0, 1, 1.5, -0.2])
def test_a_power_out_of_bounds(q: float) -> None:
    with pytest.raises(ValueError, match="interval"):
        losses.CategoricalGeneralizedCrossEntropy(q)


def test_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="axis=True"):
        losses.categorical_focal_crossentropy(numbers.ONE_HOT, numbers.PROBABILITIES, axis=True)
    with pytest.raises(ValueError, match="same shape"):
        losses.binary_focal_crossentropy(np.ones((2, 3)), np.ones((2, 2)))


def test_a_sigmoid_loses_nothing_in_front_of_a_focal_loss() -> None:
    scores = tf.constant([[-200.0, 100.0]])
    got = losses.binary_focal_crossentropy([[1.0, 0.0]], activations.sigmoid(scores))
    np.testing.assert_allclose(got, [150])


def test_circle_masks_what_costs_nothing() -> None:
    loss = losses.circle(numbers.CLASSES, tf.constant(numbers.UNIT))
    assert np.array_equal(context.get_mask(loss), np.asarray(loss) > 0)


def test_circle_of_references() -> None:
    labels, units = numbers.CLASSES, tf.constant(numbers.UNIT)
    got = losses.circle(labels[:2], units[:2], ref_labels=labels, ref_embeddings=units)
    np.testing.assert_allclose(got, losses.circle(labels, units)[:2], rtol=1e-6)


@pytest.mark.parametrize("loss", ["dice", "tversky", "binary_focal_crossentropy", "categorical_focal_crossentropy"])
def test_fit(loss: str) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="sigmoid")])
    model.compile("adam", loss, metrics=[metrics.binary_focal_crossentropy] if loss.startswith("binary") else None)
    history = model.fit(numbers.LOGITS, numbers.LABELS, epochs=5, verbose=0).history["loss"]
    assert history[-1] < history[0]
    expected = losses.get(loss)(numbers.LABELS, model(numbers.LOGITS))
    np.testing.assert_allclose(model.evaluate(numbers.LOGITS, numbers.LABELS, verbose=0, return_dict=True)["loss"],
                               np.mean(expected), rtol=1e-5)  # fmt: skip
