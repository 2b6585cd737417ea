"""Layers compute the published formulas, eagerly and in graphs, and tell shapes before they are called."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError

layers = tf.keras.layers
RANDOM = np.random.default_rng(0)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def set_random(layer: Any) -> list[np.ndarray]:
    """Gives a built layer random weights; returns them."""
    weights = [np.abs(numbers(*each.shape)) * 0.5 + 0.1 for each in layer.weights]
    layer.set_weights(weights)
    return weights


def outputs(layer: Any, *args: Any, **kwargs: Any) -> Any:
    """What a layer gives eagerly; checks that a graph gives the same."""
    eager = layer(*args, **kwargs)
    staged = tf.function(lambda: layer(*args, **kwargs))()
    for a, b in zip(tf.nest.flatten(eager), tf.nest.flatten(staged), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)
    return tf.nest.map_structure(lambda leaf: leaf.numpy(), eager)


def check(layer: Any, inputs: Any, formula: Any, **kwargs: Any) -> None:
    """A layer with random weights computes a formula of its inputs and weights."""
    layer(inputs, **kwargs)
    found = outputs(layer, inputs, **kwargs) if not layer.weights else None
    weights = set_random(layer)
    found = outputs(layer, inputs, **kwargs) if weights else found
    np.testing.assert_allclose(found, formula(inputs, *weights), rtol=2e-5, atol=2e-5)


# Dense layers


@pytest.mark.parametrize("shape", [(4, 6), (2, 3, 6), (2, 2, 2, 6)])
def test_dense(shape):
    check(layers.Dense(5), numbers(*shape), lambda x, w, b: x @ w + b)
    check(layers.Dense(5, activation="tanh", use_bias=False), numbers(*shape), lambda x, w: np.tanh(x @ w))


def test_dense_takes_integers():
    layer = layers.Dense(2)
    found = layer(np.array([[1, 2]]))
    assert found.dtype == tf.float32
    np.testing.assert_allclose(found, np.array([[1.0, 2.0]], np.float32) @ layer.get_weights()[0], rtol=1e-6)


def test_embedding():
    check(layers.Embedding(7, 3), np.array([[1, 6], [0, 0]]), lambda x, table: table[x])
    with pytest.raises(OutOfRangeError, match="7"):
        layers.Embedding(7, 3)(np.array([7]))


def test_embedding_with_given_weights():
    table = numbers(4, 2)
    np.testing.assert_array_equal(layers.Embedding(4, 2, weights=[table])(np.array([3, 1])), table[[3, 1]])


# Images


def convolved(x, kernel, strides=(1, 1), dilation=(1, 1)):
    """A convolution without padding, element by element."""
    height, width = ((n - (k - 1) * d - 1) // s + 1 for n, k, d, s in
                     zip(x.shape[1:3], kernel.shape[:2], dilation, strides, strict=True))  # fmt: skip
    result = np.zeros((len(x), height, width, kernel.shape[-1]), np.float64)
    for i in range(height):
        for j in range(width):
            for a in range(kernel.shape[0]):
                for b in range(kernel.shape[1]):
                    pixel = x[:, i * strides[0] + a * dilation[0], j * strides[1] + b * dilation[1]]
                    result[:, i, j] += pixel @ kernel[a, b]
    return result


def test_convolution():
    x = numbers(2, 7, 6, 3)
    check(layers.Conv2D(4, 3, activation="relu"), x, lambda x, w, b: np.maximum(convolved(x, w) + b, 0))
    check(layers.Conv2D(4, (2, 3), strides=(2, 1)), x, lambda x, w, b: convolved(x, w, (2, 1)) + b)
    check(layers.Conv2D(4, 2, dilation_rate=2, use_bias=False), x, lambda x, w: convolved(x, w, dilation=(2, 2)))
    around = ((0, 0), (1, 1), (1, 1), (0, 0))
    check(layers.Conv2D(4, 3, padding="same"), x, lambda x, w, b: convolved(np.pad(x, around), w) + b)
    check(
        layers.Conv2D(4, 3, data_format="channels_first"), x.transpose(0, 3, 1, 2),
        lambda x, w, b: (convolved(x.transpose(0, 2, 3, 1), w) + b).transpose(0, 3, 1, 2),
    )  # fmt: skip


def test_convolution_in_groups():
    check(
        layers.Conv2D(4, 3, groups=2), numbers(2, 5, 5, 6),
        lambda x, w, b: np.concatenate([convolved(x[..., :3], w[..., :2]), convolved(x[..., 3:], w[..., 2:])], -1) + b,
    )  # fmt: skip


def test_pooling():
    x = numbers(2, 6, 6, 3)
    windows = x.reshape(2, 3, 2, 3, 2, 3)
    check(layers.MaxPooling2D(), x, lambda x: windows.max((2, 4)))
    check(layers.AveragePooling2D(2), x, lambda x: windows.mean((2, 4)))
    check(layers.MaxPooling2D(4, 4, padding="same"), x, lambda x: np.stack(
        [np.stack([x[:, a, b].max((1, 2)) for b in (np.s_[0:3], np.s_[3:6])], 1) for a in (np.s_[0:3], np.s_[3:6])], 1
    ))  # fmt: skip
    check(layers.GlobalAveragePooling2D(), x, lambda x: x.mean((1, 2)))
    check(layers.GlobalAveragePooling2D(keepdims=True), x, lambda x: x.mean((1, 2), keepdims=True))
    check(layers.GlobalMaxPooling2D(), x, lambda x: x.max((1, 2)))


# Normalization and noise


def test_batch_normalization_by_the_batch_and_by_moving_averages():
    x = numbers(8, 3, 4) * 2 + 1
    layer = layers.BatchNormalization(momentum=0.9, epsilon=0.01)
    layer(x)
    gamma, beta, mean, variance = set_random(layer)
    found = layer(x, training=True)
    axes = (0, 1)
    np.testing.assert_allclose(
        found, (x - x.mean(axes)) / np.sqrt(x.var(axes) + 0.01) * gamma + beta, rtol=1e-4, atol=1e-4
    )
    _, _, mean_after, variance_after = layer.get_weights()
    np.testing.assert_allclose(mean_after, mean * 0.9 + x.mean(axes) * 0.1, rtol=1e-5)
    np.testing.assert_allclose(variance_after, variance * 0.9 + x.var(axes) * 0.1, rtol=1e-5)
    wanted = (x - mean_after) / np.sqrt(variance_after + 0.01) * gamma + beta
    np.testing.assert_allclose(layer(x), wanted, rtol=1e-4, atol=1e-4)
    layer.trainable = False  # means: by moving averages, which stay
    np.testing.assert_allclose(layer(x, training=True), wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(layer.get_weights()[2], mean_after)


def test_batch_normalization_moves_its_averages_in_graphs():
    x = numbers(8, 4)
    eager, staged = layers.BatchNormalization(), layers.BatchNormalization()
    function = tf.function(lambda x: staged(x, training=True))
    for _ in range(3):
        np.testing.assert_allclose(function(x), eager(x, training=True), rtol=1e-5, atol=1e-6)
    for a, b in zip(eager.get_weights(), staged.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert not np.allclose(eager.get_weights()[2], 0)


def test_batch_normalization_leaves_out_masked_steps():
    x, mask = numbers(2, 3, 4), np.array([[True, False, True], [True, True, False]])
    found = layers.BatchNormalization(momentum=0.0)
    found(x, training=True, mask=tf.constant(mask))
    np.testing.assert_allclose(found.get_weights()[2], x[mask].mean(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.get_weights()[3], x[mask].var(0), rtol=1e-5, atol=1e-6)


def test_layer_normalization():
    def formula(x, gamma, beta, axes=(-1,)):
        return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-3) * gamma + beta

    x = numbers(3, 4, 5)
    check(layers.LayerNormalization(), x, formula)
    check(layers.LayerNormalization(axis=[1, 2]), x, lambda x, g, b: formula(x, g, b, (1, 2)))


def test_dropout_drops_while_training():
    layer = layers.Dropout(0.25, seed=3)
    x = np.ones((100, 100), np.float32)
    np.testing.assert_array_equal(layer(x), x)
    for call in (layer, tf.function(layer)):
        found = np.asarray(call(x, training=True))
        assert set(np.unique(found)) == {np.float32(0), np.float32(1 / 0.75)}
        assert abs((found == 0).mean() - 0.25) < 0.03
    whole = np.asarray(layers.SpatialDropout1D(0.5)(np.ones((4, 5, 50), np.float32), training=True))
    assert (whole == whole[:, :1]).all()
    assert 0 < (whole == 0).mean() < 1
    assert (np.asarray(layers.Dropout(1.0)(x, training=True)) == 0).all()


def test_gaussian_noise():
    x = np.ones((100, 100), np.float32)
    found = np.asarray(layers.GaussianNoise(0.5)(x, training=True))
    assert abs(found.std() - 0.5) < 0.02
    np.testing.assert_array_equal(layers.GaussianNoise(0.5)(x), x)


# Recurrent layers


def rnn(x, h, w, u, b):
    h = np.tanh(x @ w + h[0] @ u + b)
    return [h]


def lstm(x, state, w, u, b):
    h, c = state
    i, f, g, o = np.split(x @ w + h @ u + b, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


def gru(x, state, w, u, b):
    (h,) = state
    (z, r, g), (uz, ur, ug) = np.split(x @ w + b[0], 3, -1), np.split(h @ u + b[1], 3, -1)
    z, r = sigmoid(z + uz), sigmoid(r + ur)
    return [z * h + (1 - z) * np.tanh(g + r * ug)]


KINDS = [(layers.SimpleRNN, rnn, 1), (layers.LSTM, lstm, 2), (layers.GRU, gru, 1)]


def run_formula(step, x, weights, count, units=3, mask=None, backwards=False, start=None):
    """All outputs (batch, time, units) and the last states, by NumPy."""
    state = start or [np.zeros((len(x), units), np.float32)] * count
    output, every = np.zeros((len(x), units), np.float32), []
    for time in range(x.shape[1])[:: -1 if backwards else 1]:
        new = step(x[:, time], state, *weights)
        kept = np.ones((len(x), 1), bool) if mask is None else mask[:, time, None]
        output = np.where(kept, new[0], output)
        state = [np.where(kept, a, b) for a, b in zip(new, state, strict=True)]
        every.append(output)
    return np.stack(every, 1), state


@pytest.mark.parametrize("kind, step, count", KINDS)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_recurrent_layers(kind, step, count, backwards, masked):
    x = numbers(3, 5, 4)
    mask = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1], [0, 1, 0, 1, 0]], bool) if masked else None
    given = {} if mask is None else {"mask": tf.constant(mask)}
    every = kind(3, return_sequences=True, return_state=True, go_backwards=backwards)
    every(x)
    weights = set_random(every)
    found = outputs(every, x, **given)
    wanted, states = run_formula(step, x, weights, count, mask=mask, backwards=backwards)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-4, atol=1e-5)
    for a, b in zip(found[1:], states, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    for unroll in (False, True):
        last = kind(3, go_backwards=backwards, unroll=unroll)
        last(x)
        last.set_weights(weights)
        np.testing.assert_allclose(outputs(last, x, **given), wanted[:, -1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind, step, count", KINDS)
def test_recurrent_layers_begin_with_given_states(kind, step, count):
    x, start = numbers(2, 3, 4), [numbers(2, 3) for _ in range(count)]
    layer = kind(3)
    layer(x)
    weights = set_random(layer)
    found = outputs(layer, x, initial_state=[tf.constant(each) for each in start])
    np.testing.assert_allclose(found, run_formula(step, x, weights, count, start=start)[0][:, -1], rtol=1e-4, atol=1e-5)
    with pytest.raises(InvalidArgumentError, match="states"):
        layer(x, initial_state=[tf.constant(start[0])] * 3)


def test_gru_with_the_reset_before_the_product():
    x = numbers(2, 1, 4)
    layer = layers.GRU(3, reset_after=False)
    layer(x)
    w, u, b = set_random(layer)
    start = numbers(2, 3)
    z, r, g = np.split(x[:, 0] @ w + b, 3, -1)
    z, r = sigmoid(z + start @ u[:, :3]), sigmoid(r + start @ u[:, 3:6])
    wanted = z * start + (1 - z) * np.tanh(g + (r * start) @ u[:, 6:])
    np.testing.assert_allclose(outputs(layer, x, initial_state=tf.constant(start)), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [layers.SimpleRNN, layers.LSTM, layers.GRU])
def test_recurrent_layers_over_sequences_of_unknown_length(kind):
    layer = kind(3, return_sequences=True)
    function = tf.function(lambda x: layer(x), input_signature=[tf.TensorSpec((None, None, 4))])
    for shape in ((2, 3, 4), (1, 6, 4)):
        x = numbers(*shape)
        np.testing.assert_allclose(function(x), layer(x), rtol=1e-5, atol=1e-6)
    assert function.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("kind", [layers.SimpleRNN, layers.LSTM, layers.GRU])
def test_gradients_through_time_equal_finite_differences(kind):
    x = numbers(2, 4, 3).astype(np.float64)
    layer = kind(2, dtype="float64")
    layer(x)
    set_random(layer)

    @tf.function
    def loss(x):
        return tf.reduce_sum(layer(x) ** 2)

    with tf.GradientTape() as tape:
        value = loss(x)
    for gradient, weight in zip(tape.gradient(value, layer.trainable_weights), layer.trainable_weights, strict=True):
        array, place = weight.numpy(), (0,) * len(weight.shape)
        differences = []
        for sign in (1, -1):
            moved = array.copy()
            moved[place] += sign * 1e-6
            weight.assign(moved)
            differences.append(float(loss(x)))
        weight.assign(array)
        assert float(gradient[place]) == pytest.approx((differences[0] - differences[1]) / 2e-6, rel=1e-5, abs=1e-7)


def test_a_cell_of_the_user():
    class Counter(layers.Layer):
        state_size = 2

        def call(self, inputs, states):
            if tf.reduce_sum(inputs) > 0:
                total = states[0] + inputs
            else:
                total = states[0]
            return total * 2, [total]

    x = np.array([[[1, 2], [-3, -4], [5, 6]]], np.float32)
    layer = layers.RNN(Counter(), return_sequences=True)
    np.testing.assert_array_equal(outputs(layer, x), [[[2, 4], [2, 4], [12, 16]]])


def test_dropout_in_recurrent_layers():
    tf.random.set_seed(4)
    x = np.ones((1, 4, 50), np.float32)
    layer = layers.SimpleRNN(1, activation="linear", dropout=0.5, recurrent_dropout=0.5, return_sequences=True)
    still = np.asarray(layer(x))
    np.testing.assert_array_equal(still, layer(x))
    assert not np.allclose(layer(x, training=True), still)
    kernel, recurrent, _ = layer.get_weights()
    layer.set_weights([np.ones_like(kernel), np.zeros_like(recurrent), np.zeros(1)])
    steps = np.asarray(layer(x, training=True))[0, :, 0]
    assert (steps == steps[0]).all()  # one mask for all steps
    assert steps[0] != 50


# Masks


def test_masks_go_from_layer_to_layer():
    x = np.array([[1, 2, 0], [3, 0, 0]])
    embedding, first, second = (
        layers.Embedding(5, 3, mask_zero=True),
        layers.LSTM(2, return_sequences=True),
        layers.GRU(2),
    )

    def run(x):
        return second(first(layers_between(embedding(x))))

    layers_between = layers.Dropout(0.5)
    found = run(x)
    np.testing.assert_allclose(tf.function(run)(x), found, rtol=1e-5)
    mask = tf.constant(x != 0)
    embedded = tf.gather(embedding.embeddings, x)
    np.testing.assert_allclose(found, second(first(embedded, mask=mask), mask=mask), rtol=1e-5)
    assert not np.allclose(found, second(first(embedded)))
    model = tf.keras.Sequential([embedding, layers_between, first, second])
    np.testing.assert_allclose(model(x), found, rtol=1e-5)
    inputs = tf.keras.Input((3,), dtype="int32")
    symbolic = tf.keras.Model(inputs, second(first(layers_between(embedding(inputs)))))
    np.testing.assert_allclose(symbolic(x), found, rtol=1e-5)


def test_masking():
    x = np.array([[[0.0, 0.0], [1.0, 0.0]]], np.float32)
    layer = layers.Masking()
    np.testing.assert_array_equal(layer.compute_mask(tf.constant(x)), [[False, True]])
    rnn = layers.SimpleRNN(2)
    np.testing.assert_allclose(rnn(layer(x)), rnn(x[:, 1:]), rtol=1e-6)


# Shapes and merging

X = numbers(2, 3, 4)


@pytest.mark.parametrize(
    "layer, inputs, wanted",
    [
        (layers.Flatten(), X, X.reshape(2, 12)),
        (layers.Flatten(data_format="channels_first"), X, X.transpose(0, 2, 1).reshape(2, 12)),
        (layers.Flatten(), X[0, 0], X[0, 0][:, None]),
        (layers.Reshape((4, 3)), X, X.reshape(2, 4, 3)),
        (layers.Reshape((-1, 2, 3)), X, X.reshape(2, 2, 2, 3)),
        (layers.Permute((2, 1)), X, X.transpose(0, 2, 1)),
        (layers.RepeatVector(3), X[0], np.stack([X[0]] * 3, 1)),
        (layers.Rescaling(2.0, offset=-1.0), np.arange(3), [-1.0, 1.0, 3.0]),
        (layers.Activation("relu"), X, np.maximum(X, 0)),
        (layers.Activation(tf.sin), X, np.sin(X)),
        (layers.ReLU(max_value=1, negative_slope=0.5, threshold=0.25), X,
         np.where(X >= 1, 1, np.where(X >= 0.25, X, 0.5 * (X - 0.25)))),
        (layers.Lambda(lambda x: x * 2), X, X * 2),
        (layers.Lambda(lambda x, by: x * by, arguments={"by": 3}), X, X * 3),
        (layers.Add(), [X, X, X], X * 3),
        (layers.Subtract(), [X, X * 3], X * -2),
        (layers.Multiply(), [X, X], X * X),
        (layers.Average(), [X, X * 2], X * 1.5),
        (layers.Maximum(), [X, -X], np.abs(X)),
        (layers.Minimum(), [X, -X], -np.abs(X)),
        (layers.Concatenate(), [X, X[..., :1]], np.concatenate([X, X[..., :1]], -1)),
        (layers.Concatenate(axis=1), [X, X], np.concatenate([X, X], 1)),
        (layers.Dot(1), [X[:, 0], X[:, 1]], (X[:, 0] * X[:, 1]).sum(1, keepdims=True)),
        (layers.Dot((2, 2)), [X, X], X @ X.transpose(0, 2, 1)),
        (layers.ZeroPadding2D(((1, 0), (0, 2))), X[..., None], np.pad(X[..., None], ((0, 0), (1, 0), (0, 2), (0, 0)))),
        (layers.UpSampling2D((2, 1)), X[..., None], X[..., None].repeat(2, 1)),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_layers_without_weights(layer, inputs, wanted):
    np.testing.assert_allclose(outputs(layer, inputs), wanted, rtol=1e-5, atol=1e-6)
    if np.ndim(inputs if not isinstance(inputs, list) else inputs[0]) > 1:
        shape = [(None, *each.shape[1:]) for each in inputs] if isinstance(inputs, list) else (None, *inputs.shape[1:])
        assert layer.compute_output_shape(shape) == (None, *np.shape(wanted)[1:])


def test_flatten_of_unknown_dimensions():
    function = tf.function(lambda x: layers.Flatten()(x), input_signature=[tf.TensorSpec((None, None, 4))])
    np.testing.assert_array_equal(function(X), X.reshape(2, 12))


def test_symbolic_shapes():
    for layer, shape, wanted in (
        (layers.Dense(7), (None, 3, 4), (None, 3, 7)),
        (layers.Conv2D(5, 3, 2, "same"), (None, 9, 8, 1), (None, 5, 4, 5)),
        (layers.Conv2D(5, 3), (None, None, None, 1), (None, None, None, 5)),
        (layers.MaxPooling2D(), (4, 9, 8, 1), (4, 4, 4, 1)),
        (layers.LSTM(3, return_sequences=True), (None, None, 4), (None, None, 3)),
        (layers.GRU(3), (None, 5, 4), (None, 3)),
        (layers.Embedding(9, 2), (None, 5), (None, 5, 2)),
        (layers.Flatten(), (None, 5, 4), (None, 20)),
        (layers.Flatten(), (None, None, 4), (None, None)),
    ):
        assert layer.compute_output_shape(shape) == wanted
        assert layer(tf.keras.Input(batch_shape=shape)).shape == wanted


# States and masks of recurrent layers


def test_states_stay_from_batch_to_batch():
    layer = layers.LSTM(4, stateful=True)
    whole, halves = numbers(2, 6, 3), None
    layer(whole[:, :3])
    layer.reset_states()
    for part in (whole[:, :3], whole[:, 3:]):
        halves = layer(part)
    fresh = layers.LSTM(4)
    fresh(whole)
    fresh.set_weights(layer.get_weights())
    np.testing.assert_allclose(halves, fresh(whole), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layer.states[0], halves)
    assert len(layer.weights) == 3 and len(layer.variables) == 3
    layer.reset_states()
    assert not np.any(layer.states[1])
    with pytest.raises(ValueError, match="Expected batch size: 2"):
        layer(whole[:1])


def test_states_stay_in_graphs_and_their_batch_size_is_checked_when_they_run():
    layer = layers.GRU(4, stateful=True)
    x = numbers(2, 3, 3)
    wanted = layer(x)
    layer.reset_states()

    @tf.function(input_signature=[tf.TensorSpec((None, None, 3))])
    def run(x):
        return layer(x)

    np.testing.assert_allclose(run(x), wanted, rtol=1e-5, atol=1e-6)
    assert not np.allclose(run(x), wanted)
    with pytest.raises(ValueError):
        run(x[:1])


def test_stateful_models_train_and_are_saved(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input(batch_shape=(2, 5, 3)), layers.LSTM(4, stateful=True)])
    model.compile("sgd", "mse")
    model.fit(numbers(4, 5, 3), numbers(4, 4), batch_size=2, verbose=0)
    model.save(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(tmp_path / "m.keras")
    model.layers[0].reset_states()
    x = numbers(2, 5, 3)
    np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5)


def test_masks_of_merged_inputs():
    a, b = np.array([[1, 2, 0, 0]]), np.array([[1, 0, 3, 0]])
    x, y = layers.Embedding(5, 2, mask_zero=True)(a), layers.Embedding(5, 2, mask_zero=True)(b)
    last = layers.SimpleRNN(2, return_sequences=True, zero_output_for_mask=True)

    def steps(merged):
        return np.any(np.asarray(last(merged)), -1)[0].tolist()

    assert steps(layers.Add()([x, y])) == [True, True, True, False]
    assert steps(layers.Add()([x, tf.ones((1, 4, 2))])) == [True] * 4
    joined = layers.Concatenate(axis=1)
    assert steps(joined([x, y])) == [True, True, False, False, True, False, True, False]
    assert steps(joined([x, tf.ones((1, 4, 2))])) == [True, True, False, False, True, True, True, True]


def test_masks_by_the_names_of_arguments():
    embed = layers.Embedding(9, 4, mask_zero=True)
    ids, others = np.array([[1, 2, 0, 0], [3, 0, 4, 5]]), np.array([[1, 2, 0], [3, 0, 4]])
    attention = layers.MultiHeadAttention(2, 3)
    query, value = embed(ids), embed(others)
    plain = tf.constant(query.numpy()), tf.constant(value.numpy())
    attention(*plain)
    masked = attention(*plain, query_mask=tf.constant(ids != 0), value_mask=tf.constant(others != 0))
    for found in (attention(query, value), attention(query=query, value=value),
                  tf.function(lambda: attention(embed(ids), embed(others)))()):  # fmt: skip
        np.testing.assert_allclose(found, masked, rtol=1e-5, atol=1e-6)
    assert not np.allclose(attention(*plain), masked)
    last = layers.SimpleRNN(2, return_sequences=True, zero_output_for_mask=True)
    assert np.any(np.asarray(last(attention(query, value))), -1).tolist() == (ids != 0).tolist()

    class Both(layers.Layer):
        def call(self, left, right, left_mask=None, right_mask=None):
            return tf.cast(left_mask, tf.int32) + 2 * tf.cast(right_mask[:, :1], tf.int32)

    assert Both()(query, right=value).numpy().tolist() == [[3, 3, 2, 2], [3, 2, 3, 3]]
    given = tf.constant(np.ones((2, 3), bool))
    assert Both()(query, value, right_mask=given).numpy().tolist() == [[3, 3, 2, 2], [3, 2, 3, 3]]


def test_time_distributed_of_unknown_length():
    layer = layers.TimeDistributed(layers.Dense(2))
    assert layer(tf.keras.Input((None, 3))).shape == (None, None, 2)
    x = numbers(2, 5, 3)
    graph = tf.function(layer.call, input_signature=[tf.TensorSpec((None, None, 3))])
    np.testing.assert_allclose(graph(x), layer(x), rtol=1e-5)


def test_both_directions_begin_with_their_own_states():
    layer = layers.Bidirectional(layers.GRU(2, return_state=True), merge_mode=None)
    x, states = numbers(2, 3, 3), [numbers(2, 2), numbers(2, 2)]
    forward, backward, *last = layer(x, initial_state=[tf.constant(each) for each in states])
    np.testing.assert_allclose(forward, layer.forward_layer(x, initial_state=tf.constant(states[0]))[0])
    np.testing.assert_allclose(backward, layer.backward_layer(x, initial_state=tf.constant(states[1]))[0])
    assert len(last) == 2 and layer.forward_layer.name.startswith("forward_gru")


def test_dropout_of_whole_channels():
    tf.random.set_seed(1)
    x = tf.ones((2, 4, 4, 8))
    kept = np.asarray(layers.SpatialDropout2D(0.5)(x, training=True)).mean((1, 2))
    assert set(np.unique(kept)) == {0.0, 2.0}
    noisy = np.asarray(layers.GaussianDropout(0.5)(tf.ones((400, 400)), training=True))
    assert abs(noisy.mean() - 1) < 0.02 and abs(noisy.std() - 1) < 0.02
    units = np.random.default_rng(0).normal(size=(400, 400)).astype("f")
    alpha = np.asarray(layers.AlphaDropout(0.3)(units, training=True))
    assert abs(alpha.mean()) < 0.03 and abs(alpha.std() - 1) < 0.03
    assert np.array_equal(layers.AlphaDropout(0.3)(units), units)


def test_activity_regularization():
    layer = layers.ActivityRegularization(l1=0.5)
    assert np.array_equal(layer(np.full((2, 3), 2.0, "f")), np.full((2, 3), 2.0))
    assert float(layer.losses[0]) == 3.0


# What can't be


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: layers.Dense(3, color=1), r"Unrecognized keyword arguments passed to Dense: \{'color': 1\}"),
        (lambda: layers.LSTM(3, color=1), "color"),
        (lambda: layers.Dense(0), "expected a positive integer. Received: units=0"),
        (lambda: layers.Dense(2.5), "expected a positive integer"),
        (lambda: layers.LSTM(-1), "units=-1"),
        (lambda: layers.Dense(3, activation="reluu"), "reluu"),
        (lambda: layers.Dense(3, kernel_initializer="nope"), "nope"),
        (lambda: layers.Dense(3, kernel_regularizer="nope"), "nope"),
        (lambda: layers.Dropout(1.5), "rate=1.5"),
        (lambda: layers.Conv2D(3, (1, 2, 3)), "tuple of 2 positive integers"),
        (lambda: layers.Conv2D(3, 2, padding="full"), "padding=full"),
        (lambda: layers.Conv2D(3, 2, groups=2), "groups"),
        (lambda: layers.Conv2D(3, 2, strides=2, dilation_rate=2), "dilation_rate"),
        (lambda: layers.Flatten(data_format="first"), "data_format"),
        (lambda: layers.Reshape((-1, -1)), "one -1"),
        (lambda: layers.Permute((0, 1)), "consecutive"),
        (lambda: layers.LSTM(3, stateful=True)(tf.keras.Input((5, 3))), "batch size must be static"),
        (lambda: layers.Bidirectional(layers.LSTM(3), merge_mode="max"), "Invalid merge mode. Received: max"),
        (lambda: layers.Bidirectional(layers.LSTM(3), backward_layer=layers.LSTM(3)), "different `go_backwards` value"),
        (lambda: layers.Bidirectional(layers.Dense(3)), "recurrent layer"),
        (lambda: layers.TimeDistributed("dense"), "with a `keras.layers.Layer` instance. Received: dense"),
        (lambda: layers.TimeDistributed(layers.Dense(3))(np.ones((3, 3))), "at least 3 dimensions"),
        (lambda: layers.StackedRNNCells([layers.Dense(3)]), "state_size"),
        (lambda: layers.Conv2D(3, 2, padding="causal"), "padding=causal"),
        (lambda: layers.Cropping2D(2)(np.ones((1, 4, 4, 1))), "smaller than the corresponding spatial dimension"),
        (lambda: layers.ZeroPadding2D((1, 2, 3)), "should have 2 elements"),
        (lambda: layers.EinsumDense("ab->ac", 3)(np.ones((2, 2))), "Invalid einsum equation"),
        (lambda: layers.Attention(score_mode="sum"), "score_mode=sum"),
        (lambda: layers.Attention()(np.ones((2, 2, 2))), "inputs list of length 2 or 3"),
        (lambda: layers.GroupNormalization(3)(np.ones((2, 4))), "must divide the number of channels"),
        (lambda: layers.LeakyReLU(-1.0), "negative_slope=-1.0"),
        (lambda: layers.RNN(layers.Dense(3)), "state_size"),
        (lambda: layers.Dense(3)(np.ones(())), "expected min_ndim=2, found ndim=0"),
        (lambda: layers.Dense(3)([[1.0]]), "passed as a keyword argument: 1.0"),
        (lambda: layers.Conv2D(3, 2)(np.ones((3, 3))), "expected min_ndim=4, found ndim=2"),
        (lambda: layers.LSTM(3)(np.ones((3, 3))), "expected ndim=3, found ndim=2"),
        (lambda: layers.Reshape((3, 4))(np.ones((3, 5))), "total size of the tensor must be unchanged"),
        (lambda: layers.Concatenate()([np.ones((2, 3)), np.ones((3, 3, 3))]), "matching shapes"),
        (lambda: layers.Add()(np.ones((2, 3))), "should be called on a list"),
        (lambda: layers.Subtract()([np.ones((2, 3))]), "at least 2 inputs"),
        (lambda: layers.Dense(3)(tf.keras.Input((None,))), "needs to know axis -1"),
    ],
)
def test_what_layers_refuse(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_a_built_layer_keeps_its_number_of_inputs():
    layer = layers.Dense(3)
    layer(np.ones((2, 4)))
    with pytest.raises(
        ValueError, match="expected axis -1 of input shape to have value 4, but received .* shape .2, 5."
    ):
        layer(np.ones((2, 5)))


# Configurations


@pytest.mark.parametrize(
    "layer",
    [
        layers.Dense(3, activation="relu", kernel_regularizer="l2", kernel_constraint="non_neg", name="d"),
        layers.Conv2D(4, (2, 3), strides=2, padding="same", use_bias=False), layers.MaxPooling2D(3, 2),
        layers.LSTM(4, return_sequences=True, unit_forget_bias=False), layers.GRU(2, reset_after=False),
        layers.SimpleRNN(2, activation="relu"), layers.LSTMCell(3), layers.BatchNormalization(momentum=0.5),
        layers.LayerNormalization(axis=[1, 2]), layers.Dropout(0.3, seed=1), layers.Embedding(4, 2, mask_zero=True),
        layers.Flatten(), layers.Reshape((2, -1)), layers.Concatenate(axis=1), layers.Rescaling(0.5),
        layers.Activation("tanh"), layers.ReLU(6.0), layers.GlobalAveragePooling2D(keepdims=True), layers.Masking(1.0),
        layers.Bidirectional(layers.GRU(3, return_sequences=True), merge_mode="sum"),
        layers.TimeDistributed(layers.Dense(3, activation="relu")), layers.RNN([layers.GRUCell(2), layers.LSTMCell(3)]),
        layers.Conv1D(3, 2, padding="causal"), layers.Conv2DTranspose(3, 2, 2, output_padding=1), layers.PReLU(),
        layers.SeparableConv2D(3, 2), layers.DepthwiseConv2D(2, depth_multiplier=2), layers.AveragePooling1D(3),
        layers.ZeroPadding1D((1, 2)), layers.Cropping2D(1), layers.UpSampling1D(3), layers.GroupNormalization(4),
        layers.RMSNormalization(), layers.EinsumDense("abc,cd->abd", (None, 3), bias_axes="d"), layers.Attention(True),
        layers.MultiHeadAttention(2, 3), layers.SpatialDropout2D(0.5), layers.ActivityRegularization(l2=0.1),
    ],
    ids=lambda layer: type(layer).__name__,
)  # fmt: skip
def test_a_layer_from_its_configuration(layer):
    config = layer.get_config()
    again = type(layer).from_config(config)
    assert again.get_config() == config
    assert again.name == layer.name
    through_a_file = tf.keras.utils.deserialize_keras_object(json.loads(json.dumps(
        tf.keras.utils.serialize_keras_object(layer)
    )))  # fmt: skip
    assert through_a_file.get_config() == config


def test_the_configuration_of_a_dense_layer_is_that_of_keras():
    config = layers.Dense(3, name="d").get_config()
    assert config["units"] == 3
    assert config["activation"] == "linear"
    assert config["dtype"] == {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"},
                               "registered_name": None}  # fmt: skip
    assert config["kernel_initializer"]["class_name"] == "GlorotUniform"


def test_the_projections_of_attention_begin_with_numbers_of_their_own() -> None:
    def kernels(**settings: Any) -> list[np.ndarray]:
        layer = layers.MultiHeadAttention(2, 4, use_bias=False, **settings)
        layer.build((2, 3, 5), (2, 3, 5))
        return layer.get_weights()[:3]

    seeded = tf.keras.initializers.GlorotUniform(seed=3)
    for given in ({}, {"kernel_initializer": tf.keras.initializers.HeNormal()}):
        query, key, value = kernels(**given)
        assert not (query == key).any() and not (key == value).any()
    query, key, _ = kernels(kernel_initializer=seeded)
    np.testing.assert_array_equal(query, key)
    query, key, _ = kernels(kernel_initializer=lambda shape, dtype=None: tf.fill(shape, 2.0))
    assert (query == 2).all() and (key == 2).all()


def test_integers_are_computed_with_in_the_dtype_of_the_layer() -> None:
    whole = np.arange(96).reshape(2, 4, 4, 3)
    for layer in (
        layers.Dense(2), layers.Conv2D(2, 2), layers.Conv2DTranspose(2, 2), layers.DepthwiseConv2D(2),
        layers.SeparableConv2D(2, 2), layers.EinsumDense("abcd,de->abce", (4, 4, 2)), layers.BatchNormalization(),
        layers.LayerNormalization(), layers.GroupNormalization(1), layers.RMSNormalization(),
        layers.UnitNormalization(), layers.GlobalAveragePooling2D(), layers.ELU(), layers.LeakyReLU(), layers.PReLU(),
    ):  # fmt: skip
        for dtype in ("int32", "int64", "bool"):
            outputs = layer(whole.astype(dtype))
            assert outputs.dtype == "float32"
            np.testing.assert_array_equal(outputs, layer(whole.astype(dtype).astype(np.float32)))
    np.testing.assert_array_equal(layers.GlobalAveragePooling1D()(np.array([[[1], [2]]])), [[1.5]])


def test_gradients_at_the_kinks_of_activations() -> None:
    for name, at, slope in (("relu", 0.0, 0.0), ("relu6", 6.0, 0.0), ("relu6", 0.0, 0.0), ("selu", 0.0, 1.0507010)):
        x = tf.constant(at)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.nn, name)(x)
        assert float(tape.gradient(y, x)) == pytest.approx(slope)
