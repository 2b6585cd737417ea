"""S12, S14, S26: models of Keras, their training in a graph, and what a graph saves."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from tests.work import work

from .console import console


def test_s12_a_model_with_a_branch_and_traces_of_its_own() -> None:
    traces = []

    class CustomModel(tf.keras.models.Model):
        @tf.function
        def call(self, input_data: Any) -> Any:
            traces.append(self)
            if tf.reduce_mean(input_data) > 0:
                return input_data
            else:
                return input_data // 2

    model = CustomModel()
    assert str(model(tf.constant([-2, -4]))) == "tf.Tensor([-1 -2], shape=(2,), dtype=int32)"
    assert model(tf.constant([6, 4])).numpy().tolist() == [6, 4]
    other = CustomModel()
    other(tf.constant([1, 2]))
    assert traces == [model, other]
    traces.clear()
    alive = weakref.ref(other)
    del other
    gc.collect()
    assert alive() is None


def dataset() -> Any:
    """Thirty batches of pictures of one bright row, whose number is the class."""
    random = np.random.default_rng(1)
    classes = random.integers(0, 10, 600)
    images = random.integers(0, 60, (600, 28, 28))
    for image, row in zip(images, classes, strict=True):
        image[2 * row : 2 * row + 4] += 150
    data = tf.data.Dataset.from_tensor_slices((images.astype(np.uint8), classes))
    data = data.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, tf.cast(y, tf.int64)))
    return data.shuffle(600, seed=1).batch(20)


@pytest.mark.filterwarnings("ignore:Do not pass an `input_shape`")
@pytest.mark.filterwarnings("ignore::autograph.operators.staging.outside.effects.FrozenValueWarning")
def test_s14_training_in_a_graph() -> None:
    tf.keras.utils.set_random_seed(3)
    model = tf.keras.Sequential(
        (
            tf.keras.layers.Reshape(target_shape=(28 * 28,), input_shape=(28, 28)),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(10),
        )
    )
    model.build()
    optimizer = tf.keras.optimizers.Adam()
    compute_loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    compute_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    def train_one_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(x)
            loss = compute_loss(y, logits)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        compute_accuracy(y, logits)
        return loss

    @tf.function
    def train(model: Any, optimizer: Any) -> Any:
        step = 0
        loss = 0.0
        accuracy = 0.0
        for x, y in dataset():
            step += 1
            loss = train_one_step(model, optimizer, x, y)
            if step % 10 == 0:
                tf.print("Step", step, ": loss", loss, "; accuracy", compute_accuracy.result())
        return step, loss, accuracy

    with console() as seen:
        step, loss, accuracy = train(model, optimizer)
        print("Final step", step, ": loss", loss, "; accuracy", compute_accuracy.result())
    *steps, last = seen.getvalue().splitlines()
    found = [re.fullmatch(r"Step (\d+) : loss ([\d.]+) ; accuracy ([\d.]+)", line) for line in steps]
    assert [int(each[1]) for each in found if each] == [10, 20, 30]
    shares = [float(each[3]) for each in found if each]
    assert shares == sorted(shares) and shares[-1] > 0.5
    final = (
        r"Final step tf.Tensor\(30, shape=\(\), dtype=int32\) : loss tf.Tensor\((.*), shape=\(\), dtype=float32\) ; .*"
    )
    assert float(re.fullmatch(final, last)[1]) == pytest.approx(float(found[-1][2])) == pytest.approx(float(loss))  # type: ignore[index]
    assert float(accuracy) == 0


class ManyLayers(tf.keras.Model):
    """A hundred small layers."""

    def __init__(self, **kwargs: Any) -> None:
        super(ManyLayers, self).__init__(**kwargs)
        self.flatten = tf.keras.layers.Flatten(input_shape=(28, 28))
        self.my_layers = [tf.keras.layers.Dense(64, activation="relu") for n in range(100)]
        self.dropout = tf.keras.layers.Dropout(0.2)
        self.dense_2 = tf.keras.layers.Dense(10)

    def call(self, x: Any) -> Any:
        x = self.flatten(x)
        for layer in self.my_layers:
            x = layer(x)
        x = self.dropout(x)
        x = self.dense_2(x)
        return x


def whole(model: Any) -> Callable[..., Any]:
    return tf.function(model)


def only_call(model: Any) -> Callable[..., Any]:
    model.call = tf.function(model.call)
    return model


@pytest.mark.parametrize("staged", [whole, only_call])
@pytest.mark.filterwarnings("ignore:Do not pass an `input_shape`")
def test_s26_a_graph_saves_most_of_the_work_around_many_layers(staged: Callable[[Any], Any]) -> None:
    tf.random.set_seed(2)
    data = tf.random.uniform([20, 28, 28])
    model = ManyLayers()
    wanted = model(data)
    eager = work(lambda: model(data))
    graph = staged(model)
    assert np.allclose(graph(data), wanted, atol=1e-6)
    graph(data)
    assert work(lambda: graph(data)) < eager / 10


def test_s26_convolution() -> None:
    layer = tf.keras.layers.Conv2D(10, 3)

    @tf.function
    def staged(image: Any) -> Any:
        return layer(image)

    image = tf.random.stateless_uniform([1, 20, 20, 10], seed=[1, 2])
    assert layer(image).shape == (1, 18, 18, 10)
    assert np.allclose(layer(image), staged(image), atol=1e-6)
