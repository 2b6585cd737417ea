"""Datasets that remember something between iterations: the order of a shuffle, the elements of a cache.

What they remember is an object that a node makes, or eager code. So a dataset that a traced function makes starts anew
in each call, as the same code does in Python.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from autograph.runtime.base.dtypes import variant
from autograph.runtime.ir.effects import Effects
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import NOT_DIFFERENTIABLE, op
from autograph.runtime.ops.random.random import fresh_seed
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

from ..arguments import Number, number, require_positive, static
from ..dataset import UNKNOWN_CARDINALITY, Dataset
from ..failures import Failure, Item
from ..functions import Environment
from ..iterator import MEMORIES, SHUFFLES_INSIDE
from ..structure import UNSAVABLE, Element
from .transforms import Chosen

__all__ = ["Cache", "Shuffle", "memories"]


class _Memory:
    """What a dataset remembers: a seed for shuffles and how many there were; the elements of a cache."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seed: list[int] | None = None
        self.rounds = 0
        self.elements: list[Element] | None = None

    def generator(self, seed: int | None, again: bool) -> np.random.Generator:
        """The random numbers for one iteration."""
        with self.lock:
            if self.seed is None:
                self.seed = fresh_seed(seed)
            self.rounds += again
            return np.random.default_rng([*self.seed, self.rounds])

    def kept(self) -> list[Any]:
        """What of it decides the next order."""
        return [self.seed, self.rounds]

    def restore(self, kept: list[Any]) -> None:
        """Have the orders follow that followed when it was ``kept``."""
        with self.lock:
            self.seed, self.rounds = kept

    def __repr__(self) -> str:
        return "<memory>"


MEMORY = op("dataset_memory", infer=lambda: Type(variant, ()), numpy=_Memory,
            effects=Effects.HOST, gradient=NOT_DIFFERENTIABLE,
            samples=lambda: [((), {})], unsavable=UNSAVABLE,
            doc="What a dataset remembers between iterations.")  # fmt: skip


@MEMORIES.give
def memories(dataset: object) -> list[_Memory]:
    """What decides the order of a dataset's elements, and of those that it is made of, if eager code has made it."""
    own = [getattr(each, "memory", None) for each in _made_of(dataset, lambda each: each.sources)]
    return [each.array for each in own if isinstance(each, EagerTensor)]


@SHUFFLES_INSIDE.give
def shuffles_inside(dataset: object) -> bool:
    """Whether functions of the dataset make shuffles, or caches, each time they run."""

    def parts(each: Dataset) -> list[Any]:
        return [*each.sources, getattr(getattr(each, "_function", None), "result", None)]

    return any(isinstance(getattr(each, "memory", None), SymbolicTensor) for each in _made_of(dataset, parts))


def _made_of(dataset: object, parts: Callable[[Dataset], Iterable[Any]]) -> list[Dataset]:
    """A dataset, after those that it is made of, each once."""
    found: dict[int, Dataset] = {}
    pending = [dataset]
    while pending:
        each = pending.pop()
        if isinstance(each, Dataset) and id(each) not in found:
            found[id(each)] = each
            pending.extend(parts(each))
    return [*reversed(found.values())]


class Shuffle(Chosen):
    """The elements in random order, drawn from a buffer."""

    _name = "_ShuffleDataset"

    def __init__(self, source: Dataset, size: object, seed: int | None, again: bool) -> None:
        self._size: Number = number(size, "buffer_size")
        self._seed = None if seed is None else int(seed)
        self._again = bool(again)
        known = static(self._size)
        if known is not None and known != UNKNOWN_CARDINALITY:
            require_positive(known, "buffer_size")
        self.memory = trace.apply(MEMORY)
        super().__init__(source.element_spec, [source], [self._size, self.memory])

    def chosen(self, environment: Environment, start: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        generator = environment.array(self.memory).generator(self._seed, self._again)
        size = environment.number(self._size)
        source = start()
        if size != UNKNOWN_CARDINALITY:
            require_positive(size, "buffer_size")
        buffer: list[Any] = []
        for item in source:
            if isinstance(item, Failure):
                yield item
            elif len(buffer) < size or size == UNKNOWN_CARDINALITY:
                buffer.append(item)
            else:
                place = int(generator.integers(len(buffer)))
                yield buffer[place]
                buffer[place] = item
        while buffer:
            place = int(generator.integers(len(buffer)))
            buffer[place], buffer[-1] = buffer[-1], buffer[place]
            yield buffer.pop()

    def length(self, environment: Environment) -> int:
        return self.sources[0].length(environment)


class Cache(Dataset):
    """The elements, kept after the first whole iteration."""

    _name = "CacheDataset"

    def __init__(self, source: Dataset) -> None:
        self.memory = trace.apply(MEMORY)
        super().__init__(source.element_spec, [source], [self.memory])

    def elements(self, environment: Environment) -> Iterator[Item]:
        memory = environment.array(self.memory)
        if memory.elements is not None:
            yield from memory.elements
            return
        kept: list[Element] = []
        whole = True
        for item in self.sources[0].elements(environment):
            if isinstance(item, Failure):
                whole = False
            elif whole:
                kept.append(item)
            yield item
        if whole:
            memory.elements = kept

    def length(self, environment: Environment) -> int:
        return self.sources[0].length(environment)
