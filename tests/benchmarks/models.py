"""Models that users train, for the workloads `fit` and `predict`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Data = tuple[np.ndarray, np.ndarray]
BATCH = 64


def _images(size: int, channels: int, count: int) -> Data:
    random = np.random.default_rng(0)
    return random.normal(size=(count, size, size, channels)).astype(np.float32), random.integers(0, 10, count)


def _words(count: int, length: int = 64) -> Data:
    random = np.random.default_rng(0)
    return random.integers(1, 1000, (count, length)).astype(np.int32), random.integers(0, 10, count)


def _with_zeros(words: Data) -> Data:
    """The words with ends of different lengths left out."""
    lengths = np.random.default_rng(1).integers(20, words[0].shape[1], len(words[0]))
    return np.where(np.arange(words[0].shape[1]) < lengths[:, None], words[0], 0), words[1]


def _mlp(keras: Any, layers: Any) -> Any:
    hidden = [layers.Dense(512, activation="relu") for _ in range(2)]
    return keras.Sequential([keras.Input((784,)), *hidden, layers.Dense(10)])


def _cnn(keras: Any, layers: Any) -> Any:
    return keras.Sequential([
        keras.Input((28, 28, 1)), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(), layers.Dropout(0.5),
        layers.Dense(10),
    ])  # fmt: skip


def _normalized(layers: Any, x: Any, kind: str, *arguments: Any, **options: Any) -> Any:
    x = getattr(layers, kind)(*arguments, padding="same", use_bias=False, **options)(x)
    return layers.BatchNormalization()(x)


def _resnet(keras: Any, layers: Any) -> Any:
    given = keras.Input((32, 32, 3))
    x = layers.Conv2D(16, 3, padding="same")(given)
    for width, strides in ((16, 1), (32, 2), (64, 2)):
        y = layers.ReLU()(_normalized(layers, x, "Conv2D", width, 3, strides=strides))
        y = _normalized(layers, y, "Conv2D", width, 3)
        x = layers.Conv2D(width, 1, strides=strides)(x) if strides > 1 else x
        x = layers.ReLU()(layers.Add()([x, y]))
    return keras.Model(given, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


def _mobilenet(keras: Any, layers: Any) -> Any:
    given = keras.Input((32, 32, 3))
    x = layers.ReLU(6.0)(_normalized(layers, given, "Conv2D", 16, 3, strides=2))
    for width, strides in ((32, 1), (64, 2), (64, 1), (128, 2)):
        x = layers.ReLU(6.0)(_normalized(layers, x, "DepthwiseConv2D", 3, strides=strides))
        x = layers.ReLU(6.0)(_normalized(layers, x, "Conv2D", width, 1))
    return keras.Model(given, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


def _unet(keras: Any, layers: Any) -> Any:
    given = keras.Input((64, 64, 1))
    x, passed = given, []
    for width in (8, 16):
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        passed.append(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(32, 3, padding="same", activation="relu")(x)
    for width, other in ((16, passed[1]), (8, passed[0])):
        x = layers.Conv2DTranspose(width, 2, strides=2)(x)
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(layers.Concatenate()([x, other]))
    return keras.Model(given, layers.Dense(10)(layers.GlobalAveragePooling2D()(layers.Conv2D(10, 1)(x))))


def _transformer(keras: Any, layers: Any) -> Any:
    given = keras.Input((64,), dtype="int32")
    x = layers.Embedding(1000, 64)(given)
    for _ in range(2):
        x = layers.LayerNormalization()(layers.Add()([x, layers.MultiHeadAttention(4, 16)(x, x)]))
        y = layers.Dense(64)(layers.Dense(256, activation="gelu")(x))
        x = layers.LayerNormalization()(layers.Add()([x, y]))
    return keras.Model(given, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def _lstm(keras: Any, layers: Any) -> Any:
    return keras.Sequential([keras.Input((50, 16)), layers.LSTM(64), layers.Dense(10)])


def _gru(keras: Any, layers: Any) -> Any:
    words = layers.Embedding(1000, 32, mask_zero=True)
    return keras.Sequential([keras.Input((64,), dtype="int32"), words, layers.GRU(64), layers.Dense(10)])


def _rows(count: int, *shape: int) -> Data:
    random = np.random.default_rng(0)
    return random.normal(size=(count, *shape)).astype(np.float32), random.integers(0, 10, count)


MODELS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[], Data]]] = {
    "MLP 784-512-512-10": (_mlp, lambda: _rows(2048, 784)),
    "CNN, 512 images 28 x 28": (_cnn, lambda: _images(28, 1, 512)),
    "ResNet, 256 images 32 x 32": (_resnet, lambda: _images(32, 3, 256)),
    "depthwise blocks, 256 images 32 x 32": (_mobilenet, lambda: _images(32, 3, 256)),
    "U-Net, 128 images 64 x 64": (_unet, lambda: _images(64, 1, 128)),
    "transformer, 256 x 64 words": (_transformer, lambda: _words(256)),
    "LSTM, 256 x 50 steps": (_lstm, lambda: _rows(256, 50, 16)),
    "GRU with masks, 256 x 64 words": (_gru, lambda: _with_zeros(_words(256))),
}
CASES = {name: i for i, name in enumerate(MODELS)}


def data(size: int | None) -> tuple[int, Data]:
    """The inputs and labels of a model, with its number."""
    return size or 0, list(MODELS.values())[size or 0][1]()


def model(keras: Any, number: int) -> Any:
    """A model with the same weights in each library."""
    found = list(MODELS.values())[number][0](keras, keras.layers)
    random, weights = np.random.default_rng(0), []
    for each in found.get_weights():
        scale = np.sqrt(2 / np.prod(each.shape[:-1])) if each.ndim > 1 else 0.0
        weights.append(random.normal(size=each.shape) * scale if scale else each)
    found.set_weights(weights)
    return found


def keras_on_jax() -> Any:
    """Keras's own library over JAX, in a process that has not loaded it."""
    import os

    os.environ["KERAS_BACKEND"] = "jax"
    import keras

    return keras
