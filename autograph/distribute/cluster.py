"""The processes that work together: their addresses, by jobs.

>>> import autograph as tf
>>> tf.train.ClusterSpec({"worker": ["localhost:2222", "localhost:2223"]}).num_tasks("worker")
2
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, UnimplementedError

if TYPE_CHECKING:
    from .cluster_resolver import ClusterResolver

__all__ = ["ClusterSpec", "Workers"]

_ADDRESS = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/]+):(?P<port>\d+)")
_TRAINING = ("chief", "worker")


class ClusterSpec:
    """The addresses of processes by their jobs, such as ``{"worker": ["host1:2222", "host2:2222"]}``.

    Raises `InvalidArgumentError` for what is none.
    """

    def __init__(self, cluster: Mapping[str, Sequence[str] | Mapping[int, str]] | ClusterSpec) -> None:
        given: Any = cluster.as_dict() if isinstance(cluster, ClusterSpec) else cluster
        if not isinstance(given, Mapping):
            raise InvalidArgumentError(f"a cluster is a dict of lists of addresses, by job, not {given!r}")
        self._jobs = {job: _addresses(job, tasks) for job, tasks in given.items()}

    def as_dict(self) -> dict[str, list[str]]:
        """The addresses by job."""
        return {job: list(tasks) for job, tasks in self._jobs.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """How many processes a job has. Raises `InvalidArgumentError` for one that there is not."""
        return len(self.job_tasks(job_name))

    def job_tasks(self, job_name: str) -> list[str]:
        """The addresses of a job. Raises `InvalidArgumentError` for one that there is not."""
        if job_name not in self._jobs:
            raise InvalidArgumentError(f"No such job in cluster: {job_name!r}")
        return list(self._jobs[job_name])

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a process. Raises `InvalidArgumentError` for one that there is not."""
        tasks = self.job_tasks(job_name)
        if task_index not in range(len(tasks)):
            raise InvalidArgumentError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"


def _addresses(job: object, tasks: object) -> list[str]:
    if isinstance(tasks, Mapping):
        if sorted(tasks) != list(range(len(tasks))):
            raise InvalidArgumentError(f"the tasks of the job {job!r} are numbered {sorted(tasks)}, not from 0 on")
        tasks = [tasks[number] for number in range(len(tasks))]
    if isinstance(tasks, str) or not isinstance(tasks, Sequence):
        raise InvalidArgumentError(f"the job {job!r} needs a list of addresses, not {tasks!r}")
    for address in tasks:
        found = _ADDRESS.fullmatch(address) if isinstance(address, str) else None
        if found is None or int(found["port"]) > 65535:
            raise InvalidArgumentError(f"the job {job!r} has the address {address!r}", remedy="write it as 'host:port'")
    return list(tasks)


class Workers:
    """The processes that train together: those of the jobs "chief" and "worker", in this order.

    Attributes
    ----------
    addresses: of all; the first one's is where they meet.
    number: of this process, from 0: 0 is the chief.

    Raises `InvalidArgumentError` where a resolver does not say which one this process is, and `UnimplementedError` for
    jobs that do not train.
    """

    def __init__(self, resolver: ClusterResolver) -> None:
        cluster = resolver.cluster_spec()
        jobs = cluster.as_dict()
        unknown = [job for job in jobs if job not in _TRAINING]
        if unknown:
            raise UnimplementedError(
                f"a cluster with the job {unknown[0]!r}: all processes train here, and hold all variables",
                remedy='name them all "worker"; evaluate in fit, by validation_data',
            )
        if len(jobs.get("chief", ())) > 1:
            raise InvalidArgumentError(f"there must be at most one 'chief' job: {jobs['chief']}")
        self.addresses = [address for job in _TRAINING for address in jobs.get(job, ())]
        self.number = self._number_of(resolver, jobs) if self.addresses else 0

    @staticmethod
    def _number_of(resolver: ClusterResolver, jobs: Mapping[str, Sequence[str]]) -> int:
        job, index = resolver.task_type, resolver.task_id
        if job is None or job not in jobs or index is None or index not in range(len(jobs[job])):
            named = "nothing" if job is None else f"{job} {index}"
            there = ", ".join(f"{job} 0 to {len(tasks) - 1}" for job, tasks in jobs.items())
            raise InvalidArgumentError(
                f"the cluster does not tell which of its processes this is: its task is {named}; there are {there}",
                remedy='give TF_CONFIG a "task" such as {"type": "worker", "index": 0}',
            )
        return index + (len(jobs.get("chief", ())) if job == "worker" else 0)

    @property
    def count(self) -> int:
        """How many there are; without a cluster, one."""
        return max(1, len(self.addresses))
