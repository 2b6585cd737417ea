"""Losses are what their formulas say, in both modes, with gradients, weights, reductions, masks and names."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError
from autograph.keras import activations, losses
from autograph.keras.base import context, notes

from .modes import WAYS

random = np.random.default_rng(0)
TRUE, FREE = random.random((4, 3)), 2 * random.standard_normal((4, 3))
PREDICTED = 0.05 + 0.9 * random.random((4, 3))
BINARY = np.array([[1.0, 0, 0], [0, 0, 1], [1, 1, 0], [0, 1, 0]])
SPARSE = np.array([0, 2, 1, 1])
ONE_HOT = np.eye(3)[SPARSE]
DISTRIBUTION = PREDICTED / PREDICTED.sum(-1, keepdims=True)
WEIGHTS = np.array([0.5, 2.0, 0.0, 1.0])


def softmax(x: Any) -> Any:
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def binary(t: Any, p: Any) -> Any:
    return -(t * np.log(p) + (1 - t) * np.log(1 - p)).mean(-1)


def cosine(t: Any, p: Any) -> Any:
    return -(t * p).sum(-1) / np.sqrt((t * t).sum(-1) * (p * p).sum(-1))


def huber(t: Any, p: Any, d: float = 1.0) -> Any:
    e = np.abs(t - p)
    return np.where(e <= d, e * e / 2, d * e - d * d / 2).mean(-1)


def margins(t: Any, p: Any) -> Any:
    return np.maximum(1 - (2 * t - 1) * p, 0)


# Name: labels, predictions, formula.
FORMULAS: dict[str, tuple[Any, Any, Callable[[Any, Any], Any]]] = {
    "mean_squared_error": (TRUE, FREE, lambda t, p: ((t - p) ** 2).mean(-1)),
    "mean_absolute_error": (TRUE, FREE, lambda t, p: np.abs(t - p).mean(-1)),
    "mean_absolute_percentage_error": (TRUE, FREE, lambda t, p: 100 * np.abs((t - p) / t).mean(-1)),
    "mean_squared_logarithmic_error": (
        TRUE, PREDICTED, lambda t, p: ((np.log(1 + t) - np.log(1 + p)) ** 2).mean(-1)),
    "huber": (TRUE, FREE, huber),
    "log_cosh": (TRUE, FREE, lambda t, p: np.log(np.cosh(p - t)).mean(-1)),
    "cosine_similarity": (TRUE, FREE, cosine),
    "hinge": (BINARY, FREE, lambda t, p: margins(t, p).mean(-1)),
    "squared_hinge": (BINARY, FREE, lambda t, p: (margins(t, p) ** 2).mean(-1)),
    "categorical_hinge": (
        ONE_HOT, FREE, lambda t, p: np.maximum(((1 - t) * p).max(-1) - (t * p).sum(-1) + 1, 0)),
    "kl_divergence": (TRUE, PREDICTED, lambda t, p: (t * np.log(t / p)).sum(-1)),
    "poisson": (TRUE, PREDICTED, lambda t, p: (p - t * np.log(p)).mean(-1)),
    "binary_crossentropy": (BINARY, PREDICTED, binary),
    "categorical_crossentropy": (ONE_HOT, DISTRIBUTION, lambda t, p: -(t * np.log(p)).sum(-1)),
    "sparse_categorical_crossentropy": (SPARSE, DISTRIBUTION, lambda t, p: -np.log(p[np.arange(4), t])),
}  # fmt: skip
# The others are compared with Keras's numbers, in `test_loss_numbers.py`.
CLASSES = [name for name in losses.__all__ if isinstance(getattr(losses, name), type)
           and name.lower() in {each.replace("_", "") for each in FORMULAS}]  # fmt: skip


def snake(name: str) -> str:
    return next(k for k in FORMULAS if k.replace("_", "") == name.lower())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FORMULAS)
def test_functions(name: str, way: Any) -> None:
    true, predicted, formula = FORMULAS[name]
    got = way(getattr(losses, name), true, predicted)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, formula(true, predicted), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", FORMULAS)
def test_gradients_are_slopes(name: str) -> None:
    true, predicted, formula = FORMULAS[name]
    x = tf.constant(predicted)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(getattr(losses, name)(true, x) * WEIGHTS)
    found = np.asarray(tape.gradient(total, x))
    slopes = np.zeros_like(predicted)
    for place in np.ndindex(*predicted.shape):
        step = np.zeros_like(predicted)
        step[place] = 1e-6
        difference = formula(true, predicted + step) - formula(true, predicted - step)
        slopes[place] = (difference * WEIGHTS).sum() / 2e-6
    if name.endswith("categorical_crossentropy"):  # the predictions are first made to add up to one
        slopes += WEIGHTS[:, None]
    np.testing.assert_allclose(found, slopes, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_weigh_and_reduce(name: str) -> None:
    true, predicted, formula = FORMULAS[snake(name)]
    values = formula(true, predicted)
    make = getattr(losses, name)
    for weights in (None, WEIGHTS, WEIGHTS[:, None]):
        weighted = values if weights is None else values * WEIGHTS
        divisor = 4 if weights is None else WEIGHTS.sum()
        for reduction, expected in (
            ("sum_over_batch_size", weighted.mean()), ("mean", weighted.mean()), ("sum", weighted.sum()),
            ("mean_with_sample_weight", weighted.sum() / divisor), (None, weighted), ("none", weighted),
        ):  # fmt: skip
            got = make(reduction=reduction)(true, predicted, sample_weight=weights)
            assert got.dtype == tf.float32
            np.testing.assert_allclose(np.reshape(got, np.shape(expected)), expected, rtol=1e-5, atol=1e-6)
    assert make(dtype="float64")(true, predicted).dtype == tf.float64


@pytest.mark.parametrize("way", WAYS)
def test_logits_and_smoothing(way: Any) -> None:
    def check(loss: Any, true: Any, predicted: Any, expected: Any) -> None:
        loss = loss(reduction=None, dtype="float64") if isinstance(loss, type) else loss
        np.testing.assert_allclose(way(loss, true, predicted), expected, rtol=1e-6)

    def make(cls: Any, **settings: Any) -> Any:
        return cls(reduction=None, dtype="float64", **settings)

    check(make(losses.BinaryCrossentropy, from_logits=True), BINARY, FREE, binary(BINARY, sigmoid(FREE)))
    smooth = 0.8 * BINARY + 0.1
    check(make(losses.BinaryCrossentropy, label_smoothing=0.2), BINARY, PREDICTED, binary(smooth, PREDICTED))
    check(make(losses.CategoricalCrossentropy, from_logits=True), ONE_HOT, FREE,
          -np.log(softmax(FREE))[np.arange(4), SPARSE])  # fmt: skip
    smooth = 0.7 * ONE_HOT + 0.1
    check(make(losses.CategoricalCrossentropy, label_smoothing=0.3), ONE_HOT, DISTRIBUTION,
          -(smooth * np.log(DISTRIBUTION)).sum(-1))  # fmt: skip
    check(make(losses.SparseCategoricalCrossentropy, from_logits=True), SPARSE, FREE,
          -np.log(softmax(FREE))[np.arange(4), SPARSE])  # fmt: skip
    check(make(losses.Huber, delta=0.3), TRUE, FREE, huber(TRUE, FREE, 0.3))


@pytest.mark.parametrize("way", WAYS)
def test_softmax_and_sigmoid_lose_nothing_in_front_of_a_loss(way: Any) -> None:
    """Probabilities of 1e-44 and less are nothing in 32 bits; what they were made of says what the loss is."""
    scores = np.array([[0.0, 100.0, 200.0]], np.float32)

    def sparse(x: Any) -> Any:
        return losses.SparseCategoricalCrossentropy()([0], activations.softmax(x))

    def categorical(x: Any) -> Any:
        return losses.CategoricalCrossentropy()([[1.0, 0, 0]], activations.softmax(x))

    def two(x: Any) -> Any:
        return losses.BinaryCrossentropy()([[1.0, 0, 0]], activations.sigmoid(x - 100))

    np.testing.assert_allclose([way(f, scores) for f in (sparse, categorical)], 200)
    np.testing.assert_allclose(way(two, scores), (100 + np.log(2) + 100) / 3, rtol=1e-6)
    assert way(lambda x: losses.SparseCategoricalCrossentropy()([0], activations.softmax(x) * 1.0), scores) < 17


def test_logits_that_are_none() -> None:
    probabilities = activations.softmax(tf.constant(FREE))
    with pytest.warns(UserWarning, match="from_logits=True"):
        got = losses.sparse_categorical_crossentropy(SPARSE, probabilities, from_logits=True)
    np.testing.assert_allclose(got, losses.sparse_categorical_crossentropy(SPARSE, FREE, from_logits=True))


def test_what_is_noted_about_a_tensor_goes_with_it() -> None:
    before = len(notes.logits._values)
    kept = activations.sigmoid(tf.constant(FREE))
    for _ in range(10):
        activations.softmax(tf.constant(FREE))
    tf.function(lambda x: activations.softmax(x))(tf.constant(FREE))
    gc.collect()
    assert len(notes.logits._values) <= before + 2
    assert notes.logits.get(kept) is not None and notes.logits.get(tf.constant(FREE)) is None


@pytest.mark.parametrize("way", WAYS)
def test_an_ignored_class_counts_nothing(way: Any) -> None:
    values = -np.log(softmax(FREE))[np.arange(4), SPARSE]
    kept = values[[0, 1]]
    for reduction, expected in (
        ("sum_over_batch_size", kept.mean()),
        ("sum", kept.sum()),
        (None, values * [1, 1, 0, 0]),
    ):
        loss = losses.SparseCategoricalCrossentropy(True, ignore_class=1, reduction=reduction, dtype="float64")
        np.testing.assert_allclose(way(loss, SPARSE, FREE), expected)


def test_masks_of_predictions() -> None:
    predicted = tf.constant(FREE)
    context.set_mask(predicted, tf.constant([True, False, True, True]))
    values = ((TRUE - FREE) ** 2).mean(-1)
    got = losses.MeanSquaredError(dtype="float64")(TRUE, predicted)
    np.testing.assert_allclose(got, values[[0, 2, 3]].mean())
    got = losses.MeanSquaredError("sum", dtype="float64")(TRUE, predicted, WEIGHTS)
    np.testing.assert_allclose(got, (values * WEIGHTS)[[0, 2, 3]].sum())


def test_ranks_and_dtypes() -> None:
    mse = losses.MeanSquaredError()
    assert float(mse([[1.0], [2.0]], [1.0, 4.0])) == 2 and float(mse([1.0, 2.0], [[1.0], [4.0]])) == 2
    assert float(mse(np.array([[0, 1]]), np.array([[1, 3]]))) == 2.5
    assert float(losses.mean_squared_error([[0, 1]], [[1, 3]])[0]) == 2.5
    sparse = losses.SparseCategoricalCrossentropy(from_logits=True)
    np.testing.assert_allclose(sparse(SPARSE[:, None], FREE), sparse(SPARSE, FREE))
    assert losses.Hinge()([[-1.0, 1.0]], [[0.5, 0.5]]) == losses.Hinge()([[0.0, 1.0]], [[0.5, 0.5]])


def test_own_losses() -> None:
    class Steep(losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            error = tf.reduce_mean(tf.abs(y_true - y_pred))
            if error > 1:
                error = error * error
            return error

    loss = Steep()
    assert loss.name == "steep" and loss.get_config() == {"name": "steep", "reduction": "sum_over_batch_size"}
    for call in (loss, tf.function(loss)):
        assert float(call([0.0], tf.constant([0.5]))) == 0.5 and float(call([0.0], tf.constant([3.0]))) == 9
    with pytest.raises(NotImplementedError):
        losses.Loss()(1.0, 2.0)
    wrapped = losses.LossFunctionWrapper(lambda a, b, power: abs(a - b) ** power, power=3)
    assert float(wrapped(tf.constant([0.0]), tf.constant([2.0]))) == 8


def test_by_name() -> None:
    assert losses.get("mse") is losses.mean_squared_error and losses.get(None) is None
    assert type(losses.get("BinaryCrossentropy")) is losses.BinaryCrossentropy
    assert losses.serialize(losses.huber) == "huber" and losses.deserialize("huber") is losses.huber
    again = losses.deserialize(losses.serialize(losses.Huber(0.3, "sum")))
    assert again.get_config() == {"name": "huber_loss", "reduction": "sum", "delta": 0.3}
    for wrong in ("no_such", 3):
        with pytest.raises(ValueError, match=f"Could not interpret loss identifier: {wrong}"):
            losses.get(wrong)


@pytest.mark.parametrize("way", [lambda f: f(), lambda f: tf.function(f)()])
def test_what_does_not_fit(way: Any) -> None:
    ones = np.ones
    for function, error, text in [
        (lambda: losses.BinaryCrossentropy()(ones((2, 3)), ones((2, 2))), InvalidArgumentError, "same shape"),
        (lambda: losses.CategoricalCrossentropy()(ones((2, 3)), ones((2, 2))), InvalidArgumentError, "same shape"),
        (lambda: losses.categorical_crossentropy(ones(2), ones((2, 2))), InvalidArgumentError, "same rank"),
        (lambda: losses.SparseCategoricalCrossentropy()(ones(3), ones((2, 2))), InvalidArgumentError, r"\[3\]"),
        (lambda: losses.sparse_categorical_crossentropy(ones(2), ones((2, 2)), axis=0), InvalidArgumentError, "axis"),
        (lambda: losses.SparseCategoricalCrossentropy()([5, 0], ones((2, 2))), (InvalidArgumentError, OutOfRangeError),
         "label 5"),
        (lambda: losses.MeanSquaredError()(ones((2, 3)), ones((2, 2))), InvalidArgumentError, "broadcast"),
    ]:  # fmt: skip
        with pytest.raises(error, match=text):
            way(function)
    with pytest.raises(ValueError, match="reduction=mode"):
        losses.MeanSquaredError(reduction="mode")
