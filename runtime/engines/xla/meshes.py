"""JAX's devices in meshes, and how arrays lie on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from ...base.devices import HOST, parsed
from .machine import jax_device
from .resident import placed

__all__ = ["mesh_of", "placed", "sharding"]


def mesh_of(names: Sequence[str], shape: Sequence[int], axes: Sequence[str]) -> Mesh:
    """A mesh of devices, by names such as "cpu:0", in rows of the last axis. Raises `KeyError` for one not there."""
    found = [jax_device(parsed(name, None) or HOST) for name in names]
    devices = np.array(found, object).reshape(tuple(shape))
    return Mesh(devices, tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def sharding(mesh: Mesh, axes: Sequence[str | None]) -> NamedSharding:
    """The layout in which an array's axes are divided over axes of a mesh; None: not divided."""
    return NamedSharding(mesh, PartitionSpec(*axes))
