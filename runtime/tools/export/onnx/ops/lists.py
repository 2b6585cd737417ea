"""Lists of tensors.

A list is a sequence of ONNX's, or one tensor with its elements along the first axis (`Value.rows`): of what a loop
collects in its turns, of the slices of a tensor, and of arrays whose elements have a shape that is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....base.dtypes import DType, int32, int64, variant
from .....base.shapes import Shape
from .....ir import records
from .....ir.graph import Node, Type
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import dim_of, expanded, joined, reshaped, with_axes
from .loops import give, loop

__all__ = ["as_sequence", "carried", "concatenated"]


def _list(here: Lowering, name: str | None, element: Type | None, rows: Value | None = None) -> Value:
    made = Value(here, name, variant, (), element=element)
    made.rows = rows
    return made


def _element(x: Value) -> Type:
    if x.element is None or x.element.dtype is variant:
        raise NotExported("a list of lists", "keep the lists apart, or stack the inner ones")
    return x.element


def _made(x: Value, kind: str, *inputs: Value, **attributes: Any) -> Value:
    """A list that an operator gives."""
    here = x.here
    result = _list(here, here.fresh(here.label(kind)), _element(x))
    here.step(kind, list(inputs), [result], **attributes)
    return result


def as_sequence(x: Value) -> Value:
    """A list as a sequence."""
    here, rows = x.here, x.rows
    if rows is None:
        return x
    with here.inside("then") as empty:
        give(here, empty, [_made(x, "SequenceEmpty", dtype=_element(x).dtype)])
    with here.inside("else") as some:
        give(here, some, [_made(x, "SplitToSequence", rows, axis=0, keepdims=0)])
    is_empty = reshaped(dim_of(rows, 0).equals(0), here.integers(), ())
    return _made(x, "If", is_empty, then_branch=empty, else_branch=some)


def carried(x: Value, is_dense: bool) -> Value:
    """A list as branches and loops hand it on: one tensor, or a sequence; any other value as it is."""
    if x.dtype is not variant or (is_dense and x.rows is not None):
        return x
    assert not is_dense, "an array that is no tensor"
    return as_sequence(x)


def _index(x: Value) -> Value:
    return x.cast(int64)


def _count(x: Value) -> Value:
    """The number of elements, a scalar of int64."""
    here = x.here
    if x.rows is None:
        return here.add("SequenceLength", x, dtype=int64, shape=())
    return reshaped(dim_of(x.rows, 0), here.integers(), ())


# Making


@lowers(ENGINE, records.list_new)
def _list_new(here: Lowering, node: Node) -> Value:
    held = here.elements[node.outputs[0]]
    return _made(_list(here, None, held.type), "SequenceEmpty", dtype=held.type.dtype)


@lowers(ENGINE, records.list_from_tensor)
def _from_tensor(here: Lowering, node: Node, x: Value) -> Value:
    return _list(here, None, here.elements[node.outputs[0]].type, x)


@lowers(ENGINE, records.array_new)
def _array_new(here: Lowering, node: Node, size: Value) -> Value:
    """Zeros; where the shape of elements is not known, places without elements, for which these are put."""
    held = here.elements[node.outputs[0]]
    count = reshaped(_index(size), here.integers(1), (1,))
    count = count if size.known is not None else here.fails_where(count < 0, count)
    if held.is_dense:
        return _list(here, None, held.type, _zeros(here, count, held.type))
    if held.type.shape is None:
        raise NotExported("an array of elements of which no rank is known", "give tf.TensorArray an element_shape")
    place = here.add("Expand", here.constant(0, held.type.dtype), here.integers(*[n or 0 for n in held.type.shape]))
    empty = _list(here, None, held.type)

    def turn(number: Value, items: Value) -> Sequence[Value]:
        return number + 1, _made(empty, "SequenceInsert", items, place)

    first = _made(empty, "SequenceEmpty", dtype=held.type.dtype)
    start = here.constant(0, int64)
    end = reshaped(count, here.integers(), ())
    return loop(here, [start, first], lambda number, _: number < end, turn)[1]


def _zeros(here: Lowering, count: Value, element: Type) -> Value:
    shape = element.shape or ()
    zeros = here.add("Expand", here.constant(0, element.dtype), joined(here, count, here.integers(*shape)))
    zeros.shape = (None, *shape)
    return zeros


# Changing


@lowers(ENGINE, records.list_push)
def _push(here: Lowering, node: Node, x: Value, value: Value) -> Value:
    if x.pushed is not None:
        x.pushed.append(value)
        return x
    if value.dtype is variant:
        raise NotExported("a list of lists", "keep the lists apart, or stack the inner ones")
    return _made(x, "SequenceInsert", as_sequence(x), value)


def _place(x: Value, index: Value, wraps: bool) -> Value:
    """An index from the start, as a scalar; one that is not there lies outside."""
    here, index = x.here, _index(index)
    below = index + _count(x) if wraps else here.constant(2**62, int64)
    return here.where(index < 0, below, index)


@lowers(ENGINE, records.list_set, records.array_write)
def _set(here: Lowering, node: Node, x: Value, index: Value, value: Value) -> Value:
    place = _place(x, index, wraps=node.op is records.list_set)
    if x.rows is not None:
        value = expanded(value, here.integers(*(_element(x).shape or ())))
        point = reshaped(place, here.integers(1, 1), (1, 1))
        rows = here.add("ScatterND", x.rows, point, with_axes(value, 0), shape=x.rows.shape)
        return _list(here, None, x.element, rows)
    left = _made(x, "SequenceErase", x, place)
    return _made(x, "SequenceInsert", left, value, place)


@lowers(ENGINE, records.list_pop)
def _pop(here: Lowering, node: Node, x: Value, *, dtype: DType, shape: Shape) -> list[Value]:
    items = as_sequence(x)
    _element(x)
    last = here.add("SequenceAt", items, here.constant(-1, int64), dtype=dtype, shape=shape)
    return [_made(x, "SequenceErase", items), last]


@lowers(ENGINE, records.array_grow)
def _grow(here: Lowering, node: Node, x: Value, index: Value) -> Value:
    if x.rows is None:
        raise NotExported("an array that grows, of elements of which no shape is known",
                          "give tf.TensorArray an element_shape, or a size")  # fmt: skip
    missing = reshaped(_index(index), here.integers(1), (1,)) + 1 - dim_of(x.rows, 0)
    more = _zeros(here, here.add("Max", missing, here.integers(0)), _element(x))
    rows = here.add("Concat", x.rows, more, axis=0, shape=x.rows.shape)
    return _list(here, None, x.element, rows)


# Looking


@lowers(ENGINE, records.list_length)
def _list_length(here: Lowering, node: Node, x: Value) -> Value:
    return _count(x).cast(int32)


@lowers(ENGINE, records.list_get, records.array_read)
def _get(here: Lowering, node: Node, x: Value, index: Value, *, dtype: DType, shape: Shape) -> Value:
    _element(x)
    place = _place(x, index, wraps=node.op is records.list_get)
    if x.rows is not None:
        return here.add("Gather", x.rows, place, axis=0, shape=shape)
    found = here.add("SequenceAt", x, place, dtype=dtype, shape=shape)
    return found if node.op is records.list_get else _written(found)


def _written(x: Value) -> Value:
    """An element of an array, which fails where none has been written."""
    return x.here.fails_where(x.here.add("Size", x).equals(0), x)


@lowers(ENGINE, records.list_stack, records.array_stack)
def _stack(here: Lowering, node: Node, x: Value, *, dtype: DType, shape: Shape, length: int | None = None) -> Value:
    if shape is None:
        shape = _element(x).shape
    is_known = shape is not None and None not in shape
    rows = x.rows if x.rows is not None else concatenated(x, shape)
    count = dim_of(rows, 0)
    if is_known and shape is not None:
        if rows.shape is None or rows.shape[1:] != shape:  # a loop without turns has lost the shape
            rows = reshaped(rows, joined(here, count, here.integers(*shape)), (None, *shape))
        return _checked_length(rows, length)
    rows = here.fails_where(count.equals(0), rows)
    return _checked_length(rows if node.op is records.list_stack else _written(rows), length)


def _checked_length(rows: Value, length: int | None) -> Value:
    if length is None:
        return rows
    return rows.here.fails_where(~dim_of(rows, 0).equals(length), rows)


def concatenated(x: Value, shape: Shape) -> Value:
    """The elements of a sequence as one tensor; there have to be some where their shape is not known."""
    here, dtype = x.here, _element(x).dtype
    result = (None, *shape) if shape is not None else None

    def together() -> Value:
        return here.add("ConcatFromSequence", x, axis=0, new_axis=1, dtype=dtype, shape=result)

    if shape is None or None in shape:
        return together()
    with here.inside("then") as empty:
        give(here, empty, [here.constant(_no_rows(shape, dtype), dtype)])
    with here.inside("else") as some:
        give(here, some, [together()])
    found = Value(here, here.fresh(here.label("If")), dtype, result)
    here.step("If", [_count(x).equals(0)], [found], then_branch=empty, else_branch=some)
    return found


def _no_rows(shape: Shape, dtype: DType) -> Any:
    return np.zeros((0, *(shape or ())), dtype.numpy)
