"""`Dataset`: a pipeline of elements, made one by one when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.base.composite import Composite
from autograph.runtime.base.dtypes import as_dtype, int64
from autograph.runtime.base.provided import Provided
from autograph.runtime.base.streams import Cursor, Stream
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.tensors.convert import constant
from autograph.runtime.tensors.tensor import SymbolicTensor

from .failures import Item, Rows
from .functions import Environment
from .in_files import KINDS, Kept
from .iterator import SAMPLE, DatasetIterator, Position, cursor_of, iterator_of
from .options import Options
from .structure import signature, tensor_specs
from .values import (
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    DatasetSpec,
    cardinality_of,
    checked_length,
    length_of,
    variant_of,
)

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, TensorLike

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]

AUTOTUNE = -1

SAMPLED: Provided[Callable[..., Dataset]] = Provided("data.kinds.choosing")


class Dataset(Kept, Stream, Composite):
    """A sequence of elements, each a structure of tensors, made one by one when they are asked for.

    Loop over it with ``for``; in a traced function the loop is staged, whatever the dataset's length. Methods give new
    datasets and leave this one as it is. Functions given to them are traced once, as by ``tf.function``.

    >>> [int(x) for x in Dataset.range(10).filter(lambda x: x % 2 == 0).map(lambda x: x * x)]
    [0, 4, 16, 36, 64]
    """

    _name = "Dataset"

    def __init_subclass__(cls) -> None:
        KINDS[cls.__name__] = cls

    def __init__(self, specs: Any, sources: Sequence[Dataset] = (), tensors: Sequence[Any] = ()) -> None:
        self._specs = specs
        self.sources = tuple(sources)
        self._tensors = tuple(tensors)

    # What a kind of dataset defines

    def elements(self, environment: Environment) -> Iterator[Item]:
        """The elements' components, made one by one; a `Failure` for one whose making raises, and then the others.

        The environment has the arrays of tensors of graphs.
        """
        raise NotImplementedError

    def rows(self, environment: Environment) -> Rows | None:
        """The elements as rows of arrays, where they are some: batches are taken from these at once."""
        return None

    def length(self, environment: Environment) -> int:
        """The number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        return UNKNOWN_CARDINALITY

    @property
    def element_spec(self) -> Any:
        """The elements' structure, with a `TensorSpec` for each tensor."""
        return self._specs

    @property
    def type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._specs)

    def components(self) -> list[Any]:
        return [variant_of(self)]

    def count(self) -> int:
        """The number of elements, `UNKNOWN_CARDINALITY` also when only the run of a graph tells it."""
        return UNKNOWN_CARDINALITY if self.graph_tensors() else self.length(Environment())

    def graph_tensors(self) -> list[Any]:
        """The tensors of graphs that the pipeline depends on, each once."""
        found: dict[Any, Any] = {}
        pending: list[Dataset] = [self]
        while pending:
            dataset = pending.pop()
            pending += dataset.sources
            for tensor in dataset._tensors:
                if isinstance(tensor, SymbolicTensor):
                    found.setdefault(tensor.value, tensor)
        return list(found.values())

    def position(self, arrays: Sequence[Any]) -> Position:
        """A new iteration, with the arrays of `graph_tensors`."""
        return Position(self.elements(Environment(self.graph_tensors(), arrays)), self)

    def cursor(self) -> Cursor:
        return cursor_of(self)

    def __iter__(self) -> DatasetIterator:
        return iterator_of(self)

    def as_numpy_iterator(self) -> Iterator[Any]:
        """The elements with arrays, NumPy scalars and bytes in place of tensors; only outside of traced functions."""
        tensor_specs(self._specs, "as_numpy_iterator")
        return (nest.map_structure(lambda tensor: tensor.numpy(), element) for element in self)

    def cardinality(self) -> Any:
        """The number of elements as an int64 tensor, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        return cardinality_of(self) if self.graph_tensors() else constant(self.count(), int64)

    def __len__(self) -> int:
        """The number of elements; `TypeError` when there is no end, or it isn't known."""
        return checked_length(self.count())

    def staged_length(self) -> Any:
        return length_of(self) if self.graph_tensors() else len(self)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self._name} element_spec={self._specs!r}>"

    def options(self) -> Options:
        """What `with_options` has set, here and in the datasets that this one is made of."""
        merged = Options()
        for source in self.sources:
            merged = merged.merge(source.options())
        return merged

    # Where elements come from

    @staticmethod
    def from_tensors(tensors: object, name: str | None = None) -> Dataset:
        """One element: the given structure of tensors."""
        return KINDS["Tensors"](tensors)

    @staticmethod
    def from_tensor_slices(tensors: object, name: str | None = None) -> Dataset:
        """The slices of tensors along their first axes, which must be of one length."""
        return KINDS["TensorSlices"](tensors)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any], output_types: object = None, output_shapes: object = None, args: Any = None,
        output_signature: object = None, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """What ``generator(*args)`` yields, for each iteration anew.

        ``output_signature`` is a structure of `TensorSpec`; else ``output_types`` is one of dtypes, ``output_shapes``
        one of shapes. Elements that do not fit raise `InvalidArgumentError` when they come.
        """
        if output_signature is None:
            output_signature = signature(output_types, output_shapes)
        return KINDS["FromGenerator"](generator, output_signature, () if args is None else tuple(args))

    @staticmethod
    def range(*args: object, output_type: object = int64, name: str | None = None) -> Dataset:
        """Numbers as of ``range(*args)``."""
        return KINDS["Range"](args, as_dtype(output_type))

    @staticmethod
    def zip(*args: object, datasets: object = None, name: str | None = None) -> Dataset:
        """Elements side by side, in the structure in which the datasets are given; as long as the shortest."""
        if datasets is None:
            datasets = args[0] if len(args) == 1 else args
        return KINDS["Zip"](datasets)

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True) -> Dataset:
        """Elements of several datasets; ``choice_dataset`` gives the index (int64) of the one that gives the next.

        Ends with the first dataset that has nothing left, or goes on with the others.
        """
        return KINDS["Choose"](list(datasets), choice_dataset, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Any, weights: object = None, seed: int | None = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None
    ) -> Dataset:  # fmt: skip
        """Elements of several datasets, drawn with some weights (equal ones when left out)."""
        return SAMPLED.function(list(datasets), weights, seed, stop_on_empty_dataset, bool(rerandomize_each_iteration))

    @staticmethod
    def counter(
        start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = int64, name: str | None = None
    ) -> Dataset:
        """Numbers from ``start`` on, without end."""
        return KINDS["Counter"](start, step, as_dtype(dtype))

    @staticmethod
    def random(
        seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """Random integers (int64) of 32 bits without end; they are NumPy's, not TensorFlow's."""
        return KINDS["RandomNumbers"](seed, bool(rerandomize_each_iteration))

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same elements; see `tf.data.Options`."""
        return KINDS["WithOptions"](self, options)

    # Element by element

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None, synchronous: bool | None = None, use_unbounded_threadpool: bool = False,
        name: str | None = None
    ) -> Dataset:  # fmt: skip
        """What a function gives for each element; the parts of a tuple are its arguments."""
        return KINDS["Map"](self, map_func)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which a function is true."""
        return KINDS["Filter"](self, predicate)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements up to the first for which a function is false."""
        return KINDS["TakeWhile"](self, predicate)

    def unique(self, name: str | None = None) -> Dataset:
        """Each element (one int32, int64 or string tensor) once; all that have been there are remembered."""
        return KINDS["Unique"](self)

    def scan(self, initial_state: object, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """What ``state, output = scan_func(state, element)`` gives for each element, from ``initial_state`` on."""
        return KINDS["Scan"](self, initial_state, scan_func)

    def enumerate(self, start: TensorLike = 0, name: str | None = None) -> Dataset:
        """Pairs of a number (int64) and an element."""
        return KINDS["Zip"]((KINDS["Range"]((start, np.iinfo(np.int64).max), int64), self))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements, one after the other, of the datasets that a function makes of each element."""
        return KINDS["Interleave"](self, map_func, 1, 1, "_FlatMapDataset")

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: int | None = None, block_length: int | None = None,
        num_parallel_calls: TensorLike | None = None, deterministic: bool | None = None, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """The elements of the datasets that a function makes of each element.

        ``cycle_length`` datasets are open at a time (as many as there are processors when left out);
        ``block_length`` elements come from each in turn.
        """
        return KINDS["Interleave"](self, map_func, cycle_length, block_length)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of the dataset."""
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise InvalidTypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)!r}.")
        return made

    # Sequences of elements

    def batch(
        self, batch_size: TensorLike, drop_remainder: TensorLike = False, num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """Elements stacked along a new first axis, ``batch_size`` at a time; the last batch may be smaller."""
        return KINDS["Batch"](self, batch_size, drop_remainder)

    def padded_batch(
        self, batch_size: TensorLike, padded_shapes: object = None, padding_values: object = None,
        drop_remainder: TensorLike = False, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """Elements stacked after they have been brought to one shape by padding at the ends of their axes.

        ``padded_shapes`` are those to pad to, for each component, with None for the longest of a batch; left out: those
        of `element_spec`. ``padding_values`` are one for all or one for each component, of its dtype; zeros and empty
        strings when left out. Raises `DataLossError` for an element that is longer than the shape to pad to.
        """
        return KINDS["PaddedBatch"](self, batch_size, padded_shapes, padding_values, drop_remainder)

    def rebatch(self, batch_size: TensorLike, drop_remainder: TensorLike = False, name: str | None = None) -> Dataset:
        """Batches of another size, or of several sizes in turn."""
        return KINDS["Rebatch"](self, batch_size, drop_remainder)

    def window(
        self, size: TensorLike, shift: TensorLike | None = None, stride: TensorLike = 1,
        drop_remainder: TensorLike = False, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """Datasets of ``size`` elements each, one for each component: ``window(3, 1).flat_map(lambda w: w.batch(3))``.

        The elements of a window are ``stride`` apart, and the windows begin ``shift`` (``size`` when left out) apart.
        """
        return KINDS["Window"](self, size, shift, stride, drop_remainder)

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """The elements of ``reduce_func(key, dataset)`` for datasets of elements with one key (int64).

        They have ``window_size`` (or ``window_size_func(key)``) elements each, at the end fewer.
        """
        if (window_size is None) == (window_size_func is None):
            raise InvalidArgumentError(
                "Either the `window_size` argument or the `window_size_func` argument must be specified."
            )
        size = window_size_func or (lambda key: cast(window_size, int64))
        return KINDS["GroupByWindow"](self, key_func, reduce_func, size)

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int], padded_shapes: object = None, padding_values: object = None,
        pad_to_bucket_boundary: bool = False, no_padding: bool = False, drop_remainder: bool = False,
        name: str | None = None
    ) -> Dataset:  # fmt: skip
        """Padded batches of elements whose lengths lie between the same boundaries, one batch size for each bucket.

        ``pad_to_bucket_boundary`` pads to the greatest length of the bucket. With ``no_padding`` elements of one bucket
        must have one shape. For the others see `padded_batch`.
        """
        return KINDS["Bucketed"](
            self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values,
            pad_to_bucket_boundary, no_padding, drop_remainder,
        )  # fmt: skip

    def unbatch(self, name: str | None = None) -> Dataset:
        """The slices of each element along the first axis."""
        return KINDS["Unbatch"](self)

    def shuffle(
        self, buffer_size: TensorLike, seed: int | None = None, reshuffle_each_iteration: bool = True,
        name: str | None = None
    ) -> Dataset:  # fmt: skip
        """The elements in random order: each is drawn from the next ``buffer_size`` that are left.

        With a ``seed``, or after ``tf.random.set_seed``, the order is the same in each run of the program. Each
        iteration has another order unless ``reshuffle_each_iteration`` is false.
        """
        return KINDS["Shuffle"](self, buffer_size, seed, reshuffle_each_iteration)

    def rejection_resample(
        self, class_func: Callable[..., Any], target_dist: TensorLike, initial_dist: TensorLike | None = None,
        seed: int | None = None, name: str | None = None
    ) -> Dataset:  # fmt: skip
        """Pairs of a class and an element, some left out so that classes come as often as ``target_dist`` says.

        ``class_func`` gives an element's class, from 0 on. ``initial_dist`` says how often classes come in this
        dataset; left out, that is found on the way. Ends with this dataset. Draws are NumPy's, not TensorFlow's.
        """
        return KINDS["Resampled"](self, class_func, target_dist, initial_dist, seed)

    def repeat(self, count: TensorLike | None = None, name: str | None = None) -> Dataset:
        """The elements ``count`` times; without end when left out or -1."""
        return KINDS["Repeat"](self, -1 if count is None else count)

    def take(self, count: TensorLike, name: str | None = None) -> Dataset:
        """The first ``count`` elements; all for -1."""
        return KINDS["Take"](self, count)

    def skip(self, count: TensorLike, name: str | None = None) -> Dataset:
        """The elements after the first ``count``; none for -1."""
        return KINDS["Skip"](self, count)

    def shard(self, num_shards: TensorLike, index: TensorLike, name: str | None = None) -> Dataset:
        """Every ``num_shards``-th element, from that at ``index`` on."""
        return KINDS["Shard"](self, num_shards, index)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements, then those of another dataset."""
        return KINDS["Concatenate"](self, dataset)

    def prefetch(self, buffer_size: TensorLike, name: str | None = None) -> Dataset:
        """The same elements, of which a thread makes up to ``buffer_size`` before they are asked for.

        None for 0; a few for `AUTOTUNE`. The thread ends with the iteration, also when that is given up early. An error
        comes where its element would.
        """
        return KINDS["Prefetch"](self, buffer_size)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements whose making raises no error; with ``log_warning`` each error is a warning.

        Of batches and windows, those are left out whose elements can't all be made. Errors that end a dataset, such as
        those of a damaged file, are raised all the same.
        """
        return KINDS["IgnoreErrors"](self, log_warning)

    def get_single_element(self, name: str | None = None) -> Any:
        """The element of a dataset that has one; `InvalidArgumentError` when it has none or more."""
        return iter(KINDS["Single"](self)).get_next()

    def reduce(self, initial_state: object, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        """The last state of ``state = reduce_func(state, element)``, beginning with ``initial_state``."""
        return iter(KINDS["Reduce"](self, initial_state, reduce_func)).get_next()


@SAMPLE.give
def _sample() -> Dataset:
    return Dataset.range(2)
