"""`tf.keras.utils.timeseries_dataset_from_array`: windows of a row of steps, as a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.data.dataset import Dataset
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.shape.create import range as numbers
from autograph.runtime.ops.shape.gather import gather
from autograph.runtime.tensors.convert import convert_to_tensor

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = ["timeseries_dataset_from_array"]


def timeseries_dataset_from_array(
    data: Sequence[Any], targets: Sequence[Any] | None, sequence_length: int, sequence_stride: int = 1,
    sampling_rate: int = 1, batch_size: int | None = 128, shuffle: bool = False, seed: int | None = None,
    start_index: int | None = None, end_index: int | None = None, format: str = "tf"
) -> Dataset:  # fmt: skip
    """Windows of consecutive steps, (batch, sequence_length, ...), with the target of each window's first step.

    Parameters
    ----------
    data: the steps, (n, ...).
    targets: one for each window, the i-th for that which begins at step i; without them elements are windows alone.
    sequence_length: the steps of a window.
    sequence_stride: the steps between the beginnings of two windows.
    sampling_rate: the steps from one step of a window to its next.
    batch_size: the windows in a batch; None: elements are single windows.
    shuffle, seed: whether windows come in random order, which differs from Keras's.
    start_index, end_index: the part of the data that is used.

    Raises `InvalidArgumentError` for numbers outside of the data, and for another ``format``.
    """
    require(format == "tf", f'`format` must be "tf": autograph makes no datasets of grain. Received: format={format}')
    _check(len(data), sequence_stride, sampling_rate, start_index, end_index)
    start, end = start_index or 0, len(data) if end_index is None else end_index
    count = end - start - (sequence_length - 1) * sampling_rate
    if targets is not None:
        count = min(count, len(targets))
    first = np.arange(0, count, sequence_stride, dtype=np.int32 if count < 2**31 - 1 else np.int64)
    if shuffle:
        seed = np.random.randint(10**6) if seed is None else seed
        np.random.RandomState(seed).shuffle(first)
    steps, span = convert_to_tensor(data[start:end]), sequence_length * sampling_rate

    def window(i: TensorLike) -> Any:
        return gather(steps, numbers(i, i + span, sampling_rate))  # type: ignore[operator]

    if targets is None:
        dataset = Dataset.from_tensor_slices(first).map(window)
    else:
        known = convert_to_tensor(targets[start:end])
        dataset = Dataset.from_tensor_slices(first).map(lambda i: (window(i), gather(known, i)))
    if shuffle:
        dataset = dataset.shuffle(1024 if batch_size is None else batch_size * 8, seed)
    return dataset if batch_size is None else dataset.batch(batch_size)


def _check(length: int, stride: int, rate: int, start: int | None, end: int | None) -> None:
    require(not start or 0 <= start < length, f"`start_index` must be 0 or greater, and lower than the length of the "
            f"data. Received: start_index={start}, for data of length {length}")  # fmt: skip
    require(not end or (start or 0) < end < length, f"`end_index` must be higher than `start_index`, and lower than "
            f"the length of the data. Received: end_index={end}, for data of length {length}")  # fmt: skip
    for name, value in (("sampling_rate", rate), ("sequence_stride", stride)):
        require(0 < value < length, f"`{name}` must be higher than 0, and lower than the length of the data. Received: "
                f"{name}={value}, for data of length {length}")  # fmt: skip
