"""`tf.keras.utils`: classes to one-hot rows, seeds, batches, progress bars."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.random.random import set_seed
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.custom_objects import CustomObjectScope as CustomObjectScope
from .base.custom_objects import custom_object_scope as custom_object_scope
from .base.custom_objects import get_custom_objects as get_custom_objects
from .base.custom_objects import get_registered_name as get_registered_name
from .base.custom_objects import get_registered_object as get_registered_object
from .base.custom_objects import register_keras_serializable as register_keras_serializable
from .base.defaults import standardize_dtype as standardize_dtype
from .base.names import clear_session as clear_session
from .base.serialization import deserialize_object as deserialize_keras_object
from .base.serialization import plain as serialize_keras_object
from .base.symbolic import KerasTensor
from .datasets.download import get_file as get_file
from .fit.data import PyDataset as PyDataset
from .fit.data import PyDataset as Sequence
from .fit.data import pack_x_y_sample_weight as pack_x_y_sample_weight
from .fit.data import unpack_x_y_sample_weight as unpack_x_y_sample_weight
from .fit.progress import Progbar as Progbar
from .fit.progress import disable_interactive_logging as disable_interactive_logging
from .fit.progress import enable_interactive_logging as enable_interactive_logging
from .fit.progress import is_interactive_logging_enabled as is_interactive_logging_enabled
from .preprocessing.image_files import image_dataset_from_directory as image_dataset_from_directory
from .preprocessing.padding import pad_sequences as pad_sequences
from .preprocessing.pictures import array_to_img as array_to_img
from .preprocessing.pictures import img_to_array as img_to_array
from .preprocessing.pictures import load_img as load_img
from .preprocessing.pictures import save_img as save_img
from .preprocessing.text_files import text_dataset_from_directory as text_dataset_from_directory
from .preprocessing.timeseries import timeseries_dataset_from_array as timeseries_dataset_from_array

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = [
    "CustomObjectScope", "Progbar", "PyDataset", "Sequence", "array_to_img", "clear_session", "custom_object_scope",
    "deserialize_keras_object", "disable_interactive_logging", "enable_interactive_logging", "get_custom_objects",
    "get_file", "get_registered_name", "get_registered_object", "image_dataset_from_directory", "img_to_array",
    "is_interactive_logging_enabled", "is_keras_tensor", "load_img", "normalize", "pack_x_y_sample_weight",
    "pad_sequences", "register_keras_serializable", "save_img", "serialize_keras_object", "set_random_seed",
    "standardize_dtype", "text_dataset_from_directory", "timeseries_dataset_from_array", "to_categorical",
    "unpack_x_y_sample_weight",
]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)


def set_random_seed(seed: int) -> None:
    """Restart the generators of Python, NumPy and this library. Raises `ValueError` for what is no integer."""
    if not isinstance(seed, (int, np.integer)):
        raise InvalidArgumentError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})"
        )
    random.seed(int(seed))
    np.random.seed(int(seed))
    set_seed(int(seed))


def to_categorical(x: TensorLike, num_classes: int | None = None) -> np.ndarray[Any, Any]:
    """One-hot rows of classes: (...) or (..., 1) integers to (..., num_classes) floats.

    ``num_classes`` is one more than the largest class when left out. Raises `ValueError` for classes outside of it.
    """
    classes = np.asarray(x).astype(np.int64)
    shape = classes.shape[:-1] if classes.ndim > 1 and classes.shape[-1] == 1 else classes.shape
    flat = classes.reshape(-1)
    count = (int(flat.max()) + 1 if flat.size else 0) if num_classes is None else int(num_classes)
    if flat.size and not (flat.min() >= 0 and flat.max() < count):
        raise InvalidArgumentError(f"the classes {flat.min()} to {flat.max()} do not fit into num_classes={count}")
    return np.eye(count)[flat].reshape(*shape, count)


def normalize(x: TensorLike, axis: int = -1, order: int = 2) -> np.ndarray[Any, Any]:
    """An array divided by its norms along an axis; where these are 0 it stays."""
    array = np.asarray(x)
    norms = np.atleast_1d(np.linalg.norm(array, order, axis))
    norms[norms == 0] = 1
    return array / np.expand_dims(norms, axis)


def is_keras_tensor(x: TensorLike) -> bool:
    """Whether something is a symbolic tensor: from `Input`, or from a layer called on one."""
    return isinstance(x, KerasTensor)


leaving.public_module(__name__)
