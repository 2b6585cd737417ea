"""Staged forms of arrays: what the memory of an array holds, as a tensor that other tensors take the place of.

A store through a view is one into the memory; what a view holds is read from there. A view that the graph alone knows,
such as `a[i]` under a staged index, is a tensor computed from what the memory held: it is computed anew where the
memory has changed since, and a store into it is one into the memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import MutationError, StagedTypeError
from autograph.runtime.base.places import user_code
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.shape import index as index_ops
from autograph.runtime.ops.shape.views import rewritten
from autograph.runtime.tensors import convert
from autograph.runtime.tensors.operands import item_kind
from autograph.runtime.tensors.tensor import SymbolicTensor

from ...dispatch import backend_of
from ..control.errors import where
from ..values.specs import as_number
from . import aliases, array_memory, heap, state
from .array_memory import memory_of
from .locations import Mutable, name_of
from .state import stack

if TYPE_CHECKING:
    from autograph.runtime.base.dtypes import Array


class StagedArray(Mutable):
    """What the memory of an array holds."""

    __slots__ = ("__weakref__", "_constants", "_kind", "_memory", "_state", "first", "name")

    def __init__(self, memory: Any, name: str) -> None:
        self._memory = array_memory.weak(memory)
        self._kind = array_memory.kind_of(memory)
        self.name = name or "an array"
        self._constants: dict[Any, Any] = {}
        if type(memory) is np.ndarray:
            self.first: Any = convert.wrap(np.array(memory, order="C"))
        else:
            self.first = SymbolicTensor(memory.value)
        self._state = self.first

    @property
    def memory(self) -> Any:
        """The array, or graph tensor, that stands for the memory; None when nobody has it any more."""
        return self._memory()

    @property
    def is_changed(self) -> bool:
        """Whether the memory holds something else than the array of Python."""
        return self._state is not self.first

    def get_state(self) -> Any:
        return self._state

    def set_state(self, state: Any) -> None:
        is_array = type(state) is SymbolicTensor and state.python is not None
        self._state = SymbolicTensor(state.value) if is_array else state

    def read(self, view: object) -> Any:
        """What a view holds now: a tensor, or the array itself where Python knows."""
        if type(view) is SymbolicTensor:
            memory = self.memory
            is_memory = type(memory) is SymbolicTensor and view.value is memory.value
            return self.at(None) if is_memory else _read_again(view)
        return self.at(_places(self.memory, view)) if self.is_changed else view

    def tensor(self, view: object) -> Any:
        """What a view holds now, as a tensor."""
        return self.read(view) if type(view) is SymbolicTensor else self.at(_places(self.memory, view))

    def at(self, places: object) -> Any:
        """What the memory holds now at some places of it, or (None) at all: a tensor."""
        state = self._state
        if places is None:
            made = SymbolicTensor(state.value, self._kind) if type(state) is SymbolicTensor else state
        elif self.is_changed:
            flat = OPS["reshape"](state, shape=(-1,))
            made = as_number(index_ops.get_item(flat, places), self._kind)
        else:
            made = self._constant(places)
        array_memory.note_read(made, self, state, places)
        return made

    def _constant(self, places: Any) -> Any:
        """What the array of Python holds at some places."""
        key = places.shape, places.tobytes()
        if key not in self._constants:
            self._constants[key] = convert.wrap(self.first.array.reshape(-1)[places])
        return self._constants[key]

    def write(self, view: object, new: object) -> None:
        """Has a view hold something else."""
        if type(view) is SymbolicTensor:
            _write(view.value, new)
        else:
            self.put(_places(self.memory, view), new)

    def put(self, places: Any, new: object) -> None:
        """Has the memory hold something else at some places of it, or (None) at all."""
        if places is not None:
            flat = OPS["reshape"](self._state, shape=(-1,))
            made = index_ops.set_item(flat, places.reshape(-1), OPS["reshape"](new, shape=(-1,)))
            new = OPS["reshape"](made, shape=self.first.static_shape)
        self.set_state(new)


def _places(memory: Array, view: object) -> Any:
    if view is memory:
        return None
    found = array_memory.places_in(memory, view)
    if found is None:
        raise MutationError(
            "an array whose memory staged code changes is used as one of another dtype; a graph can't tell what it "
            "holds",
            **where(),
            construct="view",
            remedy="use x.astype(...), a copy, in place of x.view(...)",
        )
    return found


def form_of(array: object) -> StagedArray:
    """The staged form of the memory of an array, which gets one if it has none."""
    memory = memory_of(array)
    form = array_memory.form_of(memory)
    if form is None:
        form = StagedArray(memory, name_of(array))
        heap.stage_array(memory, form)
        for journal in stack():
            if journal.is_created(memory):
                journal.created(form)
            journal.note(form, form.name)
    return form


def changing(array: object) -> StagedArray:
    """The staged form of an array that is about to be changed, which is noted."""
    if type(array) is np.ndarray and not array.flags.writeable:
        raise ValueError("assignment destination is read-only")
    _check_owner(array)
    memory = memory_of(array)
    aliases.change(memory)
    form = form_of(array)
    place = user_code()
    for journal in stack():
        journal.announce(form, place)
    return form


def _check_owner(array: Any) -> None:
    """Refuses a change of an array whose memory is that of something else, which would not see it.

    Raises:
        MutationError: it is one.
    """
    owners = array_memory.owners(array)
    if owners:
        base = memory_of(array).base
        kind = type(owners[0] if isinstance(base, memoryview) else base).__name__
        raise MutationError(
            f"an array that looks into the memory of a {kind} is changed by staged code; the {kind} would not see that",
            **where(),
            construct=kind,
            remedy="change a copy, np.array(x), or use the array under an np.nditer itself: "
            "for i in np.ndindex(x.shape): x[i] = ...",
        )


def note(array: object) -> None:
    """Notes what an array holds that Python itself is about to change."""
    for each in (memory_of(array), *array_memory.owners(array)):
        state.about_to_change(each)


def must_stage(array: object, *values: object) -> bool:
    """Whether a change of an array that is about to be made is one of the graph: what it is made of, or whether it is
    made, only a run knows."""
    memory = memory_of(array)
    if type(memory) is SymbolicTensor or array_memory.form_of(memory) is not None:
        return True
    if aliases.is_known(memory) or any(is_staged(each) for each in values):
        return True
    if any(not (journal.outermost or journal.is_created(memory)) for journal in stack()):
        return True
    _changed_in_python(array, memory)
    return False


def _changed_in_python(array: object, memory: Array) -> None:
    """Notes that Python changes an array at the top of a trace, which is taken back if that is thrown away."""
    for journal in stack():
        for each in (memory if type(memory) is np.ndarray else array, *array_memory.owners(array)):
            if journal.outermost and not journal.is_created(each):
                journal.announce(each, user_code())


def is_staged(value: object) -> bool:
    """Whether only a run knows a value, or a part of an index."""
    if type(value) is slice:
        return is_staged((value.start, value.stop, value.step))
    if isinstance(value, (list, tuple)):
        return any(map(is_staged, value))
    return backend_of(value) is not None


def current(array: object) -> Any:
    """What an array holds now, as a tensor."""
    aliases.use(array)
    if array_memory.owners(array):  # its owner may be changed meanwhile, unseen
        return convert.wrap(np.array(array))
    return form_of(array).tensor(array)


def get_item(array: object, index: Any) -> Any:
    """``array[index]``: a view that NumPy makes, where it makes one."""
    aliases.use(array)
    if type(array) is np.ndarray and not is_staged(index):
        found = array[index]
        if type(found) is np.ndarray and memory_of(found) is memory_of(array):
            return found
        if not heap.has_form(array):
            return found
    item = current(array)[index]
    return as_number(item, array_memory.kind_of(array) and item_kind(item, index))


def set_item(value: object, array: Any, index: object) -> None:
    """``array[index] = value``."""
    if not must_stage(array, index, value):
        note(array)
        array[index] = value
        return
    form = changing(array)
    form.write(array, index_ops.set_item(form.tensor(array), index, heap.given(value)))


def set_attribute(array: Any, name: str, value: object) -> None:
    """``array.name = value``.

    Raises:
        MutationError: the array gets another form, or other items, but is older than the trace or the staged body, or
            only a run knows what it holds.
    """
    is_form = name not in ("flat", "real", "imag")
    if name in _INSTEAD and (must_stage(array, value) or (is_form and not _is_new(array))):
        raise MutationError(
            f"`{name}` is set of an array that is older than this function, branch or loop, or of which only a run of "
            "the graph knows what it holds; a graph can't carry that change",
            **where(),
            construct=f"x.{name} = ...",
            remedy=_INSTEAD[name],
        )
    note(array)
    setattr(array if type(array) is np.ndarray else np.empty(()), name, value)  # which raises for all other names


_INSTEAD = {
    "shape": "make another array of that shape: x = x.reshape(shape)",
    "dtype": "convert it by x.astype(dtype), or take its bytes for another dtype's by tf.bitcast(x, dtype)",
    "strides": "make a view by an index, or x.T",
    "flat": "store into all items: x[...] = value",
    "real": "make another array: x = value + 1j * x.imag",
    "imag": "make another array: x = x.real + 1j * value",
    "data": "store into all items: x[...] = value",
}


def _is_new(array: Any) -> bool:
    """Whether an array has been made in the innermost staged body; of a view at the top of a trace, its memory."""
    memory = memory_of(array)
    return all(each.is_created(array) or (each.outermost and each.is_created(memory)) for each in stack())


def store(array: object, made: Any, casting: Any = "same_kind") -> None:
    """``array[...] = made``, for what a function of NumPy gives."""
    form = changing(array)
    old = form.tensor(array)
    made = convert.convert_to_tensor(heap.given(made))
    if made.dtype is not old.dtype:
        if not np.can_cast(made.dtype.numpy, old.dtype.numpy, casting):
            raise StagedTypeError(
                f"an array of dtype {old.dtype.name} can't hold what an operation in place gives: {made.dtype.name}",
                **where(),
                construct="NumPy array",
                remedy=f"make the array one of {made.dtype.name}, or write x = x + y",
            )
        made = convert.cast(made, old.dtype)
    shape = old.static_shape
    is_whole = shape is not None and None not in shape and made.static_shape == shape
    if is_whole and array_memory.is_known(made):  # else the two would be taken for one
        made = OPS["identity"](made)
    form.write(array, made if is_whole else index_ops.set_item(old, Ellipsis, made))


def _read_again(tensor: SymbolicTensor) -> Any:
    """A tensor that is computed from what memory held, from what that holds now."""
    return tensor if _is_current(tensor) else as_number(_computed(tensor.value), tensor.python)


def _is_current(tensor: SymbolicTensor) -> bool:
    for value in array_memory.chain(tensor):
        form, found = array_memory.form_at(value), array_memory.read_at(value)
        if form is not None:
            return not form.is_changed
        if found is not None:
            return found.state is found.form.get_state()
    return True


def _computed(value: Any) -> Any:
    value = _origin(value)
    form, found = array_memory.form_at(value), array_memory.read_at(value)
    if form is not None:
        return form.at(None)
    if found is not None:
        return found.form.at(found.places)
    node = value.node
    first, *others = node.inputs
    return node.op(_computed(first), *map(SymbolicTensor, others), **node.attributes)


def _origin(value: Any) -> Any:
    while True:
        origin = value.node.graph.origins.get(value)
        if origin is None:
            return value
        value = origin


def _write(value: Any, new: Any) -> None:
    """Has the memory of which a value is a view hold what gives the view something else."""
    value = _origin(value)
    form, found = array_memory.form_at(value), array_memory.read_at(value)
    if form is not None:
        form.put(None, new)
        return
    if found is not None:
        found.form.put(found.places, new)
        return
    first = value.node.inputs[0]
    _write(first, rewritten(value, _computed(first), new))


def update(binary: Any, array: object, other: object) -> Any:
    """``array op= other``; returns the array. NotImplemented where Python does it."""
    if not must_stage(array, other):
        note(array)
        return NotImplemented
    form = changing(array)
    store(array, binary(form.read(array), heap.given(other)))
    return array
