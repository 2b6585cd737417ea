"""Write the files that tests read, where TensorFlow and Keras 3 are installed:

    python -m tests.keras.saved.make

``data/NAME.weights.h5.gz``: what `save_weights` of Keras writes for the models in `models`, and for a model after one
step of each optimizer; ``data/NAME.keras.gz`` and ``data/NAME.h5.gz``: what `save` writes; ``data/outputs.json``: what
Keras computes with them, and the version of Keras.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import tempfile
from typing import Any

import numpy as np

from . import models

DATA = pathlib.Path(__file__).parent / "data"


def packed(model: Any, name: str) -> None:
    """Write the weights of a model, and load them again, so that layers take them up."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{name}.weights.h5"
        model.save_weights(path)
        model.load_weights(path)
        (DATA / f"{name}.weights.h5.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def model_file(keras: Any, name: str, model: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{name}.keras"
        model.save(path)
        (DATA / f"{name}.keras.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def legacy_file(name: str, model: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{name}.h5"
        model.save(path)
        (DATA / f"{name}.h5.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def found(model: Any, name: str) -> Any:
    """What a model computes."""
    import tensorflow as tf

    given = models.inputs(name)
    outputs = model(tf.constant(given) if name == "words" else given)
    return [np.asarray(each).ravel().tolist() for each in tf.nest.flatten(outputs)]


def main() -> None:
    import keras

    DATA.mkdir(exist_ok=True)
    outputs: dict[str, Any] = {}
    for name, make in models.MODELS.items():
        keras.utils.clear_session()
        model = make(keras)
        models.fill(model)
        packed(model, name)
        outputs[name] = found(model, name)
        if name != "subclassed":  # its classes have no names that files could hold
            model_file(keras, name, model)
    for name in models.OPTIMIZERS:
        keras.utils.clear_session()
        packed(models.trained(keras, name), name)
    for name, make in (("recurrent", models.recurrent), ("compiled", models.compiled)):
        keras.utils.clear_session()
        model = make(keras)
        if name == "recurrent":
            models.fill(model)
        legacy_file(name, model)
    for name, make in (("compiled", models.compiled), ("own", models.own)):
        keras.utils.clear_session()
        model = make(keras)
        model_file(keras, name, model)
        if name == "compiled":
            models.step(model)  # the file does not have this step
        outputs[name] = found(model, name)
    content = {"keras": keras.__version__, "outputs": outputs}
    (DATA / "outputs.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
