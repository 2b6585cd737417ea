"""`tf.keras.utils.image_dataset_from_directory`: the pictures in a folder, with their classes, as a dataset."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.data.dataset import AUTOTUNE, Dataset
from autograph.runtime.ops.files.files import read_file
from autograph.runtime.ops.image.resizing import resize, resize_with_pad
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.pictures.decoding import decode_image
from autograph.runtime.ops.shape.shape import ensure_shape, transpose

from .directories import Files, check_arguments, index_directory, labels_dataset
from .pictures import is_channels_first, smart_resize

if TYPE_CHECKING:
    from collections.abc import Callable

    from autograph.runtime.tensors.likes import TensorLike

__all__ = ["image_dataset_from_directory"]

_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}
_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
_FORMATS = (".bmp", ".gif", ".jpeg", ".jpg", ".png")


def image_dataset_from_directory(
    directory: str | os.PathLike[str], labels: Any = "inferred", label_mode: str | None = "int",
    class_names: Sequence[str] | None = None, color_mode: str = "rgb", batch_size: int | None = 32,
    image_size: int | Sequence[int] = (256, 256), shuffle: bool = True, seed: int | None = None,
    validation_split: float | None = None, subset: str | None = None, interpolation: str = "bilinear",
    follow_links: bool = False, crop_to_aspect_ratio: bool = False, pad_to_aspect_ratio: bool = False,
    data_format: str | None = None, format: str = "tf", verbose: bool = True
) -> Any:  # fmt: skip
    """The pictures (PNG, JPEG, GIF, BMP) in a folder, (batch, height, width, channels) float32, with their labels.

    Parameters
    ----------
    labels, label_mode, class_names, batch_size, shuffle, seed, validation_split, subset, follow_links, verbose: as in
        `text_dataset_from_directory`. The dataset's ``file_paths`` has the names of the files.
    color_mode: ``"rgb"``, ``"rgba"`` or ``"grayscale"``: 3, 4 or 1 channels.
    image_size: height and width, to which pictures are resized by ``interpolation`` (see `tf.image.resize`).
    crop_to_aspect_ratio: whether the middle of a picture is taken, in the proportions of ``image_size``.
    pad_to_aspect_ratio: whether black bars keep the proportions of a picture.
    data_format: ``"channels_first"``: pictures are (channels, height, width).

    Raises `InvalidArgumentError` for arguments that do not fit each other or the folder, and where there is no file;
    `MissingExtraError` without the library Pillow, when a picture is read.
    """
    check_arguments(labels, label_mode, ("int", "categorical", "binary"), class_names, validation_split, subset,
                    shuffle, seed)  # fmt: skip
    require(color_mode in _CHANNELS, '`color_mode` must be one of {"rgb", "rgba", "grayscale"}. '
            f"Received: color_mode={color_mode}")  # fmt: skip
    size = _size(image_size)
    method = interpolation.lower()
    require(method in _METHODS, f"Argument `interpolation` should be one of {_METHODS}. "
            f"Received: interpolation={interpolation}")  # fmt: skip
    require(format == "tf", f'`format` must be "tf": autograph makes no datasets of grain. Received: format={format}')
    require(not (crop_to_aspect_ratio and pad_to_aspect_ratio),
            "Only one of `pad_to_aspect_ratio`, `crop_to_aspect_ratio` can be set to `True`.")  # fmt: skip
    way = "crop" if crop_to_aspect_ratio else "pad" if pad_to_aspect_ratio else ""
    load = _loader(size, _CHANNELS[color_mode], method, way, is_channels_first(data_format))
    if label_mode is None:
        labels = None
    seed = int(np.random.randint(10**6)) if seed is None else seed
    files = index_directory(directory, labels, _FORMATS, class_names, shuffle, seed, follow_links, verbose)

    def made(part: Files, shuffles: bool) -> Dataset:
        require(len(part.paths) > 0, f"No images found in directory {os.fspath(directory)}. Allowed formats: "
                f"{_FORMATS}")  # fmt: skip
        mode = None if part.labels is None else label_mode
        dataset = _pictures(part, mode, load, (batch_size * 8 if batch_size else 1024) if shuffles else None, seed)
        dataset = (dataset if batch_size is None else dataset.batch(batch_size)).prefetch(AUTOTUNE)
        dataset.class_names = files.class_names  # type: ignore[attr-defined]
        dataset.file_paths = part.paths  # type: ignore[attr-defined]
        return dataset

    if subset == "both":
        return [made(files.part(validation_split, each), shuffle and each == "training")
                for each in ("training", "validation")]  # fmt: skip
    return made(files.part(validation_split, subset), shuffle)


def _size(image_size: Any) -> tuple[int, int]:
    if isinstance(image_size, int):
        return image_size, image_size
    require(isinstance(image_size, (list, tuple)) and len(image_size) == 2, "Invalid `image_size` value. Expected a "
            f"tuple of 2 integers. Received: image_size={image_size}")  # fmt: skip
    return int(image_size[0]), int(image_size[1])


def _pictures(files: Files, label_mode: str | None, load: Callable[[Any], Any], buffer: int | None,
              seed: int | None) -> Dataset:  # fmt: skip
    dataset = Dataset.from_tensor_slices(files.paths)
    if label_mode is not None:
        dataset = Dataset.zip((dataset, labels_dataset(files, label_mode)))
    if buffer is not None:
        dataset = dataset.shuffle(buffer, seed)
    return dataset.map(load if label_mode is None else lambda path, label: (load(path), label), AUTOTUNE)


def _loader(size: tuple[int, int], channels: int, method: str, way: str, first: bool) -> Callable[[Any], Any]:
    """What reads the picture of a path, and resizes it."""

    def load(path: TensorLike) -> Any:
        image = decode_image(read_file(path), channels=channels, expand_animations=False)
        if way == "crop":
            image = smart_resize(image, size, method)
        elif way == "pad":
            image = resize_with_pad(image, *size, method=method)
        else:
            image = resize(image, size, method)
        image = ensure_shape(image, (*size, channels))
        return transpose(image, (2, 0, 1)) if first else image

    return load
