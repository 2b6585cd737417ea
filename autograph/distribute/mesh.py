"""Devices in a grid with named axes, and what it takes to lay out the arrays of programs over them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, MissingExtraError
from autograph.runtime.base import nest
from autograph.runtime.base.devices import HOST, parsed
from autograph.runtime.engines.engine import is_installed
from autograph.runtime.engines.xla.supported import ENGINE
from autograph.runtime.state.devices import list_logical_devices
from autograph.runtime.tensors.tensor import EagerTensor

__all__ = ["BATCH", "MeshSpread", "device_name", "device_names", "process_group"]

BATCH = "batch"
"""The axis over which samples are divided, in grids that have no other."""


def _meshes(what: str) -> Any:
    if not is_installed("jax"):
        raise MissingExtraError(f"{what} needs jax", remedy="pip install 'autograph-py[xla]'")
    from autograph.runtime.engines.xla import meshes

    return meshes


def process_group() -> Any:
    """What lets processes meet: ``connected`` and ``exchanged``. Raises `MissingExtraError` without JAX."""
    return _meshes("a program of several processes")


def device_names(kind: str | None = None) -> list[str]:
    """The names of the devices that programs can be divided over, such as ``"cpu:0"``: those of a kind.

    Without a kind, the accelerators where there are some, else the CPUs; without JAX there is one.
    """
    if kind is not None:
        found = list_logical_devices(kind.upper())
    else:
        there = list_logical_devices()
        found = [each for each in there if each.device_type != "CPU"] or there
    return [each.name.removeprefix("/device:").lower() for each in found]


def device_name(name: str) -> str:
    """A device by any of TensorFlow's names, ``"/GPU:0"`` or ``"CPU:1"``, as `device_names` has it.

    Raises `InvalidArgumentError` for what is no name of a device.
    """
    return (parsed(name, None) or HOST).short.lower()


class MeshSpread:
    """A `Spread` over a grid of devices.

    Parameters
    ----------
    names: of the devices, row by row.
    shape, axes: the sizes of the grid, and the names of its axes.
    batch: the name of the axis over which the samples of a batch are divided.
    """

    engine = ENGINE

    def __init__(self, names: Sequence[str], shape: Sequence[int], axes: Sequence[str], batch: str) -> None:
        self.names, self.shape, self.axes, self.batch = tuple(names), tuple(shape), tuple(axes), batch

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeshSpread) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.names, self.shape, self.axes, self.batch

    @functools.cached_property
    def mesh(self) -> Any:
        """The grid, as JAX has it. Raises `InvalidArgumentError` for devices that are not there."""
        try:
            return _meshes("a program over several devices").mesh_of(self.names, self.shape, self.axes)
        except (KeyError, RuntimeError):
            known = ", ".join(device_names())
            raise InvalidArgumentError(f"not all of the devices {self.names} are there; there are {known}") from None

    def sharding(self, axes: Sequence[str | None]) -> Any:
        """How an array lies whose axes are divided over axes of the grid, or not (None)."""
        return _meshes("a program over several devices").sharding(self.mesh, axes)

    def layout_of(self, variable: object) -> Any:
        """As `Spread`: a variable has a layout of its own, or is whole on each device."""
        layout: Any = getattr(variable, "layout", None)
        is_mine = layout is not None and layout.device_mesh.spread(self.batch) == self
        return self.sharding(layout.axes if is_mine else ())

    def divided(self, batch: object) -> Any:
        """A batch whose tensors lie on the devices, divided along their first axes where that comes out even.

        Other tensors stay: each device has all of such a one.
        """
        count = self.shape[self.axes.index(self.batch)]
        return batch if count == 1 else nest.map_structure(lambda leaf: self._divided(leaf, count), batch)

    def _divided(self, leaf: object, count: int) -> Any:
        array = leaf.array if isinstance(leaf, EagerTensor) else leaf
        if not isinstance(array, np.ndarray) or not array.ndim or array.dtype == object or len(array) % count:
            return leaf
        return EagerTensor(self.placed(array, (self.batch,)))

    def placed(self, array: np.ndarray, axes: Sequence[str | None]) -> np.ndarray[Any, Any]:
        """An array, as it was, that programs find divided over axes of the grid."""
        array = np.array(array)
        _meshes("a program over several devices").placed(array, self.sharding(axes))
        return array
