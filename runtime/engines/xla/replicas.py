"""The axis over which replicas stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax import lax
from jax.sharding import Mesh

from ..engine import NotLowered
from .meshes import mesh_of, sharding

REPLICA = "replica"
"""Its name in meshes."""


def mesh_of_replicas(devices: Sequence[str]) -> Mesh:
    """The mesh of devices on each of which there is a replica. Raises `NotLowered` where one is not there."""
    try:
        return mesh_of(devices, (len(devices),), (REPLICA,))
    except KeyError as error:
        raise NotLowered(f"there is no device {error}") from None


def on_all(devices: Sequence[str]) -> Any:
    """The layout of an array that each replica has all of."""
    return sharding(mesh_of_replicas(devices), ())


def any_replica(flag: object) -> Any:
    """Whether a flag is set in any of the replicas."""
    return lax.pmax(flag, REPLICA)
