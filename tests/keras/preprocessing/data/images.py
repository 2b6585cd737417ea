"""What Keras and autograph are compared by: pictures in folders, resized, and as arrays. `python -m` writes Keras's."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .calls import plain

FILES = {"b/1.png": (6, 8, 3), "b/2.PNG": (5, 5, 3), "a/3.png": (4, 9, 1), "a/4.png": (7, 7, 3), "a/no.txt": None}
DATASETS: list[dict[str, Any]] = [
    {}, {"label_mode": "categorical", "color_mode": "grayscale", "interpolation": "nearest"},
    {"label_mode": "binary", "crop_to_aspect_ratio": True, "batch_size": None},
    {"labels": None, "pad_to_aspect_ratio": True, "image_size": (3, 5), "batch_size": 3},
    {"label_mode": None, "data_format": "channels_first"}, {"class_names": ["b", "a"], "image_size": 2},
    {"validation_split": 0.5, "subset": "both", "interpolation": "bicubic"},
    {"validation_split": 0.5, "subset": "validation", "interpolation": "area"},
]  # fmt: skip
LOADED: list[dict[str, Any]] = [
    {}, {"color_mode": "grayscale"}, {"color_mode": "rgba", "target_size": (3, 4)},
    {"target_size": (3, 3), "interpolation": "bilinear", "keep_aspect_ratio": True},
    {"target_size": (5, 2), "interpolation": "lanczos"},
]  # fmt: skip


def write_folder(folder: Path) -> None:
    """Two classes of pictures."""
    from PIL import Image

    for name, shape in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if shape is None:
            path.write_text("no picture")
        else:
            pixels = (np.arange(np.prod(shape)).reshape(shape) * 7 % 200 + len(name)).astype(np.uint8)
            Image.fromarray(pixels[..., 0] if shape[2] == 1 else pixels).save(path)


def results(keras: Any, folder: Path) -> dict[str, Any]:
    """What a library gives for all calls."""
    utils, image = keras.utils, keras.preprocessing.image
    found: dict[str, Any] = {}
    for options in DATASETS:
        made = utils.image_dataset_from_directory(
            str(folder), **{"shuffle": False, "verbose": False, "image_size": (4, 3), **options}
        )
        found[f"dataset {options}"] = [
            (plain(list(each.as_numpy_iterator())), each.class_names,
             [Path(path).relative_to(folder).as_posix() for path in each.file_paths])
            for each in (made if isinstance(made, list) else [made])
        ]  # fmt: skip
    for options in LOADED:
        loaded = utils.load_img(str(folder / "b" / "1.png"), **options)
        found[f"load {options}"] = [loaded.mode, plain(utils.img_to_array(loaded)),
                                    plain(image.img_to_array(loaded, "channels_first", "uint8"))]  # fmt: skip
    array = np.arange(24.0).reshape(2, 4, 3) * 20
    for size in ((1, 1), (3, 3), (2, 6)):
        found[f"resized {size}"] = [plain(image.smart_resize(x, size)) for x in (array, array[None].astype(np.uint8))]
    for x, options in ((array, {}), (array / 2, {"scale": False}), (array[..., :1] / 2, {"scale": False}),
                       (np.moveaxis(array, -1, 0), {"data_format": "channels_first"})):  # fmt: skip
        utils.save_img(str(folder.parent / "saved.png"), x, **options)
        made = utils.array_to_img(x, **options)
        read = utils.img_to_array(utils.load_img(folder.parent / "saved.png"))
        found[f"saved {x.shape} {options}"] = [made.mode, plain(np.asarray(made)), plain(read)]
    return found


if __name__ == "__main__":
    import tensorflow as tf

    folder = Path(tempfile.mkdtemp()) / "pictures"
    write_folder(folder)
    (Path(__file__).parent / "images.json").write_text(json.dumps(results(tf.keras, folder)) + "\n")
