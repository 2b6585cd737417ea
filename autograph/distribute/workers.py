"""`MultiWorkerMirroredStrategy`: several processes, on one machine or on many, train one model together.

All processes run the same program, and give it the same: each reads the whole batch, and its devices work on their
parts of it. So every process knows what all replicas have, and decides as the others do: what they compute together
goes through XLA, with devices of all of them; what XLA can't do each of them does for itself, and gets the same.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import pickle
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.base import nest
from autograph.runtime.base.processes import join
from autograph.runtime.ops.random.generators import generators
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import EagerTensor

from .cluster import Workers
from .cluster_resolver import ClusterResolver, TFConfigClusterResolver
from .context import Keywords
from .datasets import InputContext, exchanged_dataset
from .experimental import CommunicationOptions
from .mesh import device_names, process_group
from .strategy import Strategy
from .values import PerReplica, divided

__all__ = ["MultiWorkerMirroredStrategy"]

_SECONDS_TO_MEET = 300


class MultiWorkerMirroredStrategy(Strategy):
    """One replica on each device of several processes; variables hold the same in all of them.

    Parameters
    ----------
    cluster_resolver: tells which processes there are, and which one this is; when left out, the environment variable
        ``TF_CONFIG`` does, or that of a cluster which `jax.distributed` knows, such as Slurm's. Where there is one
        process, its devices are used, as by `MirroredStrategy`.
    communication_options: accepted as in TensorFlow; JAX sends through gloo between CPUs, NCCL between GPUs.

    All processes have to run the same program: make variables, run functions and read batches in the same order. What
    the chief's variables hold at first all get, and its seed for random numbers.

    Raises `InvalidArgumentError` for a bad ``TF_CONFIG``, `MissingExtraError` without JAX, `FailedPreconditionError`
    where JAX has started, and `UnavailableError` where not all processes come within five minutes.
    """

    def __init__(
        self, cluster_resolver: ClusterResolver | None = None,
        communication_options: CommunicationOptions | None = None
    ) -> None:  # fmt: skip
        self.cluster_resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        workers = Workers(self.cluster_resolver)
        names, self._number = [device_names()], 0
        if workers.count > 1 or (not workers.addresses and _is_in_cluster()):
            names, self._number = process_group().connected(workers.addresses, workers.number, _SECONDS_TO_MEET)
        self._counts = [len(own) for own in names]
        self._checked: set[Any] = set()
        super().__init__([name for own in names for name in own])
        join(self._number)
        if self.is_one_of_many:
            self._agree_on_seed()

    @property
    def is_one_of_many(self) -> bool:
        """Whether there are other processes."""
        return len(self._counts) > 1

    @property
    def _own(self) -> slice:
        """Which of the replicas are those of this process."""
        first = sum(self._counts[: self._number])
        return slice(first, first + self._counts[self._number])

    def _agree_on_seed(self) -> None:
        chiefs = self._exchanged(secrets.randbits(63) if generators.seed is None else generators.seed)[0]
        if generators.seed != chiefs:
            generators.restart(chiefs)

    def _exchanged(self, value: object) -> list[Any]:
        """What each process gives, in their order."""
        return [pickle.loads(each) for each in process_group().exchanged(pickle.dumps(value))]

    def started(self, variable: Any, value: Any) -> Any:
        """As `Strategy.started`, with the value that the chief starts with."""
        if self.is_one_of_many and isinstance(value, EagerTensor):
            value = convert_to_tensor(self._exchanged(value.array if self.is_chief else None)[0])
        return super().started(variable, value)

    def experimental_local_results(self, value: object) -> tuple[Any, ...]:
        """What each replica of this process has, as a tuple; of what is the same for all, that alone."""
        found = super().experimental_local_results(value)
        return found[self._own] if len(found) == self.num_replicas_in_sync else found

    # Data

    def experimental_distribute_dataset(self, dataset: Any, options: object = None) -> Any:
        """A dataset whose batches are divided among the replicas of all processes.

        Each process reads the whole dataset, as with `tf.data.experimental.AutoShardPolicy.DATA` in TensorFlow: it has
        to give the same in all of them. With ``AutoShardPolicy.OFF`` each process has data of its own, and a batch is
        made of parts of one batch of each.

        Raises `UnimplementedError` for ``AutoShardPolicy.FILE`` and ``HINT``.
        """
        if not self.is_one_of_many or _policy_of(dataset) != "OFF":
            return super().experimental_distribute_dataset(dataset, options)
        count, mine = len(self._counts), self._counts[self._number]

        def parts() -> Iterator[Sequence[Any]]:
            for batch in dataset:
                for piece in _pieces(batch, count):
                    yield _pieces(piece, mine)

        return exchanged_dataset(dataset, parts, self._counts, self._exchanged)

    def distribute_datasets_from_function(self, dataset_fn: Callable[[Any], Any], options: object = None) -> Any:
        """A dataset of as many successive batches of one that each process makes as it has replicas.

        ``dataset_fn`` takes an `InputContext`, and gives a dataset with batches for one replica: with what
        ``dataset.shard(context.num_input_pipelines, context.input_pipeline_id)`` leaves, for example.
        """
        if not self.is_one_of_many:
            return super().distribute_datasets_from_function(dataset_fn, options)
        dataset = dataset_fn(InputContext(len(self._counts), self._number, self.num_replicas_in_sync))
        mine = self._counts[self._number]

        def parts() -> Iterator[Sequence[Any]]:
            elements = iter(dataset)
            while group := list(itertools.islice(elements, mine)):
                yield group

        return exchanged_dataset(dataset, parts, self._counts, self._exchanged)

    def check_source(self, source: object) -> None:
        """Raise `UnimplementedError` for a dataset with ``AutoShardPolicy.OFF``: `fit` gives all processes the same."""
        if self.is_one_of_many and hasattr(source, "options") and _policy_of(source) == "OFF":
            raise UnimplementedError(
                "fit of a dataset with AutoShardPolicy.OFF, of which each process reads other elements: in fit all "
                "processes read the same, and each works on its part of every batch",
                remedy="give each process the whole dataset, without .shard(); or write a loop over "
                "strategy.experimental_distribute_dataset(dataset)",
            )

    def check_batch(self, batch: object) -> None:
        """Raise `InvalidArgumentError` where processes have read different batches."""
        if self.is_one_of_many:
            self._require_same(batch, "fit has read different batches in the processes")

    def run(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Keywords = None, options: object = None
    ) -> Any:  # fmt: skip
        """As `Strategy.run`. All processes have to give the same.

        Raises `InvalidArgumentError` where they do not when a function is first called outside of traced ones.
        """
        code = getattr(fn, "__code__", type(fn))
        if self.is_one_of_many and trace.current_graph() is None and code not in self._checked:
            self._checked.add(code)
            self._require_same((args, kwargs), "strategy.run is given different values in the processes")
        return super().run(fn, args, kwargs, options)

    def _require_same(self, value: object, message: str) -> None:
        digest = hashlib.sha256()
        for leaf in nest.flatten(value):
            for part in leaf.values if isinstance(leaf, PerReplica) else [leaf]:
                if isinstance(part, (EagerTensor, np.ndarray, np.generic, int, float, complex, bool)):
                    array = np.asarray(part)
                    digest.update(f"{array.dtype} {array.shape}".encode())
                    digest.update(repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes())
        if len(set(self._exchanged(digest.digest()))) > 1:
            raise InvalidArgumentError(
                f"{message}: all have to give the same, and each works on its part of it",
                remedy="give each process the whole batch, shuffled by the same seed; or have data of their own "
                "exchanged, by strategy.distribute_datasets_from_function or AutoShardPolicy.OFF",
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} devices={list(self.devices)} process={self._number}>"


def _pieces(batch: object, count: int) -> list[Any]:
    """A batch in so many parts of nearly as many rows."""
    leaves = [leaf.values for leaf in nest.flatten(divided(batch, count))]
    return [nest.pack_sequence_as(batch, [values[number] for values in leaves]) for number in range(count)]


def _policy_of(dataset: Any) -> str:
    """The name of the policy by which a dataset is divided among processes. Raises `UnimplementedError` for some."""
    policy = dataset.options().experimental_distribute.auto_shard_policy
    name = "AUTO" if policy is None else policy.name
    if name in ("FILE", "HINT"):
        raise UnimplementedError(
            f"a dataset with AutoShardPolicy.{name}: datasets are not divided by their files",
            remedy="use AutoShardPolicy.DATA; or OFF, and dataset.shard(count, number) on what each process reads",
        )
    return name


def _is_in_cluster() -> bool:
    """Whether the environment is that of a cluster with several processes which `jax.distributed` can find."""
    slurm = os.environ.get("SLURM_NTASKS", "1") if "SLURM_JOB_ID" in os.environ else "1"
    mpi = os.environ.get("OMPI_COMM_WORLD_SIZE", "1")
    hosts = os.environ.get("TPU_WORKER_HOSTNAMES", "")
    return any(each.isdigit() and int(each) > 1 for each in (slurm, mpi)) or "," in hosts
