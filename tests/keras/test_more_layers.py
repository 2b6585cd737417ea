"""Layers with convolutions in time, attention along any axes, and resized images: Keras 3.15's numbers and settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from .data import layer_calls as calls

GOLDEN = json.loads((Path(__file__).parent / "data" / "layers.json").read_text())
layers = tf.keras.layers


def close(found: Any, expected: Any) -> None:
    assert len(found) == len(expected)
    for (shape, numbers), (wanted, others) in zip(found, expected, strict=True):
        assert shape == wanted
        np.testing.assert_allclose(numbers, others, atol=3e-5)


@pytest.mark.parametrize("number", range(len(calls.CALLS)), ids=[call[0] for call in calls.CALLS])
def test_numbers_are_kerass(number: int) -> None:
    make, shapes, options = calls.CALLS[number]
    layer = eval(f"layers.{make}")
    found, expected = calls.result(layer, shapes, options), GOLDEN[number]
    close(found["outputs"], expected["outputs"])
    assert found["weights"] == expected["weights"] and found["config"] == expected["config"]
    again = type(layer).from_config(layer.get_config())
    staged = tf.function(again)
    close(calls.result(again, shapes, options, staged)["outputs"], expected["outputs"])


def test_states_of_convolutions_stay() -> None:
    """Keras's numbers for a batch and the next."""
    layer = layers.ConvLSTM2D(1, 2, stateful=True)
    x = calls.inputs_of(((1, 2, 4, 4, 1),))[0]
    layer(x)
    calls.fill(layer)
    layer.reset_state()
    first, second = layer(x), layer(x)
    np.testing.assert_allclose(np.ravel(first)[:5], [-0.0268, 0.02283, 0.16114, 0.1426, 0.09092], atol=2e-5)
    np.testing.assert_allclose(np.ravel(second)[:5], [-0.02748, 0.03097, 0.18032, 0.15876, 0.09946], atol=2e-5)


def test_dropout_of_convolutions() -> None:
    layer = layers.ConvLSTM2D(2, 2, dropout=0.5, recurrent_dropout=0.5, return_sequences=True)
    x = calls.inputs_of(((2, 3, 4, 4, 1),))[0]
    quiet = layer(x)
    np.testing.assert_array_equal(layer(x), quiet)
    loud = layer(x, training=True)
    assert loud.shape == quiet.shape and np.abs(loud - quiet).max() > 0


def test_a_network_of_images_in_time_learns_and_is_saved(tmp_path: Path) -> None:
    x = np.random.RandomState(0).rand(6, 4, 6, 6, 1).astype(np.float32)
    model = tf.keras.Sequential([
        tf.keras.Input((None, 6, 6, 1)), layers.ConvLSTM2D(3, 3, padding="same", return_sequences=True),
        layers.ConvLSTM2D(2, 3, padding="same"), layers.UpSampling2D(2, interpolation="bilinear"),
        layers.Conv2D(1, 1),
    ])  # fmt: skip
    assert model.output_shape == (None, 12, 12, 1)
    model.compile("adam", "mse")
    y = np.repeat(np.repeat(x[:, -1], 2, 1), 2, 2)
    losses = model.fit(x, y, epochs=4, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(again(x), model(x), rtol=1e-5, atol=1e-6)


def test_attention_over_images_has_gradients() -> None:
    layer, x = layers.MultiHeadAttention(2, 3), tf.constant(calls.inputs_of(((1, 2, 3, 4),))[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(layer(x, x) ** 2)
    gradients = tape.gradient(loss, [x, *layer.trainable_weights])
    assert all(gradient is not None for gradient in gradients)
    image = tf.keras.Input((None, None, 4))
    outputs = layers.MultiHeadAttention(2, 3)(image, image)
    assert tuple(outputs.shape) == (None, None, None, 4)


def test_spectral_normalization() -> None:
    """Keras's numbers, of a call in training and one after it."""
    layer = layers.SpectralNormalization(layers.Dense(3), 2)
    x = np.cos(np.arange(8)).reshape(2, 4).astype(np.float32)
    layer(x)
    calls.fill(layer.layer)
    layer.vector_u.assign(np.full((1, 3), 0.5))
    expected = [0.24753, 0.34484, 0.01713, 0.37066, -0.16841, -0.66063]
    for training in (True, False):
        np.testing.assert_allclose(np.ravel(layer(x, training=training)), expected, atol=2e-5)
    assert [(w.name, w.trainable) for w in layer.weights] == [("kernel", True), ("vector_u", False), ("bias", True)]
    again = layers.SpectralNormalization.from_config(layer.get_config())
    assert again.power_iterations == 2 and again.layer.units == 3
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.SpectralNormalization(layers.Dense(2))])
    model.compile("sgd", "mse")
    model.fit(x, x[:, :2], epochs=30, verbose=0)
    model(x, training=True)
    assert np.linalg.norm(model.layers[0].kernel.numpy(), 2) == pytest.approx(1, abs=0.05)


def test_an_embedding_and_its_way_back() -> None:
    """Keras's numbers."""
    layer = layers.ReversibleEmbedding(5, 3)
    layer(np.array([[1, 2]]))
    calls.fill(layer)
    there, back = layer(np.array([[1, 2]])), layer(np.full((1, 2, 3), 0.3, np.float32), reverse=True)
    np.testing.assert_allclose(np.ravel(there), [0.05645, -0.30272, -0.38357, -0.11177, 0.26279, 0.39574], atol=1e-5)
    np.testing.assert_allclose(np.ravel(back)[:5], [0.21009, -0.18895, 0.16403, -0.13583, 0.1049], atol=1e-5)
    capped = layers.ReversibleEmbedding(5, 3, tie_weights=False, logit_soft_cap=2.0, mask_zero=True)
    capped(np.array([[1, 0]]))
    shapes = {w.name: tuple(w.shape) for w in capped.weights}
    assert shapes == {"embeddings": (5, 3), "reverse_embeddings": (3, 5)}
    assert np.abs(capped(np.full((1, 3), 1e3, np.float32), reverse=True)).max() <= 2
    assert layers.ReversibleEmbedding.from_config(capped.get_config()).get_config() == capped.get_config()
    assert capped.get_config().keys() - layers.Embedding(5, 3).get_config().keys() == {
        "tie_weights", "reverse_dtype", "logit_soft_cap"}  # fmt: skip


def test_names_of_old() -> None:
    assert layers.Convolution2DTranspose is layers.Conv2DTranspose
    assert layers.SeparableConvolution2D is layers.SeparableConv2D
    pair = [np.array([[1.0, 5.0]]), np.array([[3.0, 2.0]])]
    assert layers.maximum(pair).numpy().tolist() == [[3, 5]] and layers.minimum(pair).numpy().tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "call, text",
    [("UpSampling2D(2, interpolation='cubic')", "Invalid value for argument `interpolation`"),
     ("MultiHeadAttention(2, 3, attention_axes='a')", "`attention_axes` must be an int"),
     ("MultiHeadAttention(2, 3, use_gate=True)", "has no use_gate"),
     ("MultiHeadAttention(2, 3)(np.ones((1, 2, 3)), np.ones((1, 2, 2, 3)))", "of one rank"),
     ("ConvLSTM2D(2, 2, strides=2, dilation_rate=2)", "not supported in conjunction"),
     ("ConvLSTM2D(2, 2)(np.ones((1, 3, 4, 4), 'f'))", "expected ndim=5, found ndim=4"),
     ("ThresholdedReLU(None)", "cannot be None"), ("ThresholdedReLU(-1)", "should be >=0"),
     ("GroupQueryAttention(4, 3, 2)", "must be divisible"),
     ("SpectralNormalization(layers.Dense(3), 0)", "greater than zero"),
     ("SpectralNormalization(layers.ReLU())(np.ones((2, 2), 'f'))", "ReLU object has no attribute 'kernel'"),
     ("AdaptiveMaxPooling1D(2)(tf.keras.Input((None, 2)))", "needs to know the sizes"),
     ("ConvLSTM2D(2, 2)(tf.keras.Input((3, None, 4, 1)))", "static input shapes")],
)  # fmt: skip
def test_what_is_refused(call: str, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        eval(f"layers.{call}")
