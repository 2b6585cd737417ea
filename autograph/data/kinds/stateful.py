"""Datasets that go through the elements of another with something in mind: a state, what was there, when to end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import int32, int64, string
from autograph.runtime.base.shapes import relax
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.spec import TensorSpec

from ..dataset import Dataset
from ..failures import Failure, Item, raised
from ..functions import ElementFunction, Environment
from ..structure import Element, normalised, specs_of
from .transforms import predicate_of, with_answers

__all__ = ["Reduce", "Scan", "Single", "TakeWhile", "Unique"]


class TakeWhile(Dataset):
    """The elements up to the first for which a function is false."""

    _name = "_TakeWhileDataset"

    def __init__(self, source: Dataset, predicate: Callable[..., Any]) -> None:
        self._function = predicate_of(predicate, source.element_spec)
        super().__init__(source.element_spec, [source], self._function.captured)

    def elements(self, environment: Environment) -> Iterator[Item]:
        items = self.sources[0].elements(environment)
        for item, goes_on in with_answers(self._function.bind(environment), items):
            if not goes_on:
                return
            yield item


class Unique(Dataset):
    """The elements without those that have been there."""

    _name = "_UniqueDataset"

    def __init__(self, source: Dataset) -> None:
        leaves = nest.flatten(source.element_spec)
        if len(leaves) != 1:
            raise InvalidArgumentError("UniqueDataset only supports inputs with a single component.")
        if not isinstance(leaves[0], TensorSpec) or leaves[0].dtype not in (int32, int64, string):
            kind = getattr(leaves[0], "dtype", leaves[0])
            raise InvalidTypeError(
                f"`tf.data.Dataset.unique` does not support type {kind!r} -- only `tf.int32`, `tf.int64`, and "
                "`tf.string` are supported."
            )
        super().__init__(source.element_spec, [source])

    def elements(self, environment: Environment) -> Iterator[Item]:
        seen = set()
        for item in self.sources[0].elements(environment):
            if isinstance(item, Failure):
                yield item
                continue
            array = wrap(item[0]).array
            key = array.shape, tuple(array.reshape(-1).tolist())
            if key not in seen:
                seen.add(key)
                yield item


class Single(Dataset):
    """The one element of a dataset."""

    def __init__(self, source: Dataset) -> None:
        super().__init__(source.element_spec, [source])

    def elements(self, environment: Environment) -> Iterator[Item]:
        found = list(itertools.islice(raised(self.sources[0].elements(environment)), 2))
        if len(found) != 1:
            raise InvalidArgumentError("Dataset had more than one element." if found else "Dataset was empty.")
        return iter(found)


class _WithState(Dataset):
    """A function that takes a state and an element, and gives the next state."""

    def _prepare(self, source: Dataset, initial: object, function: Callable[..., Any], next_state: Any) -> Any:
        """Traces the function until the specs of its state are what it gives; returns them."""
        initial = normalised(initial)
        specs = specs_of(initial)
        while True:
            self._function = ElementFunction(function, (specs, source.element_spec))
            wider = _joined(specs, next_state(self._function.specs))
            if wider == specs:
                break
            specs = wider
        self._initial = nest.flatten(initial, expand_composites=True)
        return specs

    def _start(self, environment: Environment) -> Element:
        return tuple([environment.array(tensor) for tensor in self._initial])


class Reduce(_WithState):
    """One element: the last state."""

    _name = "_ReduceDataset"

    def __init__(self, source: Dataset, initial: object, function: Callable[[Any, Any], Any]) -> None:
        specs = self._prepare(source, initial, function, lambda given: given)
        super().__init__(specs, [source], [*self._initial, *self._function.captured])

    def elements(self, environment: Environment) -> Iterator[Item]:
        step, state = self._function.bind(environment), self._start(environment)
        for element in raised(self.sources[0].elements(environment)):
            made = step((*state, *element))
            if isinstance(made, Failure):
                yield made
                return
            state = made
        yield state

    def length(self, environment: Environment) -> int:
        return 1


class Scan(_WithState):
    """What a function gives for each element and the state that it gave for the element before."""

    _name = "_ScanDataset"

    def __init__(self, source: Dataset, initial: object, function: Callable[[Any, Any], Any]) -> None:
        self._prepare(source, initial, function, self._state_of)
        super().__init__(self._function.specs[1], [source], [*self._initial, *self._function.captured])

    @staticmethod
    def _state_of(given: object) -> Any:
        if not isinstance(given, tuple) or len(given) != 2:
            raise InvalidTypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value "
                f"but its return type is {given!r}."
            )
        return given[0]

    def elements(self, environment: Environment) -> Iterator[Item]:
        step, state = self._function.bind(environment), self._start(environment)
        size = len(state)
        for item in self.sources[0].elements(environment):
            made = item if isinstance(item, Failure) else step((*state, *item))
            if isinstance(made, Failure):
                yield made
                continue
            state = made[:size]
            yield made[size:]

    def length(self, environment: Environment) -> int:
        return self.sources[0].length(environment)


def _joined(specs: object, after: object) -> Any:
    """The specs of a state, with the dimensions unknown that a step changes."""
    nest.assert_same_structure(specs, after)
    for a, b in zip(nest.flatten(specs), nest.flatten(after), strict=True):
        if a.dtype is not b.dtype:
            raise InvalidTypeError(
                "The element types for the new state must match the initial state. Expected "
                f"{a.dtype!r} but got {b.dtype!r}."
            )
    return nest.map_structure(lambda a, b: TensorSpec(relax(a.type.shape, b.type.shape), a.dtype), specs, after)
