"""`tf.experimental.dlpack`: tensors that are handed to other libraries, and made of what those hand over, by DLPack.

A tensor never changes. So it is handed over as memory that may only be read, to NumPy, which heeds that. Others get a
copy, made on the device: PyTorch does not heed it, and JAX and capsules have no way to say it. `torch.from_dlpack(x,
copy=False)` shares the memory, for those who do not write to it. What comes from a library that may write to it later
(NumPy, PyTorch, CuPy) is copied, on the device where it is; arrays of JAX and tensors of TensorFlow never change, and
are taken as they are.

>>> import numpy as np
>>> import autograph as tf
>>> array = np.from_dlpack(tf.constant([1, 2]))
>>> array, array.flags.writeable
(array([1, 2], dtype=int32), False)
>>> from_dlpack(np.array([1.5]))
<tf.Tensor: shape=(1,), dtype=float64, numpy=array([1.5])>
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.tracebacks import leaving

from ..base import copies
from ..base.dtypes import from_numpy
from ..tensors.array_methods import EXPORTED
from ..tensors.convert import ADOPTED, convert_to_tensor
from ..tensors.tensor import EagerTensor, SymbolicTensor
from .device_tensor import DeviceTensor
from .xla import machine

__all__ = ["from_dlpack", "to_dlpack"]

_CPU, _CUDA_HOST = 1, 3
_WITH_READ_ONLY = (1, 0)
"""The first version of DLPack that can say that memory may only be read."""


def to_dlpack(tf_tensor: Any) -> Any:
    """A capsule with a tensor, for the functions of other libraries that take one, as `torch.utils.dlpack.from_dlpack`.

    It holds a copy, as a capsule can't say that it may only be read.

    Raises `TypeError` for tensors of strings and of graphs.
    """
    return convert_to_tensor(tf_tensor).__dlpack__()


def from_dlpack(dlcapsule: Any, copy: bool | None = None) -> Any:
    """A tensor with what an object with a method ``__dlpack__``, or a capsule, holds: on the device where that is.

    copy: None: unless it never changes. True: always. False: never; the caller promises that nobody writes to it.

    Raises `TypeError` for other objects, `ValueError` for element types that tensors don't have.
    """
    given = _Capsule(dlcapsule) if type(dlcapsule).__name__ == "PyCapsule" else dlcapsule
    if isinstance(given, SymbolicTensor) or not hasattr(given, "__dlpack__"):
        raise InvalidTypeError(f"a tensor is made of what has a method __dlpack__, or of a capsule, not of {given!r}")
    if isinstance(given, EagerTensor):
        return given
    copies_it = not _never_changes(given) if copy is None else copy
    if given.__dlpack_device__()[0] in (_CPU, _CUDA_HOST):
        return _from_host(given, copies_it)
    return _from_device(given, copies_it)


def _from_host(given: Any, copies_it: bool) -> EagerTensor:
    try:
        array = np.from_dlpack(given)
        from_numpy(array.dtype)
    except (TypeError, RuntimeError, BufferError) as error:
        raise InvalidArgumentError(f"no tensor can hold that: {error}") from None
    if copies_it:
        return EagerTensor(array.copy())
    if _is_of_jax(given):
        copies.keep(array, given)
    return EagerTensor(array)


def _from_device(given: Any, copies_it: bool) -> EagerTensor:
    machine.devices()
    import jax

    with jax.enable_x64(True):
        held = given if _is_of_jax(given) else jax.dlpack.from_dlpack(given)
        # the owner may write to it as soon as this returns
        found = DeviceTensor(held.copy().block_until_ready() if copies_it else held)
    from_numpy(np.dtype(found.held.dtype))
    return found


def _is_of_jax(given: object) -> bool:
    return type(given).__module__.partition(".")[0] in ("jax", "jaxlib")


def _never_changes(given: object) -> bool:
    return _is_of_jax(given) or type(given).__module__.partition(".")[0] == "tensorflow"


@ADOPTED.give
def adopted(value: Any) -> EagerTensor | None:
    """A tensor for an array of another library that NumPy does not have to copy, or can't; None for others."""
    try:
        is_here = value.__dlpack_device__()[0] in (_CPU, _CUDA_HOST)
        return None if is_here and not _never_changes(value) else from_dlpack(value)
    except Exception:  # such as of an element type that DLPack does not have: others know what to do with it
        return None


class _Capsule:
    """A capsule as an object that hands it over."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: object) -> object:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        """The device, which stands behind the pointer to the data; before that the versioned form has 32 bytes."""
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        is_valid = ctypes.pythonapi.PyCapsule_IsValid
        is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
        for name, start in ((b"dltensor", 0), (b"dltensor_versioned", 32)):
            if is_valid(self._capsule, name):
                device = (ctypes.c_int32 * 2).from_address(get(self._capsule, name) + start + 8)
                return device[0], device[1]
        raise InvalidArgumentError("the capsule holds no tensor any more", remedy="a capsule can be used only once")


@EXPORTED.give
def exported(tensor: EagerTensor, **keywords: Any) -> Any:
    """``tensor.__dlpack__(stream=…, max_version=…, dl_device=…, copy=…)``, of what is in Python's memory."""
    if tensor.dtype.kind not in "biufc":
        raise InvalidTypeError(
            f"DLPack has no element type {tensor.dtype.name}: other libraries get only numbers and truth values by it",
            remedy="hand on x.numpy()",
        )
    array = tensor.array.view()
    array.flags.writeable = False
    version, copy = keywords.get("max_version") or (0, 0), keywords.get("copy")
    heeds = version >= _WITH_READ_ONLY and "copy" in keywords  # PyTorch says nothing of copies unless it is told to
    if copy or (copy is None and not heeds):
        array = array.copy()
    given = {name: keywords[name] for name in ("max_version", "dl_device") if keywords.get(name) is not None}
    return array.__dlpack__(**given)


leaving.public_module(__name__)
