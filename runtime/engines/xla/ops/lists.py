"""Lists and arrays of tensors: memory with room for all elements, which have one shape, and their number.

How much room is known where the turns of the loop are, which adds them. Else it is guessed, and a program that finds it
too little asks for another with more. An element of an array that was never written is zeros, as in the plan. What a
list becomes whose length only a run knows can be a result, see `Rows`; what else is done with it is a part by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct, lax

from ....base.dtypes import DType
from ....base.shapes import Shape, is_compatible
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ...engine import NotLowered
from ..lowering import Fails, Lowering
from ..supported import ENGINE
from ..values import Buffer, Lowered, Room, Rows, Span, Symbols, check_alike, count_of, is_known, symbolic, whole

# An array that is made with more elements is left to the plan.
_MOST_ELEMENTS = 1 << 24


def _list(x: Lowered) -> Buffer:
    if not isinstance(x, Buffer):
        raise NotLowered("a value that is no list of tensors")
    return x


def _filled(here: Lowering, x: Buffer, element: Lowered) -> Buffer:
    """A list with memory for elements of a dtype and a shape."""
    if isinstance(element, Buffer):
        raise NotLowered("a list of lists")
    if x.items is not None:
        check_alike(x, element)
        return x
    capacity = whole(x.count)
    if capacity is None:
        capacity = here.capacity
        here.lacks(x.count > capacity)
    return replace(x, items=jnp.zeros((capacity, *element.shape), element.dtype))


def _read_as(here: Lowering, x: Buffer, dtype: DType, shape: Shape) -> Buffer:
    """A list whose elements are read as of a dtype and a shape."""
    if x.items is None:
        if shape is None or None in shape:
            raise NotLowered("a list whose elements have a shape that depends on values")
        return _filled(here, x, ShapeDtypeStruct(shape, dtype.numpy))
    if x.items.dtype != dtype.numpy:
        raise NotLowered("a list that is read as of another dtype")
    if not is_compatible(x.items.shape[1:], shape):
        raise Fails
    return x


def _place(here: Lowering, x: Buffer, index: Lowered, wraps: bool) -> Any:
    """An index that is there; fails for any other."""
    index, count = jnp.asarray(index, jnp.int64), jnp.asarray(x.count, jnp.int64)
    place = jnp.where(index < 0, index + count, index) if wraps else index
    here.fails((place < 0) | (place >= count))
    return place


def _item(x: Buffer, place: Lowered) -> Any:
    if x.capacity == 0:  # there is none; this has failed
        return jnp.zeros(x.element.shape, x.element.dtype)
    return lax.dynamic_index_in_dim(x.items, jnp.asarray(place), keepdims=False)


def _with_item(x: Buffer, place: Lowered, value: Lowered) -> Buffer:
    if x.capacity == 0:
        return x
    return replace(x, items=lax.dynamic_update_index_in_dim(x.items, jnp.asarray(value), jnp.asarray(place), 0))


# Making


@lowers(ENGINE, records.list_new)
def _list_new(here: Lowering, node: Node) -> Buffer:
    return Buffer(None, np.int32(0))


@lowers(ENGINE, records.array_new)
def _array_new(here: Lowering, node: Node, size: Lowered) -> Buffer:
    if isinstance(size, Symbols):
        return Buffer(None, Symbols(size.dims, np.dtype(np.int32)))
    here.fails((size < 0) | (size > _MOST_ELEMENTS))
    return Buffer(None, size.astype(np.int32))


@lowers(ENGINE, records.list_from_tensor)
def _from_tensor(here: Lowering, node: Node, x: Lowered) -> Buffer:
    return Buffer(jnp.asarray(x), symbolic(x.shape[0], np.int32))


@lowers(ENGINE, records.list_zeros_like)
def _zeros_like(here: Lowering, node: Node, x: Lowered) -> Buffer:
    items = _list(x).items
    return Buffer(None if items is None else jnp.zeros(items.shape, items.dtype), x.count)


# Changing


@lowers(ENGINE, records.list_push)
def _push(here: Lowering, node: Node, x: Lowered, value: Lowered) -> Buffer:
    x = _filled(here, _list(x), value)
    x = _extended(here, x, _moved(x.count, 1), 1)
    return _with_item(x, _moved(x.count, -1), value)


def _moved(count: Lowered, by: int) -> Any:
    """A number of elements, and some more."""
    known = whole(count)
    return count + np.int32(by) if known is None else symbolic(known + by, np.int32)


def _extended(here: Lowering, x: Buffer, count: Lowered, added: int | None, exactly: bool = True) -> Buffer:
    """A list with more elements, zeros, and room for them."""
    if x.room is Room.GROWS:
        if whole(count) is not None:
            x = replace(x, items=x.resized(max(x.capacity, whole(count))))
        elif added is not None:
            x = replace(x, items=x.resized(x.capacity + added))
        else:
            x = replace(x, items=x.resized(x.capacity + here.capacity))
    if x.room is Room.CHECKED or added is None:
        here.lacks(jnp.asarray(count) > x.capacity)
    total = None if x.added is None or added is None else x.added + added
    return replace(x, count=count, added=total, exactly=x.exactly and exactly)


@lowers(ENGINE, records.list_set, records.array_write)
def _set(here: Lowering, node: Node, x: Lowered, index: Lowered, value: Lowered) -> Buffer:
    x = _filled(here, _list(x), value)
    return _with_item(x, _place(here, x, index, wraps=node.op is records.list_set), value)


@lowers(ENGINE, records.list_pop)
def _pop(here: Lowering, node: Node, x: Lowered, *, dtype: DType, shape: Shape) -> tuple[Buffer, Any]:
    x = _read_as(here, _list(x), dtype, shape)
    here.fails(x.count == 0)
    last = _moved(x.count, -1)
    # The element stays behind: to write there, too, would have XLA copy the list where it reads the element late.
    return replace(x, count=last, exactly=False, clean=False), _item(x, last)


@lowers(ENGINE, records.array_clear)
def _clear(here: Lowering, node: Node, x: Lowered, index: Lowered) -> Buffer:
    if _list(x).items is None:
        return x
    is_there = index < x.count
    place = jnp.where(is_there, index, 0)
    item = jnp.where(is_there, jnp.zeros(x.element.shape, x.element.dtype), _item(x, place))
    return _with_item(x, place, item)


@lowers(ENGINE, records.array_grow)
def _grow(here: Lowering, node: Node, x: Lowered, index: Lowered) -> Buffer:
    here.fails(index > _MOST_ELEMENTS)
    count = index.astype(np.int32) + np.int32(1)
    if is_known(count) and is_known(_list(x).count):
        count = np.maximum(count, x.count)
        added = int(count - x.count)
    else:
        count, added = jnp.maximum(count, x.count), None
    if x.items is None:  # nothing is known of elements
        return replace(x, count=count, added=None, exactly=False)
    return _extended(here, x.cleaned(), count, added, exactly=False)


@lowers(ENGINE, records.array_add_at)
def _add_at(here: Lowering, node: Node, x: Lowered, index: Lowered, value: Lowered) -> Buffer:
    x = _filled(here, _grow(here, node, x, index), value)
    place = _place(here, x, index, wraps=False)
    return _with_item(x, place, here.apply(records.add, _item(x, place), value))


# Looking


@lowers(ENGINE, records.list_length)
def _length(here: Lowering, node: Node, x: Lowered) -> Any:
    return _list(x).count


@lowers(ENGINE, records.list_get, records.array_read)
def _get(here: Lowering, node: Node, x: Lowered, index: Lowered, *, dtype: DType, shape: Shape) -> Any:
    x = _read_as(here, _list(x), dtype, shape)
    return _item(x, _place(here, x, index, wraps=node.op is records.list_get))


@lowers(ENGINE, records.array_take)
def _take(here: Lowering, node: Node, x: Lowered, index: Lowered, like: Lowered) -> Any:
    zeros = jnp.zeros(like.shape, like.dtype)
    if _list(x).items is None or x.capacity == 0:
        return zeros
    check_alike(x, like)
    return jnp.where(index < x.count, _item(x, jnp.clip(index, 0, x.capacity - 1)), zeros)


@lowers(ENGINE, records.list_stack, records.array_stack)
def _stack(here: Lowering, node: Node, x: Lowered, *, dtype: DType, shape: Shape, length: int | None = None) -> Any:
    if shape is None or None in shape:
        here.fails(_list(x).count == 0)
    x = _read_as(here, _list(x), dtype, shape)
    if whole(x.count) is not None:
        return x.resized(whole(x.count))
    if length is None:
        return Rows(x.items, x.count, node)
    here.fails(x.count != length)
    return x.resized(length)


@lowers(ENGINE, records.list_stack_like)
def _stack_like(here: Lowering, node: Node, x: Lowered, like: Lowered) -> Any:
    x = _filled(here, _list(x), ShapeDtypeStruct(like.shape[1:], like.dtype))
    return x.cleaned().resized(like.shape[0])


# Ranges


@lowers(ENGINE, records.range)
def _range(here: Lowering, node: Node, *numbers: Lowered, length: int | None = None) -> Any:
    """A long range of known numbers, as short ones have been computed; of others the length is not known.

    As NumPy, of floats it is the start and so many steps of what the first step makes of it.
    """
    dtype = node.outputs[0].type.dtype.numpy
    if length is None and all(map(is_known, numbers)):
        length = np.arange(*numbers, dtype=dtype).size
    if length is None and dtype.kind in "iu" and is_known(numbers[2]) and None not in map(whole, numbers):
        first, end, delta = map(whole, numbers)  # at least one of them is symbolic
        here.fails(delta == 0)
        length = count_of(first, end, delta)
    if length is not None:
        start, step = jnp.asarray(numbers[0], dtype), jnp.asarray(numbers[2], dtype)
        return start + ((start + step) - start) * jnp.arange(length, dtype=dtype)
    if dtype.kind not in "iu":
        raise NotLowered("a range of floats, whose length depends on values")
    start, limit, delta = (jnp.asarray(x, dtype) for x in numbers)
    here.fails(delta == 0)
    return Span(start, limit, delta, node)
