"""What a loop, an unpacking or a function runs over: what the converted `__iter__` of a user's class gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy import ndarray

from autograph.runtime.base.dtypes import Array

from .attributes import get_subscript
from .calls import call_method
from .data_model.special_methods import MISSING, is_user_class, lookup, method
from .dispatch import active, backend_of_array, open_traces, owner_of
from .staging.control.refused import is_refusal
from .staging.heap.heap import staged
from .staging.heap.iterators import note_made, use


def iterated(value: Any) -> Any:
    """What to run over in place of an object: what its converted `__iter__` gives, or its converted items."""
    if type(value) is ndarray and value.ndim and backend_of_array(value) is not None:
        return note_made(_items_of_array(value))
    cls = type(value)
    if is_user_class(cls) and owner_of(cls) is None:
        found = method(cls, "__iter__")
        if found is not None:
            value = call_method(found, value)
            forward = method(type(value), "__next__")
            if forward is not None:
                return note_made(_turns(value, forward))
        reader = method(cls, "__getitem__")
        if reader is not None and lookup(cls.__mro__, "__iter__") is MISSING:
            return note_made(_items(value, reader))
    value = staged(value)
    if open_traces:
        use(value, "iteration")
    return value


def _items_of_array(array: Array) -> Iterator[Any]:
    """The items of an array, each as it is when it is asked for."""
    for index in range(len(array)):
        yield get_subscript(array, index)


def _turns(iterator: Iterator[Any], forward: Any) -> Iterator[Any]:
    while True:
        try:
            item = call_method(forward, iterator)
        except StopIteration:
            return
        yield item


def _items(values: object, reader: Any) -> Iterator[Any]:
    index = 0
    while True:
        backend = active()
        start = None if backend is None else backend.begin_handled()
        try:
            item = call_method(reader, values, index)
        except IndexError as error:
            if is_refusal(error):
                raise
            return
        if backend is not None:
            backend.check_handled(start, (IndexError,), "a loop over an object with `__getitem__`")
        yield item
        index += 1
