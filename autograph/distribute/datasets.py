"""Datasets of what each replica gets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest

from .values import PerReplica, divided

__all__ = ["InputContext", "divided_dataset", "exchanged_dataset", "grouped_dataset"]


class InputContext:
    """What a function that makes a dataset is told: how many others make one, and how many replicas use them."""

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.num_input_pipelines, self.input_pipeline_id = num_input_pipelines, input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The size of a replica's part of a batch. Raises `InvalidArgumentError` for a batch that does not divide."""
        if global_batch_size % self.num_replicas_in_sync:
            raise InvalidArgumentError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync!r}"
            )
        return global_batch_size // self.num_replicas_in_sync


def divided_dataset(dataset: Any, count: int) -> Any:
    """A dataset whose batches are divided among so many replicas."""
    if count == 1:
        return dataset
    return dataset.map(lambda *batch: divided(batch if len(batch) > 1 else batch[0], count))


def grouped_dataset(dataset: Any, count: int) -> Any:
    """A dataset each of whose elements has so many of another; those that are missing at the end have no rows."""
    if count == 1:
        return dataset

    def groups() -> Iterator[Sequence[Any]]:
        elements = iter(dataset)
        while group := list(itertools.islice(elements, count)):
            yield [*map(nest.flatten, group), *[_missing(group[0])] * (count - len(group))]

    return _of_groups(dataset, groups, count)


def exchanged_dataset(
    dataset: Any,
    parts: Callable[[], Iterator[Sequence[Any]]],
    counts: Sequence[int],
    exchanged: Callable[[Any], list[Any]],
) -> Any:
    """A dataset of what several processes read, each for its replicas.

    ``parts``: gives elements like those of ``dataset`` for the replicas of this process, at most as many as there are.
    ``counts``: how many replicas each process has. ``exchanged``: what all processes give, of what this one gives. Of a
    process that has no more the replicas get no rows, until no process has any.
    """

    def groups() -> Iterator[Sequence[Any]]:
        mine = parts()
        while True:
            given = [[np.asarray(leaf) for leaf in nest.flatten(part)] for part in next(mine, ())]
            found = exchanged(given)
            some = next((part for each in found for part in each), None)
            if some is None:
                return
            missing = [leaf[:0] for leaf in some]
            yield [
                part for each, count in zip(found, counts, strict=True)
                for part in [*each, *[missing] * (count - len(each))]
            ]  # fmt: skip

    return _of_groups(dataset, groups, sum(counts))


def _missing(element: object) -> list[Any]:
    return [leaf[:0] for leaf in nest.flatten(element)]


def _of_groups(dataset: Any, groups: Callable[[], Iterator[Sequence[Any]]], count: int) -> Any:
    """A dataset of a `PerReplica` for each tensor of another, of groups of the leaves that each replica gets."""
    specs = dataset.element_spec
    flat = tuple([_of_any_length(spec) for spec in nest.flatten(specs)]) * count

    def flattened() -> Iterator[Any]:
        for group in groups():
            yield tuple(itertools.chain.from_iterable(group))

    def packed(*leaves: Any) -> Any:
        each = len(leaves) // count
        parts = [PerReplica(leaves[number::each]) for number in range(each)]
        return nest.pack_sequence_as(specs, parts)

    return type(dataset).from_generator(flattened, output_signature=flat).map(packed)


def _of_any_length(spec: Any) -> Any:
    return type(spec)([None, *spec.shape[1:]], spec.dtype)
