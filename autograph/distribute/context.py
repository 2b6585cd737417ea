"""Where code runs: in a replica, or in between, in the scope of a strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import FailedPreconditionError, UnimplementedError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import int64
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.host.collective import ALL_GATHER, ALL_REDUCE, REPLICA_ID
from autograph.runtime.ops.host.state import ASSIGN, UPDATE
from autograph.runtime.ops.shape.joining import concat, stack, unstack
from autograph.runtime.state.aggregation import VariableAggregation
from autograph.runtime.tensors.convert import constant, convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor
from autograph.runtime.tensors.tracing_state import LOCAL

from .values import PerReplica, ReduceOp, mean_of, require_numbers

if TYPE_CHECKING:
    from autograph.runtime.ir.op import Op
    from autograph.runtime.state.variable import Variable

    from .strategy import Strategy

__all__ = ["Merged", "ReplicaContext", "in_replica", "in_scope", "summed_over_replicas"]

_HOW = {
    VariableAggregation.SUM: "sum", VariableAggregation.MEAN: "mean",
    VariableAggregation.ONLY_FIRST_REPLICA: "first",
}  # fmt: skip


Keywords = dict[str, Any] | None
"""Keyword arguments, if any."""


class Merged(PerReplica):
    """In `merge_call`, a value of which each replica has its own: what this one has is ``own``."""

    def __init__(self, own: object, count: int) -> None:
        self.own, self._count = convert_to_tensor(own), count

    @property
    def values(self) -> tuple[Any, ...]:  # type: ignore[override]
        """What all replicas have."""
        return tuple(unstack(ALL_GATHER(self.own, count=self._count), self._count))


class ReplicaContext:
    """What code in a replica can ask for; from `get_replica_context`."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.num_replicas_in_sync = strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of the replica, from 0: an int32 tensor."""
        return REPLICA_ID() if self._is_one_of_several else constant(np.int32(0))

    @property
    def replica_id(self) -> Any:
        return self.replica_id_in_sync_group

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of the replica: of one of several it is not known while all of them are traced."""
        return self.strategy.devices if self.num_replicas_in_sync == 1 else ()

    @property
    def _is_one_of_several(self) -> bool:
        return self.num_replicas_in_sync > 1

    def all_reduce(self, reduce_op: ReduceOp | str, value: object, options: object = None) -> Any:
        """The sum or the mean of what all replicas give, for each tensor of a structure; all have to call it."""
        how = ReduceOp.of(reduce_op).value.lower()
        return nest.map_structure(lambda leaf: self._reduced(how, convert_to_tensor(leaf)), value)

    def _reduced(self, how: str, tensor: Tensor) -> Any:
        if not self._is_one_of_several:
            return tensor
        require_numbers(how, tensor)
        if how == "mean" and tensor.dtype.is_integer:
            return mean_of(ALL_REDUCE(tensor, how="sum"), self.num_replicas_in_sync)
        return ALL_REDUCE(tensor, how=how)

    def all_gather(self, value: object, axis: int, options: object = None) -> Any:
        """What all replicas give, joined along an axis, for each tensor of a structure; all have to call it."""
        return nest.map_structure(lambda leaf: self._gathered(convert_to_tensor(leaf), axis), value)

    def _gathered(self, tensor: Tensor, axis: int) -> Any:
        if not self._is_one_of_several:
            return tensor
        count = self.num_replicas_in_sync
        return concat(unstack(ALL_GATHER(tensor, count=count), count), axis)

    def merge_call(self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Keywords = None) -> Any:
        """What ``merge_fn(strategy, *args, **kwargs)`` gives: it runs in between the replicas, with all they have."""
        if not self._is_one_of_several:
            with _here(self.strategy, None):
                return merge_fn(self.strategy, *args, **(kwargs or {}))
        given, more = nest.map_structure(self._merged, (tuple(args), dict(kwargs or {})))
        with _here(self.strategy, LOCAL.replica, is_between=True):
            result = merge_fn(self.strategy, *given, **more)
        return nest.map_structure(lambda leaf: leaf.own if isinstance(leaf, Merged) else leaf, result)

    def _merged(self, leaf: object) -> Any:
        return Merged(leaf, self.num_replicas_in_sync) if isinstance(leaf, (Tensor, np.ndarray)) else leaf

    # What the runtime asks the context of a replica that is being traced

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.strategy is self.strategy

    def __hash__(self) -> int:
        return hash(id(self.strategy))

    def random_seed(self, seed: int | None) -> Any:
        """A seed of the replica's own for the next random numbers, of those with this seed if it is given."""
        state = self.strategy.random_state
        value = state.value()
        state.assign_add([0, 1])
        number = constant(0) if LOCAL.is_between else cast(REPLICA_ID() + 1, int64)
        return stack([value[0] + value[1], cast(number, int64) + (0 if seed is None else (seed % 2**31 + 1) * 2**20)])

    def has_own(self, variable: Variable) -> bool:
        """Whether what runs has a value of a variable of its own.

        Raises `FailedPreconditionError` for a variable of another strategy.
        """
        self._require_mine(variable)
        return variable.own is not None and not LOCAL.is_between

    def _require_mine(self, variable: Variable) -> None:
        if variable.strategy not in (None, self.strategy) and not self.strategy.is_default:
            raise FailedPreconditionError(
                f"Mixing different tf.distribute.Strategy objects: the variable {variable.name!r} was made in the "
                f"scope of {variable.strategy!r}, and is used in the replicas of {self.strategy!r}",
                remedy="make it in the scope of the strategy that runs, or outside of all where it is only read",
            )

    def require_shared(self, variable: Variable) -> None:
        """Raise `FailedPreconditionError` for a variable that replicas do not have together."""
        self._require_mine(variable)
        if not variable.is_mirrored:
            raise FailedPreconditionError(
                f"the variable {variable.name!r} is set in strategy.run, but was made outside of the strategy's scope",
                remedy="make variables, metrics, models, optimizers and random generators in `with strategy.scope():`",
            )

    def assigned(self, variable: Variable, op: Op, inputs: list[Any]) -> tuple[Op, list[Any]]:
        """How a variable that replicas have together is set, where one does that.

        Raises `FailedPreconditionError` for one that they do not have, `UnimplementedError` for what can't be reduced.
        """
        self._require_mine(variable)
        if not self._is_one_of_several:
            return op, inputs
        self.require_shared(variable)
        how = _HOW.get(variable.aggregation)
        if how is None or LOCAL.is_between:
            return op, inputs
        if op is UPDATE:
            raise UnimplementedError(
                f"{variable.name!r}, which is aggregated by {variable.aggregation.name}, can't be set like this in "
                "strategy.run: what replicas set does not add up",
                construct=op.name,
                remedy="set all of it, by assign, assign_add or assign_sub, or set it outside of strategy.run",
            )
        if variable.own is not None:
            return ASSIGN, [variable.own.assigned(op, *inputs)]
        return op, [ALL_REDUCE(inputs[0], how=how)]


@contextmanager
def _here(
    strategy: Strategy | None, replica: object, is_between: bool = False, single: object = None
) -> Iterator[None]:  # fmt: skip
    before = LOCAL.strategy, LOCAL.replica, LOCAL.is_between, LOCAL.single
    LOCAL.strategy, LOCAL.replica, LOCAL.is_between, LOCAL.single = strategy, replica, is_between, single
    try:
        yield
    finally:
        LOCAL.strategy, LOCAL.replica, LOCAL.is_between, LOCAL.single = before


def in_replica(strategy: Strategy) -> Any:
    """A context manager in which code is that of a replica."""
    context = ReplicaContext(strategy)
    several = context.num_replicas_in_sync > 1
    return _here(strategy, context if several else None, single=None if several else context)


def summed_over_replicas(tensors: Sequence[Any]) -> list[Any]:
    """In one of several replicas, the sums of what all of them have; else the tensors."""
    context = None if LOCAL.is_between else LOCAL.replica
    return list(tensors) if context is None else context.all_reduce(ReduceOp.SUM, list(tensors))


def in_scope(strategy: Strategy | None) -> Any:
    """A context manager in which code is in a strategy's scope; None: in the replica of the default one."""
    return _here(strategy, None)
