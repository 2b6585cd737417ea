"""`tf.distribute`: one program on several devices. What it offers loads when it is first used."""

from __future__ import annotations

from typing import Any as _Any

from .. import lazy as _lazy

_NAMES = {
    "distribute.context": "ReplicaContext",
    "distribute.datasets": "InputContext",
    "distribute.options": """
        CrossDeviceOps HierarchicalCopyAllReduce InputOptions InputReplicationMode NcclAllReduce ReductionToOneDevice
        RunOptions
        """,
    "distribute.strategy": """
        MirroredStrategy OneDeviceStrategy ParameterServerStrategy Strategy TPUStrategy
        experimental_set_strategy get_replica_context get_strategy has_strategy in_cross_replica_context
        """,
    "distribute.values": "DistributedValues ReduceOp",
    "distribute.workers": "MultiWorkerMirroredStrategy",
}

_names = _lazy.parse(_NAMES)
_MODULES = ("cluster_resolver", "experimental")
__all__ = [*_names, *_MODULES]
__dir__ = __all__.copy


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _lazy.module(f"{__name__}.{name}")
    value = globals()[name] = _lazy.load(_names, name, __name__)
    return value
