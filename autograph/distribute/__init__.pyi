"""Written by `python -m tests.stubs`."""

from . import cluster_resolver as cluster_resolver
from . import experimental as experimental
from ..distribute.options import CrossDeviceOps as CrossDeviceOps
from ..distribute.values import DistributedValues as DistributedValues
from ..distribute.options import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from ..distribute.datasets import InputContext as InputContext
from ..distribute.options import InputOptions as InputOptions
from ..distribute.options import InputReplicationMode as InputReplicationMode
from ..distribute.strategy import MirroredStrategy as MirroredStrategy
from ..distribute.workers import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from ..distribute.options import NcclAllReduce as NcclAllReduce
from ..distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from ..distribute.strategy import ParameterServerStrategy as ParameterServerStrategy
from ..distribute.values import ReduceOp as ReduceOp
from ..distribute.options import ReductionToOneDevice as ReductionToOneDevice
from ..distribute.context import ReplicaContext as ReplicaContext
from ..distribute.options import RunOptions as RunOptions
from ..distribute.strategy import Strategy as Strategy
from ..distribute.strategy import TPUStrategy as TPUStrategy
from ..distribute.strategy import experimental_set_strategy as experimental_set_strategy
from ..distribute.strategy import get_replica_context as get_replica_context
from ..distribute.strategy import get_strategy as get_strategy
from ..distribute.strategy import has_strategy as has_strategy
from ..distribute.strategy import in_cross_replica_context as in_cross_replica_context
