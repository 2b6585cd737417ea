"""`tf.distribute.cluster_resolver`: what tells a process which others there are, as TensorFlow's resolvers.

>>> import autograph as tf
>>> cluster = tf.train.ClusterSpec({"worker": ["localhost:2222", "localhost:2223"]})
>>> tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=1).task_id
1
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.state.devices import list_logical_devices

from .cluster import ClusterSpec

__all__ = ["ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver"]


class ClusterResolver:
    """The base of what tells a process which others there are, and which one it is.

    ``task_type``, ``task_id``: the job of this process, and its number in it. ``rpc_layer`` is accepted, and unused.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None

    def cluster_spec(self) -> ClusterSpec:
        """All processes."""
        raise NotImplementedError

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of a process, of this one when it is not named; "" where there is none."""
        job, number = task_type or self.task_type, self.task_id if task_id is None else task_id
        return "" if job is None or number is None else self.cluster_spec().task_address(job, number)

    def num_accelerators(self, *args: object, **kwargs: object) -> dict[str, int]:
        """How many devices of each kind but CPUs this process has."""
        kinds = [each.device_type for each in list_logical_devices()]
        return {kind: kinds.count(kind) for kind in sorted(set(kinds)) if kind != "CPU"}

    @property
    def environment(self) -> str:
        """As in TensorFlow: where the program runs, "" for any place."""
        return ""


class SimpleClusterResolver(ClusterResolver):
    """Tells what it has been given."""

    def __init__(
        self, cluster_spec: ClusterSpec, master: str = "", task_type: str | None = None, task_id: int | None = None,
        environment: str = "", num_accelerators: Mapping[str, int] | None = None, rpc_layer: str | None = None
    ) -> None:  # fmt: skip
        self._cluster, self._master = ClusterSpec(cluster_spec), master
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        return self._master if task_type is None and task_id is None else super().master(task_type, task_id)


class TFConfigClusterResolver(ClusterResolver):
    """Tells what the environment variable ``TF_CONFIG`` says, in JSON.

    It has ``{"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}}``. Without
    the variable there is an empty cluster.

    Raises `InvalidArgumentError` for a variable that says nothing of the kind.
    """

    def __init__(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None,
        environment: str | None = None
    ) -> None:  # fmt: skip
        config = _tf_config()
        task = config.get("task", {})
        if not isinstance(task, Mapping):
            raise _bad(f'its "task" is {task!r}, not a dict with "type" and "index"')
        self._cluster = ClusterSpec(config.get("cluster", {}))
        self.task_type = task.get("type") if task_type is None else task_type
        self.task_id = _index(task.get("index") if task_id is None else task_id)
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster


def _index(given: Any) -> int | None:
    try:
        return None if given is None else int(given)
    except (TypeError, ValueError):
        raise _bad(f'the "index" of its "task" is {given!r}, not a number') from None


def _tf_config() -> Mapping[str, Any]:
    text = os.environ.get("TF_CONFIG", "")
    try:
        found = json.loads(text or "{}")
    except ValueError as error:
        raise _bad(f"it is no JSON: {error}") from None
    if not isinstance(found, Mapping):
        raise _bad(f"it is {text}, not a dict")
    return found


def _bad(why: str) -> InvalidArgumentError:
    example = '{"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}}'
    return InvalidArgumentError(
        f"the environment variable TF_CONFIG can't be used: {why}", remedy=f"set it as {example}"
    )
