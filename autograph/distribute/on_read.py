"""Variables of which each replica has a value of its own: those with ``synchronization=ON_READ``.

In a replica such a variable is what this replica has made of it; in between it is what the values of all are together,
as its ``aggregation`` says. It holds this last itself, and beside it the values of the replicas in one more variable,
in which a replica finds its row: both are set together, by an exchange between replicas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.host.collective import ALL_GATHER, REPLICA_ID
from autograph.runtime.ops.host.state import ASSIGN_ADD, ASSIGN_SUB
from autograph.runtime.ops.reduce.reduce import reduce_mean, reduce_sum
from autograph.runtime.ops.shape.gather import gather
from autograph.runtime.ops.shape.joining import stack, unstack
from autograph.runtime.state.aggregation import VariableAggregation
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.tracing_state import LOCAL

if TYPE_CHECKING:
    from autograph.runtime.ir.op import Op
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["OwnValues"]


def _is_in_replica() -> bool:
    return LOCAL.replica is not None and not LOCAL.is_between


class OwnValues:
    """The values that replicas have of a variable. All start with one that is given.

    Raises `InvalidArgumentError` where they can't be put together: without an aggregation, or for a mean of integers.
    """

    def __init__(self, start: Tensor, how: VariableAggregation, count: int, name: str) -> None:
        if how is VariableAggregation.NONE:
            raise InvalidArgumentError(
                f"of the variable {name!r} each replica has a value of its own (ON_READ), and no aggregation says what "
                "it is outside of them",
                remedy="give it an `aggregation`, such as tf.VariableAggregation.SUM",
            )
        if how is VariableAggregation.MEAN and not (start.dtype.is_floating or start.dtype.is_complex):
            raise InvalidArgumentError(
                f"creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is not supported, "
                f"please use a different aggregation or dtype: {name!r} is of {start.dtype.name}"
            )
        self._how, self._count = how, count
        self._rows = Variable(stack([start] * count), trainable=False, name="replicas")

    def together(self) -> Any:
        """What the variable is in between the replicas."""
        return self._reduced(self._rows.value())

    def _reduced(self, rows: Any) -> Any:
        if self._how is VariableAggregation.ONLY_FIRST_REPLICA:
            return rows[0]
        return cast((reduce_mean if self._how is VariableAggregation.MEAN else reduce_sum)(rows, 0), rows.dtype)

    def each(self) -> list[Any]:
        """The values, in the order of the replicas."""
        return unstack(self._rows.value(), self._count)

    def here(self) -> Any:
        """In a replica, its value; None: this is none."""
        return gather(self._rows.value(), REPLICA_ID()) if _is_in_replica() else None

    def assigned(self, op: Op, given: Any) -> Any:
        """Let a replica set its value, or add to it; returns what the variable becomes in between."""
        value = self.here() + given if op is ASSIGN_ADD else self.here() - given if op is ASSIGN_SUB else given
        rows = ALL_GATHER(value, count=self._count)
        self._rows.assign(rows)
        return self._reduced(rows)

    def follow(self, whole: Any) -> None:
        """Where the variable has been set in between: each replica gets that, or its part of a sum."""
        if _is_in_replica():
            return
        rows = [whole] * self._count
        if self._how is VariableAggregation.SUM:
            rows = _parts(whole, self._count)
        self._rows.assign(stack(rows))


def _parts(total: Any, count: int) -> list[Any]:
    """Values that add up to a sum; of integers the first gets what remains."""
    if not total.dtype.is_integer:
        return [total / cast(count, total.dtype)] * count
    part = total // cast(count, total.dtype)
    return [total - part * cast(count - 1, total.dtype), *[part] * (count - 1)]
