"""What replicas tell each other: each runs the same graph on its own part of a batch (see `engines.replicated`).

Outside of replicas there is one, and a collective gives what it is given.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ...base.dtypes import int32
from ...ir.effects import Effects
from ...ir.graph import Type
from ...ir.kinds import INT, kinds
from ...ir.op import NOT_DIFFERENTIABLE, Op, op
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import where
from ..infer import require, require_kind
from ..kernels import samples as s
from ..shape.create import zeros_like
from ..shape.gather import gather

__all__ = ["ALL_GATHER", "ALL_REDUCE", "REPLICA_ID", "AmongReplicas", "among_replicas"]


class AmongReplicas(Protocol):
    """What one replica knows of the others, while they run on threads.

    ``number``: of this one, from 0. ``meet``: waits until all have come to a place, which ``what`` tells, and returns
    what they have given, in order.
    """

    number: int

    def meet(self, what: object, given: object) -> Sequence[Any]: ...


class _Here(threading.local):
    among: AmongReplicas | None = None


_here = _Here()


def among_replicas(among: AmongReplicas | None) -> None:
    """This thread runs a replica from now on; None: it does not."""
    _here.among = among


def _first(*given: object) -> Any:
    return given[0]


_REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.add, "mean": np.add, "first": _first}


_KINDS = {"sum": "iufc", "mean": "fc"}


def _reduce(x: Any, *, how: str) -> Any:
    if _here.among is None:
        return x
    given = _here.among.meet(("all_reduce", how, np.shape(x)), x)
    total = functools.reduce(_REDUCTIONS[how], given)
    return np.asarray(total / len(given) if how == "mean" else total, np.asarray(x).dtype)


def _infer_reduce(x: Type, *, how: str) -> Type:
    if how != "first":
        require_kind(x, _KINDS[how], f"what is reduced to its {how} over replicas")
    return x


def _gradient(g: Tensor, out: Tensor, x: Tensor, *, how: str) -> Any:
    if how != "first":
        return (ALL_REDUCE(g, how=how),)
    total = ALL_REDUCE(g, how="sum")
    return (where(REPLICA_ID() == 0, total, zeros_like(total)),)


def _gather(x: Any, *, count: int) -> Any:
    given = [x] if _here.among is None else _here.among.meet(("all_gather", np.shape(x)), x)
    require(len(given) == count, f"a gathering from {count} replicas, where there are {len(given)}")
    return np.stack(given)


def _replica_id() -> Any:
    return np.int32(0 if _here.among is None else _here.among.number)


def _is_reduction(how: object) -> bool:
    return how in _REDUCTIONS


ALL_REDUCE: Op = op("all_reduce", infer=_infer_reduce, numpy=_reduce, gradient=_gradient, effects=Effects.ORDER,
                samples=lambda: [s.sample([1.0, 2.0], how=how) for how in _REDUCTIONS],
                doc="The sum, or another reduction, of what all replicas give.",
                attributes=kinds("", how=_is_reduction))  # fmt: skip
ALL_GATHER: Op = op("all_gather",
                infer=lambda x, *, count: Type(x.dtype, None if x.shape is None else (count, *x.shape)),
                numpy=_gather, effects=Effects.ORDER,
                gradient=lambda g, out, x, *, count: (gather(ALL_REDUCE(g, how="sum"), REPLICA_ID()),),
                samples=lambda: [s.sample([1.0, 2.0], count=1)],
                doc="What all replicas give, stacked in their order.", attributes=kinds("", count=INT))  # fmt: skip
REPLICA_ID: Op = op("replica_id", infer=lambda: Type(int32, ()), numpy=_replica_id, gradient=NOT_DIFFERENTIABLE,
                samples=lambda: [()], effects=Effects.ORDER, doc="The number of the replica, from 0.")  # fmt: skip
COLLECTIVES = ALL_REDUCE, ALL_GATHER
"""The ops that wait for the other replicas."""
