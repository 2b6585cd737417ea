"""The methods of Python's list that move the elements of a staged list, or look for one.

Each gives the order in which the elements come afterwards as a vector of indices; `list_take` carries it out.
"""

from __future__ import annotations

import operator
from typing import Any

from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.reduce.reduce import argmax
from autograph.runtime.ops.shape import create
from autograph.runtime.ops.shape.gather import boolean_mask
from autograph.runtime.ops.shape.index import set_item
from autograph.runtime.ops.shape.joining import concat
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor

from .. import asked
from ..control.errors import require, type_error
from .maybe import Maybe


class ListMethods:
    """What a staged list inherits; `_taken` gives a list of the elements at some indices, `_become` takes its place."""

    __slots__ = ()

    def length(self) -> Any:
        raise NotImplementedError

    def append(self, value: object) -> None:
        raise NotImplementedError

    def _taken(self, indices: object) -> Any:
        raise NotImplementedError

    def _become(self, other: Any) -> None:
        raise NotImplementedError

    def _position(self, index: object, use: str = "list") -> Any:
        raise NotImplementedError

    def _share(self, other: Any) -> Any:
        raise NotImplementedError

    def _release(self, value: Any) -> Any:
        raise NotImplementedError

    def at(self, index: object) -> Any:
        raise NotImplementedError

    def extend(self, values: object) -> None:
        raise NotImplementedError

    def _indices(self) -> Any:
        return create.range(self.length())

    def _slice(self, index: slice) -> Any:
        return self._taken(self._indices()[index])

    def _popped(self, index: object) -> Any:
        require(self.length() > 0, IndexError("pop from empty list"))
        require(self.length() > 0, IndexError("pop from empty list"))
        place = self._position(index, "pop")
        value = self.at(place)
        self._remove_at(place)
        return self._release(value)

    def _remove_at(self, place: Any) -> None:
        indices = self._indices()
        self._become(self._taken(concat([indices[:place], indices[place + 1 :]], axis=0)))

    def __delitem__(self, index: object) -> None:
        if not isinstance(index, slice):
            self._remove_at(self._position(index, "list assignment"))
            return
        indices = self._indices()
        self._become(self._taken(boolean_mask(indices, _are_not_in(indices, indices[index]))))

    def _set_slice(self, index: slice, values: object) -> None:
        new, length_of = asked.LISTED.function(values), asked.LENGTH_OF.function
        places, count = self._indices()[index], self.length()
        self.extend(new)
        everything = self._indices()
        old, added = everything[:count], everything[count:]
        if index.step is not None and not (isinstance(index.step, int) and index.step == 1):
            text = "attempt to assign a sequence of another size to an extended slice"
            require(OPS["equal"](length_of(places), length_of(added)), ValueError(text))
            self._become(self._taken(set_item(old, index, added)))
            return
        start = _slice_start(index, count)
        stop = OPS["maximum"](start, start + length_of(places))
        self._become(self._taken(concat([old[:start], added, old[stop:]], axis=0)))

    def insert(self, index: object, value: object) -> None:
        """``list.insert``: places beyond the ends are the ends."""
        length = convert_to_tensor(self.length())
        index = convert_to_tensor(index)
        place = OPS["where"](index < 0, OPS["maximum"](index + length, 0), OPS["minimum"](index, length))
        self.append(value)
        indices = self._indices()
        self._become(self._taken(concat([indices[:place], indices[-1:], indices[place:length]], axis=0)))

    def reverse(self) -> None:
        """``list.reverse``."""
        self._become(self._slice(slice(None, None, -1)))

    def sort(self, *, key: object = None, reverse: object = False) -> None:
        """``list.sort``: stable."""
        order = asked.LIST_ORDER.function(self, key, reverse)
        by_comparing = asked.SORTED_BY_COMPARING.function
        self._become(by_comparing(self, key, reverse) if order is None else self._taken(order))

    def count(self, value: object) -> Any:
        """``list.count``."""
        return OPS["sum"](OPS["cast"](asked.MATCHES.function(self, value), dtype=dtypes.int32))

    def index(self, value: object, start: object = 0, stop: object = None) -> Any:
        """``list.index``; at run time a ValueError when there is no such element."""
        return self._found(value, ValueError(asked.NOT_IN_LIST.function(value)), start, stop)

    def _found(self, value: object, error: ValueError, start: object = 0, stop: object = None) -> Any:
        found = asked.MATCHES.function(self, value)
        if start != 0 or stop is not None:
            indices = self._indices()
            found = OPS["logical_and"](found, OPS["logical_not"](_are_not_in(indices, indices[start:stop])))
        require(OPS["any"](found), error)
        return argmax(OPS["cast"](found, dtype=dtypes.int32), axis=0, output_type=dtypes.int32)

    def remove(self, value: object) -> None:
        """``list.remove``."""
        self._remove_at(self._found(value, ValueError("list.remove(x): x not in list")))

    def __mul__(self, times: object) -> Any:
        if not isinstance(times, (int, Tensor, Maybe)) or (isinstance(times, Tensor) and times.dtype.is_floating):
            kind = "float" if isinstance(times, Tensor) else type(times).__name__
            raise TypeError(f"can't multiply sequence by non-int of type '{kind}'")
        length = self.length()
        count = OPS["maximum"](convert_to_tensor(times), 0) * length
        made = self._share(self._taken(create.range(count) % OPS["maximum"](length, 1)))
        made.may_repeat()
        return made

    __rmul__ = __mul__


def require_index(index: Any) -> None:
    """Raises what Python does for an index of a list that is no whole number."""
    if isinstance(index, Tensor):
        if not (index.dtype.is_integer or index.dtype.is_bool) or index.static_shape not in ((), None):
            raise type_error("list indices must be integers or slices", "write tf.cast(index, tf.int32)")
    elif not isinstance(index, Maybe):
        try:
            operator.index(index)
        except TypeError:
            kind = type(index).__name__
            raise TypeError(f"list indices must be integers or slices, not {kind}") from None


def _slice_start(index: slice, count: object) -> Any:
    """Where a slice of step 1 begins."""
    if index.start is None:
        return 0
    start = convert_to_tensor(index.start)
    return OPS["where"](start < 0, OPS["maximum"](start + count, 0), OPS["minimum"](start, count))


def _are_not_in(indices: Any, chosen: Any) -> Any:
    """Which elements of a vector another vector doesn't hold."""
    return OPS["all"](indices[:, None] != chosen, axis=1)
