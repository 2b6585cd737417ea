"""Training in a graph of one's own: loops over datasets, gradients, optimizers and metrics in one traced function."""

from __future__ import annotations

import numpy as np

import autograph as tf

keras, layers = tf.keras, tf.keras.layers
IMAGES = np.random.default_rng(5).random((200, 28, 28)).astype(np.float32)
CLASSES = IMAGES.reshape(200, -1)[:, :3].argmax(1)


def new_model():
    keras.utils.set_random_seed(0)
    model = tf.keras.Sequential(
        (
            tf.keras.layers.Reshape(target_shape=(28 * 28,), input_shape=(28, 28)),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(10),
        )
    )
    model.build()
    return model


def dataset():
    return tf.data.Dataset.from_tensor_slices((IMAGES, CLASSES)).repeat(2).batch(16)


compute_loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
compute_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()


def train_one_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        logits = model(x)
        loss = compute_loss(y, logits)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    compute_accuracy(y, logits)
    return loss


def train(model, optimizer):
    train_ds = dataset()
    step = 0
    loss = 0.0
    accuracy = 0.0
    for x, y in train_ds:
        step += 1
        loss = train_one_step(model, optimizer, x, y)
        if step % 10 == 0:
            tf.print("Step", step, ": loss", loss, "; accuracy", compute_accuracy.result())
    return step, loss, accuracy


def test_a_whole_training_in_one_graph(capfd):
    model, optimizer = new_model(), tf.keras.optimizers.Adam()
    compute_accuracy.reset_state()
    function = tf.function(train)
    step, loss, accuracy = function(model, optimizer)
    assert int(step) == 25
    assert float(accuracy) == 0
    share = float(compute_accuracy.result())
    printed = capfd.readouterr().err.splitlines()
    assert [line.split(" :")[0] for line in printed] == ["Step 10", "Step 20"]
    assert "; accuracy 0." in printed[1]

    eager, other = new_model(), tf.keras.optimizers.Adam()
    compute_accuracy.reset_state()
    wanted = train(eager, other)
    assert wanted[0] == 25
    np.testing.assert_allclose(loss, wanted[1], rtol=1e-4)
    assert float(compute_accuracy.result()) == share
    for a, b in zip(model.get_weights(), eager.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    function(model, optimizer)
    assert function.experimental_get_tracing_count() == 1
    assert int(optimizer.iterations) == 50


def test_a_recurrent_network_trains_in_a_graph():
    words = np.random.default_rng(6).integers(1, 5, (64, 7))
    words[:, 5:] = 0
    target = (words == 2).any(1).astype(np.float32)
    keras.utils.set_random_seed(1)
    model = keras.Sequential([layers.Embedding(5, 4, mask_zero=True), layers.LSTM(8), layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.02), keras.losses.BinaryCrossentropy(from_logits=True))
    losses = model.fit(words, target, epochs=30, verbose=0).history["loss"]
    assert losses[-1] < 0.5 * losses[0]


def test_a_convolutional_network_trains():
    images = np.zeros((48, 8, 8, 1), np.float32)
    for n in range(48):
        images[n, :, n % 8] += 1 if n % 2 else 0
        images[n, n % 8] += 0 if n % 2 else 1
    keras.utils.set_random_seed(2)
    model = keras.Sequential([
        layers.Input((8, 8, 1)), layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(),
        layers.MaxPooling2D(), layers.Dropout(0.1), layers.Flatten(), layers.Dense(2, activation="softmax"),
    ])  # fmt: skip
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(images, np.arange(48) % 2, epochs=15, batch_size=8, verbose=0).history
    assert history["accuracy"][-1] > 0.95


def test_staged_loops_over_calls_of_a_model():
    model = keras.Sequential([layers.Input((2,)), layers.Dense(2)])

    @tf.function
    def iterate(x, times):
        for _ in tf.range(times):
            x = model(x)
        return x

    x = np.ones((1, 2), np.float32)
    wanted = x
    for _ in range(3):
        wanted = model(wanted)
    np.testing.assert_allclose(iterate(x, tf.constant(3)), wanted, rtol=1e-5)
