"""Where the files of `tf.keras.datasets` are, and which hashes they have: those of Keras 3.

Arrays are read without pickles. Sequences of several lengths, and CIFAR's pictures, are pickles: of these only arrays
are taken, no other object, and no function is called.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from typing import IO, Any

import numpy as np

from autograph.errors import DataLossError, InvalidArgumentError
from autograph.runtime.base.dtypes import Array

from .download import get_file

__all__ = ["fetch", "load_arrays", "load_pickle", "split"]

FOLDER = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
CIFAR = "https://www.cs.toronto.edu/~kriz/"
HASHES = {
    "boston_housing.npz": "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5",
    "california_housing.npz": "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f",
    "cifar-10-python.tar.gz": "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
    "cifar-100-python.tar.gz": "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
    "imdb.npz": "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
    "imdb_word_index.json": "bfafd718b763782e994055a2d397834f",
    "mnist.npz": "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1",
    "reuters.npz": "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916",
    "reuters_word_index.json": "4d44cc38712099c9e383dc6e5f11a921",
}
"""The hashes of the files; those of Fashion-MNIST have none in Keras."""

Split = tuple[tuple[Any, Any], tuple[Any, Any]]
"""Inputs and labels to train with, and those to test with."""


def fetch(name: str, path: str | None = None, **options: Any) -> str:
    """The path of a file of Keras's, which is loaded if it is not in the cache (under another name, ``path``)."""
    return get_file(path or name, origin=FOLDER + name, file_hash=HASHES.get(name), **options)


class _Arrays(pickle.Unpickler):
    """Reads arrays, and lists, numbers and texts; nothing else."""

    _KNOWN = {"ndarray": "numpy", "dtype": "numpy", "_reconstruct": "numpy._core.multiarray"}  # noqa: RUF012

    def find_class(self, module: str, name: str) -> Any:
        if module.replace("numpy.core", "numpy._core") != self._KNOWN.get(name):
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is no array")
        return super().find_class(self._KNOWN[name], name)


def load_pickle(file: IO[bytes], name: str) -> Any:
    """What a pickle made of arrays holds. Raises `DataLossError` for any other."""
    try:
        return _Arrays(file, encoding="bytes").load()
    except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise DataLossError(
            f"{name} holds something other than arrays, or is damaged: {error}",
            remedy="remove the file: it is loaded anew",
        ) from None


def load_arrays(path: str) -> dict[str, Array]:
    """The arrays of a file of `numpy.savez`. Raises `DataLossError` for what is no array."""
    with zipfile.ZipFile(path) as archive:
        members = {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}
    return {name: _array(io.BytesIO(data), f"{name} in {path}") for name, data in members.items()}


def _array(file: IO[bytes], name: str) -> Array:
    major, _ = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    _, _, dtype = read(file)
    if dtype.kind == "O":
        return load_pickle(file, name)
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def split(x: Array, y: Array, test_split: float, seed: int) -> Split:
    """Rows in the order of a seed, the last part of them to test with."""
    if not 0 <= test_split < 1:
        raise InvalidArgumentError(f"test_split must lie between 0 and 1 (exclusive of 1), not {test_split!r}")
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)
    count = int(len(x) * (1 - test_split))
    x, y = x[order], y[order]
    return (x[:count].copy(), y[:count].copy()), (x[count:].copy(), y[count:].copy())
