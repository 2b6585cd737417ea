"""The methods of Python's list that move the elements of a staged list, or look for one.

Each gives the order in which the elements come afterwards as a vector of indices; `list_take` carries it out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import StagedValueError
from autograph.runtime import dtypes
from autograph.runtime.convert import convert_to_tensor
from autograph.runtime.ir import Type
from autograph.runtime.op import OPS, Op, op
from autograph.runtime.ops import create
from autograph.runtime.ops.gather import boolean_mask
from autograph.runtime.ops.joining import concat
from autograph.runtime.ops.list_value import ListValue
from autograph.runtime.ops.lists import zeros_like_op
from autograph.runtime.ops.reduce import argmax

from .errors import require, where


def _take(items: ListValue, indices: Any) -> ListValue:
    held = items.items()
    return ListValue.of(held[index] for index in indices)


def _put_back(items: ListValue, taken: ListValue, indices: Any) -> ListValue:
    held = items.items()
    for index, value in zip(indices, taken.items(), strict=True):
        held[index] = held[index] + value
    return ListValue.of(held)


def _sample() -> ListValue:
    return ListValue.of([np.float32(1.5), np.float32(2.5), np.float32(3.5)])


LIST_TAKE: Op = op(
    "list_take",
    infer=lambda items, indices: Type(dtypes.variant, ()),
    numpy=_take,
    gradient=lambda g, out, items, indices: (LIST_PUT_BACK(zeros_like_op(items), g, indices), None),
    samples=lambda: [((_sample(), np.array([2, 0], np.int32)), {}), ((_sample(), np.zeros(0, np.int32)), {})],
    doc="The elements at some indices, as a list.",
)
LIST_PUT_BACK: Op = op(
    "list_put_back",
    infer=lambda items, taken, indices: Type(dtypes.variant, ()),
    numpy=_put_back,
    gradient=lambda g, out, items, taken, indices: (g, LIST_TAKE(g, indices), None),
    samples=lambda: [((_sample(), ListValue.of([np.float32(1.0)]), np.array([1], np.int32)), {})],
    doc="The list with elements added at some indices.",
)


class ListMethods:
    """What a staged list inherits; `_taken` gives a list of the elements at some indices, `_become` takes its place."""

    __slots__ = ()

    def length(self) -> Any:
        raise NotImplementedError

    def append(self, value: Any) -> None:
        raise NotImplementedError

    def _taken(self, indices: Any) -> Any:
        raise NotImplementedError

    def _become(self, other: Any) -> None:
        raise NotImplementedError

    def _position(self, index: Any) -> Any:
        raise NotImplementedError

    def _indices(self) -> Any:
        return create.range(self.length())

    def _slice(self, index: slice) -> Any:
        return self._taken(self._indices()[index])

    def _popped(self, index: Any) -> Any:
        place = self._position(index)
        value = self[place]  # type: ignore[index]
        self._remove_at(place)
        return value

    def _remove_at(self, place: Any) -> None:
        indices = self._indices()
        self._become(self._taken(concat([indices[:place], indices[place + 1 :]], axis=0)))

    def __delitem__(self, index: Any) -> None:
        if not isinstance(index, slice):
            self._remove_at(self._position(index))
            return
        indices = self._indices()
        self._become(self._taken(boolean_mask(indices, _are_not_in(indices, indices[index]))))

    def insert(self, index: Any, value: Any) -> None:
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

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        """``list.sort``: stable; the elements, or their keys, must be numbers."""
        from .iterables import Map, iterable
        from .sequences import list_, order_of

        keys = self if key is None else list_(Map(key, [iterable(self)]))
        self._become(self._taken(order_of(_numbers(keys, "sort()"), reverse)))

    def _is(self, value: Any, use: str) -> Any:
        return _numbers(self, use) == value

    def count(self, value: Any) -> Any:
        """``list.count``."""
        return OPS["sum"](OPS["cast"](self._is(value, "count()"), dtype=dtypes.int32))

    def index(self, value: Any, start: Any = 0, stop: Any = None) -> Any:
        """``list.index``; at run time a ValueError when there is no such element."""
        shown = value if isinstance(value, (bool, int, float, str)) else "the value"
        return self._found(value, ValueError(f"{shown!r} is not in list"), "index()", start, stop)

    def _found(self, value: Any, error: ValueError, use: str, start: Any = 0, stop: Any = None) -> Any:
        found = self._is(value, use)
        if start != 0 or stop is not None:
            indices = self._indices()
            found = OPS["logical_and"](found, OPS["logical_not"](_are_not_in(indices, indices[start:stop])))
        require(OPS["any"](found), error)
        return argmax(OPS["cast"](found, dtype=dtypes.int32), axis=0, output_type=dtypes.int32)

    def remove(self, value: Any) -> None:
        """``list.remove``."""
        self._remove_at(self._found(value, ValueError("list.remove(x): x not in list"), "remove()"))

    def __mul__(self, times: Any) -> Any:
        length = self.length()
        count = OPS["maximum"](convert_to_tensor(times), 0) * length
        return self._taken(create.range(count) % OPS["maximum"](length, 1))

    __rmul__ = __mul__


def _are_not_in(indices: Any, chosen: Any) -> Any:
    """Which elements of a vector another vector doesn't hold."""
    return OPS["all"](indices[:, None] != chosen, axis=1)


def _numbers(values: Any, use: str) -> Any:
    """The elements of a staged list as a vector."""
    tensor = convert_to_tensor(values)
    if tensor.static_shape is None or len(tensor.static_shape) != 1:
        raise StagedValueError(
            f"{use} of a staged list whose elements are not numbers: {values!r}",
            **where(),
            remedy="write a loop over the list",
        )
    return tensor
