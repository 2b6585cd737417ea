"""`tf.keras.utils`: classes to one-hot rows, seeds, progress bars."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ..ops.random import set_seed
from .names import clear_session as clear_session
from .progress import Progbar as Progbar
from .symbolic import KerasTensor

__all__ = ["Progbar", "clear_session", "is_keras_tensor", "normalize", "set_random_seed", "to_categorical"]


def set_random_seed(seed: int) -> None:
    """Restart the generators of Python, NumPy and this library. Raises `ValueError` for what is no integer."""
    if not isinstance(seed, (int, np.integer)):
        raise ValueError(f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})")
    random.seed(int(seed))
    np.random.seed(int(seed))
    set_seed(int(seed))


def to_categorical(x: Any, num_classes: int | None = None) -> np.ndarray[Any, Any]:
    """One-hot rows of classes: (...) or (..., 1) integers to (..., num_classes) floats.

    ``num_classes`` is one more than the largest class when left out. Raises `ValueError` for classes outside of it.
    """
    classes = np.asarray(x).astype(np.int64)
    shape = classes.shape[:-1] if classes.ndim > 1 and classes.shape[-1] == 1 else classes.shape
    flat = classes.reshape(-1)
    count = (int(flat.max()) + 1 if flat.size else 0) if num_classes is None else int(num_classes)
    if flat.size and not (flat.min() >= 0 and flat.max() < count):
        raise ValueError(f"the classes {flat.min()} to {flat.max()} do not fit into num_classes={count}")
    return np.eye(count)[flat].reshape(*shape, count)


def normalize(x: Any, axis: int = -1, order: int = 2) -> np.ndarray[Any, Any]:
    """An array divided by its norms along an axis; where these are 0 it stays."""
    array = np.asarray(x)
    norms = np.atleast_1d(np.linalg.norm(array, order, axis))
    norms[norms == 0] = 1
    return array / np.expand_dims(norms, axis)


def is_keras_tensor(x: Any) -> bool:
    """Whether something is a symbolic tensor: from `Input`, or from a layer called on one."""
    return isinstance(x, KerasTensor)
