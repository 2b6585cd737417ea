"""Trains a network on handwritten digits; the whole training is one graph.

`train` is ordinary Python: a loop over epochs, a loop over batches, and a `break` out of the outer loop when the
validation loss has stopped falling. Gradients are written by hand. The data are the 1,797 digits of 8 x 8 pixels
that scikit-learn brings along; a sixth is held out to measure accuracy, and takes no part in training.

    python examples/digits.py
"""

from __future__ import annotations

import collections
import inspect
import shutil
import sys
import time
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits

import autograph as tf

CLASSES = 10
HIDDEN = 48
BATCH = 32
EPOCHS = 60


class Layers(NamedTuple):
    """The weights of a network with one hidden layer."""

    hidden_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray


def forward(layers, images):
    """The hidden layer's outputs, and the logarithms of the ten classes' probabilities."""
    hidden = tf.maximum(images @ layers.hidden_weights + layers.hidden_bias, 0.0)
    scores = hidden @ layers.output_weights + layers.output_bias
    scores = scores - tf.reduce_max(scores, axis=1, keepdims=True)
    return hidden, scores - tf.math.log(tf.reduce_sum(tf.exp(scores), axis=1, keepdims=True))


def train(layers, images, targets, new_images, new_targets, orders, rate, patience):
    """Gradient descent with early stopping; each row of `orders` is one epoch's order of the images."""
    best, best_loss, waited, epochs = layers, np.inf, 0, 0
    for order in orders:
        for rows in tf.reshape(order, (-1, BATCH)):
            inputs, wanted = tf.gather(images, rows), tf.gather(targets, rows)
            hidden, logs = forward(layers, inputs)
            slopes = (tf.exp(logs) - wanted) / BATCH
            back = tf.where(hidden > 0.0, slopes @ tf.transpose(layers.output_weights), 0.0)
            layers = Layers(
                layers.hidden_weights - rate * (tf.transpose(inputs) @ back),
                layers.hidden_bias - rate * tf.reduce_sum(back, axis=0),
                layers.output_weights - rate * (tf.transpose(hidden) @ slopes),
                layers.output_bias - rate * tf.reduce_sum(slopes, axis=0),
            )
        epochs += 1
        _, logs = forward(layers, new_images)
        loss = -tf.reduce_mean(tf.reduce_sum(new_targets * logs, axis=1))
        if loss < best_loss:
            best, best_loss, waited = layers, loss, 0
        else:
            waited += 1
        if waited == patience:
            break
    return best, best_loss, epochs


def load() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Images float32 (n, 64) in 0..1 and classes int64 (n,), in three parts."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    images, classes = (data.data / 16.0).astype(np.float32)[order], data.target[order]
    parts = {"training": slice(0, 1248), "validation": slice(1248, 1497), "held-out": slice(1497, None)}
    return {name: (images[part], classes[part]) for name, part in parts.items()}


def draw_layers(seed: int = 1) -> Layers:
    """Random weights, scaled for rectified units (He et al., 2015)."""
    random = np.random.default_rng(seed)
    sizes = [(64, HIDDEN), (HIDDEN, CLASSES)]
    first, second = (random.normal(0.0, np.sqrt(2.0 / size[0]), size).astype(np.float32) for size in sizes)
    return Layers(first, np.zeros(HIDDEN, np.float32), second, np.zeros(CLASSES, np.float32))


def training_arguments(parts: dict[str, tuple[np.ndarray, np.ndarray]]) -> tuple:
    """What `train` takes: layers, data as images and one-hot targets, orders, learning rate, patience."""
    random = np.random.default_rng(2)
    one_hot = np.eye(CLASSES, dtype=np.float32)
    (images, classes), (new_images, new_classes) = parts["training"], parts["validation"]
    orders = np.stack([random.permutation(len(images)) for _ in range(EPOCHS)]).astype(np.int32)
    return draw_layers(), images, one_hot[classes], new_images, one_hot[new_classes], orders, 0.5, 6


def accuracy(layers: Layers, images: np.ndarray, classes: np.ndarray) -> float:
    """The share of `images` whose most probable class is the right one."""
    _, logs = forward(layers, tf.constant(images))
    return float(np.mean(logs.numpy().argmax(axis=1) == classes))


def heading(text: str) -> None:
    """Prints a line across the terminal, in bold type where there is one."""
    line = f"── {text} ".ljust(min(shutil.get_terminal_size().columns, 100), "─")
    print(f"\n\033[1m{line}\033[0m\n" if sys.stdout.isatty() else f"\n{line}\n")


def main() -> float:
    """Trains, prints the source, what it became, the graph's size and the accuracy; returns the accuracy."""
    parts = load()
    arguments = training_arguments(parts)

    heading("what was written")
    print(inspect.getsource(train))
    heading("what autograph made of it")
    print(tf.autograph.to_code(train))

    staged = tf.function(train)
    started = time.perf_counter()
    graph = staged.get_concrete_function(*arguments).graph
    traced = time.perf_counter()
    layers, loss, epochs = staged(*arguments)
    ended = time.perf_counter()

    heading("the graph")
    kinds = collections.Counter(node.type for node in graph.walk())
    print(f"{kinds.total()} nodes, among them {kinds['While']} loops and {kinds['If']} conditionals; "
          f"traced in {traced - started:.2f} s")
    heading("the outcome")
    share = accuracy(layers, *parts["held-out"])
    print(f"stopped after {int(epochs)} of {EPOCHS} epochs, {ended - traced:.2f} s; validation loss {float(loss):.4f}")
    print(f"{share:.1%} of {len(parts['held-out'][1])} held-out digits recognised")
    return share


if __name__ == "__main__":
    main()
