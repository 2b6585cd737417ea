"""Tensor lists: what a Python list becomes when a staged loop appends to it.

A list is a tensor of dtype ``variant``; its elements all have one dtype, and shapes that agree with the element shape.
Every change gives a new list and leaves the old one as it was; changing the newest version takes amortised constant
time (see `list_value`). An index is as in Python: `-n <= index < n`, otherwise `OutOfRangeError`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, OutOfRangeError

from ...base.dtypes import Array, DType, as_dtype, float32, int32, variant
from ...base.list_value import ListValue
from ...base.shapes import Shape, as_shape, is_compatible, relax
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Op, Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast
from ..infer import at_least, exactly, require, require_kind, text
from ..kernels import samples as s
from ..shape.create import zeros_like

__all__ = ["TensorList"]


def list_type(*_: Type, **__: object) -> Type:
    """The type of what gives a list, whatever it takes."""
    return Type(variant, ())


def _infer_index(items: Type, index: Type) -> None:
    require_kind(index, "iu", "the index")
    exactly(index.shape, 0, "the index")


def _infer_get(items: Type, index: Type, dtype: DType, shape: Shape) -> Type:
    _infer_index(items, index)
    return Type(dtype, shape)


def _infer_set(items: Type, index: Type, value: Type) -> Type:
    _infer_index(items, index)
    return Type(variant, ())


def _place(items: ListValue, index: Any) -> int:
    n, place = len(items), int(index)
    if not -n <= place < n:
        raise OutOfRangeError(f"index {place} is out of range for a list of {n}")
    return place


def _pop(items: ListValue, dtype: DType, shape: Shape) -> tuple[Any, Any]:
    if len(items) == 0:
        raise OutOfRangeError("pop from an empty list")
    return items.pop()


def _stack(items: ListValue, dtype: DType, shape: Shape) -> Any:
    values = items.items()
    if values:
        try:
            return np.stack([np.asarray(value) for value in values]).astype(dtype.numpy, copy=False)
        except ValueError:
            shapes = " and ".join(sorted({text(np.shape(value)) for value in values}))
            raise InvalidArgumentError(f"can't stack a list whose elements have different shapes: {shapes}") from None
    require(shape is not None and None not in shape, f"can't stack an empty list whose element shape is {text(shape)}")
    return np.zeros((0, *(shape or ())), dtype.numpy)


def _stack_like(items: ListValue, like: Tensor | Array) -> Any:
    result = np.zeros_like(like)
    for place, item in enumerate(items.items()[: len(like)]):
        if item is not None:  # as in the gradient of an array, which may also have another length
            result[place] = item
    return result


def _unstack(x: Array) -> ListValue:
    return ListValue.of(x[i, ...] for i in range(len(x)))


def _infer_unstack(x: Type) -> Type:
    at_least(x.shape, 1)
    return Type(variant, ())


def _sample_list() -> ListValue:
    return ListValue.of([np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)])


def _zeros_like(items: ListValue) -> ListValue:
    if type(items) is not ListValue:  # some other object, which has no gradient
        return ListValue.of()
    return ListValue.of([_zeros_of(x) for x in items.items()])


def _zeros_of(item: object) -> Any:
    if item is None:  # of an array (see `ops.arrays`), and not written
        return None
    return _zeros_like(item) if type(item) is ListValue else np.zeros_like(item)


def _add(x: ListValue, y: ListValue) -> ListValue:
    return ListValue.of([sum_of(a, b) for a, b in itertools.zip_longest(x, y)])


def sum_of(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return _add(a, b) if type(a) is ListValue else a + b


def _cast_like(items: ListValue, like: ListValue) -> ListValue:
    return ListValue.of([
        x if x is None or y is None else x.astype(y.dtype, copy=False) for x, y in zip(items, like, strict=True)
    ])  # fmt: skip


_F2: dict[str, Any] = {"dtype": float32, "shape": (2,)}
new_op = op("list_new", infer=list_type, numpy=lambda: ListValue.of(), samples=lambda: [((), {})],
            gradient=lambda g, out: (), doc="An empty list.", total=totality.always, native=True)  # fmt: skip
push_op = op("list_push", infer=list_type, numpy=lambda items, value: items.push(value),
             gradient=lambda g, out, items, value: _push_gradient(g, value),
             samples=lambda: [((_sample_list(), np.ones(2, np.float32)), {})],
             doc="The list with one more element.", total=totality.always, native=True)  # fmt: skip
pop_op = op("list_pop", infer=lambda items, dtype, shape: (Type(variant, ()), Type(dtype, shape)), numpy=_pop,
            gradient=lambda g, out, items, dtype, shape: (push_op(*g),),
            samples=lambda: [((_sample_list(),), _F2)],
            doc="The list without its last element, and that element.", raises=(OutOfRangeError,), native=True,
            attributes=kinds("dtype shape"))  # fmt: skip


def _add_to_element(total: object, g: Tensor, index: object, kind: dict[str, Any]) -> Any:
    element = get_op(total, index, **kind)
    return set_op(total, index, add_op(element, g) if element.dtype is variant else element + g)


get_op: Op = op("list_get", infer=_infer_get, numpy=lambda items, index, dtype, shape: items[_place(items, index)],
            gradient=lambda g, out, items, index, dtype, shape: (set_op(zeros_like_op(items), index, g), None),
            samples=lambda: [((_sample_list(), np.array(i)), _F2) for i in (0, -1)],
            accumulate=lambda total, g, items, index, **kind: _add_to_element(total, g, index, kind),
            doc="The element at an index.", raises=(OutOfRangeError,), native=True,
            attributes=kinds("dtype shape"))  # fmt: skip
set_op: Op = op("list_set", infer=_infer_set, numpy=lambda items, index, value: items.set(_place(items, index), value),
            gradient=lambda g, out, items, index, value: _set_gradient(g, items, index, value),
            samples=lambda: [((_sample_list(), np.array(1), np.ones(2, np.float32)), {})],
            doc="The list with another element at an index.", raises=(OutOfRangeError,), native=True)  # fmt: skip
length_op = op("list_length", infer=lambda items: Type(int32, ()), numpy=lambda items: np.int32(len(items)),
               samples=lambda: [((_sample_list(),), {}), ((ListValue.of(),), {})], gradient=NOT_DIFFERENTIABLE,
               doc="The number of elements.", total=totality.always, native=True)  # fmt: skip
stack_op = op("list_stack", infer=lambda items, dtype, shape: Type(dtype, None if shape is None else (None, *shape)),
              numpy=_stack, gradient=lambda g, out, items, dtype, shape: (from_tensor_op(g),),
              samples=lambda: [((_sample_list(),), _F2), ((ListValue.of(),), _F2),
                               ((_sample_list(),), {"dtype": float32, "shape": (None,)})],
              doc="The elements along a new first axis.", native=True, attributes=kinds("dtype shape"))  # fmt: skip
from_tensor_op: Op = op(
    "list_from_tensor", infer=_infer_unstack, numpy=_unstack, doc="The slices along the first axis.",
    gradient=lambda g, out, x: (stack_like_op(g, x),),
    samples=lambda: [s.sample([[1.0, 2.0]]), s.sample(np.zeros((0, 2)))], native=True)  # fmt: skip

# What gradients of lists need: the gradient of a list is a list of gradients.

stack_like_op: Op = op(
    "list_stack_like", infer=lambda items, like: like, numpy=_stack_like,
    gradient=lambda g, out, items, like: (from_tensor_op(g), None),
    samples=lambda: [((_sample_list(), np.ones((2, 2), np.float32)), {})],
    doc="The elements along a new first axis, as many as another tensor has there.", native=True)  # fmt: skip
zeros_like_op: Op = op("list_zeros_like", infer=list_type, numpy=_zeros_like, gradient=NOT_DIFFERENTIABLE,
                   samples=lambda: [((_sample_list(),), {})], doc="Zeros in the shapes of a list's elements.",
                   native=True)
add_op = op("list_add", infer=list_type, numpy=_add, gradient=lambda g, out, x, y: (g, g),
            samples=lambda: [((_sample_list(), _sample_list()), {})], doc="The sums of two lists' elements.")
cast_like_op: Op = op(
    "list_cast_like", infer=list_type, numpy=_cast_like,
    gradient=lambda g, out, items, like: (cast_like_op(g, items), None),
    samples=lambda: [((_sample_list(), _sample_list()), {})],
    doc="The elements in the dtypes that those of another list have.")  # fmt: skip


def _push_gradient(g: Tensor, value: Tensor) -> tuple[Any, Any]:
    if value.dtype is variant:
        return pop_op(g, dtype=variant, shape=())
    return pop_op(g, dtype=value.dtype, shape=value.static_shape)


def _set_gradient(g: Tensor, items: object, index: object, value: Tensor) -> tuple[Any, ...]:
    """The element that was replaced had no influence; a tensor is taken to have had the shape of the new one."""
    is_list = value.dtype is variant
    zero = zeros_like_op(get_op(items, index, dtype=variant, shape=())) if is_list else zeros_like(value)
    return set_op(g, index, zero), None, get_op(g, index, dtype=value.dtype, shape=value.static_shape)


@dataclass(frozen=True)
class TensorList:
    """A list of tensors of one dtype whose length a graph decides.

    `handle` is the list's tensor, of dtype ``variant``; `dtype` and `element_shape` are those of the elements. The
    methods return new lists and never change this one.

    >>> numbers = TensorList.new("int32", ()).push(1).push(2)
    >>> numbers.stack()
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """

    handle: Any
    dtype: DType
    element_shape: Shape

    @classmethod
    def new(cls, dtype: DTypeLike, element_shape: object = None) -> TensorList:
        """An empty list of elements of a dtype and a shape (``None`` for what is not known).

        Raises `InvalidTypeError` for what is no dtype or no shape.
        """
        return cls(new_op(), as_dtype(dtype), as_shape(element_shape))

    @classmethod
    def from_tensor(cls, tensor: TensorLike) -> TensorList:
        """The slices of a tensor along its first axis. Raises `InvalidArgumentError` for a scalar."""
        x = convert_to_tensor(tensor)
        return cls(from_tensor_op(x), x.dtype, None if x.static_shape is None else x.static_shape[1:])

    def push(self, value: Any) -> TensorList:
        """This list with `value` at the end. Raises `InvalidArgumentError` for another dtype or shape."""
        return self._with(push_op(self.handle, self._element(value)))

    def pop(self) -> tuple[TensorList, Any]:
        """This list without its last element, and that element; `OutOfRangeError` when it is empty."""
        handle, value = pop_op(self.handle, dtype=self.dtype, shape=self.element_shape)
        return self._with(handle), value

    def get(self, index: Any) -> Any:
        """The element at an index, a scalar integer, in the list's dtype; `OutOfRangeError` when there is none."""
        return get_op(self.handle, index, dtype=self.dtype, shape=self.element_shape)

    def set(self, index: Any, value: Any) -> TensorList:
        """This list with `value` at an index.

        Raises `OutOfRangeError` when there is no such element, `InvalidArgumentError` for another dtype or shape.
        """
        return self._with(set_op(self.handle, index, self._element(value)))

    def length(self) -> Any:
        """The number of elements, a scalar int32."""
        return length_op(self.handle)

    def stack(self) -> Any:
        """The elements along a new first axis, in the list's dtype.

        Raises `InvalidArgumentError` when their shapes differ, or when there are none and the element shape is not
        known.
        """
        return stack_op(self.handle, dtype=self.dtype, shape=self.element_shape)

    def relaxed(self, element_shape: Shape) -> TensorList:
        """This list, with an element shape that allows its own and the given one."""
        return TensorList(self.handle, self.dtype, relax(self.element_shape, element_shape))

    def _with(self, handle: object) -> TensorList:
        return TensorList(handle, self.dtype, self.element_shape)

    def _element(self, value: Tensor) -> Any:
        if isinstance(value, Tensor | np.ndarray | np.generic):
            element = convert_to_tensor(value, None if isinstance(value, Tensor) else self.dtype)
            require(element.dtype is self.dtype,
                f"an element of dtype {element.dtype.name} in a list of {self.dtype.name}")
        else:
            element = cast(convert_to_tensor(value, dtype_hint=self.dtype), self.dtype)
        fits = is_compatible(element.static_shape, self.element_shape)
        require(fits, f"an element of shape {text(element.static_shape)} in a list of {text(self.element_shape)}")
        return element
