"""Iterators over datasets: eager ones, and those in a graph, which are nodes with effects."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autograph.errors import OutOfRangeError, SavedFileError, SavingError, StagedValueError
from autograph.runtime.base import nest
from autograph.runtime.base.composite import Composite
from autograph.runtime.base.dtypes import bool_, float32, variant
from autograph.runtime.base.list_value import ListValue
from autograph.runtime.base.provided import Provided
from autograph.runtime.base.streams import Cursor, Resumable, Stream
from autograph.runtime.ir.effects import Effects
from autograph.runtime.ir.graph import Type, Value, foreign_value_error
from autograph.runtime.ir.op import NOT_DIFFERENTIABLE, op
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.tracebacks.leaving import public

from .failures import Failure, Item
from .structure import UNSAVABLE, Element, packed, types_of

if TYPE_CHECKING:
    from .dataset import Dataset
    from .optional import Optional
    from .values import IteratorSpec

__all__ = ["DatasetIterator", "Position", "cursor_of", "iterator_of", "sample_dataset"]


SAMPLE: Provided[Callable[[], Dataset]] = Provided("data.dataset")
"""A small dataset, for tests of ops."""
MEMORIES: Provided[Callable[[object], list[Any]]] = Provided("data.kinds.shuffling")
"""What decides the order of the elements of a dataset, if eager code has made it."""
SHUFFLES_INSIDE: Provided[Callable[[object], bool]] = Provided("data.kinds.shuffling")
"""Whether functions of a dataset make shuffles each time they run, whose orders nothing keeps."""
ITERATOR_SPEC: Provided[Callable[[Any], IteratorSpec]] = Provided("data.values")
NEXT_OPTIONAL: Provided[Callable[[Any, Any], Optional]] = Provided("data.optional")
"""The next element of a position, or an empty `Optional`."""


class Position:
    """How far an iteration has come: elements are made when they are asked for, and one may be looked at before."""

    def __init__(self, elements: Iterator[Item], dataset: Dataset | None = None) -> None:
        self._elements = elements
        self._dataset = dataset
        self._orders: list[Any] | None = None
        """What decides the orders of the elements, before the first one is made."""
        self._ahead: list[Element] = []
        self._taken = 0
        self._lock = threading.Lock()

    def has_next(self) -> bool:
        """Whether there is another element; makes it, and keeps it for `take`."""
        with self._lock:
            return self._look()

    def _look(self) -> bool:
        if self._orders is None:
            self._begin()
        if not self._ahead:
            for item in itertools.islice(self._elements, 1):
                if isinstance(item, Failure):
                    raise item.error
                self._ahead.append(item)
        return bool(self._ahead)

    def _begin(self) -> None:
        """Makes the first element. Shuffles without a seed get one by that."""
        memories = MEMORIES.function(self._dataset)
        self._orders = [memory.kept() for memory in memories]
        try:
            self._look()
        finally:
            for order, memory in zip(self._orders, memories, strict=True):
                order[0] = memory.kept()[0]

    def take(self) -> Element:
        """The components of the next element; `OutOfRangeError` at the end."""
        element = self.take_or_none()
        if element is None:
            raise OutOfRangeError("End of sequence")
        return element

    def take_or_none(self) -> Element | None:
        """The components of the next element; None at the end."""
        with self._lock:
            if not self._look():
                return None
            self._taken += 1
            return self._ahead.pop()

    def place(self) -> bytes:
        """How many elements were taken, and what has decided their order."""
        if SHUFFLES_INSIDE.function(self._dataset):
            raise SavingError(
                "an iterator over a dataset whose functions shuffle, or cache, can't be saved: nothing keeps the "
                "orders inside",
                remedy="shuffle before or after `interleave`, `flat_map` or `group_by_window`, not inside",
            )
        with self._lock:
            if self._orders is None:
                self._begin()
            return json.dumps({"taken": self._taken, "orders": self._orders}).encode()

    def go_to(self, place: bytes) -> None:
        """Begin again, with the orders that there were, and leave out what was taken."""
        kept = json.loads(place)
        dataset = self._dataset
        memories = MEMORIES.function(dataset)
        if dataset is None or len(memories) != len(kept["orders"]):
            raise SavedFileError(
                f"the place that was kept is in a dataset of {len(kept['orders'])} shuffles and caches, not of "
                f"{len(memories)}: make the iterator over the same dataset"
            )
        for memory, order in zip(memories, kept["orders"], strict=True):
            memory.restore(order)
        begun = dataset.position(())
        for number in range(kept["taken"]):
            if begun.take_or_none() is None:
                raise SavedFileError(
                    f"the place that was kept is after {kept['taken']} elements, and the dataset has {number}: make "
                    "the iterator over the same dataset"
                )
        with self._lock:
            self._elements, self._ahead, self._taken = begun._elements, begun._ahead, kept["taken"]
            self._orders = kept["orders"]

    def __repr__(self) -> str:
        return "<position>"


def _next(position: Position, types: tuple[Type, ...]) -> Any:
    element = position.take()
    return element if len(types) != 1 else element[0]


def sample_position() -> Position:
    return Position(itertools.repeat((np.float32(1),)))


def _raises_at_the_end(inputs: Sequence[Value], attributes: dict[str, Any]) -> tuple[type[BaseException], ...]:
    return () if attributes.get("is_there") else (OutOfRangeError, StopIteration)


HELD = op("held", infer=lambda *, value: Type(variant, ()), numpy=lambda *, value: value,
          samples=lambda: [((), {"value": ListValue.of()})], gradient=NOT_DIFFERENTIABLE,
          unsavable=UNSAVABLE, doc="An object outside the graph.")  # fmt: skip
HAS_NEXT = op("iterator_has_next", infer=lambda position: Type(bool_, ()),
              effects=Effects.READS, gradient=NOT_DIFFERENTIABLE,
              numpy=lambda position: np.bool_(position.has_next()), samples=lambda: [((sample_position(),), {})],
              unsavable=UNSAVABLE, doc="Whether there is another element.")  # fmt: skip
NEXT = op("iterator_next", infer=lambda position, types, is_there=False: types if len(types) != 1 else types[0],
          effects=Effects.UPDATES,
          numpy=lambda position, types, is_there=False: _next(position, types), gradient=NOT_DIFFERENTIABLE,
          samples=lambda: [((sample_position(),), {"types": (Type(float32, ()),)})],
          unsavable=UNSAVABLE, raises=_raises_at_the_end,
          doc="The components of the next element, which surely ``is_there`` or not.")  # fmt: skip
ITERATE = op("dataset_iterator", infer=lambda *inputs, dataset: Type(variant, ()), effects=Effects.HOST,
             numpy=lambda *arrays, dataset: dataset.position(arrays), gradient=NOT_DIFFERENTIABLE,
             samples=lambda: [((), {"dataset": sample_dataset()})],
             unsavable=UNSAVABLE,
             doc="An iterator over a dataset; the inputs are the tensors of the graph that it depends on.")  # fmt: skip


def sample_dataset() -> Any:
    """A small dataset, for tests of ops."""
    return SAMPLE.function()


class _GraphCursor(Cursor):
    def __init__(self, position: object, specs: Any) -> None:
        self._position = position
        self._specs = specs
        self._types = types_of(specs)

    def has_next(self) -> Any:
        return trace.apply(HAS_NEXT, self._position, name="has_next")

    def next(self, is_there: bool = False) -> Any:
        outputs = trace.apply(NEXT, self._position, name="next", types=self._types, is_there=is_there)
        if isinstance(self._specs, TensorSpec):
            return outputs
        outputs = outputs if len(self._types) != 1 else [outputs]
        return nest.pack_sequence_as(self._specs, outputs, expand_composites=True)


@public
class DatasetIterator(Stream, Composite, Resumable):
    """What ``iter(dataset)`` gives. In a traced function `next` and loops take elements whenever the graph runs."""

    def __init__(self, position: Any, specs: object) -> None:
        self._position = position
        self._specs = specs

    @property
    def element_spec(self) -> Any:
        return self._specs

    @property
    def type_spec(self) -> IteratorSpec:
        return ITERATOR_SPEC.function(self._specs)

    def components(self) -> list[Any]:
        return [self._position if isinstance(self._position, SymbolicTensor) else wrap(self._position)]

    def __iter__(self) -> DatasetIterator:
        return self

    def __next__(self) -> Any:
        position = self._eager()
        if position is None:
            location = trace.user_location()
            file, line, function = location if location is not None else (None, None, None)
            raise StagedValueError(
                "a dataset is iterated over in Python while a graph is being traced",
                file=file, line=line, function=function, construct="for",
                remedy="convert the function, so that the loop can be staged, or use iterator.get_next()",
            )  # fmt: skip
        element = position.take_or_none()
        if element is None:
            raise StopIteration
        return packed(self._specs, element)

    def get_next(self) -> Any:
        """The next element. Raises `OutOfRangeError` at the end (in a graph: when it runs)."""
        position = self._eager()
        return self.cursor().next() if position is None else packed(self._specs, position.take())

    def get_next_as_optional(self) -> Optional:
        """The next element as an `Optional`, which is empty at the end."""
        position = self._eager()
        if position is not None:
            return NEXT_OPTIONAL.function(position, self._specs)
        held = self._position if isinstance(self._position, SymbolicTensor) else trace.apply(HELD, value=self._position)
        return NEXT_OPTIONAL.function(held, self._specs)

    def _eager(self) -> Position | None:
        """The position, when nothing is being traced."""
        if trace.current_graph() is not None:
            return None
        if isinstance(self._position, SymbolicTensor):
            raise foreign_value_error(self._position.value)
        return self._position

    def cursor(self) -> Cursor:
        position = self._position
        if isinstance(position, Position):
            position = trace.apply(HELD, value=position)
        return _GraphCursor(position, self._specs)

    def place(self) -> bytes:
        """For checkpoints: how many elements it has given, and in which orders."""
        return self._for_checkpoints().place()

    def go_to(self, place: bytes) -> None:
        """Go on after the elements that had been given. Raises `SavedFileError` for another dataset."""
        self._for_checkpoints().go_to(place)

    def _for_checkpoints(self) -> Position:
        position = self._eager()
        if position is None:
            raise SavingError("a checkpoint of an iterator is written and read outside of traced functions")
        return position

    def __reduce__(self) -> NoReturn:
        raise SavingError(
            "an iterator over a dataset can't be pickled or copied: its elements are made as they are asked for",
            remedy="pickle or copy the dataset, and make an iterator of that; dataset.skip(n) goes on after n elements",
        )

    def __copy__(self) -> DatasetIterator:
        return DatasetIterator(self._position, self._specs)

    def __repr__(self) -> str:
        return f"<DatasetIterator element_spec={self._specs}>"


def _iterator_in_graph(dataset: Dataset) -> Any:
    return trace.apply(ITERATE, *dataset.graph_tensors(), dataset=dataset)


def cursor_of(dataset: Dataset) -> Cursor:
    """A new iteration over a dataset in the current graph."""
    return _GraphCursor(_iterator_in_graph(dataset), dataset.element_spec)


def iterator_of(dataset: Dataset) -> DatasetIterator:
    """A new iterator over a dataset: eager, or in the current graph."""
    if trace.current_graph() is not None:
        return DatasetIterator(_iterator_in_graph(dataset), dataset.element_spec)
    for tensor in dataset.graph_tensors():
        raise foreign_value_error(tensor.value)
    return DatasetIterator(dataset.position(()), dataset.element_spec)
