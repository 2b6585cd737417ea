"""Operations on tensor lists that the methods of staged lists need; the elements may be tensor lists again."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import dtypes
from autograph.runtime.base.dtypes import DType
from autograph.runtime.base.list_value import ListValue
from autograph.runtime.base.shapes import Shape
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.kinds import kinds
from autograph.runtime.ir.op import NOT_DIFFERENTIABLE, Op, op
from autograph.runtime.ops.lists.lists import list_type, zeros_like_op


def _take(items: ListValue, indices: Any) -> ListValue:
    held = items.items()
    return ListValue.of(held[index] for index in indices)


def _put_back(items: ListValue, taken: ListValue, indices: Any) -> ListValue:
    held = items.items()
    for index, value in zip(indices, taken.items(), strict=True):
        held[index] = _sum(held[index], value)
    return ListValue.of(held)


def _sum(x: object, y: Any) -> Any:
    return ListValue.of(map(_sum, x, y)) if type(x) is ListValue else x + y


def _cast(items: ListValue, dtype: DType) -> ListValue:
    return ListValue.of(
        _cast(each, dtype) if type(each) is ListValue else np.asarray(each).astype(dtype.numpy) for each in items
    )


def _cast_like(items: ListValue, like: ListValue) -> ListValue:
    pairs = zip(items, like, strict=True)
    return ListValue.of(_cast_like(x, y) if type(x) is ListValue else x.astype(y.dtype, copy=False) for x, y in pairs)


def _filled(items: ListValue, value: object) -> ListValue:
    return ListValue.of(_filled(each, value) if type(each) is ListValue else value for each in items)


def _stack(items: ListValue, depth: int, dtype: DType, shape: Shape) -> Any:
    rows = [_stack(each, depth - 1, dtype, shape) if depth > 1 else np.asarray(each) for each in items]
    if not rows:
        return np.zeros((0,) * depth + tuple(each or 0 for each in shape or ()), dtype.numpy)
    if len({row.shape for row in rows}) > 1:
        raise InvalidArgumentError(
            f"can't stack lists of different lengths: {' and '.join(str(row.shape) for row in rows[:4])}",
            remedy="return the list itself, or make all rows equally long",
        )
    return np.stack(rows).astype(dtype.numpy, copy=False)


def _infer_stack(items: Type, depth: int, dtype: DType, shape: Shape) -> Type:
    return Type(dtype, None if shape is None else (*[None] * depth, *shape))


def _unstack_like(x: Any, like: ListValue) -> ListValue:
    rows = zip(x, like, strict=True)
    return ListValue.of(_unstack_like(row, each) if type(each) is ListValue else row[...] for row, each in rows)


def _flat(items: ListValue, depth: int) -> ListValue:
    held: Any = items.items()
    for _ in range(depth):
        held = [each for part in held for each in part]
    return ListValue.of(held)


def _flat_like(items: ListValue, like: ListValue, depth: int) -> ListValue:
    if depth == 0:
        return ListValue.of(items.items()[: len(like)])
    made, start, held = [], 0, items.items()
    for each in like:
        count = len(_flat(each, depth - 1))
        made.append(_flat_like(ListValue.of(held[start : start + count]), each, depth - 1))
        start += count
    return ListValue.of(made)


def _split(items: ListValue, lengths: Any) -> ListValue:
    ends = np.cumsum(lengths)
    held = items.items()
    pairs = zip(ends, lengths, strict=True)
    return ListValue.of(ListValue.of(held[int(end) - int(length) : int(end)]) for end, length in pairs)


def _sample() -> ListValue:
    return ListValue.of([np.float32(1.5), np.float32(2.5), np.float32(3.5)])


def _nested_sample() -> ListValue:
    return ListValue.of([_sample(), _sample()])


_SCALARS: dict[str, Any] = {"dtype": dtypes.float32, "shape": ()}

LIST_TAKE: Op = op(
    "list_take",
    infer=list_type,
    numpy=_take,
    gradient=lambda g, out, items, indices: (LIST_PUT_BACK(zeros_like_op(items), g, indices), None),
    samples=lambda: [((_sample(), np.array([2, 0], np.int32)), {}), ((_sample(), np.zeros(0, np.int32)), {})],
    doc="The elements at some indices, as a list.",
)
LIST_PUT_BACK: Op = op(
    "list_put_back",
    infer=list_type,
    numpy=_put_back,
    gradient=lambda g, out, items, taken, indices: (g, LIST_TAKE(g, indices), None),
    samples=lambda: [((_sample(), ListValue.of([np.float32(1.0)]), np.array([1], np.int32)), {})],
    doc="The list with elements added at some indices.",
)
LIST_CAST: Op = op(
    "list_cast",
    attributes=kinds("dtype"),
    infer=list_type,
    gradient=lambda g, out, items, dtype: (_LIST_CAST_LIKE(g, items),),
    numpy=_cast,
    samples=lambda: [((_sample(),), {"dtype": dtypes.float64}), ((_nested_sample(),), {"dtype": dtypes.float64})],
    doc="The list with its elements in another dtype.",
)
_LIST_CAST_LIKE: Op = op(
    "nested_list_cast_like",
    infer=list_type,
    gradient=lambda g, out, items, like: (_LIST_CAST_LIKE(g, items), None),
    numpy=_cast_like,
    samples=lambda: [((_sample(), _sample()), {}), ((_nested_sample(), _nested_sample()), {})],
    doc="The elements in the dtypes that those of another list have, at any depth.",
)
LIST_FILLED: Op = op(
    "list_filled",
    infer=list_type,
    gradient=NOT_DIFFERENTIABLE,
    numpy=_filled,
    samples=lambda: [((_sample(), np.bool_(True)), {}), ((_nested_sample(), np.bool_(False)), {})],
    doc="A list like another one, in which every element is one value.",
)
NESTED_LIST_STACK: Op = op(
    "nested_list_stack",
    attributes=kinds("depth dtype shape"),
    infer=_infer_stack,
    gradient=lambda g, out, items, depth, dtype, shape: (_UNSTACK_LIKE(g, items),),
    numpy=_stack,
    samples=lambda: [((_nested_sample(),), {"depth": 2, **_SCALARS})],
    doc="The elements of lists of lists along new first axes, one for each depth.",
)
_UNSTACK_LIKE: Op = op(
    "nested_list_unstack_like",
    infer=list_type,
    gradient=lambda g, out, x, like: (_STACK_LIKE(g, x), None),
    numpy=_unstack_like,
    samples=lambda: [((np.ones((2, 3), np.float32), _nested_sample()), {})],
    doc="A tensor taken apart to lists that are nested as another one.",
)
_STACK_LIKE: Op = op(
    "nested_list_stack_like",
    infer=lambda items, like: like,
    gradient=lambda g, out, items, like: (_UNSTACK_LIKE(g, items), None),
    numpy=lambda items, like: _stack(items, _depth(items), dtypes.as_dtype(like.dtype), ()).reshape(like.shape),
    samples=lambda: [((_nested_sample(), np.ones((2, 3), np.float32)), {})],
    doc="The elements of nested lists, stacked to the shape of another tensor.",
)
LIST_FLAT: Op = op(
    "list_flat",
    attributes=kinds("depth"),
    infer=list_type,
    gradient=lambda g, out, items, depth: (_LIST_FLAT_LIKE(g, items, depth=depth),),
    numpy=_flat,
    samples=lambda: [((_nested_sample(),), {"depth": 1})],
    doc="The elements of lists of lists, at a depth, in one list.",
)
_LIST_FLAT_LIKE: Op = op(
    "list_flat_like",
    attributes=kinds("depth"),
    infer=list_type,
    gradient=lambda g, out, items, like, depth: (LIST_FLAT(g, depth=depth), None),
    numpy=_flat_like,
    samples=lambda: [((ListValue.of(np.ones(6, np.float32)), _nested_sample()), {"depth": 1})],
    doc="A list taken apart to lists that are nested as another one.",
)
LIST_LENGTHS: Op = op(
    "list_lengths",
    infer=lambda items: Type(dtypes.int32, (None,)),
    gradient=NOT_DIFFERENTIABLE,
    numpy=lambda items: np.array([len(each) for each in items], np.int32),
    samples=lambda: [((_nested_sample(),), {})],
    doc="The lengths of the lists in a list.",
)
LIST_SPLIT: Op = op(
    "list_split",
    infer=list_type,
    gradient=lambda g, out, items, lengths: (LIST_FLAT(g, depth=1), None),
    numpy=_split,
    samples=lambda: [((_sample(), np.array([1, 2], np.int32)), {})],
    doc="A list of lists of some lengths, which have the elements of a list one after another.",
)


def _depth(items: object) -> int:
    return 0 if type(items) is not ListValue else 1 + max(map(_depth, items), default=0)
