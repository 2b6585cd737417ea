"""`tf.keras.datasets.cifar10`: pictures of ten classes.

The classes: aeroplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck.
"""

from __future__ import annotations

import numpy as np

from .cifar import folder_of, pictures
from .files import Split

__all__ = ["load_data"]
__dir__ = __all__.copy


def load_data() -> Split:
    """``(x_train, y_train), (x_test, y_test)``: 50,000 and 10,000 pictures (32, 32, 3), and classes (n, 1), uint8.

    For errors see `tf.keras.utils.get_file`.
    """
    folder = folder_of("cifar-10-python.tar.gz", "cifar-10-batches-py")
    train = pictures(folder, [f"data_batch_{i}" for i in range(1, 6)], "labels", np.uint8)
    return train, pictures(folder, ["test_batch"], "labels", np.uint8)
