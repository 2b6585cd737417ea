"""What a loop, an unpacking or a function runs over: what the converted `__iter__` of a user's class gives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from numpy import ndarray

from autograph.runtime.base.dtypes import Array
from autograph.runtime.base.places import user_code

from .attributes import get_subscript
from .calls import call_method
from .data_model.special_methods import MISSING, is_user_class, lookup, method
from .dispatch import active, backend_of_array, open_traces, owner_of
from .exceptions import trying
from .staging.control.refused import is_refusal
from .staging.heap.heap import staged
from .staging.heap.iterators import note_made, use
from .unrolling import STEP, check_end


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


def _size() -> int:
    backend = active()
    return 0 if backend is None else backend.size()


def _turns(iterator: Iterator[Any], forward: Any) -> Iterator[Any]:
    place, first = user_code(), _size()
    for turn in itertools.count():
        if place is not None and turn % STEP == 0 and open_traces:
            check_end(place, turn, _size() - first)
        try:
            with trying("an iteration", lambda: (StopIteration,)):
                item = call_method(forward, iterator)
        except StopIteration:
            return
        yield item


def _items(values: object, reader: Any) -> Iterator[Any]:
    index, place, first = 0, user_code(), _size()
    while True:
        if place is not None and index % STEP == 0 and open_traces:
            check_end(place, index, _size() - first)
        try:
            with trying("a loop over an object with `__getitem__`", lambda: (IndexError,)):
                item = call_method(reader, values, index)
        except IndexError as error:
            if is_refusal(error):
                raise
            return
        yield item
        index += 1
