"""Datasets that take their elements from several others, as another dataset says; endless datasets of numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base.dtypes import DType, int64
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import EagerTensor

from ..arguments import Number, flag, number
from ..dataset import INFINITE_CARDINALITY, SAMPLED, Dataset
from ..failures import Failure, Item
from ..functions import Environment
from .combine import joined_specs
from .shuffling import MEMORY

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = ["Choose", "Counter", "RandomNumbers", "sampled"]


class Choose(Dataset):
    """Elements of several datasets; a dataset of their numbers tells from which the next one comes."""

    _name = "_DirectedInterleaveDataset"

    def __init__(self, datasets: Sequence[Dataset], choices: Dataset, stop_on_empty: object) -> None:
        if not datasets:
            raise InvalidArgumentError("Invalid `datasets`. `datasets` should not be empty.")
        spec = choices.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is int64 and spec.shape.is_compatible_with(())):
            raise InvalidTypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{spec!r}."
            )
        specs = datasets[0].element_spec
        for i, dataset in enumerate(datasets):
            try:
                specs = joined_specs(specs, dataset.element_spec)
            except (TypeError, ValueError):
                raise InvalidTypeError(
                    "Invalid `datasets`. `datasets` must have compatible element specs.\n"
                    f"Dataset 0 element_spec={datasets[0].element_spec!r}.\n"
                    f"Dataset {i} element_spec={dataset.element_spec!r}."
                ) from None
        self._stop: Number = flag(stop_on_empty)
        super().__init__(specs, [choices, *datasets], [self._stop])

    def elements(self, environment: Environment) -> Iterator[Item]:
        choices, *datasets = [source.elements(environment) for source in self.sources]
        stop, left = bool(environment.number(self._stop)), set(range(len(datasets)))
        while left:
            chosen = next(choices, None)
            if chosen is None:
                return
            if isinstance(chosen, Failure):
                yield chosen
                continue
            place = int(chosen[0])
            if not 0 <= place < len(datasets):
                raise InvalidArgumentError(f"Selector index out of range: {place} >= {len(datasets)}")
            item = next(datasets[place], None) if place in left else None
            if item is not None:
                yield item
            elif stop:
                return
            left -= {place} if item is None else set()


@SAMPLED.give
def sampled(
    datasets: Sequence[Dataset], weights: TensorLike, seed: int | None, stop_on_empty: object, again: bool
) -> Dataset:
    """Elements of datasets that are drawn at random with some weights (`Dataset.sample_from_datasets`)."""
    if not datasets:
        raise InvalidArgumentError("Invalid `datasets`. `datasets` should not be empty.")
    given = np.ones(len(datasets)) if weights is None else _known(weights)
    if len(given) != len(datasets):
        raise InvalidArgumentError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={len(given)}` vs. `len(datasets)={len(datasets)}`."
        )
    if (given < 0).any() or not given.sum() > 0:
        raise InvalidArgumentError(f"Invalid `weights`. `weights` must be positive numbers, not {given.tolist()}.")
    # Of a dataset without weight no element would ever be drawn: waiting for its end would have none.
    drawn = [dataset for dataset, weight in zip(datasets, given, strict=True) if weight]
    if len(drawn) == 1:
        return drawn[0]
    return Choose(drawn, RandomChoices(given[given > 0], seed, again), stop_on_empty)


def _known(weights: object) -> Any:
    tensor = None if isinstance(weights, Dataset) else convert_to_tensor(weights)
    if not isinstance(tensor, EagerTensor) or len(tensor.static_shape or ()) != 1:
        raise InvalidTypeError("sample_from_datasets() needs weights that are a list of numbers known while tracing")
    return tensor.numpy().astype(np.float64)


class _Drawn(Dataset):
    """Random numbers without end; an iteration draws the same ones as the one before unless told otherwise."""

    def __init__(self, seed: int | None, again: bool) -> None:
        self._seed = None if seed is None else int(seed)
        self._again = bool(again)
        self.memory = trace.apply(MEMORY)
        super().__init__(TensorSpec((), int64), tensors=[self.memory])

    def elements(self, environment: Environment) -> Iterator[Item]:
        generator = environment.array(self.memory).generator(self._seed, self._again)
        while True:
            yield (np.asarray(self._draw(generator), np.int64),)

    def _draw(self, generator: np.random.Generator) -> int:
        raise NotImplementedError

    def length(self, environment: Environment) -> int:
        return INFINITE_CARDINALITY


class RandomNumbers(_Drawn):
    """Random numbers of 32 bits."""

    _name = "_RandomDataset"

    def _draw(self, generator: np.random.Generator) -> int:
        return int(generator.integers(2**32))


class RandomChoices(_Drawn):
    """Random indices with some weights."""

    def __init__(self, weights: Any, seed: int | None, again: bool) -> None:
        self._limits = np.cumsum(weights)
        super().__init__(seed, again)

    def _draw(self, generator: np.random.Generator) -> int:
        drawn = generator.random() * self._limits[-1]
        return min(int(np.searchsorted(self._limits, drawn, side="right")), len(self._limits) - 1)


class Counter(Dataset):
    """Numbers from one on, without end."""

    _name = "_CounterDataset"

    def __init__(self, start: object, step: object, dtype: DType) -> None:
        self._numbers = [number(start, "start"), number(step, "step")]
        super().__init__(TensorSpec((), dtype), tensors=self._numbers)

    def elements(self, environment: Environment) -> Iterator[Item]:
        make = np.dtype(self._specs.dtype.numpy).type
        counted = itertools.count(*[environment.number(each) for each in self._numbers])
        return ((np.asarray(make(i)),) for i in counted)

    def length(self, environment: Environment) -> int:
        return INFINITE_CARDINALITY
