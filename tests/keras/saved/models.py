"""Models that Keras and this library make alike: the functions take the module ``keras``.

Each entry of `MODELS` gives a model that is built. `inputs` gives arrays for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def wave(*shape: int, seed: float = 0.0) -> np.ndarray[Any, Any]:
    """Numbers between -1 and 1 that need no generator."""
    return np.sin(np.arange(np.prod(shape)) * 0.7 + seed).reshape(shape).astype(np.float32)


def fill(model: Any) -> None:
    """Weights that differ from each other; positive ones for variances."""
    for number, variable in enumerate(model.weights):
        if "int" in str(variable.dtype):
            continue
        variable.assign(wave(*variable.shape, seed=number) * 0.5 + (1.5 if "variance" in variable.path else 0.0))


def convolutions(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential([
        layers.Input((8, 8, 3)), layers.Conv2D(4, 3, name="first"), layers.BatchNormalization(), layers.ReLU(),
        layers.DepthwiseConv2D(2), layers.SeparableConv2D(3, 2), layers.Conv2DTranspose(2, 2), layers.PReLU(),
        layers.Dropout(0.5), layers.Reshape((5, 10)), layers.Conv1D(3, 2), layers.Conv1DTranspose(2, 2),
        layers.SeparableConv1D(2, 2), layers.DepthwiseConv1D(2), layers.Reshape((1, 2, 3, 1)), layers.Conv3D(1, 1),
        layers.Conv3DTranspose(1, 2, strides=2), layers.Flatten(), layers.Dense(4, use_bias=False), layers.Dense(2),
    ])  # fmt: skip


def recurrent(keras: Any) -> Any:
    layers = keras.layers
    inputs = keras.Input((5, 3))
    x = layers.LSTM(4, return_sequences=True)(inputs)
    x = layers.Bidirectional(layers.GRU(3, return_sequences=True))(x)
    x = layers.RNN([layers.LSTMCell(2), layers.GRUCell(3, reset_after=False)], return_sequences=True)(x)
    x = layers.RNN(layers.SimpleRNNCell(3), return_sequences=True)(x)
    x = layers.TimeDistributed(layers.Dense(4))(x)
    x = layers.Bidirectional(
        layers.LSTM(2), merge_mode="sum", backward_layer=layers.LSTM(2, go_backwards=True, use_bias=False)
    )(x)
    return keras.Model(inputs, x)


def attention(keras: Any) -> Any:
    layers = keras.layers
    tokens = keras.Input((4,), dtype="int32")
    x = layers.Embedding(7, 6)(tokens)
    a = layers.MultiHeadAttention(2, 3, value_dim=2)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(layers.Add()([a, x]))
    y = layers.GroupNormalization(2)(layers.EinsumDense("abc,cd->abd", (None, 6), bias_axes="d")(x))
    x = layers.Attention(use_scale=True)([x, y])
    x = layers.AdditiveAttention()([x, y])
    x = layers.RMSNormalization()(x)
    return keras.Model(tokens, layers.Dense(2)(layers.UnitNormalization()(x)))


def nested(keras: Any) -> Any:
    layers = keras.layers
    part = keras.Input((3,))
    inner = keras.Model(part, layers.Dense(3)(layers.Dense(4)(part)), name="inner")
    inputs = keras.Input((3,)), keras.Input((3,))
    shared = layers.Dense(3, name="shared")
    block = keras.Sequential([layers.Dense(3), keras.Sequential([layers.Input((3,)), layers.Dense(3)])])
    a, b = (inner(shared(each)) for each in inputs)
    out = {"one": layers.Dense(1)(block(a)), "two": layers.Concatenate()([a, block(b)])}
    return keras.Model(list(inputs), out)


def subclassed(keras: Any) -> Any:
    """Layers in attributes, lists, dicts, tuples, lists of lists, properties, private names; weights of its own."""
    layers = keras.layers

    class Block(layers.Layer):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.one, self.two = layers.Dense(units), layers.Dense(units)

        def build(self, input_shape: Any) -> None:
            self.count = self.add_weight(shape=(3,), trainable=False, name="count")
            self.scale = self.add_weight(shape=(3,), name="scale")
            self.one.build(input_shape)
            self.two.build((None, self.one.units))

        def call(self, x: Any) -> Any:
            return self.two(self.one(x)) * self.scale + self.count

    class Network(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.zero = layers.Dense(3)
            self.blocks = [Block(3), layers.Dense(3)]
            self.pair = (layers.Dense(3), Block(3))
            self.deep = [[layers.Dense(3), layers.Dense(3)], {"a": layers.Dense(3), "b": [layers.Dense(3)]}]
            self.named = {"x": layers.Dense(3), "a": layers.Dense(3)}
            self._hidden = Block(3)
            self.again = self.zero
            self.frozen = layers.Dense(3)
            self.frozen.trainable = False
            self.inner = keras.Sequential([layers.Dense(3), layers.Dropout(0.5)])
            self.offset = self.add_weight(shape=(3,), name="offset")

        @property
        def first(self) -> Any:
            return self._hidden.one

        def call(self, x: Any) -> Any:
            x = self.zero(x) + self.offset
            every = [*self.blocks, *self.pair, *self.deep[0], self.deep[1]["a"], *self.deep[1]["b"]]
            for each in (*every, *self.named.values(), self._hidden, self.frozen, self.inner):
                x = each(x)
            return self.again(x)

    model = Network()
    model(np.ones((2, 3), np.float32))
    return model


def scaled(keras: Any) -> Any:
    layers = keras.layers
    scaling = layers.Normalization()
    scaling.adapt(wave(9, 3) * 2 + 1)
    return keras.Sequential([layers.Input((3,)), scaling, layers.Dense(2)])


def words(keras: Any) -> Any:
    layers = keras.layers
    text = layers.TextVectorization(output_mode="tf_idf")
    text.adapt(np.array(["a cat and a dog", "a bird", "the dog"]))
    return keras.Sequential([layers.Input((), dtype="string"), text, layers.Dense(2)])


MODELS: dict[str, Callable[[Any], Any]] = {
    "convolutions": convolutions, "recurrent": recurrent, "attention": attention, "nested": nested,
    "subclassed": subclassed, "scaled": scaled, "words": words,
}  # fmt: skip


def inputs(name: str) -> Any:
    """What a model of `MODELS` is called with."""
    if name == "attention":
        return np.arange(8).reshape(2, 4) % 7
    if name == "words":
        return np.array(["a dog", "the cat and the bird"])
    shapes = {"convolutions": (2, 8, 8, 3), "recurrent": (2, 5, 3)}
    if name == "nested":
        return [wave(2, 3), wave(2, 3, seed=5)]
    return wave(*shapes.get(name, (2, 3)))


OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl", "Lion", "Lamb",
              "Adafactor", "LossScaleOptimizer")  # fmt: skip


def trained(keras: Any, name: str) -> Any:
    """A small model after one step of an optimizer."""
    layers = keras.layers
    first = layers.Dense(4, use_bias=False)  # a bias before a batch normalization would have no gradient but noise
    model = keras.Sequential([layers.Input((3,)), first, layers.BatchNormalization(), layers.Dense(2)])
    fill(model)
    if name == "LossScaleOptimizer":
        optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.01))
    else:
        settings = {"momentum": 0.9} if name == "SGD" else {}
        optimizer = getattr(keras.optimizers, name)(0.01, **settings)
    model.compile(optimizer, "mse")
    model.fit(wave(4, 3), wave(4, 2, seed=1), verbose=0)
    return model


def compiled(keras: Any) -> Any:
    """A functional model with operators, two losses, metrics, a schedule and an optimizer that has done a step."""
    layers = keras.layers
    inputs = keras.Input((3,), name="inputs")
    x = layers.Dense(4, activation="tanh", kernel_regularizer="l2", name="hidden")(inputs)
    y = (1 - x[:, 1:3] * 2.0) / 3.0
    outputs = {"one": layers.Dense(1, name="one")(x), "two": layers.Dense(2, name="two")(-y)}
    model = keras.Model(inputs, outputs)
    fill(model)
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    model.compile(
        keras.optimizers.Adam(rate, clipnorm=1.0), {"one": "mse", "two": keras.losses.MeanAbsoluteError()},
        loss_weights={"one": 1.0, "two": 0.5}, metrics={"one": ["mae"], "two": [keras.metrics.RootMeanSquaredError()]},
    )  # fmt: skip
    step(model)
    return model


def step(model: Any) -> None:
    """One more step of the model of `compiled`."""
    model.fit(wave(4, 3), {"one": wave(4, 1, seed=1), "two": wave(4, 2, seed=2)}, verbose=0)


def own_classes(keras: Any) -> dict[str, Any]:
    """A model and a layer of users, by name."""
    layers = keras.layers

    class Twice(layers.Layer):
        def __init__(self, factor: float = 2.0, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.factor = factor

        def build(self, input_shape: Any) -> None:
            self.scale = self.add_weight(shape=(input_shape[-1],), name="scale")

        def call(self, x: Any) -> Any:
            return x * self.scale * self.factor

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "factor": self.factor}

    class Network(keras.Model):
        def __init__(self, units: int = 2, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.units = units
            self.parts = [layers.Dense(units), Twice(3.0)]
            self.out = layers.Dense(1)

        def call(self, x: Any) -> Any:
            for part in self.parts:
                x = part(x)
            return self.out(x)

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "units": self.units}

    return {"Twice": Twice, "Network": Network}


def own(keras: Any) -> Any:
    model = own_classes(keras)["Network"](units=3)
    model(np.ones((2, 3), np.float32))
    return model
