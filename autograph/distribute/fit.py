"""Steps of models that have steps of their own, in the replicas of a strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.runtime.base import nest
from autograph.runtime.functions.function import function
from autograph.runtime.ops.reduce.reduce import reduce_mean
from autograph.runtime.ops.shape.joining import stack

from .values import PerReplica, divided, gathered

if TYPE_CHECKING:
    from .strategy import Strategy

__all__ = ["in_replicas"]


def in_replicas(strategy: Strategy, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A step of a batch as one that each replica makes with its part of it.

    Of scalars, such as losses and metrics so far, the result has the mean over replicas, as in Keras; other results are
    joined.
    """

    def run(batch: object) -> Any:
        with strategy.scope():
            results = strategy.run(step, args=(divided(batch, strategy.num_replicas_in_sync),))
            return nest.map_structure(_joined, results)

    return function(run, autograph=False, reduce_retracing=True)


def _joined(leaf: object) -> Any:
    if not isinstance(leaf, PerReplica):
        return leaf
    first = leaf.values[0]
    if first.static_shape != ():
        return gathered(leaf.values, 0)
    return reduce_mean(stack(list(leaf.values)), 0) if first.dtype.kind in "iufc" else first
