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
     ("ConvLSTM2D(2, 2)(tf.keras.Input((3, None, 4, 1)))", "static input shapes")],
)  # fmt: skip
def test_what_is_refused(call: str, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        eval(f"layers.{call}")
