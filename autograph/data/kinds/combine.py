"""Datasets made from several datasets: side by side, one after the other, interleaved."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from autograph.errors import InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.base.shapes import relax
from autograph.runtime.tensors.spec import TensorSpec

from ..arguments import require_positive
from ..dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from ..failures import Failure, Item
from ..functions import ElementFunction, Environment
from ..values import DatasetSpec

__all__ = ["Concatenate", "Interleave", "Zip", "joined_specs"]


class Zip(Dataset):
    """Elements side by side, as long as the shortest."""

    _name = "_ZipDataset"

    def __init__(self, datasets: object) -> None:
        if isinstance(datasets, list):
            raise InvalidTypeError("Invalid input to `zip`. Use a tuple or a dict of datasets, not a list.")
        sources = nest.flatten(datasets)
        for source in sources:
            if not isinstance(source, Dataset):
                raise InvalidTypeError(f"Invalid input to `zip`. Inputs are expected to be datasets, not {source!r}.")
        super().__init__(nest.map_structure(lambda dataset: dataset.element_spec, datasets), sources)

    def elements(self, environment: Environment) -> Iterator[Item]:
        sources = [source.elements(environment) for source in self.sources]
        return map(_beside, zip(*sources))  # noqa: B905

    def length(self, environment: Environment) -> int:
        counts = [count for source in self.sources if (count := source.length(environment)) != INFINITE_CARDINALITY]
        if not counts:
            return INFINITE_CARDINALITY
        return min(counts)  # unknown is less than all numbers


def _beside(items: tuple[Item, ...]) -> Item:
    parts: list[Any] = []
    for item in items:
        if isinstance(item, Failure):
            return item
        parts += item
    return tuple(parts)


class Concatenate(Dataset):
    """The elements of one dataset, then those of another."""

    _name = "_ConcatenateDataset"

    def __init__(self, first: Dataset, second: Dataset) -> None:
        try:
            joined = joined_specs(first.element_spec, second.element_spec)
        except (TypeError, ValueError):
            raise InvalidTypeError(
                f"Incompatible dataset elements: {first.element_spec!r} vs. {second.element_spec!r}. `concatenate` "
                "takes a dataset with elements of the same structure and dtypes."
            ) from None
        super().__init__(joined, [first, second])

    @property
    def _parts(self) -> list[Dataset]:
        """What follows each other, also where the first is such a dataset itself, as in a loop of `concatenate`."""
        found: list[Dataset] = []
        first: Dataset = self
        while type(first) is Concatenate:
            first, second = first.sources
            found.append(second)
        return [first, *reversed(found)]

    def elements(self, environment: Environment) -> Iterator[Item]:
        for part in self._parts:
            yield from part.elements(environment)

    def length(self, environment: Environment) -> int:
        counts = [part.length(environment) for part in self._parts]
        if INFINITE_CARDINALITY in counts:
            return INFINITE_CARDINALITY
        return UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in counts else sum(counts)


def joined_specs(first: object, second: object) -> Any:
    """The specs that the elements of two datasets fit; `TypeError` or `ValueError` when there are none."""
    nest.assert_same_structure(first, second)
    return nest.map_structure(_joined, first, second)


def _joined(first: object, second: object) -> Any:
    if isinstance(first, TensorSpec) and isinstance(second, TensorSpec) and first.dtype is second.dtype:
        return TensorSpec(relax(first.type.shape, second.type.shape), first.dtype)
    if isinstance(first, DatasetSpec) and isinstance(second, DatasetSpec):
        return DatasetSpec(joined_specs(first.element_spec, second.element_spec))
    raise InvalidTypeError(f"{first!r} and {second!r} differ")


class Interleave(Dataset):
    """The elements of the datasets that a function makes of the elements of another."""

    def __init__(self, source: Dataset, function: Callable[..., Any], cycle: int | None, block: int | None,
                 name: str = "_InterleaveDataset") -> None:  # fmt: skip
        self._name = name
        self._function = ElementFunction(function, source.element_spec)
        made = self._function.result
        if not isinstance(made, Dataset):
            raise InvalidTypeError(f"The `map_func` argument must return a `Dataset` object. Got {type(made)!r}.")
        automatic = cycle is None or cycle == -1
        self._cycle = require_positive(os.cpu_count() or 1 if automatic else int(cycle or 0), "cycle_length")
        self._block = require_positive(1 if block is None else int(block), "block_length")
        super().__init__(made.element_spec, [source], self._function.captured)

    def elements(self, environment: Environment) -> Iterator[Item]:
        make = self._function.bind_dataset(environment)
        source = self.sources[0].elements(environment)
        slots: list[Iterator[Item] | None] = [None] * self._cycle
        turn, in_block, more = 0, 0, True
        while more or any(slot is not None for slot in slots):
            slot = slots[turn]
            if slot is None and more:
                taken = next(source, None)
                more = taken is not None
                slots[turn] = None if taken is None else make(taken)
                continue
            item = None if slot is None else next(slot, None)
            in_block += 1
            if item is None:
                slots[turn] = None
            else:
                yield item
            if item is None or in_block == self._block:
                turn, in_block = (turn + 1) % self._cycle, 0
