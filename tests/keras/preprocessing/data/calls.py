"""What Keras and autograph are compared by: windows of steps, and texts of folders; without random order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

STEPS = np.arange(40).reshape(20, 2)
TARGETS = np.arange(20) * 10.0
WINDOWS: list[dict[str, Any]] = [
    {"sequence_length": 3, "batch_size": 4},
    {"sequence_length": 4, "sequence_stride": 3, "sampling_rate": 2, "batch_size": 2},
    {"sequence_length": 2, "start_index": 5, "end_index": 12, "batch_size": None},
    {"sequence_length": 30, "batch_size": 4},
    {"sequence_length": 5, "sampling_rate": 3, "start_index": 1, "batch_size": 3},
]
GENERATORS: list[dict[str, Any]] = [
    {"length": 3, "batch_size": 4},
    {"length": 6, "sampling_rate": 2, "stride": 3, "batch_size": 2},
    {"length": 2, "start_index": 5, "end_index": 12, "reverse": True},
]
FOLDERS: list[dict[str, Any]] = [
    {}, {"batch_size": None, "label_mode": "binary", "class_names": ["b", "a"]}, {"label_mode": "categorical"},
    {"label_mode": None, "max_length": 3}, {"labels": None}, {"labels": [3, 1, 2, 2, 1]},
    {"validation_split": 0.4, "subset": "training"}, {"validation_split": 0.4, "subset": "validation"},
    {"validation_split": 0.4, "subset": "both"},
]  # fmt: skip


def write_folder(folder: Path) -> None:
    """Two classes, with a folder in one, a hidden folder, and files that don't count."""
    for name, text in {"a/1.txt": "one", "a/2.TXT": "twö", "a/deep/3.txt": "three", "b/1.txt": "", "b/2.txt": "five",
                       "b/c.md": "no", ".hidden/1.bin": "no"}.items():  # fmt: skip
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def plain(value: Any) -> Any:
    """Arrays as lists with their dtypes, texts as str."""
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    array = np.asarray(value)
    if array.dtype == object or array.dtype.kind == "S":
        return ["string", np.vectorize(lambda x: x.decode("utf-8", "replace"), otypes=[object])(array).tolist()]
    return [array.dtype.name, array.tolist()]


def results(keras: Any, folder: Path) -> dict[str, Any]:
    """What a library gives for all calls."""
    utils, generator = keras.utils, keras.preprocessing.sequence.TimeseriesGenerator
    windows = [utils.timeseries_dataset_from_array(STEPS, targets, **options)
               for options in WINDOWS for targets in (TARGETS, None)]  # fmt: skip
    generators = [generator(STEPS, TARGETS, **options) for options in GENERATORS]
    folders = [utils.text_dataset_from_directory(str(folder), shuffle=False, verbose=False, **options)
               for options in FOLDERS]  # fmt: skip
    return {
        "windows": [plain(list(dataset.as_numpy_iterator())) for dataset in windows],
        "generators": [plain([made[i] for i in range(len(made))]) for made in generators],
        "folders": [
            [(plain(list(each.as_numpy_iterator())), each.class_names)
             for each in (made if isinstance(made, list) else [made])] for made in folders
        ],
    }  # fmt: skip
