"""JAX's devices in meshes, and how arrays lie on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from .resident import placed

__all__ = ["device_names", "mesh_of", "placed", "sharding"]


def _name(device: Any) -> str:
    return f"{device.platform}:{device.id}"


def device_names(platform: str | None = None) -> list[str]:
    """The names of all devices, such as ``"cpu:0"``; of one platform, when it is given: none, where it is not there."""
    try:
        return [_name(each) for each in (jax.devices() if platform is None else jax.devices(platform))]
    except RuntimeError:
        return []


def mesh_of(names: Sequence[str], shape: Sequence[int], axes: Sequence[str]) -> Mesh:
    """A mesh of the devices of some names, in rows of the last axis. Raises `KeyError` for a name that is not known."""
    platforms = dict.fromkeys(name.partition(":")[0] for name in names)
    known = {_name(device): device for platform in platforms for device in jax.devices(platform)}
    devices = np.array([known[name] for name in names], object).reshape(tuple(shape))
    return Mesh(devices, tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def sharding(mesh: Mesh, axes: Sequence[str | None]) -> NamedSharding:
    """The layout in which an array's axes are divided over axes of a mesh; None: not divided."""
    return NamedSharding(mesh, PartitionSpec(*axes))
