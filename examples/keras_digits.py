"""Trains a Keras model on handwritten digits; all epochs, batches and gradients are one graph.

The data are the 1,797 digits of 8 x 8 pixels that scikit-learn brings along, a sixth of which takes no part in
training. Half-way the weights, with the state of the optimizer, are saved; a new model that loads them goes on to the
very numbers of the first one. Given a folder, it leaves there what TensorBoard shows, and the model, which runs without
this file:

    python examples/keras_digits.py
    python examples/keras_digits.py out
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import autograph as tf

BATCH = 32
EPOCHS = 24
SEED = 7


def load() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Images float32 (n, 8, 8) in 0..1 and classes int64 (n,), for training and held out."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    images, classes = (data.images / 16.0).astype(np.float32)[order], data.target[order]
    return (images[:1497], classes[:1497]), (images[1497:], classes[1497:])


def new_model() -> tf.keras.Model:
    """A network of two hidden layers, with the weights that `SEED` gives, and its optimizer."""
    tf.keras.utils.set_random_seed(SEED)
    model = tf.keras.Sequential(
        (
            tf.keras.layers.Reshape(target_shape=(8 * 8,), input_shape=(8, 8)),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(10),
        )
    )
    model.compile(optimizer=tf.keras.optimizers.Adam())
    return model


compute_loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
compute_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()


def train_one_step(model, x, y):
    """One step of the optimizer; returns the loss of the batch."""
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss = compute_loss(y, logits)
    gradients = tape.gradient(loss, model.trainable_variables)
    model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    compute_accuracy(y, logits)
    return loss


@tf.function
def train(model, images, classes, start, stop):
    """Trains from one epoch to another; each epoch has its own order, whatever was drawn before."""
    step = 0
    loss = 0.0
    for epoch in tf.range(start, stop):
        order = tf.random.stateless_shuffle(tf.range(tf.shape(images)[0]), seed=[SEED, epoch])
        samples = tf.data.Dataset.from_tensor_slices((tf.gather(images, order), tf.gather(classes, order)))
        compute_accuracy.reset_state()
        for x, y in samples.batch(BATCH):
            step += 1
            loss = train_one_step(model, x, y)
        tf.summary.scalar("loss", loss, step=epoch)
        tf.summary.scalar("accuracy", compute_accuracy.result(), step=epoch)
        if epoch % 6 == 5:
            tf.print("Epoch", epoch + 1, ": loss", loss, "; accuracy", compute_accuracy.result())
    return step, loss


def accuracy(model, images, classes) -> float:
    """The share of images that the model puts into the right class."""
    return float(np.mean(np.argmax(model(images), axis=1) == classes))


def main(folder: str | None = None) -> tuple[float, bool]:
    """Trains with and without an interruption; returns the held-out accuracy, and whether both end the same.

    folder: where to leave `logs`, for TensorBoard, and the folder `model`, for `tf.saved_model.load`.
    """
    (images, classes), held_out = load()

    model = new_model()
    model.summary()
    writer = tf.summary.create_file_writer(f"{folder}/logs") if folder else None
    with writer.as_default() if writer else contextlib.nullcontext():
        step, loss = train(model, images, classes, tf.constant(0), tf.constant(EPOCHS))
        if writer:
            tf.summary.graph(tf.function(model).get_concrete_function(tf.TensorSpec((None, 8, 8), tf.float32)).graph)
            writer.close()
    print(f"{int(step)} steps, loss {float(loss):.6f}")
    if folder:
        model.export(f"{folder}/model")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.safetensors"
        first = new_model()
        train(first, images, classes, tf.constant(0), tf.constant(EPOCHS // 2))
        first.save_weights(path)
        second = new_model()
        second.load_weights(path)
    train(second, images, classes, tf.constant(EPOCHS // 2), tf.constant(EPOCHS))
    same = all(np.array_equal(a, b) for a, b in zip(model.get_weights(), second.get_weights(), strict=True))
    print(f"interrupted and resumed: {'the same weights' if same else 'other weights'}")

    share = accuracy(model, *held_out)
    print(f"{share:.1%} of {len(held_out[1])} held-out digits recognised")
    return share, same


if __name__ == "__main__":
    main(*sys.argv[1:])
