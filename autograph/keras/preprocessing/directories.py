"""Folders of files, one for each class: the files with their labels, and parts of them to train and to test with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.data.dataset import Dataset
from autograph.runtime.base.dtypes import float32
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.shape.create import one_hot
from autograph.runtime.ops.shape.shape import expand_dims

__all__ = ["Files", "check_arguments", "index_directory", "labels_dataset"]


class Files(NamedTuple):
    """The paths of files, the numbers of their classes (None without labels), and the names of the classes."""

    paths: list[str]
    labels: list[int] | None
    class_names: list[str] | None

    def part(self, split: float | None, subset: str | None) -> Files:
        """Those to train with, or those to validate with: the last of them."""
        if not split:
            return self
        count = len(self.paths) - int(split * len(self.paths))
        chosen = slice(count) if subset == "training" else slice(count, None)
        paths = self.paths[chosen]
        print(f"Using {len(paths)} files for {subset}.")
        return Files(paths, None if self.labels is None else self.labels[chosen], self.class_names)


def check_arguments(labels: object, label_mode: str | None, modes: Sequence[str], class_names: object,
                    split: float | None, subset: str | None, shuffle: bool, seed: int | None) -> None:  # fmt: skip
    """Raises `InvalidArgumentError` for arguments of ``..._dataset_from_directory`` that do not fit."""
    require(labels in ("inferred", None) or isinstance(labels, (list, tuple)), "`labels` argument should be "
            '"inferred", None, or a list of integers, one for each file. '
            f"Received: labels={labels}")  # fmt: skip
    require(labels == "inferred" or not class_names, 'You can only pass `class_names` if `labels="inferred"`. '
            f"Received: labels={labels}, and class_names={class_names}")  # fmt: skip
    require(label_mode is None or label_mode in modes, f"`label_mode` argument must be one of {', '.join(modes)} or "
            f"None. Received: label_mode={label_mode}")  # fmt: skip
    require(not split or 0 < split < 1, f"`validation_split` must be between 0 and 1, received: {split}")
    require(bool(split) == bool(subset), "If `subset` is set, `validation_split` must be set, and inversely.")
    require(subset in ("training", "validation", "both", None),
            f'`subset` must be either "training", "validation" or "both", received: {subset}')  # fmt: skip
    require(not (split and shuffle) or seed is not None, "If using `validation_split` and shuffling the data, you must "
            "provide a `seed` argument, to make sure that there is no overlap between the training and validation "
            "subset.")  # fmt: skip


def index_directory(
    directory: str | os.PathLike[str], labels: Any, formats: tuple[str, ...], class_names: Sequence[str] | None = None,
    shuffle: bool = True, seed: int | None = None, follow_links: bool = False, verbose: bool = True
) -> Files:  # fmt: skip
    """The files with some extensions in a folder, by name, or in the order of a seed.

    With ``labels="inferred"`` each folder in it is a class. Raises `InvalidArgumentError` for classes that are no
    folders, and for another number of labels than of files.
    """
    folder = os.fspath(directory)
    if labels == "inferred":
        found = sorted(each.name for each in os.scandir(folder) if each.is_dir() and not each.name.startswith("."))
        names = found if class_names is None else list(class_names)
        require(set(names) <= set(found), "The `class_names` passed did not match the names of the subdirectories of "
                f"the target directory. Expected: {found} (or a subset of it), but received: {names}")  # fmt: skip
        pairs = [(path, i) for i, name in enumerate(names)
                 for path in _files(os.path.join(folder, name), formats, follow_links)]  # fmt: skip
        files = Files([path for path, _ in pairs], [label for _, label in pairs], names)
    else:
        paths = list(_files(folder, formats, follow_links))
        require(labels is None or len(labels) == len(paths), "Expected the lengths of `labels` to match the number of "
                f"files in the target directory, but there are {len(labels or ())} labels and {len(paths)} files in "
                f"{folder}.")  # fmt: skip
        known = None if labels is None else [str(label) for label in sorted(set(labels))]
        files = Files(paths, None if labels is None else list(labels), known)
    if verbose:
        classes = "" if files.class_names is None else f" belonging to {len(files.class_names)} classes"
        print(f"Found {len(files.paths)} files{classes}.")
    if shuffle:
        order = np.arange(len(files.paths))
        np.random.RandomState(np.random.randint(10**6) if seed is None else seed).shuffle(order)
        own = files.labels
        files = Files([files.paths[i] for i in order], None if own is None else [own[i] for i in order],
                      files.class_names)  # fmt: skip
    return files


def _files(folder: str, formats: tuple[str, ...], follow_links: bool) -> Iterator[str]:
    for root, _, names in sorted(os.walk(folder, followlinks=follow_links), key=lambda each: each[0]):
        for name in sorted(names):
            if name.lower().endswith(formats):
                yield os.path.join(root, name)


def labels_dataset(files: Files, label_mode: str) -> Dataset:
    """The labels: int32; float32 (1) of two classes; or float32 rows with a one."""
    count = len(files.class_names or ())
    require(label_mode != "binary" or count == 2, 'When passing `label_mode="binary"`, there must be exactly 2 '
            f"class_names. Received: class_names={files.class_names}")  # fmt: skip
    dataset = Dataset.from_tensor_slices(np.array(files.labels, np.int32))
    if label_mode == "binary":
        return dataset.map(lambda label: expand_dims(cast(label, float32), -1))
    return dataset.map(lambda label: one_hot(label, count)) if label_mode == "categorical" else dataset
