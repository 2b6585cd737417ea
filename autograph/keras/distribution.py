"""`tf.keras.distribution`: models over several devices, as Keras has it.

A distribution says how the arrays of a training lie on devices: batches are divided over one axis of a grid of
devices, variables are whole on each (`DataParallel`), or divided as a map from their paths says (`ModelParallel`). The
program is the same as for one device, and so is what it computes, but for the rounding of sums that are added up in
another order: normalisation over a batch is over all of it, random numbers are those of one device, and a batch that
does not divide runs on each device as a whole. XLA (the extra ``xla``) adds what devices have to tell each other.

>>> import autograph as tf
>>> mesh = tf.keras.distribution.DeviceMesh((1, 1), ["batch", "model"], devices=["cpu:0"])
>>> layouts = tf.keras.distribution.LayoutMap(mesh)
>>> layouts[".*dense.*kernel"] = (None, "model")
>>> parallel = tf.keras.distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")
>>> with parallel.scope():
...     model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
>>> model.layers[0].kernel.layout.axes
(None, 'model')
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.distribute.mesh import BATCH, MeshSpread, device_names
from autograph.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from autograph.runtime.engines.spread import put_in_effect
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import EagerTensor
from autograph.tracebacks import leaving

__all__ = [
    "DataParallel", "DeviceMesh", "Distribution", "LayoutMap", "ModelParallel", "TensorLayout", "distribute_tensor",
    "distribution", "get_device_count", "initialize", "list_devices", "set_distribution",
]  # fmt: skip


def list_devices(device_type: str | None = None) -> list[str]:
    """The names of the devices there are, such as ``["cpu:0"]``; of one kind, "cpu", "gpu" or "tpu", when given."""
    return device_names(None if device_type is None else device_type.lower())


def get_device_count(device_type: str | None = None) -> int:
    """How many devices there are, of one kind when it is given."""
    return len(list_devices(device_type))


def initialize(
    job_addresses: str | None = None, num_processes: int | None = None, process_id: int | None = None
) -> None:  # fmt: skip
    """Nothing is to be done for one process. Raises `UnimplementedError` for several."""
    if job_addresses is not None or (num_processes or 1) > 1:
        raise UnimplementedError(
            "a distribution over several processes is not supported", remedy="use the devices of one process"
        )


def _twice(names: Sequence[Any]) -> Any:
    """The first name that is there more than once; None: there is none."""
    return next((name for name in names if names.count(name) > 1), None)


class DeviceMesh:
    """A grid of devices.

    Parameters
    ----------
    shape: its sizes, such as (4, 2).
    axis_names: a name for each axis, such as ["batch", "model"].
    devices: the names of the devices, row by row; those of `list_devices` when left out.

    Raises `InvalidArgumentError` for another number of names than sizes, and of devices than the grid has, and for a
    name or a device that is there twice.
    """

    def __init__(self, shape: Sequence[int], axis_names: Sequence[str], devices: Sequence[str] | None = None) -> None:
        if not shape or not axis_names:
            raise InvalidArgumentError(
                f"a mesh has at least one axis, with a size and a name; not sizes {shape} and names {axis_names}"
            )
        if len(shape) != len(axis_names):
            raise InvalidArgumentError(
                f"each axis of a mesh has a size and a name; there are {len(shape)} sizes and the names {axis_names}"
            )
        found = np.array(list_devices() if devices is None else devices, object)
        if math.prod(shape) != found.size:
            raise InvalidArgumentError(f"a mesh of {tuple(shape)} takes {math.prod(shape)} devices, not {found.size}")
        for each in (list(axis_names), found.ravel().tolist()):
            if twice := _twice(each):
                raise InvalidArgumentError(f"{twice!r} is twice in {each}: a mesh has each axis and each device once")
        self.shape, self.axis_names = tuple(shape), list(axis_names)
        self.devices = found.reshape(self.shape)

    def spread(self, batch: str) -> MeshSpread:
        """How programs run over the grid, with the samples of a batch divided over one of its axes."""
        return MeshSpread(tuple(self.devices.ravel()), self.shape, self.axis_names, batch)

    def __repr__(self) -> str:
        return f"<DeviceMesh shape={self.shape}, axis_names={self.axis_names}>"


class TensorLayout:
    """For each axis of a tensor the name of the grid's axis that it is divided over, or None.

    Raises `InvalidArgumentError` for names that the grid does not have, and for one that two axes have.
    """

    def __init__(self, axes: Sequence[str | None], device_mesh: DeviceMesh | None = None) -> None:
        self.axes = tuple(axes)
        self._mesh = device_mesh
        self._check()

    @property
    def device_mesh(self) -> DeviceMesh | None:
        return self._mesh

    @device_mesh.setter
    def device_mesh(self, value: DeviceMesh) -> None:
        if self._mesh is not None:
            raise InvalidArgumentError(f"the layout is one on {self._mesh} already")
        self._mesh = value
        self._check()

    def _check(self) -> None:
        names = [] if self._mesh is None else self._mesh.axis_names
        unknown = {axis for axis in self.axes if axis is not None} - set(names)
        if self._mesh is not None and unknown:
            raise InvalidArgumentError(f"the mesh has no axis {sorted(unknown)}; it has {names}")
        if twice := _twice([axis for axis in self.axes if axis is not None]):
            raise InvalidArgumentError(
                f"only one axis of a tensor can be divided over {twice!r}, not two as in {self.axes}"
            )

    def __repr__(self) -> str:
        return f"<TensorLayout axes={self.axes}, device_mesh={self.device_mesh}>"


class LayoutMap(MutableMapping[str, Any]):
    """Layouts of variables by their paths: keys are paths, or regular expressions that fit a whole path.

    Raises `InvalidArgumentError` for a path that several keys fit, and for a key that is set twice.
    """

    def __init__(self, device_mesh: DeviceMesh) -> None:
        self.device_mesh = device_mesh
        self._layouts: dict[str, TensorLayout] = {}

    def __getitem__(self, key: str) -> TensorLayout | None:
        if key in self._layouts:
            return self._layouts[key]
        fitting = [pattern for pattern in self._layouts if re.fullmatch(pattern, key)]
        if len(fitting) > 1:
            raise InvalidArgumentError(
                f"more than one entry of the layout map fits the variable {key!r}: {fitting}; make one narrower"
            )
        return self._layouts[fitting[0]] if fitting else None

    def __setitem__(self, key: str, layout: object) -> None:
        if key in self._layouts:
            raise InvalidArgumentError(
                f"the layout map has an entry {key!r} already: {self._layouts[key]}; delete that first"
            )
        layout = TensorLayout(layout) if isinstance(layout, tuple) else layout
        if not isinstance(layout, TensorLayout):
            raise InvalidArgumentError(f"an entry of a layout map is a TensorLayout or a tuple of axes, not {layout!r}")
        if layout.device_mesh is None:
            layout.device_mesh = self.device_mesh
        self._layouts[key] = layout

    def __delitem__(self, key: str) -> None:
        del self._layouts[key]

    def __len__(self) -> int:
        return len(self._layouts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layouts)


class Distribution:
    """How the arrays of a training lie on devices; `DataParallel` and `ModelParallel` are such."""

    def __init__(self, device_mesh: DeviceMesh, batch_dim_name: str | None, auto_shard_dataset: bool = True) -> None:
        self.device_mesh = device_mesh
        self.batch_dim_name = batch_dim_name or device_mesh.axis_names[0]
        if self.batch_dim_name not in device_mesh.axis_names:
            raise InvalidArgumentError(f"the mesh has no axis {batch_dim_name!r}; it has {device_mesh.axis_names}")
        self.auto_shard_dataset = auto_shard_dataset
        self.spread = device_mesh.spread(self.batch_dim_name)

    @property
    def num_model_replicas(self) -> int:
        """In how many parts a batch is divided."""
        return self.device_mesh.shape[self.device_mesh.axis_names.index(self.batch_dim_name)]

    def get_data_layout(self, data_shape: Sequence[int | None]) -> TensorLayout:
        """The layout of a batch of a shape: divided along its first axis."""
        return TensorLayout((self.batch_dim_name, *[None] * (len(data_shape) - 1)), self.device_mesh)

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        """The layout of a variable: its own, or whole on each device."""
        own = getattr(variable, "layout", None)
        return own if own is not None else TensorLayout([None] * len(variable.shape), self.device_mesh)

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """The layout of an output of a layer, by its path: None, XLA finds one."""
        return None

    def distribute_dataset(self, dataset: Any) -> Any:
        """The dataset: with one process there is nothing to divide."""
        return dataset

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Have the distribution in effect: for variables that are made, and for models that are trained."""
        before = distribution()
        set_distribution(self)
        try:
            yield
        finally:
            set_distribution(before)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} device_mesh={self.device_mesh}>"


class DataParallel(Distribution):
    """Batches are divided over devices, variables are whole on each.

    Parameters
    ----------
    device_mesh: a grid; samples are divided over its first axis.
    devices: in place of a grid, the names of devices. All there are when both are left out.
    auto_shard_dataset: accepted as in Keras.
    """

    def __init__(
        self, device_mesh: DeviceMesh | None = None, devices: Sequence[str] | None = None,
        auto_shard_dataset: bool = True
    ) -> None:  # fmt: skip
        if device_mesh is None:
            names = list_devices() if devices is None else np.array(devices).ravel().tolist()
            device_mesh = DeviceMesh((len(names),), [BATCH], names)
        elif not isinstance(device_mesh, DeviceMesh):
            raise InvalidArgumentError(f"device_mesh is a DeviceMesh, not {device_mesh!r}")
        super().__init__(device_mesh, device_mesh.axis_names[0], auto_shard_dataset)


class ModelParallel(Distribution):
    """Batches are divided over one axis of a grid, variables as a map says.

    Parameters
    ----------
    layout_map: the layouts of variables by their paths. What an optimizer keeps for a variable lies as this does.
    batch_dim_name: the axis of the grid over which samples are divided; the first when left out.
    """

    def __init__(
        self, *, layout_map: LayoutMap | None = None, batch_dim_name: str | None = None, auto_shard_dataset: bool = True
    ) -> None:
        if not isinstance(layout_map, LayoutMap):
            raise InvalidArgumentError(f"layout_map is a LayoutMap, not {layout_map!r}")
        super().__init__(layout_map.device_mesh, batch_dim_name, auto_shard_dataset)
        self._layout_map = layout_map

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        own = getattr(variable, "layout", None)
        found = own if own is not None else self._layout_map[variable.path]
        return found if found is not None else super().get_variable_layout(variable)

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        return self._layout_map[path]


class _Here(threading.local):
    distribution: Distribution | None = None


_here = _Here()


def distribution() -> Distribution | None:
    """The distribution in effect on this thread."""
    return _here.distribution


def set_distribution(value: Distribution | None) -> None:
    """Have a distribution in effect on this thread; None: none.

    Variables of layers and optimizers that are made from now on have its layouts. `fit` and its relatives divide
    batches, and traced functions that run for the first time become programs for all of its devices.
    """
    if not isinstance(value, Distribution | None):
        raise InvalidTypeError(f"a distribution is a DataParallel, a ModelParallel or None, not {value!r}")
    _here.distribution = value
    put_in_effect(None if value is None else value.spread)


def distribute_tensor(tensor: Any, layout: TensorLayout) -> Any:
    """The tensor, of which each device of the layout's grid has its part; in a graph as it is: XLA finds a layout.

    Raises `InvalidTypeError` for what is no layout, `InvalidArgumentError` for one that has no mesh or does not fit.
    """
    if not isinstance(layout, TensorLayout):
        raise InvalidTypeError(f"a tensor is laid out by a TensorLayout, not by {layout!r}")
    mesh = layout.device_mesh
    if mesh is None:
        raise InvalidArgumentError("a layout needs a device mesh before a tensor can be laid out by it")
    tensor = convert_to_tensor(tensor.value() if isinstance(tensor, Variable) else tensor)
    if not isinstance(tensor, EagerTensor):
        return tensor
    shape = tuple(tensor.array.shape)
    if not _fits([*layout.axes, *[None] * (len(shape) - len(layout.axes))], shape, mesh):
        raise InvalidArgumentError(
            f"the layout {layout.axes} does not fit a tensor of shape {shape} on a mesh of {mesh.shape}: each axis "
            "that is divided has to be a multiple of the mesh's"
        )
    return EagerTensor(mesh.spread(mesh.axis_names[0]).placed(tensor.array, layout.axes))


def layout_for(variable: Any) -> TensorLayout | None:
    """The layout of a variable that is being made; None where no distribution is in effect.

    Raises `InvalidArgumentError` for one that does not fit its shape.
    """
    here = _here.distribution
    if here is None:
        return None
    layout = here.get_variable_layout(variable)
    if not _fits(layout.axes, variable.static_shape, here.device_mesh):
        raise InvalidArgumentError(
            f"the layout {layout.axes} does not fit the variable {variable.path!r} of shape "
            f"{tuple(variable.static_shape)} on a mesh of {here.device_mesh.shape}: each axis of the variable takes a "
            "name or None, and has to be a multiple of the mesh's axis that it is divided over"
        )
    return layout


def _fits(axes: Sequence[str | None], shape: Sequence[int], mesh: DeviceMesh) -> bool:
    sizes: dict[str | None, int] = {None: 1}
    sizes.update(zip(mesh.axis_names, mesh.shape, strict=True))
    return len(axes) == len(shape) and not any(size % sizes[axis] for size, axis in zip(shape, axes, strict=True))


leaving.public_module(__name__)
