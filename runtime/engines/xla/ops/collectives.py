"""Replicas, each on a device of its own, and what they tell each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec

from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.host.collective import ALL_GATHER, ALL_REDUCE, REPLICA_ID
from ...engine import NotLowered
from ...held import changed_in, held_in
from ...replicated import REPLICATED, Replicas
from ..lowering import Lowering
from ..replicas import REPLICA, any_replica, mesh_of_replicas
from ..supported import ENGINE
from ..values import Lowered, is_known


@lowers(ENGINE, REPLICATED)
def _replicated(here: Lowering, node: Node, *inputs: Lowered, program: Replicas) -> list[Any]:
    given = program.given(inputs)
    split = [_stacked(each) for each, is_split in zip(given, program.split, strict=True) if is_split]
    shared = [x for (x, *_), is_split in zip(given, program.split, strict=True) if not is_split]
    known = [is_known(x) for x in shared]
    held, changed = held_in(program.graph), changed_in(program.graph)

    def replica(split: Sequence[Any], shared: Sequence[Any], state: Sequence[Any]) -> Any:
        parts, whole = iter(split), iter(shared)
        values = [next(parts)[0] if is_split else next(whole) for is_split in program.split]
        with here.apart(), here.among_replicas():
            here.holds.update(zip(held, state, strict=True))
            results = [jnp.asarray(x)[None] for x in here.run(program.graph, values)]
            flags = [any_replica(jnp.asarray(flag)) for flag in (here.failed, here.short)]
            return results, [jnp.asarray(here.holds[key]) for key in changed], flags

    def run(split: Sequence[Any], unknown: Sequence[Any], state: Sequence[Any]) -> Any:
        rest = iter(unknown)
        whole = [x if is_static else next(rest) for x, is_static in zip(shared, known, strict=True)]
        return replica(split, whole, state)

    each, all_ = PartitionSpec(REPLICA), PartitionSpec()
    mesh = mesh_of_replicas(program.devices)
    spread = jax.shard_map(run, mesh=mesh, in_specs=(each, all_, all_), out_specs=(each, all_, all_), check_vma=False)
    unknown = [x for x, is_static in zip(shared, known, strict=True) if not is_static]
    results, state, (failed, short) = spread(split, unknown, [jnp.asarray(here.holds[key]) for key in held])
    here.fails(failed)
    here.lacks(short)
    here.holds.update(zip(changed, state, strict=True))
    return [x[number] for x in results for number in range(program.count)]


def _stacked(parts: Sequence[Lowered]) -> Lowered:
    """What each replica is given, along a new first axis."""
    if len({np.shape(part) for part in parts}) > 1:
        raise NotLowered("replicas are given arrays of different shapes")
    return jnp.stack([jnp.asarray(part) for part in parts])


def _sum(x: Lowered) -> Lowered:
    return lax.psum(x, REPLICA)


_REDUCTIONS = {
    "sum": _sum,
    "mean": lambda x: lax.pmean(x, REPLICA),
    "first": lambda x: lax.all_gather(x, REPLICA)[0],
}


@lowers(ENGINE, ALL_REDUCE)
def _all_reduce(here: Lowering, node: Node, x: Lowered, *, how: str) -> Lowered:
    return _REDUCTIONS[how](jnp.asarray(x)).astype(x.dtype) if here.is_among_replicas else x


@lowers(ENGINE, ALL_GATHER)
def _all_gather(here: Lowering, node: Node, x: Lowered, *, count: int) -> Lowered:
    here.fails(not here.is_among_replicas and count != 1)
    return lax.all_gather(jnp.asarray(x), REPLICA) if here.is_among_replicas else jnp.asarray(x)[None]


@lowers(ENGINE, REPLICA_ID)
def _replica_id(here: Lowering, node: Node) -> Lowered:
    return lax.axis_index(REPLICA).astype(np.int32) if here.is_among_replicas else np.asarray(0, np.int32)
