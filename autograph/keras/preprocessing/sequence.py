"""`tf.keras.preprocessing.sequence`: sequences of one length, and windows of a row of steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ..base.absent import refusing
from ..fit.data import PyDataset
from .padding import pad_sequences as pad_sequences

__all__ = ["TimeseriesGenerator", "pad_sequences"]
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)


class TimeseriesGenerator(PyDataset):
    """Batches of windows of ``length`` steps, each with the target of the step behind it.

    Parameters
    ----------
    data, targets: of one length.
    length: the steps that a window spans.
    sampling_rate: the steps from one step of a window to its next.
    stride: the steps between the beginnings of two windows.
    start_index, end_index: the part of the data that is used, with the last step.
    shuffle: whether each batch is drawn at random, by NumPy's global generator.
    reverse: whether windows run backwards in time.
    batch_size: the windows in a batch; the last one may be smaller.

    Raises `InvalidArgumentError` for data and targets of different lengths, and where no window has room.
    """

    def __init__(
        self, data: Sequence[Any], targets: Sequence[Any], length: int, sampling_rate: int = 1, stride: int = 1,
        start_index: int = 0, end_index: int | None = None, shuffle: bool = False, reverse: bool = False,
        batch_size: int = 128
    ) -> None:  # fmt: skip
        super().__init__()
        if len(data) != len(targets):
            raise InvalidArgumentError(
                f"Data and targets have to be of same length. Data length is {len(data)} while target length is "
                f"{len(targets)}"
            )
        self.data, self.targets = data, targets
        self.length, self.sampling_rate, self.stride = length, sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise InvalidArgumentError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as no part of "
                "the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The windows (batch, steps, ...) and targets of a batch."""
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, self.batch_size)
        else:
            step = self.batch_size * self.stride
            first = self.start_index + step * index
            rows = np.arange(first, min(first + step, self.end_index + 1), self.stride)
        windows = np.array([self.data[row - self.length : row : self.sampling_rate] for row in rows])
        return windows[:, ::-1] if self.reverse else windows, np.array([self.targets[row] for row in rows])
