"""Eager tensors whose values are on a device, and come to Python when Python looks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import atomic, copies
from ..base.devices import device_of
from ..base.dtypes import DType, from_numpy
from ..base.shapes import Shape
from ..tensors.array_methods import EXPORTED
from ..tensors.tensor import EagerTensor

__all__ = ["DeviceTensor", "OnDevice", "held_by", "of_its_own", "tensor_of"]


class DeviceTensor(EagerTensor):
    """An eager tensor on a device. Its ``array`` is made when it is first asked for: other tensors pay nothing.

    held: the array of JAX's.
    """

    __slots__ = ("_place", "held")

    def __init__(self, held: Any) -> None:
        self.held = held

    def __getattr__(self, name: str) -> Any:
        if name == "array":
            return self._filled()
        if name == "_place":
            self._place = np.empty(self.held.shape, self.held.dtype)
            return self._place
        return super().__getattr__(name)

    def _filled(self) -> np.ndarray[Any, Any]:
        array = copies.to_host(self.held, device_of(self.held).short)
        if self.has_place:
            np.copyto(self._place, array)
            array = self._place
        else:
            array = array.view()  # others may have the same
        copies.keep(array, self.held)
        self.array = array
        return array

    @property
    def has_place(self) -> bool:
        """Whether it is known which array ``array`` is to be."""
        try:
            object.__getattribute__(self, "_place")
        except AttributeError:
            return False
        return True

    @property
    def is_here(self) -> bool:
        """Whether Python has the value already."""
        try:
            object.__getattribute__(self, "array")
        except AttributeError:
            return False
        return True

    @property
    def place(self) -> np.ndarray[Any, Any]:
        """The array that ``array`` is, or will be when it is asked for. Gradient tapes know tensors by that."""
        return self.array if self.is_here else self._place

    @property
    def device(self) -> str:  # type: ignore[override]
        return device_of(self.held).name

    @property
    def dtype(self) -> DType:
        return from_numpy(np.dtype(self.held.dtype))

    @property
    def static_shape(self) -> Shape:
        return self.held.shape

    def __dlpack__(self, **keywords: Any) -> Any:
        if self.held.__dlpack_device__()[0] == 1:  # memory of a CPU's
            return EXPORTED.function(self, **keywords)
        # JAX can't say that it may only be read
        return self.held.__dlpack__(**{**keywords, "copy": keywords.get("copy") is not False})

    def __dlpack_device__(self) -> tuple[Any, int]:
        return self.held.__dlpack_device__()

    def __len__(self) -> int:
        return self.held.shape[0] if self.held.shape else super().__len__()


class OnDevice:
    """The attribute ``array`` of what may be resident on a device, while it is not set: it is set when it is read.

    It is no data descriptor, so that reading what is set calls nothing. The object has ``resident``.
    """

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        held = instance.held
        if held is None or isinstance(held, np.ndarray):
            return held
        array = copies.to_host(held, device_of(held).short)
        with atomic.lock:
            if instance.held is held:
                instance.array, instance.resident = array, None
        return instance.array


def tensor_of(held: Any) -> EagerTensor:
    """An eager tensor with a value, wherever that is."""
    return EagerTensor(held) if type(held) is np.ndarray else DeviceTensor(held)


def of_its_own(tensor: EagerTensor) -> EagerTensor:
    """A tensor with the same value that tapes take for another one."""
    return DeviceTensor(tensor.held) if type(tensor) is DeviceTensor else EagerTensor(tensor.array.view())


def held_by(tensor: EagerTensor) -> Any:
    """What a tensor holds where it is: an array of NumPy's, or one of JAX's."""
    return tensor.held if type(tensor) is DeviceTensor else tensor.array
