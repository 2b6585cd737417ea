"""Arrays of tensors: lists of which some elements may not have been written yet. What `TensorArray` is made of.

An element that was never written reads as zeros, where the shape of the elements is known or another element tells it.

The gradient of an array is an array of gradients, of which an element that is not there, or that is behind the end, is
zero. So an array that grows in a loop needs not be kept as it was in each turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, OutOfRangeError

from ...base.dtypes import Array, DType, float32, string, variant
from ...base.list_value import ListValue
from ...base.shapes import Shape, is_compatible, is_fully_defined
from ...ir.graph import Value
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Op, Type, op
from ...ir.raising import Kinds, constant_of, is_never_negative
from ...tensors.tensor import Tensor
from ..infer import exactly, require, require_kind, text
from ..shape.create import zeros_like
from . import lists

if TYPE_CHECKING:
    from ...tensors.likes import TensorLike

__all__ = ["grow_op", "new_op", "read_op", "stack_op", "write_op"]


def _infer_new(size: Type) -> Type:
    require_kind(size, "iu", "the size")
    exactly(size.shape, 0, "the size")
    return Type(variant, ())


def _new(size: Any) -> ListValue:
    require(int(size) >= 0, f"the size of a TensorArray must not be negative, but is {int(size)}")
    return ListValue.of([None] * int(size))


def _infer_index(items: Type, index: Type, *_: object) -> None:
    require_kind(index, "iu", "the index")
    exactly(index.shape, 0, "the index")


def _infer_write(items: Type, index: Type, value: Type) -> Type:
    _infer_index(items, index)
    return Type(variant, ())


def _write(items: ListValue, index: Array, value: Array) -> ListValue:
    _check_place("write to", items, int(index))
    return items.set(int(index), value)


def _grow(items: ListValue, index: Array) -> ListValue:
    for _ in range(len(items), int(index) + 1):
        items = items.push(None)
    return items


def _check_place(what: str, items: ListValue, index: int) -> None:
    if index < 0:
        raise OutOfRangeError(f"Tried to {what} a negative index of a TensorArray: {index}")
    if index >= len(items):
        raise OutOfRangeError(f"Tried to {what} index {index} but array size is: {len(items)}")


def _raises(inputs: Sequence[Value], attributes: dict[str, Any]) -> Kinds:
    """An index that is in the array for sure is in its place."""
    items, index = inputs[:2]
    return () if is_never_negative(index) and _is_inside(items, index) else (OutOfRangeError,)


def _is_inside(items: Value, index: Value) -> bool:
    """Whether an array is certainly longer than an index that is not negative."""
    place = constant_of(index)
    while items.node.op in (write_op, grow_op):
        if items.node.op is grow_op:
            grown = items.node.inputs[1]
            length = constant_of(grown)
            if grown is index or (None not in (place, length) and place <= length):
                return True
        items = items.node.inputs[0]
    size = constant_of(items.node.inputs[0]) if items.node.op is new_op else None
    return place is not None and size is not None and bool(place < size)


def _raises_read(inputs: Sequence[Value], attributes: dict[str, Any]) -> Kinds:
    kinds = _raises(inputs, attributes)
    return kinds if is_fully_defined(attributes["shape"]) else (*kinds, InvalidArgumentError)


def _infer_read(items: Type, index: Type, dtype: DType, shape: Shape) -> Type:
    _infer_index(items, index)
    return Type(dtype, shape)


def _read(items: ListValue, index: Array, dtype: DType, shape: Shape) -> Any:
    place = int(index)
    _check_place("read from", items, place)
    item = items[place]
    if item is None:
        return _zeros(items.items(), dtype, shape, f"element {place} of a TensorArray")
    return _checked(item, shape)


def _checked(item: Any, shape: Shape) -> Any:
    if not is_compatible(np.shape(item), shape):
        raise InvalidArgumentError(f"Incompatible shape for value ({text(np.shape(item))}), expected ({text(shape)})")
    return item


def _zeros(items: list[Any], dtype: DType, shape: Shape, what: str) -> Any:
    """What stands for an element that was not written."""
    known: Any = shape
    if shape is None or None in shape:
        known = next((np.shape(item) for item in items if item is not None), None)
    if known is None:
        raise InvalidArgumentError(f"{what} was never written, and the shape of the elements is not known")
    zeros = np.zeros(known, dtype.numpy)
    if dtype is string:
        zeros.fill(b"")
    return zeros


def _infer_stack(items: Type, dtype: DType, shape: Shape, length: int | None) -> Type:
    return Type(dtype, None if shape is None else (length, *shape))


def _stack(items: ListValue, dtype: DType, shape: Shape, length: int | None) -> Any:
    values = items.items()
    if any(value is None for value in values):
        zeros = _zeros(values, dtype, shape, "an element of a TensorArray")
        items = ListValue.of([zeros if value is None else value for value in values])
    return lists.stack_op.numpy(ListValue.of([_checked(item, shape) for item in items]), dtype=dtype, shape=shape)


def _add_at(items: ListValue, index: Any, value: Tensor | Array) -> ListValue:
    items = _grow(items, index)
    return items.set(int(index), lists.sum_of(items[int(index)], value))


def _take(items: ListValue, index: Any, like: TensorLike) -> Any:
    item = items[int(index)] if int(index) < len(items) else None
    return np.zeros_like(like) if item is None else item


def _clear(items: ListValue, index: Array) -> ListValue:
    return items.set(int(index), None) if int(index) < len(items) else items


def _sample(*inputs: object, **attributes: object) -> Any:
    array = ListValue.of([np.array([1.0, 2.0], np.float32), None])
    return (array, *inputs), attributes


new_op = op("array_new", infer=_infer_new, numpy=_new, gradient=NOT_DIFFERENTIABLE,
            samples=lambda: [((np.int32(2),), {})], raises=(InvalidArgumentError,),
            doc="An array of which no element is written.",
            native=True)  # fmt: skip
grow_op: Op = op("array_grow", infer=lambda items, index: lists.list_type(), numpy=_grow,
             gradient=lambda g, out, items, index: (g, None),
             samples=lambda: [_sample(np.int32(3))], doc="The array, long enough for an index.",
             native=True)  # fmt: skip
write_op = op("array_write", infer=_infer_write, numpy=_write,
              gradient=lambda g, out, items, index, value: _write_gradient(g, index, value),
              samples=lambda: [_sample(np.int32(1), np.ones(2, np.float32))],
              raises=_raises, doc="The array with another element at an index.", native=True)  # fmt: skip
read_op = op("array_read", infer=_infer_read, numpy=_read,
             gradient=lambda g, out, items, index, dtype, shape: (add_at_op(new_op(0), index, g), None),
             samples=lambda: [_sample(np.int32(i), dtype=float32, shape=(2,)) for i in (0, 1)],
             accumulate=lambda total, g, items, index, **_: add_at_op(total, index, g),
             raises=_raises_read,
             doc="The element at an index.", native=True, attributes=kinds("dtype shape"))  # fmt: skip
stack_op = op("array_stack", infer=_infer_stack, numpy=_stack,
              gradient=lambda g, out, items, dtype, shape, length: (lists.from_tensor_op(g),),
              samples=lambda: [_sample(dtype=float32, shape=(2,), length=2),
                               _sample(dtype=float32, shape=None, length=None)],
              doc="The elements along a new first axis.", native=True,
              attributes=kinds("dtype shape length"))  # fmt: skip

# What gradients of arrays need.

add_at_op: Op = op("array_add_at", infer=_infer_write, numpy=_add_at,
                   gradient=lambda g, out, items, index, value: (g, None, take_op(g, index, value)),
                   samples=lambda: [_sample(np.int32(i), np.ones(2, np.float32)) for i in (0, 1, 3)],
                   raises=(OutOfRangeError,),
                   doc="The array with a value added to the element at an index.")  # fmt: skip
take_op: Op = op("array_take", infer=lambda items, index, like: like, numpy=_take,
                 gradient=lambda g, out, items, index, like: (add_at_op(new_op(0), index, g), None, None),
                 samples=lambda: [_sample(np.int32(i), np.ones(2, np.float32)) for i in (0, 1, 3)],
                 accumulate=lambda total, g, items, index, like: add_at_op(total, index, g),
                 raises=(OutOfRangeError,),
                 doc="The element at an index; zeros like a tensor where there is none.", native=True)  # fmt: skip
clear_op: Op = op("array_clear", infer=lambda items, index: lists.list_type(), numpy=_clear,
                  gradient=lambda g, out, items, index: (clear_op(g, index), None),
                  samples=lambda: [_sample(np.int32(i)) for i in (0, 1, 3)],
                  raises=(OutOfRangeError,), doc="The array without the element at an index.", native=True)  # fmt: skip


def _write_gradient(g: Tensor, index: object, value: Tensor) -> tuple[Any, ...]:
    element = take_op(g, index, zeros_like(value))  # first: `g` is an old version once it has been changed
    return clear_op(g, index), None, element
