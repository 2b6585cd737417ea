"""Options of TensorFlow's that are accepted, and change nothing: XLA knows how devices best tell each other things."""

from __future__ import annotations

import enum

__all__ = [
    "CrossDeviceOps", "HierarchicalCopyAllReduce", "InputOptions", "InputReplicationMode", "NcclAllReduce",
    "ReductionToOneDevice", "RunOptions",
]  # fmt: skip


class CrossDeviceOps:
    """How devices tell each other what they have."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """As `CrossDeviceOps`."""


class NcclAllReduce(CrossDeviceOps):
    """As `CrossDeviceOps`."""


class ReductionToOneDevice(CrossDeviceOps):
    """As `CrossDeviceOps`."""


class InputReplicationMode(enum.Enum):
    """Who makes the dataset of `Strategy.distribute_datasets_from_function`: each worker, of which there is one."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions:
    """How datasets are read ahead."""

    def __init__(self, **options: object) -> None:
        self.__dict__.update(options)


class RunOptions:
    """How `Strategy.run` compiles."""

    def __init__(self, **options: object) -> None:
        self.__dict__.update(options)
