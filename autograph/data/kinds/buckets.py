"""`Dataset.bucket_by_sequence_length`: batches of elements of like lengths."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.tensors.spec import TensorSpec

from ..arguments import require_positive
from ..dataset import Dataset
from ..failures import Failure, Item, attempt
from ..functions import ElementFunction, Environment
from ..structure import Element
from .grouping import padding_values_of, shapes_to_pad_to, stack_rows

__all__ = ["Bucketed"]


class Bucketed(Dataset):
    """Batches of elements whose lengths lie between the same boundaries."""

    _name = "_GroupByWindowDataset"

    def __init__(
        self, source: Dataset, length_of: Callable[..., Any], boundaries: Sequence[int], sizes: Sequence[int],
        padded_shapes: object, values: object, to_boundary: bool, as_they_are: bool, drop_remainder: bool
    ) -> None:  # fmt: skip
        if len(sizes) != len(boundaries) + 1:
            raise InvalidArgumentError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(sizes)}` and `len(bucket_boundaries)={len(boundaries)}`."
            )
        if any(a >= b for a, b in pairwise(boundaries)):
            raise InvalidArgumentError(f"`bucket_boundaries` must increase, not be {list(boundaries)}")
        self._boundaries = [int(boundary) for boundary in boundaries]
        self._sizes = [require_positive(int(size), "Batch size") for size in sizes]
        self._length = ElementFunction(length_of, source.element_spec)
        spec = self._length.specs
        if not (isinstance(spec, TensorSpec) and spec.dtype.is_integer and spec.shape.is_compatible_with(())):
            raise InvalidTypeError(f"`element_length_func` must return an integer scalar tensor, not {spec!r}")
        self._to_boundary = to_boundary
        self._as_they_are = as_they_are
        self._drop = drop_remainder
        leaves = nest.flatten(source.element_spec)
        self._shapes = shapes_to_pad_to(source.element_spec, padded_shapes)
        self._values = padding_values_of(source.element_spec, values)
        made = [TensorSpec((None, *shape), leaf.dtype) for leaf, shape in zip(leaves, self._shapes, strict=True)]
        specs = nest.pack_sequence_as(source.element_spec, made)
        super().__init__(specs, [source], [*self._length.captured, *self._values])

    def elements(self, environment: Environment) -> Iterator[Item]:
        length_of = self._length.bind(environment)
        values = [environment.array(value) for value in self._values]
        buckets: list[list[Element]] = [[] for _ in self._sizes]
        for item in self.sources[0].elements(environment):
            length = length_of(item)
            if isinstance(item, Failure) or isinstance(length, Failure):
                yield length
                continue
            place = bisect.bisect_right(self._boundaries, int(length[0]))
            rows = buckets[place]
            rows.append(item)
            if len(rows) == self._sizes[place]:
                yield attempt(self._batch, place, rows, values)
                buckets[place] = []
        for place, rows in enumerate(buckets):
            if rows and not self._drop:
                yield attempt(self._batch, place, rows, values)

    def _batch(self, place: int, rows: list[Element], values: list[Any]) -> Element:
        shapes = self._shapes
        if self._as_they_are and len({tuple(map(np.shape, row)) for row in rows}) > 1:
            raise InvalidArgumentError("Cannot batch tensors with different shapes without padding")
        if self._to_boundary:
            if place == len(self._boundaries):
                raise InvalidArgumentError(
                    "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
                )
            limit = self._boundaries[place] - 1
            shapes = [tuple([limit if d is None else d for d in shape]) for shape in shapes]
        return stack_rows(rows, shapes, values)
