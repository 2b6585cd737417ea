"""`tf.keras.utils.text_dataset_from_directory`: the texts in a folder, with their classes, as a dataset."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.data.dataset import AUTOTUNE, Dataset
from autograph.runtime.ops.files.files import read_file
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.text.strings import substr

from .directories import Files, check_arguments, index_directory, labels_dataset

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = ["text_dataset_from_directory"]


def text_dataset_from_directory(
    directory: str | os.PathLike[str], labels: Any = "inferred", label_mode: str | None = "int",
    class_names: Sequence[str] | None = None, batch_size: int | None = 32, max_length: int | None = None,
    shuffle: bool = True, seed: int | None = None, validation_split: float | None = None, subset: str | None = None,
    follow_links: bool = False, format: str = "tf", verbose: bool = True
) -> Any:  # fmt: skip
    """The contents of the files ``*.txt`` in a folder, (batch,) strings, with their labels.

    Parameters
    ----------
    labels: `"inferred"`: each folder in it is a class; None: there are none; or a list, for the files by name.
    label_mode: `"int"`: (batch,) int32; `"binary"`: (batch, 1) float32; `"categorical"`: (batch, classes) float32; or
        None: elements are texts alone.
    class_names: the folders, in an order of your own; the dataset's ``class_names`` has them.
    batch_size: None: elements are single texts.
    max_length: the bytes to which longer texts are cut off.
    shuffle, seed: whether texts come in random order, which differs from Keras's.
    validation_split, subset: the last part of the files is `"validation"`, those before it `"training"`; `"both"`
        gives a list of two datasets.
    follow_links: whether links to folders are followed.
    verbose: whether to print the number of files.

    Raises `InvalidArgumentError` for arguments that do not fit each other or the folder, and where there is no file.
    """
    check_arguments(labels, label_mode, ("int", "categorical", "binary"), class_names, validation_split, subset,
                    shuffle, seed)  # fmt: skip
    require(format == "tf", f'`format` must be "tf": autograph makes no datasets of grain. Received: format={format}')
    if label_mode is None:
        labels = None
    seed = int(np.random.randint(10**6)) if seed is None else seed
    files = index_directory(directory, labels, (".txt",), class_names, shuffle, seed, follow_links, verbose)

    def made(part: Files, shuffles: bool) -> Dataset:
        require(len(part.paths) > 0, f"No text files found in directory {os.fspath(directory)}. Allowed format: .txt")
        dataset = _contents(part, None if part.labels is None else label_mode, max_length,
                            (1024 if batch_size is None else batch_size * 8) if shuffles else None, seed)  # fmt: skip
        dataset = (dataset if batch_size is None else dataset.batch(batch_size)).prefetch(AUTOTUNE)
        dataset.class_names = files.class_names  # type: ignore[attr-defined]
        return dataset

    if subset == "both":
        return [made(files.part(validation_split, each), shuffle and each == "training")
                for each in ("training", "validation")]  # fmt: skip
    return made(files.part(validation_split, subset), shuffle)


def _contents(files: Files, label_mode: str | None, max_length: int | None, buffer: int | None,
              seed: int | None) -> Dataset:  # fmt: skip
    """The texts of files; ``buffer`` of them are shuffled."""

    def text(path: TensorLike) -> Any:
        content = read_file(path)
        return content if max_length is None else substr(content, 0, max_length)

    dataset = Dataset.from_tensor_slices(files.paths)
    if label_mode is not None:
        dataset = Dataset.zip((dataset, labels_dataset(files, label_mode)))
    if buffer is not None:
        dataset = dataset.shuffle(buffer, seed)
    return dataset.map(text) if label_mode is None else dataset.map(lambda path, label: (text(path), label))
