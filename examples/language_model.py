"""Trains a small transformer on the documentation that comes with Python, character by character, and has it write.

Every device works on its part of each batch; the steps between two checkpoints are one graph, and so is writing, with a
loop that ends at a blank line. With `--checkpoints FOLDER` it goes on where it was stopped.

    python examples/language_model.py --steps 600
    python examples/language_model.py --steps 600 --devices 4      # of one CPU, with JAX
    python -m autograph launch --processes 2 examples/language_model.py --steps 600

All three end with the same weights, but for rounding. Chance is 6.6 bits per character, the frequencies of the
characters alone give 4.7; after 600 steps it is 2.1.
"""

from __future__ import annotations

import argparse
import os
import pydoc_data.topics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import autograph as tf

WINDOW, BATCH = 64, 32
WIDTH, HEADS, BLOCKS = 64, 4, 2
RATE = 3e-3
CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))


def load() -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the characters, int32 (n,), for training and held out."""
    text = "\n\n".join(pydoc_data.topics.topics.values())
    numbers = np.array([CHARACTERS.find(character) for character in text], np.int32)
    numbers = numbers[numbers >= 0]
    share = len(numbers) // 20
    return numbers[:-share], numbers[-share:]


class Block(tf.keras.layers.Layer):
    """Attention to what comes before, then two dense layers, each added to what goes in."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = [tf.keras.layers.LayerNormalization() for _ in range(2)]
        self.attention = tf.keras.layers.MultiHeadAttention(HEADS, WIDTH // HEADS)
        self.dense = [tf.keras.layers.Dense(4 * WIDTH, activation="gelu"), tf.keras.layers.Dense(WIDTH)]

    def call(self, x):
        normal = self.norms[0](x)
        x += self.attention(normal, normal, use_causal_mask=True)
        return x + self.dense[1](self.dense[0](self.norms[1](x)))


class LanguageModel(tf.keras.Model):
    """Logits (batch, window, characters) of what comes next, from the numbers of characters (batch, window)."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = tf.keras.layers.Embedding(len(CHARACTERS), WIDTH)
        self.positions = tf.keras.layers.Embedding(WINDOW, WIDTH)
        self.blocks = [Block() for _ in range(BLOCKS)]
        self.norm = tf.keras.layers.LayerNormalization()
        self.logits = tf.keras.layers.Dense(len(CHARACTERS))

    def call(self, numbers):
        x = self.characters(numbers) + self.positions(tf.range(WINDOW))
        for block in self.blocks:
            x = block(x)
        return self.logits(self.norm(x))


def windows(text: np.ndarray, first: int, last: int) -> tf.data.Dataset:
    """Batches (batch, window + 1) of some steps: each step has its own, whenever it is made."""
    text = tf.constant(text)

    def batch(step):
        starts = tf.random.stateless_uniform([BATCH], (1, step), 0, len(text) - WINDOW, tf.int32)
        return tf.gather(text, starts[:, tf.newaxis] + tf.range(WINDOW + 1))

    return tf.data.Dataset.range(first, last).map(batch)


def bits(model: LanguageModel, numbers):
    """For each window, the mean number of bits that it takes to tell its characters to who knows the model."""
    logits = model(numbers[:, :-1])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=numbers[:, 1:], logits=logits)
    return tf.reduce_mean(losses, 1) / np.log(2.0).astype(np.float32)


@tf.function
def write(model: LanguageModel, start, length, seed):
    """The numbers of characters, as the model goes on from some: at most ``length``, up to a blank line."""
    window = tf.concat([tf.zeros([WINDOW], tf.int32), start], 0)[-WINDOW:]
    written = []
    for i in tf.range(length):
        logits = model(window[tf.newaxis])[:, -1]
        choice = tf.random.stateless_categorical(logits / 0.7, 1, (seed, i), tf.int32)[0, 0]
        if choice == 0 and window[-1] == 0 and i > 0:
            break
        written.append(choice)
        window = tf.concat([window[1:], choice[tf.newaxis]], 0)
    return tf.stack(written)


def new_strategy(devices: int) -> tf.distribute.Strategy:
    """One for the processes that were launched together, or for so many devices of the CPU."""
    if os.environ.get("TF_CONFIG"):
        return tf.distribute.MultiWorkerMirroredStrategy()
    if devices == 1:
        return tf.distribute.get_strategy()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * devices)
    return tf.distribute.MirroredStrategy()


def train(strategy: tf.distribute.Strategy, steps: int, every: int, folder: str | None) -> LanguageModel:
    """A model after so many steps; prints after ``every`` so many how it gets on, and keeps its state then."""
    text, held_out = load()
    with strategy.scope():
        tf.keras.utils.set_random_seed(1)
        model, done = LanguageModel(), tf.Variable(0, trainable=False, dtype=tf.int64)
        model(tf.zeros([1, WINDOW], tf.int32))  # makes its variables, here
        rate = tf.keras.optimizers.schedules.CosineDecay(RATE, steps, warmup_target=RATE, warmup_steps=20)
        optimizer = tf.keras.optimizers.Adam(rate, global_clipnorm=1.0)

    def step(batch):
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(bits(model, batch), global_batch_size=BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    @tf.function
    def some_steps(batches):
        for batch in batches:
            strategy.run(step, args=(batch,))

    @tf.function
    def tested(batches):
        total, count = 0.0, 0.0
        for batch in batches:
            total += tf.reduce_mean(bits(model, batch))
            count += 1.0
        return total / count

    saved = tf.train.Checkpoint(model=model, optimizer=optimizer, done=done)
    manager = None if folder is None else tf.train.CheckpointManager(saved, folder, max_to_keep=2)
    if manager is not None and manager.restore_or_initialize():
        print("going on after step", int(done))
    while int(done) < steps:
        first, started = int(done), time.perf_counter()
        last = min(steps, first + every)
        some_steps(strategy.experimental_distribute_dataset(windows(text, first, last)))
        done.assign(last)
        if manager is not None:
            manager.save()
        found = float(tested(windows(held_out, 0, 8)))
        speed = (last - first) / (time.perf_counter() - started)
        print(f"step {last}: {found:.3f} bits per character held out, {speed:.1f} steps a second", flush=True)
    return model


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Trains a language model on Python's documentation.")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--every", type=int, default=100, help="steps from one checkpoint to the next")
    parser.add_argument("--devices", type=int, default=1, help="of one CPU")
    parser.add_argument("--checkpoints", metavar="FOLDER", help="where to keep the state, and to go on from")
    parser.add_argument("--prompt", default="The \"for\" statement", help="what the model is to go on from")
    options = parser.parse_args(arguments)
    model = train(new_strategy(options.devices), options.steps, options.every, options.checkpoints)
    start: Any = [CHARACTERS.index(character) for character in options.prompt]
    numbers = write(model, tf.constant(start, tf.int32), 200, 1).numpy()
    print(options.prompt + "".join(CHARACTERS[number] for number in numbers))


if __name__ == "__main__":
    main()
