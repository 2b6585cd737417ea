"""Write the files of Keras 2 that tests read, where TensorFlow and tf_keras are installed:

    python -m tests.keras.saved.make_old

``data/old.h5``, ``data/old.keras``: a model as `save` writes it; ``data/old_weights.h5``: as `save_weights` does;
``data/older.h5``: one with an optimizer of Keras 2.10. All are packed. ``data/old_outputs.json``: what the models
compute, and what `old.h5` computes after another step.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import tempfile
from typing import Any

import numpy as np

from .models import wave

DATA = pathlib.Path(__file__).parent / "data"
INPUTS = [wave(2, 6, 6, 2), np.arange(8).reshape(2, 4) % 7]
TARGETS = [wave(2, 1), np.eye(2, dtype=np.float32)]


def old(keras: Any) -> Any:
    """A model with two inputs and outputs, a shared layer, a model in it, and an operator."""
    layers = keras.layers
    image, words = keras.Input((6, 6, 2), name="image"), keras.Input((4,), dtype="int32", name="words")
    x = layers.Flatten()(layers.BatchNormalization()(layers.SeparableConv2D(3, 3, activation="relu")(image)))
    y = layers.Bidirectional(layers.LSTM(2))(layers.Embedding(7, 4, mask_zero=True)(words))
    inner = keras.Sequential([layers.Dense(4, input_shape=(48,)), layers.LeakyReLU()], name="inner")
    shared = layers.Dense(4, name="shared", kernel_regularizer="l2")
    z = layers.Concatenate()([shared(inner(x)), shared(y), y * 2.0, 1.0 - y])
    outputs = [layers.Dense(1, name="one")(z), layers.Dense(2, activation="softmax", name="two")(z)]
    return keras.Model([image, words], outputs)


def compiled(keras: Any) -> Any:
    model = old(keras)
    loss = {"one": "mse", "two": keras.losses.CategoricalCrossentropy()}
    metrics = {"one": ["mae"], "two": ["accuracy", keras.metrics.AUC()]}
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=metrics, loss_weights={"one": 1.0, "two": 0.5})
    step(model)
    return model


def step(model: Any) -> None:
    model.fit(INPUTS, TARGETS, verbose=0)


def older(keras: Any) -> Any:
    model = keras.Sequential([keras.layers.Dense(3, input_shape=(2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.legacy.Adam(0.1), "mse", metrics=["mae"])
    model.fit(wave(2, 2), wave(2, 1), verbose=0)
    return model


def main() -> None:
    import tf_keras as keras

    def pack(name: str, write: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            write(str(path))
            (DATA / f"{name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))

    model, other = compiled(keras), older(keras)
    pack("old.h5", model.save)
    pack("old.keras", model.save)
    pack("old_weights.h5", model.save_weights)
    pack("older.h5", other.save)
    outputs = {"old": [each.ravel().tolist() for each in model.predict(INPUTS, verbose=0)]}
    outputs["older"] = [other.predict(wave(2, 2), verbose=0).ravel().tolist()]
    step(model)
    outputs["after"] = [each.ravel().tolist() for each in model.predict(INPUTS, verbose=0)]
    other.fit(wave(2, 2), wave(2, 1), verbose=0)
    outputs["older after"] = [other.predict(wave(2, 2), verbose=0).ravel().tolist()]
    content = {"keras": keras.__version__, "outputs": outputs}
    (DATA / "old_outputs.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
