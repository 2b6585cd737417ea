"""`tf.keras.datasets.cifar100`: pictures of a hundred classes, in twenty groups."""

from __future__ import annotations

import numpy as np

from autograph.errors import InvalidArgumentError

from .cifar import folder_of, pictures
from .files import Split

__all__ = ["load_data"]
__dir__ = __all__.copy


def load_data(label_mode: str = "fine") -> Split:
    """``(x_train, y_train), (x_test, y_test)``: 50,000 and 10,000 pictures (32, 32, 3) uint8, and classes (n, 1) int64.

    ``label_mode`` is `"fine"` for classes, `"coarse"` for groups; for errors see `tf.keras.utils.get_file`.
    """
    if label_mode not in ("fine", "coarse"):
        raise InvalidArgumentError(f'label_mode must be "fine" or "coarse", not {label_mode!r}')
    folder = folder_of("cifar-100-python.tar.gz", "cifar-100-python")
    labels = f"{label_mode}_labels"
    return pictures(folder, ["train"], labels, np.int64), pictures(folder, ["test"], labels, np.int64)
