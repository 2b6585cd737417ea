"""Items and attributes: `x[i]`, `x[i] = v`, `x[i] += v`, `o.a = v`, and what functions write outside themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from autograph.errors import MutationError
from autograph.runtime.tensors.trace import user_location

from .attributes import Owner, get_attribute, read_item
from .calls import call_method
from .data_model.special_methods import is_user_class, method
from .dispatch import Backend, Thunk, active, backend_of, backend_of_array, open_traces, owner_of
from .iteration import iterated
from .staging.heap import aliases, heap, refusals, state
from .staging.heap.identities import check_key
from .staging.heap.iterators import use as use_iterator
from .staging.heap.locations import Item
from .staging.outside import stored

_CONTAINERS = (list, dict)
_SEQUENCES = frozenset((str, bytes, tuple))
_UNCHANGEABLE = frozenset((int, float, bool, complex, *_SEQUENCES, frozenset, type(None)))


class _Items:
    """A list, dict or array whose items are stored or deleted, under a name that can't be given another one here."""

    __slots__ = ("_values",)
    _values: Any

    def __init__(self, values: Any) -> None:
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        return get_attribute(self._values, name)

    def __setattr__(self, name: str, value: object) -> None:
        staging = _staging(self._values)
        if staging is None:
            setattr(self._values, name, value)
        else:
            staging.set_attribute(self._values, name, value)

    def __delattr__(self, name: str) -> None:
        staging = _staging(self._values)
        if staging is None:
            delattr(self._values, name)
        else:
            staging.delete_attribute(self._values, name)

    def __getitem__(self, index: object) -> Any:
        return get_item(self._values, index)

    def __setitem__(self, index: object, value: object) -> None:
        set_item(value, self._values, index)

    def __delitem__(self, index: Any) -> None:
        target = mut(self._values)  # evaluating the index may have changed it
        delete_item(heap.staged(self._values) if type(target) is _Items else target, index)


SETTING = frozenset((_Items.__setattr__.__code__, _Items.__delattr__.__code__))
"""What sets and deletes attributes."""


def _staging(value: object) -> Backend | None:
    """The back end that has what an array or a staged value holds."""
    return backend_of_array(value) or backend_of(value)


def mut(obj: object) -> Any:
    """What stands for `obj` in a statement that is about to change it, which is noted."""
    if state.stack():
        if backend_of_array(obj) is not None:
            return _Items(obj)
        form = heap.staged(obj, one_key=True)
        if form is not obj and not is_user_class(type(obj)):
            return _Items(form)
        backend = backend_of(obj)
        if backend is not None:
            obj = backend.changed_object(obj)
            if backend.has_no_attributes(obj):
                return _Items(obj)
        if type(obj) in _UNCHANGEABLE:
            return _Items(obj) if type(obj) in _SEQUENCES else obj  # Python raises
        state.about_to_change(obj)
        if is_user_class(type(obj)) and owner_of(type(obj)) is None:
            refusals.refuse_unknown(obj)
            return Owner(obj)
        if type(obj) not in (list, dict):
            _store_method(obj)
        refusals.refuse_unknown(obj)
        if type(obj) in (list, dict):
            return _Items(obj)
        if refusals.hides_attributes(obj):
            return Owner(obj)
    return obj


def _store_method(obj: object) -> None:
    """A store into an object that is no plain container may run a method of its class that changes what it holds."""
    method = getattr(type(obj), "__setitem__", None)
    backend = active()
    if isinstance(method, FunctionType) and backend is not None:
        backend.watch_call(MethodType(method, obj))
    refusals.about_to_store(obj)


def outer_writes(load: Thunk) -> None:
    """Notes that the function at hand may write these outer variables: ``ag__.outer_writes(lambda: (n, g))``."""
    if state.stack():
        state.outer_writes(load)
        stored.outer_variables(load)


def resumed(sent: object, load: Thunk) -> Any:
    """What a ``yield`` gives in a generator that may write outer variables: ``ag__.resumed((yield x), lambda: (n,))``.

    The branch or turn in which the generator goes on has to see that, wherever it has begun.
    """
    outer_writes(load)
    return sent


def own_variables(load: Thunk) -> None:
    """Notes that a call has made these variables, which inner functions write: ``ag__.own_variables(lambda: (n,))``."""
    if state.stack():
        for cell in load.__closure__ or ():
            state.created(cell)


def get_item(container: object, index: object) -> Any:
    """``container[index]``."""
    aliases.use(container, one_key=True)
    reader = method(type(container), "__getitem__") if open_traces else None
    if reader is not None:
        return call_method(reader, container, index)
    staging = backend_of_array(container)
    if staging is not None:
        return staging.get_array_item(container, index)
    backend = backend_of(index, container)
    if backend is None:
        check_key(container, index)
        return read_item(container, index)
    return backend.get_item(container, index)


def set_item(value: object, container: object, index: object, load: Thunk | None = None) -> Any:
    """``container[index] = value``; returns the container, a new one when it can't be changed (a tensor).

    ``load`` reads the variable that gets the result: if that holds something else by now, it is to keep that.
    """
    changed = _set_item(value, container, index)
    return changed if load is None else kept(load, container, changed)


def kept(load: Thunk, container: object, changed: object) -> Any:
    """What a variable holds after a store into the container that it held before the indices were evaluated.

    Raises:
        MutationError: while tracing, the variable may stand for that container in some runs only.
    """
    now = load()
    if now is container:
        return changed
    if state.stack():
        location = user_location()
        raise MutationError(
            "a variable is given another value while an item of what it has held is stored",
            **({} if location is None else location._asdict()),
            construct="x[i] = v",
            remedy="evaluate the index and the value in statements before the store",
        )
    return now


def delete_item(container: Any, index: object) -> None:
    """``del container[index]``, of what stands for the container in the statement."""
    del container[0 if type(container) in _SEQUENCES else index]  # which Python refuses whatever the index


def _set_item(value: object, container: Any, index: object) -> Any:
    if open_traces and type(container) in _SEQUENCES:
        container[0] = value  # which Python refuses whatever the index
    if open_traces and method(type(container), "__setitem__") is not None:
        mut(container)[index] = value
        return container
    staging = backend_of_array(container)
    if staging is not None:
        staging.set_array_item(value, container, index)
        return container
    aliases.use(container, one_key=True)
    if open_traces and type(index) is slice and is_user_class(type(value)):
        value = iterated(value)
    backend = backend_of(container)
    if backend is None and not isinstance(container, _CONTAINERS):
        backend = backend_of(value)
    if backend is None:
        backend = _backend_of_index(index) or (backend_of(value) if type(index) is slice else None)
    if backend is not None:
        return backend.set_item(value, container, index)
    check_key(container, index)
    if state.stack():
        if type(index) is slice:
            use_iterator(value, "an assignment to a slice")
        mut(container)
        if type(container).__module__ == "weakref":
            state.hold_weakly((index, value))
        if isinstance(container, _CONTAINERS):
            stored.note(container, lambda: Item(container, index, f"{type(container).__name__}[{index!r}]"))
        else:
            refusals.refuse_item(container)
    container[index] = value
    return container


def update_item(
    container: object, index: object, operator: Callable[[Any, Any], Any], value: Thunk, load: Thunk | None = None
) -> Any:
    """``container[index] op= value()``; returns the container, as `set_item` does."""
    item = to_update(get_item(container, index))
    return set_item(operator(item, operand_of(value, sys._getframe(1).f_code)), container, index, load)


def to_update(item: object) -> Any:
    """An item that an operator is about to change, to be stored again where it has been."""
    backend = backend_of(item)
    if backend is not None:
        backend.begin_update(item)
    return item


def operand_of(value: Thunk, code: CodeType) -> Any:
    """The operand of an assignment in place, a statement of `code`."""
    try:
        return value()
    except NameError as error:
        _as_in_place(error, code)
        raise


def _as_in_place(error: NameError, code: CodeType) -> None:
    """Raises what Python raises when a variable of the function itself, which a thunk shares with it, has no value.

    Raises:
        UnboundLocalError: the thunk has failed to load such a variable.
    """
    trace = error.__traceback__
    thunk = trace.tb_next if trace is not None else None
    if thunk is not None and thunk.tb_next is None and error.name in code.co_cellvars:
        text = f"cannot access local variable {error.name!r} where it is not associated with a value"
        raise UnboundLocalError(text, name=error.name) from None


def _backend_of_index(index: object) -> Any:
    if type(index) is tuple:
        return next((found for each in index if (found := _backend_of_index(each)) is not None), None)
    if type(index) is slice:
        return backend_of(index.start, index.stop, index.step)
    return backend_of(index)
