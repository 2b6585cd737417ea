"""What layers for raw columns share: they take plain lists, too, and see data before training in `adapt`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.data.dataset import Dataset
from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor

from ...base.layer import Layer
from ...fit.data import PyDataset

__all__ = ["OLD_MODES", "FeatureLayer", "batches_of", "check_dense", "check_mode", "is_whole", "salt_of"]

OLD_MODES = {"binary": "multi_hot", "tf-idf": "tf_idf"}
"""Names of output modes that Keras still takes."""


class FeatureLayer(Layer):
    """A layer whose inputs may be Python's numbers and strings, and lists of them."""

    def _as_input(self, value: object) -> Any:
        if isinstance(value, (list, tuple, int, float, str, bytes)) and not isinstance(value, bool):
            leaves = nest.flatten(value)
            if all(isinstance(leaf, (int, float, str, bytes, np.generic)) for leaf in leaves):
                value = convert_to_tensor(value)
        return super()._as_input(value)


def is_whole(data: object) -> bool:
    """Whether data for `adapt` is one array, and no iterable of batches."""
    return isinstance(data, (np.ndarray, Tensor))


def batches_of(data: Any, steps: int | None = None) -> Iterator[Any]:
    """The inputs in the batches of data, as arrays: the first of tuples, at most ``steps`` of them."""
    if is_whole(data):
        data = [data]
    elif isinstance(data, PyDataset):
        data = (data[number] for number in range(len(data)))
    elif steps is not None and isinstance(data, Dataset):
        data = data.take(steps)
    for number, batch in enumerate(data):
        if steps is not None and number >= steps:
            return
        yield np.asarray(batch[0] if isinstance(batch, (tuple, list)) else batch)


def check_dense(sparse: bool) -> None:
    """Refuse sparse outputs, which don't exist here."""
    if sparse:
        raise InvalidArgumentError(
            "sparse=True is not supported: outputs are dense tensors", remedy="leave out the argument `sparse`"
        )


def check_mode(layer: Layer, mode: object, modes: tuple[str, ...]) -> None:
    """Refuse an ``output_mode`` that is none of the modes."""
    if mode not in modes:
        raise InvalidArgumentError(
            f"Unknown value for `output_mode` of layer {type(layer).__name__}. Allowed values are {modes}. "
            f"Received: output_mode={mode}"
        )


def salt_of(layer: Layer, salt: Any) -> list[int] | None:
    """The two integers of a salt: of one integer or of two. Raises `ValueError` for anything else."""
    if salt is None:
        return None
    if isinstance(salt, int):
        return [salt, salt]
    if isinstance(salt, (tuple, list)) and len(salt) == 2:
        return list(salt)
    raise InvalidArgumentError(
        f"The `salt` argument for `{type(layer).__name__}` can only be a tuple of 2 integers, or a single integer. "
        f"Received: salt={salt}."
    )
