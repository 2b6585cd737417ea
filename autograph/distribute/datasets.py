"""Datasets of what each replica gets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest

from .values import PerReplica, divided

__all__ = ["InputContext", "divided_dataset", "grouped_dataset"]


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
    specs = dataset.element_spec

    def groups() -> Iterator[Any]:
        elements = iter(dataset)
        while group := list(itertools.islice(elements, count)):
            missing = nest.map_structure(lambda leaf: leaf[:0], group[0])
            group += [missing] * (count - len(group))
            yield tuple([leaf for element in group for leaf in nest.flatten(element)])

    flat = tuple([_of_any_length(spec) for spec in nest.flatten(specs)]) * count

    def packed(*leaves: Any) -> Any:
        each = len(leaves) // count
        parts = [PerReplica(leaves[number::each]) for number in range(each)]
        return nest.pack_sequence_as(specs, parts)

    return type(dataset).from_generator(groups, output_signature=flat).map(packed)


def _of_any_length(spec: Any) -> Any:
    return type(spec)([None, *spec.shape[1:]], spec.dtype)
