"""`tf.keras.datasets.fashion_mnist`: pictures of clothes. Zalando SE, MIT licence.

The classes: T-shirt or top, trousers, pullover, dress, coat, sandal, shirt, sneaker, bag, ankle boot.
"""

from __future__ import annotations

import gzip
import os

import numpy as np

from autograph.runtime.base.dtypes import Array

from .files import Split, fetch

__all__ = ["load_data"]
__dir__ = __all__.copy


def load_data() -> Split:
    """``(x_train, y_train), (x_test, y_test)``: 60,000 and 10,000 pictures (28, 28) uint8, and their classes, uint8.

    For errors see `tf.keras.utils.get_file`.
    """
    return _part("train"), _part("t10k")


def _part(name: str) -> tuple[Array, Array]:
    labels = _bytes(f"{name}-labels-idx1-ubyte.gz", 8)
    return _bytes(f"{name}-images-idx3-ubyte.gz", 16).reshape(len(labels), 28, 28), labels


def _bytes(name: str, header: int) -> Array:
    path = fetch(name, cache_subdir=os.path.join("datasets", "fashion-mnist"))
    with gzip.open(path, "rb") as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)
