"""Activation functions are what their formulas say, in both modes, with their gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError
from autograph.keras import activations

from .modes import WAYS

X = np.array([-8.0, -4.0, -3.0, -1.5, -0.6, -0.4, 0.0, 0.3, 0.7, 2.0, 3.0, 6.5])


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    return np.log(1 + np.exp(x))


def softmax(x: Any) -> Any:
    return np.exp(x) / np.exp(x).sum()


def normal_cdf(x: Any) -> Any:
    return np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])


SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
FORMULAS: dict[str, Any] = {
    "linear": lambda x: x, "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.2 * x), "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "celu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "selu": lambda x: SCALE * np.where(x > 0, x, ALPHA * (np.exp(x) - 1)),
    "gelu": lambda x: x * normal_cdf(x), "sigmoid": sigmoid, "log_sigmoid": lambda x: np.log(sigmoid(x)),
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1), "tanh": np.tanh, "hard_tanh": lambda x: np.clip(x, -1, 1),
    "tanh_shrink": lambda x: x - np.tanh(x), "hard_shrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
    "soft_shrink": lambda x: np.where(x > 0.5, x - 0.5, np.where(x < -0.5, x + 0.5, 0)), "softplus": softplus,
    "softsign": lambda x: x / (1 + np.abs(x)), "softmax": softmax, "log_softmax": lambda x: np.log(softmax(x)),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2, "silu": lambda x: x * sigmoid(x),
    "swish": lambda x: x * sigmoid(x), "hard_silu": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "mish": lambda x: x * np.tanh(softplus(x)), "exponential": np.exp,
    "glu": lambda x: x[:6] * sigmoid(x[6:]),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FORMULAS)
def test_values(name: str, way: Any) -> None:
    if name == "glu" and way is WAYS[1]:
        way = WAYS[0]  # the halves of an unknown length have none
    got = way(activations.get(name), X)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, FORMULAS[name](X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", FORMULAS)
def test_gradients_are_slopes(name: str) -> None:
    def total(x: Any) -> Any:
        return (FORMULAS[name](x) * np.arange(1, len(FORMULAS[name](x)) + 1)).sum()

    inputs = X + 0.013  # away from the kinks
    x = tf.constant(inputs)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = activations.get(name)(x)
        weighted = tf.reduce_sum(y * np.arange(1.0, len(y) + 1))
    slopes = [(total(inputs + 1e-6 * e) - total(inputs - 1e-6 * e)) / 2e-6 for e in np.eye(len(inputs))]
    np.testing.assert_allclose(tape.gradient(weighted, x), slopes, rtol=1e-4, atol=1e-6)


def test_settings() -> None:
    x = np.array([-2.0, 0.5, 1.0, 2.0, 9.0])
    relu = activations.relu
    assert np.asarray(relu(x, max_value=3.0)).tolist() == [0, 0.5, 1, 2, 3]
    assert np.asarray(relu(x, threshold=1.0)).tolist() == [0, 0, 0, 2, 9]
    assert np.asarray(relu(x, 0.5, 4.0, 1.0)).tolist() == [-1.5, -0.25, 0, 2, 4]
    assert np.asarray(activations.threshold(x, 1.0, 7.0)).tolist() == [7, 7, 7, 2, 9]
    assert np.asarray(activations.leaky_relu(x, 0.5)).tolist() == [-1, 0.5, 1, 2, 9]
    np.testing.assert_allclose(activations.elu(x, 3.0)[0], 3 * (np.exp(-2) - 1))
    np.testing.assert_allclose(activations.celu(x, 2.0)[0], 2 * (np.exp(-1) - 1))
    two = np.arange(8.0).reshape(2, 2, 2)
    np.testing.assert_allclose(activations.softmax(two, axis=(0, 2))[:, 1], softmax(two[:, 1]))


def test_by_name() -> None:
    assert activations.get(None) is activations.linear and activations.get("swish") is activations.silu
    own = lambda x: x  # noqa: E731
    assert activations.get(own) is own
    assert activations.serialize(activations.relu) == "relu" and activations.deserialize("relu") is activations.relu
    assert activations.deserialize("mine", {"mine": own}) is own
    for wrong in ("no_such", 3):
        with pytest.raises(ValueError, match=f"Could not interpret activation function identifier: {wrong}"):
            activations.get(wrong)
    with pytest.raises(ValueError, match="Could not serialize"):
        activations.serialize(own)


def test_what_does_not_fit() -> None:
    for arguments in ({"negative_slope": -1.0}, {"max_value": -1.0}, {"threshold": -1.0}):
        with pytest.raises(ValueError, match="can't be negative"):
            activations.relu(1.0, **arguments)
    with pytest.raises(InvalidArgumentError, match="rank at least 1"):
        activations.softmax(1.0)
