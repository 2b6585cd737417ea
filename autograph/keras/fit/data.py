"""What `fit` and its relatives take as data, as batches.

Arrays, tensors, lists, tuples and dicts of them are cut along their first axes; a `Dataset` gives its own batches, and
so does any iterable (a generator). A batch of arrays is what `pack_x_y_sample_weight` returns; steps take it apart with
`unpack_x_y_sample_weight`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

import numpy as np

from autograph.data.dataset import Dataset
from autograph.distribute.values import whole
from autograph.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from autograph.runtime.base import nest
from autograph.runtime.ops.random import random
from autograph.runtime.tensors.convert import constant, convert_to_tensor
from autograph.runtime.tensors.tensor import EagerTensor, Tensor

from ..base.defaults import floatx

__all__ = [
    "ArrayData", "IterableData", "PyDataset", "data_from", "pack_x_y_sample_weight", "split_off",
    "unpack_x_y_sample_weight",
]  # fmt: skip


def pack_x_y_sample_weight(x: object, y: object = None, sample_weight: object = None) -> Any:
    """A batch: (x, y, sample_weight), without what is None at its end; ``x`` itself when it is alone and no tuple."""
    if y is None and sample_weight is None:
        return (x,) if isinstance(x, (tuple, list)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def unpack_x_y_sample_weight(data: object) -> tuple[Any, Any, Any]:
    """(x, y, sample_weight) of a batch: of a tuple of up to three parts, or of inputs alone; None what isn't there."""
    if isinstance(data, list) and len(data) in (2, 3):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if not 1 <= len(data) <= 3:
        raise InvalidArgumentError(
            f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: {len(data)} "
            "parts"
        )
    x, y, sample_weight = (*data, None, None)[:3]
    return x, y, sample_weight


class ArrayData:
    """Batches of arrays in memory.

    Parameters
    ----------
    x, y, sample_weight: arrays or tensors, or structures of them, with first axes of one length.
    batch_size: the samples in a batch, 32 or what ``steps`` batches take; the last batch may have less.
    shuffle: whether each pass has another order, drawn from the generator that `tf.random.set_seed` restarts.

    Raises `InvalidArgumentError` for what is no array, and for first axes of different lengths.
    """

    def __init__(
        self, x: object, y: object, sample_weight: object, batch_size: int | None = None,
        shuffle: bool = False, steps: int | None = None
    ) -> None:  # fmt: skip
        self.parts = _arrays((x, y, sample_weight))
        self.count = _common_length(self.parts)
        if batch_size is None:
            batch_size = 32 if steps is None else max(-(-self.count // steps), 1)
        if not isinstance(batch_size, (int, np.integer)) or batch_size < 1:
            raise InvalidArgumentError(f"batch_size must be a positive integer, not {batch_size!r}")
        self.batch_size = int(batch_size)
        self.shuffle = shuffle

    @property
    def steps(self) -> int | None:
        """The number of batches."""
        return -(-self.count // self.batch_size)

    def batches(self) -> Iterator[Any]:
        """One pass."""
        order = random.shuffle(np.arange(self.count)).numpy() if self.shuffle else None
        for start in range(0, self.count, self.batch_size):
            stop = min(start + self.batch_size, self.count)
            rows: Any = slice(start, stop) if order is None else order[start:stop]
            yield pack_x_y_sample_weight(*_map(_taker(rows), self.parts))


class IterableData:
    """The batches of a `Dataset`, or of any iterable; each pass iterates anew where that is possible."""

    source: Any

    def __init__(self, batches: Iterable[Any]) -> None:
        self.source = batches
        self.once = iter(batches) if iter(batches) is batches else None

    @property
    def steps(self) -> int | None:
        """The number of batches, None when it isn't known."""
        if isinstance(self.source, Dataset):
            count = self.source.count()
            return count if count >= 0 else None
        return len(self.source) if isinstance(self.source, Sized) else None

    def batches(self) -> Iterator[Any]:
        """One pass; of a generator, what is left."""
        for batch in self.source if self.once is None else self.once:
            yield _batch(batch)


class PyDataset:
    """Batches by number, for `fit` and its relatives; subclasses define ``__len__`` and ``__getitem__(number)``.

    ``workers``, ``use_multiprocessing`` and ``max_queue_size`` are accepted as in Keras; batches are made one by one.
    """

    def __init__(self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10) -> None:
        self.workers, self.use_multiprocessing, self.max_queue_size = workers, use_multiprocessing, max_queue_size

    def __len__(self) -> int:
        """The number of batches."""
        raise UnimplementedError(f"{type(self).__name__} does not define __len__()")

    def __getitem__(self, index: int) -> Any:
        """One batch: inputs, (inputs, targets) or (inputs, targets, weights)."""
        raise UnimplementedError(f"{type(self).__name__} does not define __getitem__()")

    @property
    def num_batches(self) -> int:
        return len(self)

    def on_epoch_begin(self) -> None:
        """A pass begins."""

    def on_epoch_end(self) -> None:
        """A pass has ended."""


class NumberedData(IterableData):
    """The batches of a `PyDataset`, in another order in each pass where they are shuffled."""

    def __init__(self, source: PyDataset, shuffle: bool) -> None:
        self.source = source
        self.shuffle = shuffle

    def batches(self) -> Iterator[Any]:
        self.source.on_epoch_begin()
        count = len(self.source)
        for number in random.shuffle(np.arange(count)).numpy() if self.shuffle else range(count):
            yield _batch(self.source[int(number)])
        self.source.on_epoch_end()


def _batch(value: object) -> Any:
    return _map(convert_to_tensor, whole(tuple(value) if isinstance(value, list) else value))


def data_from(
    x: Any, y: Any = None, sample_weight: Any = None, batch_size: int | None = None, shuffle: bool = False,
    class_weight: dict[int, float] | None = None, steps: int | None = None
) -> ArrayData | IterableData:  # fmt: skip
    """Batches of whatever a user has given; of arrays, as many as ``steps`` when there is no batch size.

    Raises `InvalidArgumentError` for targets, weights or a batch size beside a dataset or generator, which has its own.
    """
    data: ArrayData | IterableData
    if isinstance(x, (Dataset, PyDataset)) or (not _is_arrays(x) and hasattr(x, "__iter__")):
        for name, value in (("y", y), ("sample_weight", sample_weight), ("batch_size", batch_size)):
            if value is not None:
                raise InvalidArgumentError(
                    f"`{name}` must not be given with a dataset or generator, which gives batches of its own"
                )
        data = NumberedData(x, shuffle) if isinstance(x, PyDataset) else IterableData(x)
    else:
        data = ArrayData(x, y, sample_weight, batch_size, shuffle, steps)
    return data if class_weight is None else Weighted(data, class_weight)


class Weighted(IterableData):
    """Batches with the weights of samples' classes multiplied into their weights."""

    def __init__(self, data: ArrayData | IterableData, class_weight: dict[int, float]) -> None:
        if not isinstance(class_weight, dict):
            raise InvalidTypeError(f"class_weight must be a dict from the numbers of classes, not {class_weight!r}")
        self.data, self.source = data, getattr(data, "source", None)
        size = max(class_weight, default=0) + 1
        self.weights = np.ones(size, np.float32)
        for number, weight in class_weight.items():
            self.weights[number] = weight

    @property
    def steps(self) -> int | None:
        return self.data.steps

    def batches(self) -> Iterator[Any]:
        for batch in self.data.batches():
            x, y, sample_weight = unpack_x_y_sample_weight(batch)
            if nest.is_nested(y) or y is None:
                raise InvalidArgumentError("`class_weight` is only supported for models with a single output")
            classes = np.asarray(y)
            if classes.ndim > 1:
                classes = classes.argmax(-1) if classes.shape[-1] > 1 else classes.reshape(classes.shape[:-1])
            classes = classes.astype(np.int64)
            inside = (classes >= 0) & (classes < len(self.weights))
            weights = np.where(inside, self.weights[np.where(inside, classes, 0)], np.float32(1))
            if sample_weight is not None:
                weights = weights * np.asarray(sample_weight)
            yield x, y, constant(weights.astype(np.float32))


def split_off(parts: Any, share: float) -> tuple[Any, Any]:
    """Arrays without their last samples, and these: a ``share`` of them, for validation.

    Raises `InvalidArgumentError` for other data than arrays, and where a part would be empty.
    """
    if not all(_is_arrays(part) for part in parts if part is not None):
        raise InvalidArgumentError("`validation_split` is only supported for arrays and tensors")
    if not 0 < share < 1:
        raise InvalidArgumentError(f"validation_split must be between 0 and 1, not {share}")
    arrays = _arrays(parts)
    count = _common_length(arrays)
    place = int(np.floor(count * (1 - share)))
    if place in (0, count):
        raise InvalidArgumentError(
            f"Training data contains {count} samples, which is not sufficient to split it into a validation and "
            f"training set as specified by `validation_split={share}`. Either provide more data, or a different value "
            "for the `validation_split` argument."
        )
    return _map(lambda array: array[:place], arrays), _map(lambda array: array[place:], arrays)


def _is_arrays(value: object) -> bool:
    """Whether a value is arrays, or a structure of them."""
    if isinstance(value, (Tensor, np.ndarray, np.generic)) or hasattr(value, "__array__"):
        return True
    if isinstance(value, (list, tuple)) and value and all(isinstance(each, (int, float, bool)) for each in value):
        return True
    return nest.is_nested(value) and all(_is_arrays(child) for _, child in nest.children(value))


def _arrays(structure: Any) -> Any:
    """The structure with an array for every tensor, array or list of numbers."""

    def convert(value: object) -> Any:
        if value is None:
            return None
        if isinstance(value, list) and value and not nest.is_nested(value[0]) and not _is_arrays(value[0]):
            value = np.asarray(value)
        if isinstance(value, (Tensor, np.ndarray, np.generic)) or hasattr(value, "__array__"):
            tensor = convert_to_tensor(value if isinstance(value, Tensor) else np.asarray(value))
            array = tensor.array if isinstance(tensor, EagerTensor) else np.asarray(tensor)
            if array.ndim == 0:
                raise InvalidArgumentError("data must have a first axis, of samples; a scalar was given")
            return array.astype(floatx()) if array.dtype == np.float64 else array
        if nest.is_nested(value):
            return nest.rebuild(value, [convert(child) for _, child in nest.children(value)])
        raise InvalidArgumentError(f"data must be arrays, tensors, lists or dicts of them, or a dataset, not {value!r}")

    return tuple([convert(part) for part in structure])


def _taker(rows: object) -> Callable[[Any], Any]:
    return lambda array: EagerTensor(array[rows])


def _map(function: Callable[[Any], Any], structure: object) -> Any:
    return nest.map_structure(lambda leaf: None if leaf is None else function(leaf), structure)


def _common_length(parts: Any) -> int:
    lengths = {name: [len(leaf) for leaf in nest.flatten(part) if leaf is not None]
               for name, part in zip(("x", "y", "sample_weight"), parts, strict=False)}  # fmt: skip
    found = {length for each in lengths.values() for length in each}
    if len(found) > 1:
        shown = "".join(f"'{name}' sizes: {', '.join(map(str, each))}\n" for name, each in lengths.items() if each)
        raise InvalidArgumentError(
            "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.\n" + shown.rstrip()
        )
    if not found:
        raise InvalidArgumentError("there are no data: x is missing")
    return found.pop()
