"""JAX's devices in meshes, and how arrays lie on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from ...base.devices import HOST, parsed
from .machine import jax_device
from .resident import placed
from .workers import connected, device_of_worker, exchanged, is_of_worker

__all__ = ["connected", "exchanged", "mesh_of", "placed", "sharding"]


def mesh_of(names: Sequence[str], shape: Sequence[int], axes: Sequence[str]) -> Mesh:
    """A mesh of devices, by names such as "cpu:0", in rows of the last axis; "worker:1/cpu:0" is another process's.

    Raises `KeyError` for one that is not there.
    """
    found = [_device(name) for name in names]
    devices = np.array(found, object).reshape(tuple(shape))
    return Mesh(devices, tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def _device(name: str) -> Any:
    return device_of_worker(name) if is_of_worker(name) else jax_device(parsed(name, None) or HOST)


def sharding(mesh: Mesh, axes: Sequence[str | None]) -> NamedSharding:
    """The layout in which an array's axes are divided over axes of a mesh; None: not divided."""
    return NamedSharding(mesh, PartitionSpec(*axes))
