"""`Dataset.rejection_resample`: some elements left out, so that classes come as often as they should."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.dtypes import Array
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.spec import TensorSpec

from ..dataset import Dataset
from ..failures import Failure, Item
from ..functions import ElementFunction, Environment
from .shuffling import MEMORY

__all__ = ["Resampled"]

_SMOOTHING = 10
"""How often each class counts as seen before the first element, where frequencies are found on the way."""


class Resampled(Dataset):
    """Pairs of a class and an element, in which classes have wanted frequencies.

    With p the frequencies of classes and t those wanted, r = t / p: an element is one of the source as it comes with
    the probability min r, and else one of those that are left when each of class i is kept with the probability
    (r_i - min r) / (max r - min r). (Rejection sampling, mixed with what needs none.)
    """

    _name = "_RejectionResampleDataset"

    def __init__(self, source: Dataset, class_func: Callable[..., Any], target: object, initial: object,
                 seed: int | None) -> None:  # fmt: skip
        self._function = ElementFunction(class_func, source.element_spec)
        spec = self._function.specs
        if not (isinstance(spec, TensorSpec) and spec.dtype.is_integer and spec.shape.is_compatible_with(())):
            raise InvalidArgumentError(f"`class_func` must return a scalar integer, but its return type is {spec!r}.")
        self._target = _frequencies(target, "target_dist")
        self._initial = None if initial is None else _frequencies(initial, "initial_dist")
        if self._initial is not None and len(self._initial) != len(self._target):
            raise InvalidArgumentError("`target_dist` and `initial_dist` must have the same length")
        self._seed = None if seed is None else int(seed)
        self.memory = trace.apply(MEMORY)
        super().__init__((spec, source.element_spec), [source], [*self._function.captured, self.memory])

    def elements(self, environment: Environment) -> Iterator[Item]:
        generator = environment.array(self.memory).generator(self._seed, True)
        counts = np.full(len(self._target), float(_SMOOTHING))
        plain, picked = self._classified(environment), self._classified(environment)
        while True:
            ratios = self._ratios(counts)
            low, high = float(ratios.min()), float(ratios.max())
            if high <= low or generator.random() < low:
                item = self._counted(next(plain, None), counts)
            else:
                item = self._kept(picked, counts, generator)
            if item is None:
                return
            yield item

    def _classified(self, environment: Environment) -> Iterator[Item]:
        class_of = self._function.bind(environment)
        for item in self.sources[0].elements(environment):
            found = class_of(item)
            yield found if isinstance(found, Failure) or isinstance(item, Failure) else (*found, *item)

    def _kept(self, items: Iterator[Item], counts: Array, generator: np.random.Generator) -> Item | None:
        """The next element that is not left out."""
        while (item := self._counted(next(items, None), counts)) is not None:
            if isinstance(item, Failure):
                return item
            ratios = self._ratios(counts)
            low, high = ratios.min(), ratios.max()
            if high <= low or generator.random() < (ratios[int(item[0])] - low) / (high - low):
                return item
        return None

    def _counted(self, item: Item | None, counts: Array) -> Item | None:
        """The same, noted as one more of its class; a failure where there is no such class."""
        if item is None or isinstance(item, Failure):
            return item
        place = int(item[0])
        if not 0 <= place < len(counts):
            return Failure(InvalidArgumentError(f"there are {len(counts)} classes, and {place} is none of them"))
        counts[place] += 1
        return item

    def _ratios(self, counts: Array) -> Array:
        """How often each class is wanted, compared with how often it comes."""
        initial = counts / counts.sum() if self._initial is None else self._initial
        ratios: Array = self._target / np.maximum(initial, np.finfo(np.float32).tiny)
        return ratios


def _frequencies(value: Any, what: str) -> Array:
    known = trace.static_value(convert_to_tensor(value))
    if known is None or np.ndim(known) != 1:
        raise InvalidArgumentError(f"`{what}` must be a list of numbers that is known while tracing")
    found = np.asarray(known, np.float64)
    if not len(found) or (found < 0).any() or not np.isclose(found.sum(), 1, atol=1e-3):
        raise InvalidArgumentError(f"`{what}` must be probabilities, whose sum is 1, not {found.round(6).tolist()}")
    return found
