"""Datasets made from one dataset: element by element, or by counting elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import bool_
from autograph.runtime.ops.infer import text
from autograph.runtime.tensors.spec import TensorSpec

from ..arguments import Number, flag, number, require_positive, static
from ..dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from ..failures import Failure, Item, Rows, attempt, take_rows
from ..functions import ElementFunction, Environment
from ..options import Options
from ..structure import Element, tensor_specs

__all__ = [
    "Batch", "Filter", "Map", "Repeat", "Shard", "Skip", "Take", "Unbatch", "WithOptions",
    "batch_count",
    "longer", "predicate_of", "with_answers",
]  # fmt: skip


class Map(Dataset):
    """What a function gives for each element."""

    _name = "_MapDataset"

    def __init__(self, source: Dataset, function: Callable[..., Any]) -> None:
        self._function = ElementFunction(function, source.element_spec)
        super().__init__(self._function.specs, [source], self._function.captured)

    def elements(self, environment: Environment) -> Iterator[Item]:
        return map(self._function.bind(environment), self.sources[0].elements(environment))

    def length(self, environment: Environment) -> int:
        return self.sources[0].length(environment)


class WithOptions(Dataset):
    """The elements as they are."""

    _name = "_OptionsDataset"

    def __init__(self, source: Dataset, options: Options) -> None:
        self._options = Options().merge(options)  # what becomes of them later is no matter of ours
        super().__init__(source.element_spec, [source])

    def elements(self, environment: Environment) -> Iterator[Item]:
        return self.sources[0].elements(environment)

    def length(self, environment: Environment) -> int:
        return self.sources[0].length(environment)

    def options(self) -> Options:
        return super().options().merge(self._options)


class Filter(Dataset):
    """The elements for which a function is true."""

    _name = "_FilterDataset"

    def __init__(self, source: Dataset, predicate: Callable[..., Any]) -> None:
        self._function = predicate_of(predicate, source.element_spec)
        super().__init__(source.element_spec, [source], self._function.captured)

    def elements(self, environment: Environment) -> Iterator[Item]:
        items = self.sources[0].elements(environment)
        return (item for item, kept in with_answers(self._function.bind(environment), items) if kept)


def predicate_of(predicate: Callable[..., Any], specs: object) -> ElementFunction:
    """A function of elements that gives a truth value; `ValueError` when it gives something else."""
    made = ElementFunction(predicate, specs)
    spec = made.specs
    if not (isinstance(spec, TensorSpec) and spec.dtype is bool_ and spec.shape.is_compatible_with(())):
        raise InvalidArgumentError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is {spec!r}."
        )
    return made


def with_answers(predicate: Callable[[Item], Item], items: Iterator[Item]) -> Iterator[tuple[Item, bool]]:
    """Each element with what a predicate says of it. True for failures; one of the predicate replaces the element."""
    for item in items:
        answer = predicate(item)
        yield (answer, True) if isinstance(answer, Failure) else (item, bool(answer[0]))


class Batch(Dataset):
    """Elements stacked, some at a time."""

    _name = "_BatchDataset"

    def __init__(self, source: Dataset, size: object, drop_remainder: object) -> None:
        self._size: Number = number(size, "batch_size")
        self._drop = flag(drop_remainder)
        length = static(self._size)
        if length is not None:
            require_positive(length, "batch_size")
        rows = length if static(self._drop) else None
        tensor_specs(source.element_spec, "batch")
        specs = nest.map_structure(lambda spec: longer(spec, rows), source.element_spec)
        super().__init__(specs, [source], [self._size, self._drop])

    def elements(self, environment: Environment) -> Iterator[Item]:
        size = require_positive(environment.number(self._size), "batch_size")
        drop, known = bool(environment.number(self._drop)), self.sources[0].rows(environment)
        if known is not None:
            arrays, start = known
            numbers = start()
            while places := list(itertools.islice(numbers, size)):
                if len(places) == size or not drop:
                    yield tuple([_taken(array, places) for array in arrays])
            return
        source = self.sources[0].elements(environment)
        while rows := take_rows(source, size):
            if isinstance(rows, Failure):
                yield rows
            elif len(rows) == size or not drop:
                yield attempt(_stacked, rows)

    def length(self, environment: Environment) -> int:
        return batch_count(self.sources[0].length(environment), environment.number(self._size),
                           environment.number(self._drop))  # fmt: skip


def _taken(array: Any, places: list[int]) -> Any:
    """Some rows of an array, as an array of its own."""
    first, last = places[0], places[-1]
    if last - first == len(places) - 1 and places == list(range(first, last + 1)):
        return array[first : last + 1].copy()
    return array.take(places, axis=0)


def batch_count(count: int, size: int, drop_remainder: int) -> int:
    """The number of batches of a number of elements, which may be unknown or infinite."""
    if count < 0:
        return count
    return count // size if drop_remainder else -(-count // size)


def longer(spec: TensorSpec, rows: int | None) -> TensorSpec:
    """The spec of some elements stacked."""
    shape = spec.type.shape
    return TensorSpec(None if shape is None else (rows, *shape), spec.dtype)


def _stacked(rows: list[Element]) -> Element:
    return tuple([_stacked_part(parts, i) for i, parts in enumerate(zip(*rows, strict=True))])


def _stacked_part(parts: tuple[Any, ...], component: int) -> Any:
    first = np.shape(parts[0])
    for i, part in enumerate(parts):
        if np.shape(part) != first:
            raise InvalidArgumentError(
                f"Cannot batch tensors with different shapes in component {component}. First element had shape "
                f"{text(first)} and element {i} had shape {text(np.shape(part))}."
            )
    return np.stack([np.asarray(part) for part in parts])


class Unbatch(Dataset):
    """The slices of elements along the first axis."""

    _name = "_UnbatchDataset"

    def __init__(self, source: Dataset) -> None:
        for spec in tensor_specs(source.element_spec, "unbatch"):
            if spec.type.shape == ():
                raise InvalidArgumentError("Cannot unbatch an input with scalar components.")
        specs = nest.map_structure(lambda spec: TensorSpec(spec.type.shape and spec.type.shape[1:], spec.dtype),
                                   source.element_spec)  # fmt: skip
        super().__init__(specs, [source])

    def elements(self, environment: Environment) -> Iterator[Item]:
        for item in self.sources[0].elements(environment):
            if isinstance(item, Failure):
                yield item
                continue
            lengths = {len(part) for part in item}
            if len(lengths) != 1:
                yield Failure(InvalidArgumentError("Input element must have the same batch size in each component."))
                continue
            for i in range(lengths.pop()):
                yield tuple([part[i, ...] for part in item])


class Chosen(Dataset):
    """Elements of another dataset, some of them or in another order, whatever they are."""

    def elements(self, environment: Environment) -> Iterator[Item]:
        return self.chosen(environment, lambda: self.sources[0].elements(environment))

    def rows(self, environment: Environment) -> Rows | None:
        found = self.sources[0].rows(environment)
        return None if found is None else (found[0], lambda: self.chosen(environment, found[1]))

    def chosen(self, environment: Environment, start: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """The ones of those that each iteration of the other, which ``start`` begins, gives."""
        raise NotImplementedError


class _Counted(Chosen):
    """A dataset that depends on another one and a number."""

    def __init__(self, source: Dataset, count: object) -> None:
        self._number: Number = number(count, "count")
        super().__init__(source.element_spec, [source], [self._number])

    def length(self, environment: Environment) -> int:
        return self._count(self.sources[0].length(environment), environment.number(self._number))

    def _count(self, count: int, given: int) -> int:
        raise NotImplementedError


class Take(_Counted):
    """The first elements."""

    _name = "_TakeDataset"

    def chosen(self, environment: Environment, start: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        left = environment.number(self._number)
        if not left:
            return
        for item in start():
            yield item
            left -= not isinstance(item, Failure)
            if not left:
                return

    def _count(self, count: int, given: int) -> int:
        if given < 0 or count == UNKNOWN_CARDINALITY:
            return count if given else 0
        return given if count == INFINITE_CARDINALITY else min(count, given)


class Skip(_Counted):
    """The elements after the first ones."""

    _name = "_SkipDataset"

    def chosen(self, environment: Environment, start: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        left = environment.number(self._number)
        if left < 0:
            return
        for item in start():
            if not left or isinstance(item, Failure):
                yield item
            else:
                left -= 1

    def _count(self, count: int, given: int) -> int:
        if given < 0:
            return 0
        return count if count < 0 else max(count - given, 0)


class Repeat(_Counted):
    """The elements several times, or without end; an empty dataset ends at once."""

    _name = "_RepeatDataset"

    def chosen(self, environment: Environment, start: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        count = environment.number(self._number)
        for _ in itertools.count() if count < 0 else range(count):
            empty = True
            for item in start():
                empty = False
                yield item
            if empty:
                return

    def _count(self, count: int, given: int) -> int:
        if given == 0 or count == 0:
            return 0
        if given < 0:
            return INFINITE_CARDINALITY
        return count if count < 0 else count * given


class Shard(Chosen):
    """Every n-th element."""

    _name = "_ShardDataset"

    def __init__(self, source: Dataset, shards: object, index: object) -> None:
        self._shards: Number = number(shards, "num_shards")
        self._index: Number = number(index, "index")
        known = static(self._shards), static(self._index)
        if None not in known:
            self._check(*known)
        super().__init__(source.element_spec, [source], [self._shards, self._index])

    @staticmethod
    def _check(shards: Any, index: Any) -> None:
        require_positive(shards, "num_shards")
        if not 0 <= index < shards:
            raise InvalidArgumentError(f"Index must be between 0 and {shards - 1} (currently index = {index}).")

    def chosen(self, environment: Environment, start: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        shards, index = environment.number(self._shards), environment.number(self._index)
        self._check(shards, index)
        for i, item in enumerate(start()):
            if i % shards == index or isinstance(item, Failure):
                yield item

    def length(self, environment: Environment) -> int:
        count, shards, index = self.sources[0].length(environment), *map(environment.number, self._tensors)
        return count if count < 0 else len(range(index, count, shards))
