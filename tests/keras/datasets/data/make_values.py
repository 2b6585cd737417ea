"""Writes what Keras 3.15 makes of the files of `stand_ins`: `python -m tests.keras.datasets.data.make_values`."""

import importlib
import json
import tempfile
from pathlib import Path

import keras

from tests.keras.datasets.data.make_values_calls import CALLS, digests
from tests.keras.datasets.stand_ins import write_all

if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp())
    write_all(folder)

    def local(fname=None, origin=None, extract=False, **_):
        path = folder / origin.rpartition("/")[2]
        if extract:
            keras.src.utils.file_utils.extract_archive(str(path), str(folder / fname))
            return str(folder / fname)
        return str(path)

    found = {}
    for name, calls in CALLS.items():
        module = importlib.import_module(f"keras.src.datasets.{name}")
        module.get_file = local
        found[name] = [digests(module.load_data(**options)) for options in calls]
    (Path(__file__).parent / "values.json").write_text(json.dumps(found, indent=1) + "\n")
