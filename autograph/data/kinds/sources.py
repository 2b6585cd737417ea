"""Where elements come from: tensors, ranges and Python generators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.base.composite import Composite
from autograph.runtime.base.dtypes import DType
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.spec import TensorSpec

from ..arguments import Number, number
from ..dataset import Dataset
from ..failures import Failure, Item, Rows
from ..functions import Environment
from ..structure import components, normalised, specs_of
from ..values import VARIANT_DATASET

__all__ = ["FromGenerator", "Range", "TensorSlices", "Tensors", "VariantDataset"]


class Tensors(Dataset):
    """One element."""

    _name = "_TensorDataset"

    def __init__(self, tensors: object) -> None:
        tensors = normalised(tensors)
        super().__init__(specs_of(tensors), tensors=nest.flatten(tensors, expand_composites=True))

    def elements(self, environment: Environment) -> Iterator[Item]:
        yield tuple([environment.array(tensor) for tensor in self._tensors])

    def length(self, environment: Environment) -> int:
        return 1


class TensorSlices(Dataset):
    """The slices of tensors along the first axis."""

    _name = "_TensorSliceDataset"

    def __init__(self, tensors: object) -> None:
        tensors = normalised(tensors)
        leaves = nest.flatten(tensors)
        if not leaves:
            raise InvalidArgumentError("Invalid `tensors`: there is nothing to slice")
        lengths = []
        for leaf in leaves:
            if isinstance(leaf, Composite) or leaf.static_shape == ():
                raise InvalidArgumentError("Unbatching a tensor is only supported for rank >= 1")
            lengths.append(None if leaf.static_shape is None else leaf.static_shape[0])
        _one_length(lengths)
        specs = nest.map_structure(lambda leaf: TensorSpec(leaf.static_shape and leaf.static_shape[1:], leaf.dtype),
                                   tensors)  # fmt: skip
        super().__init__(specs, tensors=leaves)

    def elements(self, environment: Environment) -> Iterator[Item]:
        arrays, start = self.rows(environment)
        for i in start():
            yield tuple([array[i, ...] for array in arrays])

    def rows(self, environment: Environment) -> Rows:
        arrays = [environment.array(tensor) for tensor in self._tensors]
        length = _one_length([len(array) for array in arrays])
        assert length is not None
        return arrays, lambda: iter(range(length))

    def length(self, environment: Environment) -> int:
        return len(environment.array(self._tensors[0]))


def _one_length(lengths: list[int | None]) -> int | None:
    known = {length for length in lengths if length is not None}
    if len(known) > 1:
        listed = " and ".join(map(str, sorted(known)))
        raise InvalidArgumentError(
            f"Dimensions {listed} are not compatible: the tensors that a dataset slices have one length"
        )
    return known.pop() if known else None


class Range(Dataset):
    """Numbers as of ``range``; an empty one for a step of the wrong sign."""

    _name = "_RangeDataset"

    def __init__(self, bounds: tuple[Any, ...], dtype: DType) -> None:
        if not 1 <= len(bounds) <= 3:
            raise InvalidArgumentError(
                f"Invalid `args`: the length of `args` should be between 1 and 3, not {len(bounds)}"
            )
        self._bounds: list[Number] = [number(bound) for bound in bounds]
        super().__init__(TensorSpec((), dtype), tensors=self._bounds)

    def elements(self, environment: Environment) -> Iterator[Item]:
        make = np.dtype(self._specs.dtype.numpy).type
        for i in _range(*[environment.number(bound) for bound in self._bounds]):
            yield (np.asarray(make(i)),)

    def length(self, environment: Environment) -> int:
        return len(_range(*[environment.number(bound) for bound in self._bounds]))


def _range(*bounds: Any) -> range:
    if len(bounds) == 3 and bounds[2] == 0:
        raise InvalidArgumentError("step cannot be zero.")
    return range(*bounds)


class FromGenerator(Dataset):
    """What a Python generator yields."""

    _name = "_FlatMapDataset"

    def __init__(self, generator: Callable[..., Any], specs: object, arguments: tuple[Any, ...]) -> None:
        if not callable(generator):
            raise InvalidTypeError("`generator` must be a Python callable.")
        self._generator = generator
        super().__init__(specs, tensors=[normalised(each) for each in arguments])

    def elements(self, environment: Environment) -> Iterator[Item]:
        arguments = [wrap(environment.array(tensor)).numpy() for tensor in self._tensors]
        with trace.building(None):
            items = iter(self._generator(*arguments))
        while True:
            # The user's code runs whenever an element is asked for: also while another function is being traced.
            with trace.building(None):
                try:
                    item: Item = components(next(items), self._specs)
                except StopIteration:
                    return
                except Exception as error:
                    item = Failure(error)
            yield item


@VARIANT_DATASET.give
class VariantDataset(Dataset):
    """The dataset that a tensor holds."""

    _name = "_VariantDataset"

    def __init__(self, specs: object, tensor: object) -> None:
        super().__init__(specs, tensors=[tensor])

    def components(self) -> list[Any]:
        return list(self._tensors)

    def elements(self, environment: Environment) -> Iterator[Item]:
        return iter(environment.array(self._tensors[0]))

    def length(self, environment: Environment) -> int:
        return environment.array(self._tensors[0]).length()
