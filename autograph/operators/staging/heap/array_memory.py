"""NumPy arrays as objects of the heap: which memory an array is a view of, and what that holds where a graph tells.

An array is known by its memory: the array at the end of its chain of bases. A view that Python code makes is an array
itself, whose place in the memory NumPy tells; so what staged code stores through one view or name, it reads through all
others. What NumPy functions give for staged values are graph tensors that stand for arrays: each is memory of its own,
unless it is computed as an item, or another form, of what some memory held: then it is a view of that.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograph.runtime.ir.primitive import CONSTANT
from autograph.runtime.tensors.in_place import viewed
from autograph.runtime.tensors.tensor import SymbolicTensor

from ...data_model.raw_attributes import raw_attribute

if TYPE_CHECKING:
    from autograph.runtime.base.dtypes import Array

    from .array_forms import StagedArray

_KINDS = "biufc"


class Read(NamedTuple):
    """A value of a graph that was read from memory: what it held in some state at some places, or (None) at all."""

    held: Any
    form: StagedArray
    state: Any
    places: Any


class _Local(threading.local):
    def __init__(self) -> None:
        self.forms: dict[int, StagedArray] = {}
        """The staged forms, by identity of the memory: of an array, or of the value of a graph tensor."""
        self.read: dict[int, Read] = {}
        """By identity, the values that were read from memory."""
        self.tensors: dict[int, SymbolicTensor] = {}
        """By identity of their values, the graph tensors that have been asked for as memory."""
        self.mixed: dict[int, Any] = {}
        """By identity, the values that are a tensor in one branch and an array in another."""


_local = _Local()


def is_array(value: Any) -> bool:
    """Whether a value is an array that may change: one of NumPy, or a graph tensor that stands for one."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype.kind in _KINDS
    return kind is SymbolicTensor and (value.python is np.ndarray or is_mixed(value)) and value.static_shape != ()


def note_mixed(tensor: object) -> Any:
    """Notes that a graph tensor stands for an array in one branch, or turn, and for a tensor in another."""
    if type(tensor) is SymbolicTensor:
        _local.mixed[id(tensor.value)] = tensor.value
    return tensor


def is_mixed(tensor: object) -> bool:
    """Whether a graph tensor stands for an array in one branch and for a tensor in another, or is a view of such.

    To other tensors it is a tensor; what is stored into it is stored into the array.
    """
    if not _local.mixed or type(tensor) is not SymbolicTensor or tensor.python is not None:
        return False
    for value in chain(tensor):
        if id(value) in _local.mixed:
            return True
        found = read_at(value)
        if found is not None:
            memory = found.form.memory
            return type(memory) is SymbolicTensor and id(memory.value) in _local.mixed
    return False


def kind_of(array: object) -> type | None:
    """What graph tensors stand for that are read from an array: an array, or (None) a tensor."""
    return array.python if type(array) is SymbolicTensor else np.ndarray


def is_tensor(value: object) -> bool:
    """Whether a value is a graph tensor that stands for an array."""
    return type(value) is SymbolicTensor and is_array(value)


def memory_of(value: Any) -> Any:
    """What stands for the memory of an array: the array at the end of its chain of bases, or a graph tensor.

    Everything else stands for itself.
    """
    kind = type(value)
    if kind is np.ndarray:
        while isinstance(value.base, np.ndarray):
            value = value.base
    elif is_tensor(value):
        return _memory_of_tensor(value)
    return value


def _memory_of_tensor(tensor: SymbolicTensor) -> Any:
    base: Any = tensor.value
    for base in chain(tensor):
        found = form_at(base) or read_at(base)
        if found is not None:
            return found.form.memory if isinstance(found, Read) else found.memory
    known = _local.tensors.get(id(base))
    if known is None:
        known = tensor if base is tensor.value else SymbolicTensor(base, tensor.python)
        _local.tensors[id(base)] = known
    return known


OF_C: type = ctypes.c_int.__mro__[-2]  # the base of all data of `ctypes`


def seen_through(value: object) -> list[Any]:
    """The arrays whose memory something looks into that is no array which the graph follows."""
    if isinstance(value, np.ndarray):
        is_followed = type(value) is np.ndarray and memory_of(value).base is None
        return [] if is_followed else [_root(value)]
    if isinstance(value, np.ndenumerate):
        value = value.iter  # type: ignore[attr-defined]
    if isinstance(value, np.nditer):
        return list(map(_root, value.operands))
    if isinstance(value, np.broadcast):
        return [_root(each.base) for each in value.iters]
    if isinstance(value, OF_C):  # `from_buffer` keeps a memoryview of what it looks into, `as_ctypes` the array
        objects = raw_attribute(value, "_objects")
        kept = (*(objects.values() if isinstance(objects, dict) else (objects,)), *vars(value).values())
        return [_root(each) for each in kept if isinstance(each, (memoryview, np.ndarray))]
    return [_root(value)] if isinstance(value, (np.flatiter, memoryview)) else []


def _root(value: object) -> Any:
    """What owns the memory of an array, or of what looks into one."""
    while True:
        base = value.obj if isinstance(value, memoryview) else getattr(value, "base", None)
        if base is None:
            return value
        value = base


def owners(array: object) -> list[Any]:
    """What owns the memory of an array, if that is no array which the graph follows: what `np.frombuffer` is given, the
    arrays under an `np.nditer` or under a view of `as_strided`."""
    base = memory_of(array).base if type(array) is np.ndarray else None
    return [] if base is None else seen_through(base) or [_root(base)]


def is_whole(value: Any) -> bool:
    """Whether an array is its memory itself, no view."""
    memory = memory_of(value)
    return value is memory or (is_tensor(value) and is_tensor(memory) and value.value is memory.value)


def key_of(memory: Array) -> int:
    return id(memory.value) if type(memory) is SymbolicTensor else id(memory)


def form_at(value: object) -> StagedArray | None:
    """The form of the memory that the value of a graph tensor stands for."""
    found = _local.forms.get(id(value))
    memory = None if found is None else found.memory
    return found if type(memory) is SymbolicTensor and memory.value is value else None


def read_at(value: object) -> Read | None:
    """From which memory a value of a graph was read itself."""
    held = _held(value)
    found = _local.read.get(id(held))
    return found if found is not None and found.held is held else None


def _held(value: Any) -> Any:
    return value.node.attributes["value"] if value.node.op is CONSTANT else value


def chain(tensor: SymbolicTensor) -> Iterator[Any]:
    """The value of a tensor, and those of which it would be a view."""
    value: Any = tensor.value
    while value is not None:
        yield value
        origin = value.node.graph.origins.get(value)
        value = viewed(value) if origin is None else origin


def is_known(tensor: object) -> bool:
    """Whether a tensor may be what another array holds, or a view of it."""
    if type(tensor) is not SymbolicTensor:
        return False
    return any(form_at(each) or read_at(each) or id(each) in _local.tensors for each in chain(tensor)) or (
        len(list(chain(tensor))) > 1 or tensor.value in tensor.value.node.graph.parameters
    )


def any_forms() -> bool:
    return bool(_local.forms)


def form_of(memory: Any) -> StagedArray | None:
    """The staged form of memory, if it has one."""
    found = _local.forms.get(key_of(memory))
    return found if found is not None and found.memory is memory else None


def known_form(value: object) -> StagedArray | None:
    """The staged form of the memory of an array, if it has one; None for all else."""
    return form_of(memory_of(value)) if _local.forms and is_array(value) else None


def stage(memory: Any, form: StagedArray) -> None:
    """Gives memory a staged form."""
    _local.forms[key_of(memory)] = form


def note_read(tensor: Any, form: StagedArray, state: object, places: object) -> None:
    """Notes that a tensor is what memory holds in some state, see `Read`."""
    held = _held(tensor.value) if type(tensor) is SymbolicTensor else tensor.array
    if id(held) not in _local.read:
        _local.read[id(held)] = Read(held, form, state, places)


def forms() -> list[StagedArray]:
    return list(_local.forms.values())


def forget() -> int:
    """Called when a trace ends; returns how many forms there were."""
    count = len(_local.forms)
    _local.__init__()  # type: ignore[misc]
    return count


def places_in(memory: Any, view: Any) -> Any:
    """For each element of a view, the place in its memory, whose elements are counted in their order.

    None where the view has another dtype, or its elements lie across those of the memory.
    """
    if view.dtype != memory.dtype:
        return None
    found = _offsets(view, memory)
    own = _offsets(memory, memory)
    if found is None or own is None:
        return None
    own = own.reshape(-1)
    if own.size and not np.array_equal(own, np.arange(own.size)):
        order = np.argsort(own, kind="stable")
        found = order[np.searchsorted(own[order], found)]
    return found


def _offsets(view: Any, memory: Any) -> Any:
    """How many elements the elements of a view are behind the first one of the memory."""
    size = memory.itemsize
    start = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    if start % size or any(stride % size for stride in view.strides):
        return None
    found = np.full(view.shape, start // size, np.int64)
    for axis, (length, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        shape = [1] * view.ndim
        shape[axis] = length
        found += (np.arange(length) * (stride // size)).reshape(shape)
    return found


def weak(memory: Array) -> Any:
    """A function that gives memory as long as there is any use of it."""
    return weakref.ref(memory) if type(memory) is np.ndarray else lambda: memory
