"""Write the files that tests read, where TensorFlow and Keras 3 are installed:

    python -m tests.keras.saved.make

``data/NAME.weights.h5.gz``: what `save_weights` of Keras writes for the models in `models`, and for a model after one
step of each optimizer; ``data/outputs.json``: what Keras computes with them, and the version of Keras.
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


def main() -> None:
    import keras
    import tensorflow as tf

    DATA.mkdir(exist_ok=True)
    outputs: dict[str, Any] = {}
    for name, make in models.MODELS.items():
        keras.utils.clear_session()
        model = make(keras)
        models.fill(model)
        packed(model, name)
        given = models.inputs(name)
        found = model(tf.constant(given) if name == "words" else given)
        outputs[name] = [np.asarray(each).ravel().tolist() for each in tf.nest.flatten(found)]
    for name in models.OPTIMIZERS:
        keras.utils.clear_session()
        packed(models.trained(keras, name), name)
    content = {"keras": keras.__version__, "outputs": outputs}
    (DATA / "outputs.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
