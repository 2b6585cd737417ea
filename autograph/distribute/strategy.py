"""`Strategy`: one program on several devices: each runs it on a part of every batch, with variables they have together.

What `run` is given is traced once, for the arrays of one replica, and becomes one program for all devices; XLA adds
what they tell each other. A training loop around it may be a part of the graph. Without JAX there is one replica.

>>> import autograph as tf
>>> strategy = tf.distribute.MirroredStrategy(["cpu:0"])
>>> with strategy.scope():
...     total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
>>> strategy.num_replicas_in_sync
1
>>> parts = strategy.run(lambda x: total.assign_add(tf.reduce_sum(x)), args=(tf.constant([1.0, 2.0]),))
>>> total.numpy()
np.float32(3.0)
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from types import NoneType
from typing import Any

from autograph import connect as connect  # what replicas run is converted
from autograph.errors import FailedPreconditionError, InvalidArgumentError, InvalidTypeError, UnimplementedError
from autograph.runtime.base import nest, processes
from autograph.runtime.base.devices import HOST
from autograph.runtime.ops.random.generators import generators
from autograph.runtime.state.aggregation import VariableSynchronization
from autograph.runtime.state.placement import device
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.front_half import CONVERTED
from autograph.runtime.tensors.tracing_state import LOCAL

from .context import Keywords, Merged, ReplicaContext, in_replica, in_scope
from .datasets import InputContext, divided_dataset, grouped_dataset
from .mesh import BATCH, MeshSpread, device_name, device_names
from .on_read import OwnValues
from .replicate import Replicator
from .values import PerReplica, ReduceOp, gathered, local_results, reduced, require_count

__all__ = [
    "MirroredStrategy", "OneDeviceStrategy", "Strategy", "experimental_set_strategy", "get_replica_context",
    "get_strategy", "has_strategy", "in_cross_replica_context",
]  # fmt: skip


_HOST = HOST.short.lower()


class Strategy:
    """The base of strategies; the default one has one replica, on this machine's CPU.

    ``devices``: the names of the devices, one for each replica.
    """

    def __init__(self, devices: Sequence[str] = ("cpu:0",)) -> None:
        self.devices = tuple(devices)
        self.extended = Extended(self)
        self._replicator = Replicator(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return len(self.devices)

    @property
    def is_default(self) -> bool:
        """Whether this is the strategy where there is no other."""
        return self is default_strategy()

    @property
    def is_chief(self) -> bool:
        """Whether this process writes what all would write: of several, the first does."""
        return processes.is_chief()

    @functools.cached_property
    def spread(self) -> MeshSpread | None:
        """How the program of one replica runs over all devices, as `fit` has it; None where Python is."""
        count = self.num_replicas_in_sync
        return None if self.devices == (_HOST,) else MeshSpread(self.devices, (count,), (BATCH,), BATCH)

    @functools.cached_property
    def random_state(self) -> Any:
        """The variable that replicas draw random numbers by, which `tf.random.set_seed` sets, too."""
        with trace.building(None), in_scope(self):
            state = Variable(generators.new_state(), trainable=False, name="random_state")
        generators.states[id(state)] = state
        return state

    def started(self, variable: Variable, value: Any) -> Any:
        """What a variable holds first: a value that is given, in each replica if these have values of their own."""
        if variable.synchronization is not VariableSynchronization.ON_READ or self.num_replicas_in_sync == 1:
            return value
        variable.own = OwnValues(value, variable.aggregation, self.num_replicas_in_sync, variable.name)
        return variable.own.together()

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Variables made in here are those of all replicas, which hold the same.

        Raises `FailedPreconditionError` inside the scope of another strategy.
        """
        if self is default_strategy() and LOCAL.strategy is None:
            yield self
            return
        self._require_no_other()
        with in_scope(self):
            yield self

    def _require_no_other(self) -> None:
        if LOCAL.strategy not in (None, self, default_strategy()):
            raise FailedPreconditionError(
                f"Mixing different tf.distribute.Strategy objects: {self!r} is not {LOCAL.strategy!r}"
            )

    def run(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Keywords = None, options: object = None
    ) -> Any:  # fmt: skip
        """Run a function in each replica; of `PerReplica` arguments each gets its own.

        Returns what the function does, with a `PerReplica` for each tensor. With one replica it is simply called, and
        its results are returned. With several it is traced once, as by `tf.function`, and `all_reduce`, optimizers,
        metrics and variables with an ``aggregation`` put together what the replicas have.

        Raises `UnimplementedError` for what replicas can't do together, `FailedPreconditionError` in the scope of
        another strategy and for its variables, `InvalidArgumentError` for arguments that are no sequence, or have
        values of another number of replicas, and `InvalidTypeError` for what is no function.
        """
        _check_call(fn, args, kwargs)
        self._require_in_between("run")
        self._require_no_other()
        if self.num_replicas_in_sync == 1:
            args, kwargs = nest.map_structure(self._only, (tuple(args), dict(kwargs or {})))
            with nullcontext() if self.devices == (_HOST,) else device(self.devices[0]), in_replica(self):
                return CONVERTED.function(fn)(*args, **kwargs)
        return self._replicator.run(fn, args, kwargs or {})

    def _require_in_between(self, method: str) -> None:
        if get_replica_context() is not None and has_strategy():
            raise FailedPreconditionError(
                f"`{method}` requires being in cross-replica context, use get_replica_context().merge_call()"
            )

    def _only(self, leaf: object) -> Any:
        return self._parts(leaf)[0] if isinstance(leaf, PerReplica) else leaf

    def _parts(self, value: object) -> tuple[Any, ...]:
        """What each replica has; of what is the same for all, that alone.

        Raises `InvalidArgumentError` for a value of another number of replicas.
        """
        if isinstance(value, PerReplica):
            require_count(value, self.num_replicas_in_sync, self)
        return local_results(value)

    # Putting together what replicas have

    def reduce(self, reduce_op: ReduceOp | str, value: object, axis: int | None) -> Any:
        """The sum or the mean of what the replicas have, for each value of a structure.

        ``axis``: of each replica's tensor, to be reduced too; None: none.
        """
        self._require_in_between("reduce")
        how = ReduceOp.of(reduce_op)
        return nest.map_structure(lambda leaf: self._reduced(how, leaf, axis), value)

    def _reduced(self, how: ReduceOp, value: object, axis: int | None) -> Any:
        if isinstance(value, Merged) and axis is None:
            context = LOCAL.replica
            return context.all_reduce(how, value.own)
        parts = self._parts(value)
        if len(parts) < self.num_replicas_in_sync and how is ReduceOp.SUM:
            raise InvalidArgumentError(
                f"A non-DistributedValues value {value!r} cannot be reduced with the given reduce op {how}: it is not "
                "told what each replica has"
            )
        return reduced(how, parts, axis)

    def gather(self, value: object, axis: int) -> Any:
        """What the replicas have, joined along an axis, for each value of a structure."""
        self._require_in_between("gather")
        return nest.map_structure(lambda leaf: gathered(self._parts(leaf), axis), value)

    def experimental_local_results(self, value: object) -> tuple[Any, ...]:
        """What each replica has, as a tuple; of what is the same for all, that alone."""
        return local_results(value)

    def group(self, value: object, name: str | None = None) -> None:
        """As in TensorFlow: waits for what replicas do, which is done here when `run` returns."""

    # Data

    def experimental_distribute_dataset(self, dataset: Any, options: object = None) -> Any:
        """A dataset whose batches are divided: a `PerReplica` for each tensor, with nearly as many rows in each."""
        return divided_dataset(dataset, self.num_replicas_in_sync)

    def check_source(self, source: object) -> None:
        """Raise an error for what `fit` can't read batches from, if it is trained by this strategy."""

    def check_batch(self, batch: object) -> None:
        """Raise an error for the first batch of an epoch of `fit` if it can't be one of this strategy's."""

    def distribute_datasets_from_function(self, dataset_fn: Callable[[Any], Any], options: object = None) -> Any:
        """A dataset whose elements are those of as many successive batches of another as there are replicas.

        ``dataset_fn`` takes an `InputContext` and gives a dataset with batches for one replica.
        """
        return grouped_dataset(dataset_fn(InputContext(1, 0, self.num_replicas_in_sync)), self.num_replicas_in_sync)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[[Any], Any]) -> Any:
        """A `PerReplica` of what a function gives for each replica, which it gets a `ValueContext` of."""
        count = self.num_replicas_in_sync
        return _as_one([value_fn(ValueContext(number, count)) for number in range(count)])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} devices={list(self.devices)}>"


def _check_call(fn: object, args: object, kwargs: object) -> None:
    """Raise an error for what is no call of a function."""
    if not callable(fn):
        raise InvalidTypeError(f"strategy.run takes a function, not {fn!r}")
    if not isinstance(args, (list, tuple)):
        raise InvalidArgumentError(
            f"positional args must be a list or tuple, got {type(args)}", remedy="write strategy.run(f, args=(x,))"
        )
    if not isinstance(kwargs, (Mapping, NoneType)):
        raise InvalidTypeError(f"strategy.run takes a dict of keyword arguments, not {kwargs!r}")


def _as_one(values: Sequence[Any]) -> Any:
    return nest.map_structure(lambda *each: PerReplica(each), *values)


class ValueContext:
    """The number of a replica, and how many there are."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group, self.num_replicas_in_sync = replica_id_in_sync_group, num_replicas_in_sync


class Extended:
    """`Strategy.extended`: what `merge_call` is used for."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = weakref.proxy(strategy)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        return self._strategy.devices

    parameter_devices = worker_devices

    @property
    def should_checkpoint(self) -> bool:
        """Whether this process is to write checkpoints."""
        return self._strategy.is_chief

    should_save_summary = should_checkpoint

    def variable_created_in_scope(self, v: Variable) -> bool:
        """Whether replicas have a variable together."""
        return v.is_mirrored

    def call_for_each_replica(self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Keywords = None) -> Any:
        """As `Strategy.run`."""
        return self._strategy.run(fn, args, kwargs)

    def reduce_to(self, reduce_op: ReduceOp | str, value: object, destinations: object, options: object = None) -> Any:
        """As `Strategy.reduce`."""
        return self._strategy.reduce(reduce_op, value, None)

    def batch_reduce_to(
        self, reduce_op: ReduceOp | str, value_destination_pairs: Sequence[Any], options: object = None
    ) -> list[Any]:
        """As `reduce_to`, for several values."""
        return [self.reduce_to(reduce_op, value, where) for value, where in value_destination_pairs]

    def update(
        self, var: Variable, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Keywords = None,
        group: bool = True
    ) -> Any:  # fmt: skip
        """What a function makes of a variable, in `merge_call`: the same in each replica."""
        args, kwargs = nest.map_structure(_own, (tuple(args), dict(kwargs or {})))
        return fn(var, *args, **kwargs)


def _own(leaf: object) -> Any:
    return leaf.own if isinstance(leaf, Merged) else leaf


class OneDeviceStrategy(Strategy):
    """One replica, on a device."""

    def __init__(self, device: str = "cpu:0") -> None:
        super().__init__(_there([device]))


class MirroredStrategy(Strategy):
    """One replica on each of some devices; variables are copied to each, and hold the same.

    Parameters
    ----------
    devices: their names, such as ``["cpu:0", "cpu:1"]`` or ``["/GPU:0"]``; all there are when left out. How to have
        several CPUs: `tf.config.set_logical_device_configuration`.
    cross_device_ops: accepted as in TensorFlow: XLA knows how devices tell each other what they have.

    Raises `InvalidArgumentError` for a device that is not there, or that is named twice.
    """

    def __init__(self, devices: str | Sequence[str] | None = None, cross_device_ops: object = None) -> None:
        given = [devices] if isinstance(devices, str) else devices
        names = _there(given) if given else device_names()
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InvalidArgumentError(f"No duplicates allowed in `devices` argument: {twice[0]!r}")
        super().__init__(names)


def _there(devices: Sequence[str]) -> list[str]:
    """The names of devices as `device_names` has them. Raises `InvalidArgumentError` for those that are not there."""
    names = [device_name(each) for each in devices]
    there = {each for name in names for each in device_names(name.partition(":")[0])}
    missing = [name for name in names if name not in there]
    if missing:
        raise InvalidArgumentError(f"there is no device {missing[0]!r}; there are {', '.join(device_names())}")
    return names


@functools.cache
def default_strategy() -> Strategy:
    """The strategy where there is no other."""
    return Strategy()


def get_strategy() -> Strategy:
    """The strategy in whose scope, or in whose replica, this code runs; else the default one."""
    return default_strategy() if LOCAL.strategy is None else LOCAL.strategy


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Put all code from here on, on this thread, into the scope of a strategy; None: of the default one."""
    LOCAL.strategy = None if strategy is default_strategy() else strategy


def has_strategy() -> bool:
    """Whether this code runs in the scope of a strategy other than the default one, or in a replica of it."""
    return LOCAL.strategy not in (None, default_strategy())


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica that this code runs in; None in between: in the scope of a strategy.

    Without a strategy there is one replica, that of the default strategy.
    """
    if LOCAL.is_between:
        return None
    if LOCAL.strategy is None:
        return ReplicaContext(default_strategy())
    return LOCAL.single if LOCAL.replica is None else LOCAL.replica


def in_cross_replica_context() -> bool:
    """Whether this code runs in the scope of a strategy, and in no replica."""
    return get_replica_context() is None


def _not_supported(name: str, remedy: str) -> Callable[..., Any]:
    def refuse(*args: object, **kwargs: object) -> Any:
        raise UnimplementedError(f"tf.distribute.{name} is not supported", remedy=remedy)

    refuse.__name__ = name
    refuse.__doc__ = f"Not supported: {remedy}."
    return refuse


ParameterServerStrategy = _not_supported(
    "ParameterServerStrategy", "use MultiWorkerMirroredStrategy, in which all processes train"
)
TPUStrategy = _not_supported("TPUStrategy", "use MirroredStrategy, for all devices that JAX has, TPUs too")
