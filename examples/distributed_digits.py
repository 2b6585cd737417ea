"""Trains on handwritten digits on eight devices at once: each works on an eighth of every batch.

The devices are one CPU that JAX takes for eight (`pip install 'autograph-py[xla]'`); on a machine with GPUs leave out
`divide_cpu()`, and the same program runs on all of these. First with a training loop of one's own, all epochs of which
are one graph, then with `fit`. Both end with the weights that one device ends with, but for rounding:

    python examples/distributed_digits.py
    python examples/distributed_digits.py 2   # epochs
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import load_digits

import autograph as tf

DEVICES = 8
BATCH = 64
EPOCHS = 8


def divide_cpu() -> None:
    """Make the CPU eight devices. That has to come before JAX starts."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * DEVICES)


def load() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Images float32 (n, 64) in 0..1 and classes int64 (n,), for training and held out."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    images, classes = (data.data / 16.0).astype(np.float32)[order], data.target[order]
    return (images[:1497], classes[:1497]), (images[1497:], classes[1497:])


def new_model() -> tf.keras.Model:
    """A network of one hidden layer, and its optimizer; call it in the scope of a strategy."""
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([
        tf.keras.Input((64,)),
        tf.keras.layers.Dense(100, activation="relu"),
        tf.keras.layers.Dense(10),
    ])  # fmt: skip
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(epsilon=1e-3), loss, metrics=["accuracy"])
    return model


def train(strategy: tf.distribute.Strategy, epochs: int) -> tf.keras.Model:
    """A model trained in the replicas of a strategy, by a loop that is one graph."""
    images, classes = load()[0]
    with strategy.scope():
        model = new_model()
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    def step(batch):
        x, y = batch
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            # The sum over all replicas is the mean over the batch.
            loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        accuracy.update_state(y, logits)
        return loss

    @tf.function
    def all_epochs(batches):
        for epoch in tf.range(epochs):
            accuracy.reset_state()
            total, count = 0.0, 0
            for batch in batches:
                total += strategy.reduce("SUM", strategy.run(step, args=(batch,)), axis=None)
                count += 1
            loss, share = total / tf.cast(count, tf.float32), accuracy.result()
            tf.print("epoch", epoch + 1, "loss", loss, "accuracy", share, output_stream=sys.stdout)

    samples = tf.data.Dataset.from_tensor_slices((images, classes))
    all_epochs(strategy.experimental_distribute_dataset(samples.batch(BATCH)))
    return model


def fit(strategy: tf.distribute.Strategy, epochs: int) -> tf.keras.Model:
    """A model trained by `fit`, over the devices of a strategy."""
    with strategy.scope():
        model = new_model()
    model.fit(*load()[0], batch_size=BATCH, epochs=epochs, shuffle=False, verbose=0)
    return model


def main(epochs: int = EPOCHS) -> dict[str, tuple[float, float]]:
    """For both ways: the share of digits recognised after training on all devices, and how far weights are off."""
    divide_cpu()
    several, one = tf.distribute.MirroredStrategy(), tf.distribute.OneDeviceStrategy()
    print(several.num_replicas_in_sync, "devices")
    found = {}
    for way in (train, fit):
        weights = [way(strategy, epochs) for strategy in (several, one)]
        far = max(float(np.abs(a - b).max()) for a, b in zip(*(each.get_weights() for each in weights), strict=True))
        _, share = weights[0].evaluate(*load()[1], verbose=0)
        print(f"{way.__name__}: {share:.1%} of the digits held out are recognised")
        print("one device ends with the same weights" if far < 1e-4 else f"the weights are off by {far}")
        found[way.__name__] = share, far
    return found


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
