"""`tf.data.experimental`: what TensorFlow keeps there, mostly as functions for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from autograph.errors import FailedPreconditionError, InvalidArgumentError

from .csv_files import make_csv_dataset as make_csv_dataset
from .dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from .failures import Failure, Item
from .functions import Environment
from .iterator import DatasetIterator
from .kinds.files import CsvDataset as CsvDataset
from .optional import Optional
from .options import AutoShardPolicy as AutoShardPolicy
from .options import DistributeOptions as DistributeOptions
from .record_writer import TFRecordWriter as TFRecordWriter

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "AutoShardPolicy", "Counter", "CsvDataset",
    "DistributeOptions", "Optional", "TFRecordWriter", "assert_cardinality",
    "bucket_by_sequence_length", "cardinality", "choose_from_datasets", "enumerate_dataset", "from_list",
    "get_next_as_optional", "get_single_element", "get_structure", "group_by_window", "ignore_errors", "load",
    "make_csv_dataset", "map_and_batch", "prefetch_to_device", "rejection_resample",
    "sample_from_datasets", "save", "scan", "shuffle_and_repeat", "take_while",
    "unbatch", "unique",
]  # fmt: skip

_Transformation = Callable[[Dataset], Dataset]

Counter = Dataset.counter
choose_from_datasets = Dataset.choose_from_datasets
sample_from_datasets = Dataset.sample_from_datasets
load = Dataset.load


def _as_function(method: str) -> Callable[..., _Transformation]:
    def make(*args: object, **kwargs: object) -> _Transformation:
        return lambda dataset: getattr(dataset, method)(*args, **kwargs)

    make.__name__ = make.__qualname__ = method
    make.__doc__ = f"A function for `Dataset.apply`: see `Dataset.{method}`."
    return make


bucket_by_sequence_length = _as_function("bucket_by_sequence_length")
enumerate_dataset = _as_function("enumerate")
group_by_window = _as_function("group_by_window")
ignore_errors = _as_function("ignore_errors")
rejection_resample = _as_function("rejection_resample")
scan = _as_function("scan")
take_while = _as_function("take_while")
unbatch = _as_function("unbatch")
unique = _as_function("unique")


def shuffle_and_repeat(buffer_size: int, count: int | None = None, seed: int | None = None) -> _Transformation:
    """A function for `Dataset.apply`: the elements in random order, ``count`` times."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any], batch_size: TensorLike, num_parallel_batches: object = None,
    drop_remainder: TensorLike = False, num_parallel_calls: TensorLike | None = None
) -> _Transformation:  # fmt: skip
    """A function for `Dataset.apply`: what a function gives for each element, in batches."""
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def prefetch_to_device(device: str, buffer_size: TensorLike | None = None) -> _Transformation:
    """A function for `Dataset.apply`: see `Dataset.prefetch`; there is one device."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def cardinality(dataset: Dataset) -> Any:
    """The number of elements, an int64 tensor."""
    return dataset.cardinality()


def get_single_element(dataset: Dataset) -> Any:
    """The element of a dataset that has one; `InvalidArgumentError` when it has none or more."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Dataset | DatasetIterator) -> Any:
    """The specs of the elements."""
    return dataset_or_iterator.element_spec


def get_next_as_optional(iterator: DatasetIterator) -> Optional:
    """The next element, or an empty optional at the end."""
    return iterator.get_next_as_optional()


def save(dataset: Dataset, path: Any, compression: str | None = None, shard_func: object = None) -> None:
    """See `Dataset.save`."""
    dataset.save(path, compression, shard_func)


def from_list(elements: list[Any], name: str | None = None) -> Dataset:
    """The items of a list, structures of tensors of one spec. Raises `InvalidArgumentError` for an empty list."""
    if not isinstance(elements, list) or not elements:
        raise InvalidArgumentError("from_list takes a list with elements")
    made = Dataset.from_tensors(elements[0])
    specs = made.element_spec
    return Dataset.from_generator(lambda: iter(elements), output_signature=specs).apply(
        assert_cardinality(len(elements))
    )


def assert_cardinality(expected_cardinality: int) -> _Transformation:
    """A function for `Dataset.apply`: the elements, of which there are so many, or the iteration raises an error."""
    return lambda dataset: _OfLength(dataset, int(expected_cardinality))


class _OfLength(Dataset):
    """Elements whose number the user knows."""

    _name = "_AssertCardinalityDataset"

    def __init__(self, source: Dataset, count: int) -> None:
        self._count = count
        super().__init__(source.element_spec, [source])

    def elements(self, environment: Environment) -> Iterator[Item]:
        return _counted(self.sources[0].elements(environment), self._count)

    def length(self, environment: Environment) -> int:
        return self._count


def _counted(items: Iterator[Item], count: int) -> Iterator[Item]:
    found = 0
    for item in items:
        found += not isinstance(item, Failure)
        if 0 <= count < found:
            raise FailedPreconditionError(f"Input dataset was expected to contain {count} elements but contained more.")
        yield item
    if count != found and count != UNKNOWN_CARDINALITY:
        wanted = "an infinite number of" if count == INFINITE_CARDINALITY else count
        raise FailedPreconditionError(
            f"Input dataset was expected to contain {wanted} elements but contained only {found}."
        )
