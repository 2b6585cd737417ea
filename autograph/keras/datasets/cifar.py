"""The pictures of CIFAR. A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from autograph.runtime.base.dtypes import Array

from . import files
from .download import get_file
from .files import load_pickle

__all__ = ["folder_of", "pictures"]


def folder_of(name: str, inner: str) -> str:
    """The folder with the files of an archive."""
    path = get_file(f"{inner}-target", origin=files.CIFAR + name, extract=True, file_hash=files.HASHES[name])
    return os.path.join(path, inner)


def pictures(folder: str, names: list[str], labels: str, dtype: type[np.integer[Any]]) -> tuple[Array, Array]:
    """Pictures (n, 32, 32, 3) uint8, and their classes (n, 1), of some files."""
    parts = []
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            parts.append(load_pickle(file, file.name))
    found = np.concatenate([part[b"data"] for part in parts]).reshape(-1, 3, 32, 32)
    classes = np.concatenate([part[labels.encode()] for part in parts])
    return found.transpose(0, 2, 3, 1), classes.astype(dtype).reshape(-1, 1)
