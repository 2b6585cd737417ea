"""`tf.keras.datasets.mnist`: written digits. Y. LeCun and C. Cortes, CC BY-SA 3.0."""

from __future__ import annotations

from .files import Split, fetch, load_arrays

__all__ = ["load_data"]
__dir__ = __all__.copy


def load_data(path: str = "mnist.npz") -> Split:
    """``(x_train, y_train), (x_test, y_test)``: 60,000 and 10,000 pictures (28, 28) uint8, and their digits, uint8.

    ``path`` is the name in the cache; for errors see `tf.keras.utils.get_file`.
    """
    found = load_arrays(fetch("mnist.npz", path))
    return (found["x_train"], found["y_train"]), (found["x_test"], found["y_test"])
