"""Datasets and iterators as values in graphs: `variant` tensors, and the specs of what such a tensor holds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.base.composite import CompositeSpec
from autograph.runtime.base.dtypes import int64, variant
from autograph.runtime.base.provided import Provided
from autograph.runtime.base.shapes import TensorShape
from autograph.runtime.functions.arguments import key_of
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import NOT_DIFFERENTIABLE, op
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import SymbolicTensor

from .failures import Item
from .functions import Environment
from .iterator import ITERATOR_SPEC, DatasetIterator, sample_dataset
from .structure import UNSAVABLE

if TYPE_CHECKING:
    from .dataset import Dataset

__all__ = [
    "BoundDataset", "DatasetSpec", "ElementsSpec", "IteratorSpec", "cardinality_of", "checked_length", "length_of",
    "variant_of",
]  # fmt: skip

VARIANT_DATASET: Provided[Callable[..., Dataset]] = Provided("data.kinds.sources")
"""A dataset that is a tensor of a graph."""

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def checked_length(count: int) -> int:
    """A number of elements; `TypeError` for one that `len` can't give."""
    if count == INFINITE_CARDINALITY:
        raise InvalidTypeError("The dataset is infinite.")
    if count == UNKNOWN_CARDINALITY:
        raise InvalidTypeError("The dataset length is unknown.")
    return count


class BoundDataset:
    """A dataset with the arrays of the graph tensors that it depends on."""

    def __init__(self, dataset: Dataset, arrays: Sequence[Any]) -> None:
        self._dataset = dataset
        self._environment = Environment(dataset.graph_tensors(), arrays)

    def __iter__(self) -> Iterator[Item]:
        return self._dataset.elements(self._environment)

    def length(self) -> int:
        return self._dataset.length(self._environment)

    def __repr__(self) -> str:
        return repr(self._dataset)


MAKE = op("dataset", infer=lambda *inputs, dataset: Type(variant, ()), gradient=NOT_DIFFERENTIABLE,
          numpy=lambda *arrays, dataset: BoundDataset(dataset, arrays),
          samples=lambda: [((), {"dataset": sample_dataset()})],
          unsavable=UNSAVABLE,
          doc="A dataset; the inputs are the tensors of the graph that it depends on.")  # fmt: skip
CARDINALITY = op("dataset_cardinality", infer=lambda dataset: Type(int64, ()), gradient=NOT_DIFFERENTIABLE,
                 numpy=lambda dataset: np.asarray(dataset.length(), np.int64),
                 samples=lambda: [((BoundDataset(sample_dataset(), ()),), {})],
                 doc="The number of elements, -1 for no end, -2 for an unknown number.")  # fmt: skip


LENGTH = op("dataset_length", infer=lambda dataset: Type(int64, ()), gradient=NOT_DIFFERENTIABLE,
            numpy=lambda dataset: np.asarray(checked_length(dataset.length()), np.int64),
            samples=lambda: [((BoundDataset(sample_dataset(), ()),), {})],
            raises=(InvalidArgumentError,),
            doc="The number of elements; an error when there is no end, or it is unknown.")  # fmt: skip


def variant_of(dataset: Dataset) -> Any:
    """The tensor that holds a dataset: eager, or of the current graph."""
    if trace.current_graph() is None and not dataset.graph_tensors():
        return wrap(BoundDataset(dataset, ()))
    return trace.apply(MAKE, *dataset.graph_tensors(), dataset=dataset)


def cardinality_of(dataset: Dataset) -> Any:
    """The number of elements as an int64 tensor."""
    return trace.apply(CARDINALITY, variant_of(dataset))


def length_of(dataset: Dataset) -> Any:
    """The number of elements as an int64 tensor; `TypeError`, when the graph runs, if there is no such number."""
    return trace.apply(LENGTH, variant_of(dataset))


class ElementsSpec(CompositeSpec):
    """The spec of a dataset, an iterator or an optional element: that of the elements."""

    def __init__(self, element_spec: object) -> None:
        self.element_spec = element_spec
        self._key = key_of(element_spec, [])

    def key(self) -> Hashable:
        return self._key

    def components(self) -> list[TensorSpec]:
        return [TensorSpec((), variant)]

    def accepts(self, other: CompositeSpec) -> bool:
        if not isinstance(other, type(self)):
            return False
        try:
            nest.assert_same_structure(self.element_spec, other.element_spec)
        except (TypeError, ValueError):
            return False
        pairs = zip(nest.flatten(self.element_spec), nest.flatten(other.element_spec), strict=True)
        return all(_fits(mine, others) for mine, others in pairs)


def _fits(wanted: Any, given: object) -> bool:
    if isinstance(wanted, CompositeSpec):
        return isinstance(given, CompositeSpec) and wanted.accepts(given)
    return isinstance(given, TensorSpec) and given.is_subtype_of(wanted)


class DatasetSpec(ElementsSpec):
    """What a dataset must be like: the specs of its elements."""

    def __init__(self, element_spec: object, dataset_shape: object = ()) -> None:
        if TensorShape(dataset_shape) != TensorShape(()):
            raise InvalidArgumentError(f"the shape of a DatasetSpec must be (), not {dataset_shape!r}")
        super().__init__(element_spec)

    def pack(self, tensors: Sequence[Any]) -> Any:
        return VARIANT_DATASET.function(self.element_spec, tensors[0])

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"


@ITERATOR_SPEC.give
class IteratorSpec(ElementsSpec):
    """What an iterator over a dataset must be like: the specs of the elements."""

    def pack(self, tensors: Sequence[Any]) -> DatasetIterator:
        position = tensors[0] if isinstance(tensors[0], SymbolicTensor) else tensors[0].array
        return DatasetIterator(position, self.element_spec)

    def __repr__(self) -> str:
        return f"IteratorSpec({self.element_spec!r})"
