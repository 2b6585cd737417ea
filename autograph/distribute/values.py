"""`PerReplica`: a value for each replica; and how results of several replicas become one."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.base.composite import Composite, CompositeSpec
from autograph.runtime.base.dtypes import float32, float64
from autograph.runtime.functions.arguments import spec_of
from autograph.runtime.ops.elementwise.elementwise import add_n, cast
from autograph.runtime.ops.elementwise.math import minimum
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.ops.shape.joining import concat
from autograph.runtime.ops.shape.shape import shape
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.spec import TensorSpec

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "DistributedValues", "PerReplica", "PerReplicaSpec", "ReduceOp", "local_results", "mean_of", "reduced",
    "require_count", "require_numbers",
]  # fmt: skip


class ReduceOp(enum.Enum):
    """How values of replicas become one: their sum, or their mean."""

    SUM = "SUM"
    MEAN = "MEAN"

    @classmethod
    def of(cls, value: ReduceOp | str) -> ReduceOp:
        """A reduction, also by its name in any case. Raises `InvalidArgumentError` for others."""
        if isinstance(value, ReduceOp):
            return value
        try:
            return cls(str(value).upper())
        except ValueError:
            raise InvalidArgumentError(f"{value!r} is not a valid ReduceOp: there are 'SUM' and 'MEAN'") from None


class DistributedValues:
    """The base of values that each replica has one of."""


class PerReplicaSpec(CompositeSpec):
    """The specs of the tensors of a `PerReplica`, one for each replica."""

    def __init__(self, *specs: TensorSpec) -> None:
        self.specs = specs

    def key(self) -> Hashable:
        return self.specs

    def components(self) -> Sequence[TensorSpec]:
        return self.specs

    def pack(self, tensors: Sequence[Any]) -> PerReplica:
        return PerReplica(tensors)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self.specs))})"


class PerReplica(DistributedValues, Composite):
    """One tensor, or what converts to one, for each replica: ``values``. `Strategy.run` gives each its own."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)

    @property
    def type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*map(spec_of, self.components()))

    def components(self) -> Sequence[Any]:
        return [convert_to_tensor(value) for value in self.values]

    def __repr__(self) -> str:
        lines = [f"  {number}: {value!r}" for number, value in enumerate(self.values)]
        return "PerReplica:{\n" + ",\n".join(lines) + "\n}"


def local_results(value: object) -> tuple[Any, ...]:
    """The values of all replicas; of what is the same for all, itself alone."""
    if isinstance(value, Variable) and value.own is not None:
        return tuple(value.own.each())
    return value.values if isinstance(value, PerReplica) else (value,)


def require_count(value: PerReplica, count: int, strategy: object) -> None:
    """Raise `InvalidArgumentError` for a value of another number of replicas than a strategy has."""
    if len(value.values) != count:
        raise InvalidArgumentError(
            f"a value of {len(value.values)} replicas is given to {strategy!r}, which has {count}",
            remedy="use it with the strategy that it is from",
        )


def _mean_rows(parts: Sequence[Any], axis: int) -> Any:
    """The mean along an axis of what several replicas have, which may be of different lengths."""
    return mean_of(_added(parts, axis), add_n([shape(part)[axis] for part in parts]))


def _added(parts: Sequence[Any], axis: int | None) -> Any:
    """A sum, in the dtype of the parts: integers wrap around, as in TensorFlow."""
    return add_n(parts if axis is None else [cast(reduce_sum(part, axis), part.dtype) for part in parts])


def mean_of(total: Any, count: Any) -> Any:
    """A mean: of integers it is a float32 if they have 8 or 16 bits, else a float64, as of TensorFlow's `truediv`."""
    kind = total.dtype
    if kind.is_integer:
        kind = float32 if kind.size <= 2 else float64
    return cast(total, kind) / cast(count, kind)


def reduced(how: ReduceOp, parts: Sequence[Any], axis: int | None) -> Tensor:
    """The sum or mean over replicas, and along an axis of each when it is given: as it is where there is one part.

    Raises `InvalidTypeError` for what is no number.
    """
    tensors = [convert_to_tensor(part) for part in parts]
    if axis is None and len(tensors) == 1:
        return tensors[0]
    require_numbers(how.value.lower(), tensors[0])
    if how is ReduceOp.SUM:
        return _added(tensors, axis)
    return mean_of(_added(tensors, None), len(tensors)) if axis is None else _mean_rows(tensors, axis)


def require_numbers(how: str, tensor: Tensor) -> None:
    """Raise `InvalidTypeError` for a tensor of strings or truth values."""
    if tensor.dtype.kind not in "iufc":
        raise InvalidTypeError(
            f"replicas have no {how} of tensors of {tensor.dtype.name}: it is of numbers",
            remedy="use `gather`, or tf.cast(x, tf.int32) for truth values",
        )


def gathered(parts: Sequence[Any], axis: int) -> Tensor:
    """What the replicas have, joined along an axis."""
    return concat([convert_to_tensor(part) for part in parts], axis)


def whole(batch: object) -> Any:
    """A batch with one tensor in the place of each `PerReplica`."""
    return nest.map_structure(lambda leaf: gathered(leaf.values, 0) if isinstance(leaf, PerReplica) else leaf, batch)


def divided(batch: object, count: int) -> Any:
    """A batch of which each replica gets some rows, all nearly equally many: the first ones get more."""
    return nest.map_structure(lambda leaf: PerReplica(_rows(leaf, count)), batch)


def _rows(leaf: TensorLike, count: int) -> list[Any]:
    tensor = convert_to_tensor(leaf)
    if tensor.static_shape == ():
        raise InvalidArgumentError(
            f"replicas get rows of a batch each, and {tensor!r} has none", remedy="make batches first, by `batch`"
        )
    known = tensor.static_shape[0] if tensor.static_shape else None
    length: Any = shape(tensor)[0] if known is None else known
    least, more = length // count, length % count
    starts = [number * least + (_least(number, more)) for number in range(count + 1)]
    return [tensor[start:stop] for start, stop in itertools.pairwise(starts)]


def _least(number: int, more: Any) -> Any:
    return min(number, more) if isinstance(more, int) else minimum(number, more)
