"""Writes what Keras 3.15 gives: `python -m tests.keras.preprocessing.data.make_values`."""

import json
import tempfile
from pathlib import Path

import tensorflow as tf

from tests.keras.preprocessing.data.calls import results, write_folder

if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp())
    write_folder(folder)
    (Path(__file__).parent / "values.json").write_text(json.dumps(results(tf.keras, folder)) + "\n")
