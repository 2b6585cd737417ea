"""Writing at indices, functionally: scatter_nd, tensor_scatter_nd_*, dynamic_update_slice, segment reductions.

An index outside the tensor raises `IndexOutOfRangeError`, also a negative one. Where an index repeats, updates take
effect in order (the last one stays), and sums add up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import IndexOutOfRangeError, InvalidArgumentError

from ...base.dtypes import yields
from ...base.shapes import Shape, is_compatible
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, Op, Type, op
from ...tensors.convert import cast as cast_value
from ...tensors.convert import convert_to_tensor, fitted, holds_tensor, is_array, weak_kind
from ...tensors.likes import ShapeLike, TensorLike
from ...tensors.tensor import Tensor
from ..declare import finish
from ..elementwise.elementwise import cast, where
from ..elementwise.math import maximum
from ..infer import at_least, exactly, require, require_kind, text
from ..kernels import samples as s
from .create import ones_like, zeros_like
from .dims import as_dims
from .gather import gather, gather_nd, infer_points, point_key, region
from .gather import slice as slice_
from .index import writable
from .shape import expand_dims, shape

__all__ = [
    "dynamic_update_slice", "scatter_nd", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update", "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min",
    "unsorted_segment_prod", "unsorted_segment_sum",
]  # fmt: skip


def _infer_scatter(x: Type, indices: Type, updates: Type) -> Type:
    require(x.dtype is updates.dtype, f"the updates have dtype {updates.dtype.name}, the tensor has {x.dtype.name}")
    _check_updates(x.shape, indices, updates)
    return x


def _infer_sum(x: Type, indices: Type, updates: Type) -> Type:
    require_kind(x, "iufcS", "the tensor")
    return _infer_scatter(x, indices, updates)


def _check_updates(shape: Shape, indices: Type, updates: Type) -> None:
    expected, _ = infer_points(shape, indices)
    require(is_compatible(expected, updates.shape),
        f"updates of shape {text(updates.shape)} do not fit {text(expected)}")


def scatter_in_place(function: Any, x: Any, indices: Any, updates: Any) -> Any:
    """Change `x` itself at the index vectors. For executors that know that nobody else sees `x`."""
    x = writable(x)
    _fitting(x.shape, indices, updates)
    if indices.shape[-1] == 0:
        key: Any = (Ellipsis,)
        for update in updates.reshape((-1, *x.shape)):
            x[key] = update if function is None else function(x, update)
        return x
    key = point_key(x, indices)
    if function is None:
        x[key] = updates
    else:
        function.at(x, key, updates)
    return x


def _fitting(shape: Any, indices: Any, updates: Any) -> None:
    expected = indices.shape[:-1] + tuple(shape)[indices.shape[-1] :]
    require(updates.shape == expected, f"updates of shape {text(updates.shape)} do not fit {text(expected)}")


def _scatter(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, indices, updates: scatter_in_place(function, np.array(x), indices, updates)


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, indices, updates: scatter_in_place(function, x, indices, updates)


_X = np.arange(12, dtype=np.float32).reshape(4, 3)


def _samples() -> list[Any]:
    return [
        s.sample([1.0, 2.0, 3.0], [[0], [2]], [9.0, 8.0]), s.sample([1, 2, 3], [[1], [1]], [5, 7]),
        s.sample(_X, [[3], [0]], -_X[:2]), s.sample(_X, [[1, 2]], [100.0]),
        s.sample(_X, np.zeros((0, 1), np.int32), np.zeros((0, 3), np.float32)),
        s.sample(_X, [[[0, 0]], [[1, 1]]], [[5.0], [6.0]]),
        s.sample(_X, np.zeros((1, 0), np.int32), _X[None] - 5),
    ]  # fmt: skip


def _update_gradient(g: Tensor, out: Tensor, x: Tensor, indices: Tensor, updates: Tensor) -> tuple[Any, ...]:
    given = gather_nd(g, indices)  # first, so that `g` may be stored into: loops stay linear
    return tensor_scatter_nd_update(g, indices, zeros_like(updates)), None, given


def _chosen_gradient(g: Tensor, out: Tensor, x: Tensor, indices: Tensor, updates: Tensor) -> tuple[Any, ...]:
    """To what was chosen; equal candidates share it."""
    kept = cast(x == out, x.dtype)
    stored = cast(updates == gather_nd(out, indices), x.dtype)
    g = g / tensor_scatter_nd_add(kept, indices, stored)
    return g * kept, None, gather_nd(g, indices) * stored


_FITS_SCATTER = """The result has the shape and dtype of the tensor. Raises `IndexOutOfRangeError` for a vector outside,
`InvalidArgumentError` for updates of another dtype or not of the shape that `gather_nd` gives at `indices`."""
_FITS_SEGMENTS = """The segments are the first axis of the result, in place of the ids' axes; the dtype is the data's.
Raises `InvalidArgumentError` for ids that are no integers or do not fit the data, """


def _declare(name: str, function: Any, doc: str, gradient: object = None) -> Callable[..., Any]:
    infer = _infer_sum if function in (np.add, np.subtract) else _infer_scatter
    record = op(name, infer=infer, numpy=_scatter(function), in_place=_in_place(function),
                samples=_samples, gradient=gradient, raises=(InvalidArgumentError, IndexOutOfRangeError), doc=doc,
                public=name,
                tensorflow_name=f"TensorScatter{name.rpartition('_')[2].capitalize()}")  # fmt: skip

    def public(tensor: Any, indices: TensorLike, updates: Any, name: str | None = None) -> Any:
        tensor, updates = _together(tensor, updates)
        return record(tensor, indices, updates, name=name)

    return finish(public, record, name, _FITS_SCATTER)


def _together(tensor: Tensor, updates: Tensor) -> tuple[Any, Any]:
    """Both as tensors, with Python numbers and arrays among the updates in the tensor's dtype."""
    tensor = convert_to_tensor(tensor)
    if weak_kind(updates) is None:
        is_fitting = is_array(updates)
        updates = convert_to_tensor(updates)
        if is_fitting and yields(updates.dtype, tensor.dtype):
            updates = fitted(updates, tensor.dtype)
    elif holds_tensor(updates):
        updates = cast_value(convert_to_tensor(updates), tensor.dtype)
    else:
        updates = convert_to_tensor(updates, tensor.dtype)
    require(tensor.dtype is updates.dtype,
        f"the updates have dtype {updates.dtype.name}, the tensor has {tensor.dtype.name}")
    return tensor, updates


tensor_scatter_nd_update = _declare(
    "tensor_scatter_nd_update", None, "A copy of the tensor with `updates` at the index vectors; the last one stays.",
    _update_gradient)  # fmt: skip
tensor_scatter_nd_add = _declare(
    "tensor_scatter_nd_add", np.add, "A copy of the tensor with `updates` added at the index vectors.",
    lambda g, out, x, indices, updates: (g, None, gather_nd(g, indices)))  # fmt: skip
tensor_scatter_nd_sub = _declare(
    "tensor_scatter_nd_sub", np.subtract, "A copy of the tensor with `updates` taken off at the index vectors.",
    lambda g, out, x, indices, updates: (g, None, -gather_nd(g, indices)))  # fmt: skip
tensor_scatter_nd_min = _declare(
    "tensor_scatter_nd_min", np.minimum, "A copy of the tensor with the smaller of it and `updates` at index vectors.",
    _chosen_gradient)  # fmt: skip
tensor_scatter_nd_max = _declare(
    "tensor_scatter_nd_max", np.maximum, "A copy of the tensor with the larger of it and `updates` at index vectors.",
    _chosen_gradient)  # fmt: skip


# scatter_nd


def _infer_scatter_nd(indices: Type, updates: Type, *_: Type, shape: Shape) -> Type:
    require_kind(updates, "biufc", "the updates")
    _check_updates(shape, indices, updates)
    return Type(updates.dtype, shape)


def _scatter_nd(indices: Any, updates: Any, *dynamic: Any, shape: Any) -> Any:
    zeros = np.zeros(tuple(dynamic[0]) if dynamic else shape, updates.dtype)
    return scatter_in_place(np.add, zeros, indices, updates)


scatter_nd_op = op(
    "scatter_nd", infer=_infer_scatter_nd, numpy=_scatter_nd,
    gradient=lambda g, out, indices, updates, *dynamic, shape: (None, gather_nd(g, indices), *(None for _ in dynamic)),
    samples=lambda: [
        s.sample([[0], [0]], [1, 2], shape=(3,)), s.sample([[1, 2]], [5.0], shape=(2, 3)),
        s.sample([[1]], [[1.0, 2.0]], [2, 2], shape=None),
        s.sample(np.zeros((0, 1), np.int32), np.zeros(0, np.float32), shape=(2,)),
        s.sample([[1]], [1], [2], shape=(None,)),
    ],
    doc="Zeros of a shape with the updates added at the index vectors.",
    raises=(InvalidArgumentError, IndexOutOfRangeError),
    attributes=kinds("shape"),
)  # fmt: skip


@FUNCTIONS.give
def scatter_nd(indices: TensorLike, updates: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at the index vectors in the last axis of `indices`.

    The dtype is that of `updates`, whose shape is that of `gather_nd` at `indices`; else `InvalidArgumentError`. Raises
    `IndexOutOfRangeError` for a vector outside the shape.
    """
    hint, inputs = as_dims(shape)
    return scatter_nd_op(indices, updates, *inputs, shape=hint, name=name)


# dynamic_update_slice


def _infer_update_slice(x: Type, update: Type, begin: Type) -> Type:
    require(x.dtype is update.dtype, f"the update has dtype {update.dtype.name}, the tensor has {x.dtype.name}")
    require_kind(begin, "iu", "begin")
    exactly(begin.shape, 1, "begin")
    if x.shape is not None and update.shape is not None:
        fits = len(x.shape) == len(update.shape)
        pairs = zip(x.shape, update.shape, strict=False)
        fits = fits and all(a is None or b is None or a >= b for a, b in pairs)
        require(fits, f"an update of shape {text(update.shape)} does not fit into {text(x.shape)}")
    return x


def _update_slice_in_place(x: Any, update: Any, begin: Any) -> Any:
    x = writable(x)
    x[region(x, begin, update.shape)] = update
    return x


def _update_slice_gradient(g: Tensor, out: Tensor, x: Tensor, update: Tensor, begin: Tensor) -> tuple[Any, ...]:
    given = slice_(g, begin, shape(update))  # first, so that `g` may be stored into
    return dynamic_update_slice(g, zeros_like(update), begin), given, None


update_slice_op = op(
    "dynamic_update_slice", infer=_infer_update_slice, gradient=_update_slice_gradient,
    numpy=lambda x, update, begin: _update_slice_in_place(np.array(x), update, begin), in_place=_update_slice_in_place,
    samples=lambda: [s.sample(_X, [[9.0, 8.0]], [2, 1]), s.sample([1, 2, 3], [7], [0]), s.sample(_X, _X[:0], [4, 0])],
    raises=(IndexOutOfRangeError,), doc="A copy of the tensor in which a region is replaced.",
)  # fmt: skip


@FUNCTIONS.give
def dynamic_update_slice(
    operand: TensorLike, update: TensorLike, start_indices: TensorLike, name: str | None = None
) -> Any:
    """A copy of `operand` with the region from `start_indices`, of the shape of `update`, replaced by it.

    Raises `IndexOutOfRangeError` when the region does not lie inside, `InvalidArgumentError` for another rank.
    """
    return update_slice_op(operand, update, start_indices, name=name)


# Segments.


def _infer_segment(x: Type, ids: Type, count: int | None = None) -> Type:
    require_kind(ids, "iu", "the segment ids")
    require_kind(x, "iufc", "the data")
    if x.shape is None or ids.shape is None:
        return Type(x.dtype, None)
    at_least(x.shape, len(ids.shape), "the data")
    require(is_compatible(x.shape[: len(ids.shape)], ids.shape),
        f"the ids {text(ids.shape)} do not fit {text(x.shape)}")
    return Type(x.dtype, (count, *x.shape[len(ids.shape) :]))


def _start(function: Callable[..., Any], dtype: Any) -> Any:
    if function in (np.add, np.multiply):
        return int(function is np.multiply)
    limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return limits.max if function is np.minimum else limits.min


def _segments(function: Any, mean: bool = False, sorted_: bool = False) -> Callable[..., Any]:
    def kernel(x: Any, ids: Any, count: int | None = None) -> Any:
        if sorted_:
            _check_sorted(x, ids)
            count = int(ids[-1]) + 1 if ids.size else 0
        assert count is not None
        rows = x.reshape((-1, *x.shape[ids.ndim :])) if x.size else x.reshape((ids.size, *x.shape[ids.ndim :]))
        rows, flat = _inside(rows, ids.reshape(-1), count)
        result = np.full((count, *x.shape[ids.ndim :]), 0 if sorted_ else _start(function, x.dtype), x.dtype)
        if sorted_ and function not in (np.add,) and flat.size:
            result[flat] = _start(function, x.dtype)
        function.at(result, flat, rows)
        if mean:
            sizes = np.maximum(np.bincount(flat, minlength=count), 1).reshape((count,) + (1,) * (result.ndim - 1))
            result = (result / sizes).astype(x.dtype)
        return result

    return kernel


def _check_sorted(x: Any, ids: Any) -> None:
    require(ids.ndim == 1 and len(ids) == len(x), f"the ids {text(ids.shape)} do not fit data {text(x.shape)}")
    if ids.size and (ids[0] < 0 or (np.diff(ids) < 0).any()):
        raise InvalidArgumentError("segment ids must be sorted and not negative")


def _inside(rows: Any, ids: Any, count: int) -> tuple[Any, Any]:
    """Rows with a negative id are left out, one that is too large is an error."""
    if ids.size and ids.max() >= count:
        raise IndexOutOfRangeError(f"segment id {ids.max()} is not in [0, {count})")
    return (rows[ids >= 0], ids[ids >= 0]) if (ids < 0).any() else (rows, ids)


def _sorted_samples() -> list[Any]:
    return [s.sample([1.0, 2.0, 3.0], [0, 0, 2]), s.sample([[1, 2], [3, 4]], [0, 1]),
            s.sample(np.zeros((0, 2), np.float32), np.zeros(0, np.int32))]


def _unsorted_samples() -> list[Any]:
    return [s.sample([1.0, 2.0, 3.0], [2, -1, 2], count=4), s.sample([[1, 2], [3, 4]], [[0, 1], [1, 0]], count=2),
            s.sample(_X, [1, 0, 1, 1], count=2),
            s.sample(np.zeros((0, 2), np.float32), np.zeros(0, np.int32), count=1)]  # fmt: skip


def _segment_sum_gradient(g: Tensor, out: Tensor, x: Tensor, ids: Tensor, count: int | None = None) -> tuple[Any, None]:
    """Each row gets the gradient of its segment, a row that is left out gets zero."""
    picked, inside = gather(g, maximum(ids, 0)), ids >= 0
    for _ in range((x.ndim or 0) - (ids.ndim or 0)):
        inside = expand_dims(inside, -1)
    return where(inside, picked, zeros_like(picked)), None


def _summed(values: Tensor, ids: Tensor, count: int | None) -> Any:
    return segment_sum(values, ids) if count is None else unsorted_segment_sum(values, ids, count)


def _segment_mean_gradient(
    g: Tensor, out: Tensor, x: Tensor, ids: Tensor, count: int | None = None
) -> tuple[Any, None]:
    sizes = _summed(ones_like(x), ids, count)
    return _segment_sum_gradient(g / maximum(sizes, 1), out, x, ids, count)


def _segment_choice_gradient(
    g: Tensor, out: Tensor, x: Tensor, ids: Tensor, count: int | None = None
) -> tuple[Any, None]:
    """To the elements that are the maximum or minimum; equal ones share it."""
    chosen = cast(x == gather(out, maximum(ids, 0)), x.dtype)
    number = _summed(chosen, ids, count)
    return _segment_sum_gradient(g / maximum(number, 1), out, x, ids, count)[0] * chosen, None


def _segment_prod_gradient(
    g: Tensor, out: Tensor, x: Tensor, ids: Tensor, count: int | None = None
) -> tuple[Any, None]:
    """The product of the others: of those that are not zero, for the only zero of a segment (as TensorFlow does)."""
    zero = x == 0
    zeros = _summed(cast(zero, x.dtype), ids, count)
    safe = where(zero, 1, x)
    places = maximum(ids, 0)
    product = segment_prod(safe, ids) if count is None else unsorted_segment_prod(safe, ids, count)
    others = where(zero, gather(product, places), gather(out, places) / safe)
    return _segment_sum_gradient(where(zeros > 1, zeros_like(g), g), out, x, ids, count)[0] * others, None


def _segment_op(
    name: str, function: Callable[..., Any], doc: str, mean: bool = False, gradient: Callable[..., Any] | None = None
) -> tuple[Any, Any]:
    ordered = op(f"segment_{name}", infer=_infer_segment, numpy=_segments(function, mean, True),
        samples=_sorted_samples, raises=(InvalidArgumentError,), public=f"math.segment_{name}",
        attributes=kinds("count"),
                 gradient=gradient, doc=f"{doc} of each segment's rows; sorted ids. 0 for none.")  # fmt: skip
    loose = op(f"unsorted_segment_{name}", infer=_infer_segment, numpy=_segments(function, mean), lenient=True,
        samples=_unsorted_samples, raises=(IndexOutOfRangeError,), public=f"math.unsorted_segment_{name}",
        attributes=kinds("count"),
               gradient=gradient, doc=f"{doc} of each segment's rows; negative ids count nowhere.")  # fmt: skip
    return _sorted_function(ordered), _unsorted_function(loose)


def _sorted_function(record: Op) -> Callable[..., Any]:
    def function(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Any:
        return record(data, segment_ids, name=name)

    return finish(function, record, record.name, f"{_FITS_SEGMENTS}and for ids that are negative or not sorted.")


def _unsorted_function(record: Op) -> Callable[..., Any]:
    def function(data: TensorLike, segment_ids: TensorLike, num_segments: int, name: str | None = None) -> Any:
        return record(data, segment_ids, count=int(num_segments), name=name)

    return finish(function, record, record.name, f"{_FITS_SEGMENTS}`IndexOutOfRangeError` for an id that is too large.")


segment_sum, unsorted_segment_sum = _segment_op(
    "sum", np.add, "The sum", gradient=_segment_sum_gradient)
segment_mean, unsorted_segment_mean = _segment_op(
    "mean", np.add, "The mean", mean=True, gradient=_segment_mean_gradient)
segment_prod, unsorted_segment_prod = _segment_op(
    "prod", np.multiply, "The product", gradient=_segment_prod_gradient)
segment_max, unsorted_segment_max = _segment_op(
    "max", np.maximum, "The maximum", gradient=_segment_choice_gradient)
segment_min, unsorted_segment_min = _segment_op(
    "min", np.minimum, "The minimum", gradient=_segment_choice_gradient)
