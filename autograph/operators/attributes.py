"""Attributes: `o.a`, `o.a = v`, `del o.a`, with the user's properties, descriptors and `__getattr__` converted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property, singledispatchmethod
from typing import Any

from numpy import flatiter, ndarray

from autograph.errors import MutationError
from autograph.runtime.base.dtypes import Array
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import user_location

from .calls import call, call_method
from .data_model.raw_attributes import raw_attribute
from .data_model.single_dispatch import generic_method
from .data_model.special_methods import MISSING, is_convertible, is_user_class, lookup, method, mro
from .dispatch import active, backend_of, backend_of_array, open_traces
from .staging.control.refused import is_refusal
from .staging.heap import refusals, state
from .staging.heap.aliases import use
from .staging.heap.array_memory import OF_C, is_array, memory_of
from .staging.heap.forms import Form
from .staging.heap.heap import check_window, has_form, staged
from .staging.heap.iterators import note_made
from .staging.heap.locations import Attribute
from .staging.outside import stored
from .staging.values.chosen import Chosen


def get_attribute(obj: Any, name: str) -> Any:
    """``obj.name``."""
    use(obj)
    cls = type(obj)
    if cls is ndarray and has_form(obj):
        return _of_array(obj, name)
    if cls is SymbolicTensor:
        staging = active()
        return getattr(obj, name) if staging is None else staging.get_attribute(obj, name)
    if cls is super:
        return _of_super(obj, name)
    if issubclass(cls, type) and is_user_class(obj):
        found = lookup(mro(obj), name)
        getter = method(type(found), "__get__")
        if getter is not None and lookup(mro(cls), name) is MISSING:
            return call_method(getter, found, None, obj)
    if issubclass(cls, (Form, Chosen)):
        staging = active()
        return getattr(obj, name) if staging is None else staging.get_attribute(obj, name)
    if name == "__dict__" and hasattr(obj, name):
        return call(vars)(obj)
    if not is_user_class(cls):
        check_window(obj)
        found = getattr(obj, name)
        return note_made(found, (obj,)) if type(found) is flatiter else found
    if issubclass(cls, OF_C):
        check_window(obj)
    try:
        reader = method(cls, "__getattribute__")
        if reader is not None:
            return call_method(reader, obj, name)
        return _read(obj, mro(cls), name, _native_reader(cls))
    except AttributeError as error:
        fallback = method(cls, "__getattr__")
        if fallback is None or is_refusal(error):
            raise
    return call_method(fallback, obj, name)


def _of_array(array: Array, name: str) -> Any:
    """An attribute of an array of which only a run knows what it holds: views and methods are those of the array."""
    found = getattr(array, name)
    if callable(found) or name in ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides"):
        return found
    if is_array(found) and memory_of(found) is memory_of(array):
        return found
    return getattr(staged(array), name)


def _native_reader(cls: type) -> Callable[[Any, str], Any]:
    """What reads an attribute as Python does, but for a `__getattr__` that is converted."""
    if method(cls, "__getattr__") is None:
        return getattr
    native: Any = cls
    return lambda obj, name: native.__getattribute__(obj, name)


def _of_super(obj: Any, name: str) -> Any:
    owner = obj.__self__
    if owner is None or isinstance(owner, type):
        return getattr(obj, name)
    classes = mro(obj.__self_class__)
    return _read(owner, classes[classes.index(obj.__thisclass__) + 1 :], name, lambda _, name: getattr(obj, name))


def _read(obj: object, mro: tuple[type, ...], name: str, native: Callable[[Any, str], Any]) -> Any:
    found = lookup(mro, name)
    kind = type(found)
    if isinstance(found, property) and kind.__get__ is property.__get__:
        if is_convertible(found.fget):
            return call(found.fget)(obj)
    elif isinstance(found, cached_property) and kind.__get__ is cached_property.__get__:
        if is_convertible(found.func) and name not in vars(obj):
            return _cached(obj, name, call(found.func)(obj))
    elif isinstance(found, singledispatchmethod):
        return generic_method(found, obj, type(obj))
    else:
        getter = method(kind, "__get__")
        is_data = hasattr(kind, "__set__") or hasattr(kind, "__delete__")
        if getter is not None and (is_data or name not in raw_attribute(obj, "__dict__", ())):
            return call_method(getter, found, obj, type(obj))
    return native(obj, name)


def _cached(obj: object, name: str, value: object) -> Any:
    """Keeps the value of a ``cached_property``.

    Raises:
        MutationError: the object is older than the trace, or than the branch: only the run knows the value, or whether
            there is one, but what the object holds decides about later traces and later lines.
    """
    journals = state.stack()
    backend = active()
    if journals and not journals[-1].is_created(obj):
        if (backend is not None and backend.in_body()) or _is_staged(value):
            location = user_location()
            raise MutationError(
                f"the cached property `{type(obj).__name__}.{name}` of an object that is older than the "
                f"{'staged branch or loop' if backend is not None and backend.in_body() else 'trace'} is computed: "
                "a graph can't keep its value in the object",
                **({} if location is None else location._asdict()),
                construct="cached_property",
                remedy="use a property, or read it once before",
            )
        state.about_to_change(obj)
    vars(obj)[name] = value
    return value


def _is_staged(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_staged, value))
    if isinstance(value, dict):
        return any(map(_is_staged, value.values()))
    backend = backend_of(value)
    return backend is not None and not backend.is_lasting(value)


def set_attribute(obj: object, name: str, value: object) -> None:
    """``obj.name = value``, for an object that is noted as changed already."""
    cls = type(obj)
    writer = method(cls, "__setattr__")
    if writer is not None:
        call_method(writer, obj, name, value)
    elif not _through_descriptor(obj, cls, name, "fset", "__set__", value):
        refusals.refuse_field(obj, name)
        refusals.refuse_kept_attribute(obj, name, value)
        stored.note(obj, lambda: Attribute(obj, name))
        setattr(obj, name, value)


def delete_attribute(obj: object, name: str) -> None:
    """``del obj.name``, for an object that is noted as changed already."""
    cls = type(obj)
    writer = method(cls, "__delattr__")
    if writer is not None:
        call_method(writer, obj, name)
    elif not _through_descriptor(obj, cls, name, "fdel", "__delete__"):
        backend = active()
        if backend is not None:
            backend.before_delete(obj, name)
        delattr(obj, name)


def _through_descriptor(obj: object, cls: type, name: str, accessor: str, special: str, *values: object) -> bool:
    """Stores or deletes through a property or another descriptor of the class; whether there is one to convert."""
    if lookup(mro(cls), "__setattr__" if values else "__delattr__") not in _PLAIN_STORES:
        return False
    found = lookup(mro(cls), name)
    function = getattr(found, accessor) if type(found) is property else None
    if function is not None and is_convertible(function):
        call(function)(obj, *values)
        return True
    writer = method(type(found), special)
    if writer is None:
        return False
    call_method(writer, found, obj, *values)
    return True


_PLAIN_STORES = (object.__setattr__, object.__delattr__)


class Owner:
    """An object of a user's class as the target of stores and deletions: they run converted methods."""

    __slots__ = ("_obj",)
    _obj: Any

    def __init__(self, obj: object) -> None:
        object.__setattr__(self, "_obj", obj)

    def __getattribute__(self, name: str) -> Any:
        return get_attribute(_object_of(self), name)

    def __setattr__(self, name: str, value: object) -> None:
        set_attribute(_object_of(self), name, value)

    def __delattr__(self, name: str) -> None:
        delete_attribute(_object_of(self), name)

    def __getitem__(self, index: object) -> Any:
        return get_subscript(_object_of(self), index)

    def __setitem__(self, index: object, value: object) -> None:
        obj = _object_of(self)
        writer = method(type(obj), "__setitem__")
        if writer is None:
            refusals.refuse_item(obj)
            staged(obj)[index] = value
        else:
            call_method(writer, obj, index, value)

    def __delitem__(self, index: object) -> None:
        obj = _object_of(self)
        writer = method(type(obj), "__delitem__")
        if writer is None:
            del staged(obj)[index]
        else:
            call_method(writer, obj, index)


def _object_of(owner: Owner) -> Any:
    return object.__getattribute__(owner, "_obj")


def read_item(container: Any, index: object) -> Any:
    """``container[index]`` of what Python holds; a dict that makes up what is missing may get the key by that."""
    makes_up = isinstance(container, dict) and type(container) is not dict
    if makes_up and state.stack() and not dict.__contains__(container, index):
        state.about_to_change(container)
        maker = method(type(container), "__missing__")
        if maker is not None:
            return call_method(maker, container, index)
        if isinstance(container, defaultdict) and container.default_factory is not None:
            container[index] = made = call(container.default_factory)()
            return made
    return container[index]


def get_subscript(container: object, index: object) -> Any:
    """``container[index]``, where the index is a constant or a slice: nothing of it is staged but its bounds."""
    reader = method(type(container), "__getitem__")
    if reader is not None:
        return call_method(reader, container, index)
    staging = backend_of_array(container)
    if staging is not None:
        return staging.get_array_item(container, index)
    container = staged(container)
    if type(index) is slice:
        backend = backend_of(container) or backend_of(index.start, index.stop, index.step)
        if backend is not None:
            return backend.get_item(container, index)
    found = read_item(container, index)
    if type(index) is slice and type(found) is list and state.stack():
        state.created(found)
    return found


class AttributeUpdate:
    """``obj.name op= value``: read first, then the value is evaluated, then stored."""

    __slots__ = ("_name", "_obj", "_old")

    def __init__(self, obj: object, name: str) -> None:
        self._obj = obj
        self._name = name
        self._old = get_attribute(obj, name)

    def by(self, operator: Callable[[Any, Any], Any], value: object) -> None:
        """Stores what the in-place operator makes of the old value and `value`."""
        made = operator(self._old, value)
        if made is self._old:
            backend = backend_of(made)
            obj = _object_of(self._obj) if type(self._obj) is Owner else self._obj
            if backend is not None and backend.is_kept(obj, self._name):
                return
        setattr(_noted_again(self._obj), self._name, made)


def _noted_again(target: object) -> Any:
    """The target of a store, whose value may have changed what it holds."""
    obj = _object_of(target) if type(target) is Owner else target
    if not state.stack() or not (isinstance(obj, (list, dict)) or is_user_class(type(obj))):
        return target
    found = obj if type(target) is Owner else staged(obj)
    if found is obj:
        state.about_to_change(obj)
    return target if found is obj else found


class ItemUpdate:
    """``container[index] op= value``."""

    __slots__ = ("_container", "_index", "_old")

    def __init__(self, container: object, index: object) -> None:
        self._container = container
        self._index = index
        self._old = get_subscript(_object_of(container) if type(container) is Owner else container, index)

    def by(self, operator: Callable[[Any, Any], Any], value: object) -> None:
        """Stores what the in-place operator makes of the old value and `value`."""
        backend = backend_of(self._old)
        if backend is not None:
            backend.begin_update(self._old)
        made = operator(self._old, value)
        _noted_again(self._container)[self._index] = made


def module_variables(variables: dict[str, Any]) -> dict[str, Any]:
    """``globals()``: what the function itself has found by it."""
    backend = active() if open_traces else None
    return variables if backend is None else backend.module_variables(variables)
