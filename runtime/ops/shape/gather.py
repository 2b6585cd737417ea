"""Picking elements by tensors of indices: gather, gather_nd, take_along_axis, boolean_mask, slice.

An index outside `[0, n)` raises `IndexOutOfRangeError`; negative ones too, as TensorFlow defines these functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import IndexOutOfRangeError

from ...base.dtypes import Array
from ...base.shapes import Shape, broadcast, is_compatible
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, OPS, Type, op
from ...ir.raising import places
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast
from ..infer import at_least, axis_of, exactly, rank_of, require, require_kind, text, whole
from ..kernels import samples as s
from .create import range as range_
from .create import zeros_like
from .dims import as_dims
from .index import add_at_op, encode, get_item
from .joining import concat
from .shape import broadcast_to, moveaxis, reshape, shape

__all__ = ["boolean_mask", "gather", "gather_nd", "slice", "take", "take_along_axis"]


def check_indices(indices: Any, size: int) -> None:
    """Raise `IndexOutOfRangeError` unless all indices lie in `[0, size)`."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        bad = indices[(indices < 0) | (indices >= size)].flat[0] if indices.ndim else indices
        raise IndexOutOfRangeError(f"index {bad} is not in [0, {size})")


def _infer_gather(x: Type, indices: Type, axis: int, batch_dims: int = 0) -> Type:
    require_kind(indices, "iu", "the indices")
    at_least(x.shape, 1, "what is gathered from")
    if x.shape is None or indices.shape is None:
        return Type(x.dtype, None)
    axis = axis_of(axis, len(x.shape))
    require(0 <= batch_dims <= axis and batch_dims <= len(indices.shape),
        f"batch_dims {batch_dims} does not fit axis {axis}")
    require(is_compatible(x.shape[:batch_dims], indices.shape[:batch_dims]), "the batch dimensions differ")
    return Type(x.dtype, x.shape[:axis] + indices.shape[batch_dims:] + x.shape[axis + 1 :])


def _gather(x: Array, indices: Array, axis: int, batch_dims: int = 0) -> Any:
    check_indices(indices, x.shape[axis])
    if batch_dims == 0:
        return x.take(indices, axis)
    axis %= x.ndim
    inner = indices.ndim - batch_dims
    batch = [
        np.arange(n).reshape((n,) + (1,) * (indices.ndim - i - 1)) for i, n in enumerate(indices.shape[:batch_dims])
    ]
    picked = np.moveaxis(x, axis, batch_dims)[(*batch, indices)]
    source = list(range(batch_dims, batch_dims + inner))
    return np.moveaxis(picked, source, [axis - batch_dims + i for i in source])


def _gather_gradient(g: Any, out: Tensor, x: Any, indices: Tensor, axis: int, batch_dims: int = 0) -> tuple[Any, None]:
    rank = x.ndim
    require(rank is not None, "the gradient of gather needs the tensor's rank")
    if batch_dims:
        return _batched_gradient(g, x, indices, axis % rank, batch_dims), None
    key, inputs = encode((*(np.s_[:],) * (axis % rank), indices))
    return add_at_op(zeros_like(x), g, *inputs, key=key), None


def _batched_gradient(g: Tensor, x: Tensor, indices: Any, axis: int, batch_dims: int) -> Any:
    """With the axis, and those of the indices, moved behind the batch's."""
    inner = indices.ndim - batch_dims
    g = moveaxis(g, [axis + i for i in range(inner)], [batch_dims + i for i in range(inner)])
    zeros = zeros_like(moveaxis(x, axis, batch_dims))
    places = [*coordinates(indices, batch_dims), indices]
    total = add_at_op(zeros, g, *places, key=tuple([("input", i) for i in range(len(places))]))
    return moveaxis(total, batch_dims, axis)


def coordinates(x: Any, count: int) -> list[Any]:
    """For each of the first axes of a tensor the numbers of its slices, with ones for the tensor's other axes."""
    dtype = x.dtype if x.dtype.is_integer else "int64"
    return [reshape(cast(range_(shape(x)[i]), dtype), [-1 if j == i else 1 for j in range(x.ndim)])
            for i in range(count)]  # fmt: skip


def put_along(x: Any, indices: TensorLike, g: Tensor, axis: int) -> Any:
    """Zeros like `x` with `g` added along an axis at indices of the same rank: the adjoint of `take_along_axis`."""
    rank = x.ndim
    require(rank is not None, "this gradient needs the tensor's rank")
    places = coordinates(x, rank)
    places[axis % rank] = indices
    return add_at_op(zeros_like(x), g, *places, key=tuple([("input", i) for i in range(rank)]))


_X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
gather_op = op(
    "gather", infer=_infer_gather, numpy=_gather, lenient=True, gradient=_gather_gradient,
    samples=lambda: [
        s.sample([1.0, 2.0, 3.0], [2, 0], axis=0), s.sample(_X, [[0, 2], [1, 1]], axis=1), s.sample(_X, 1, axis=-1),
        s.sample(_X, [[0, 1], [1, 0]], axis=2, batch_dims=1),
        s.sample(_X, [[0], [2]], axis=1, batch_dims=1), s.sample(_X, np.zeros(0, np.int32), axis=0),
        s.sample(["a", "b"], [1, 1], axis=0),
        s.sample(_X, np.zeros((2, 3), np.int64), axis=2, batch_dims=2),
    ],
    doc="The slices along an axis that the indices name; the first `batch_dims` axes go together.",
    raises=places, native=True, tensorflow_name="GatherV2",
    attributes=kinds("axis batch_dims"),
)  # fmt: skip


def gather(
    params: TensorLike, indices: TensorLike, validate_indices: bool | None = None, axis: int | None = None,
    batch_dims: int = 0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The slices of `params` along `axis` at `indices`: shape `params[:axis] + indices[batch_dims:] + params[axis+1:]`.

    `axis` is `batch_dims` by default. Raises `IndexOutOfRangeError` for an index outside `[0, n)`, also a negative one.
    """
    tensor, places = convert_to_tensor(params), convert_to_tensor(indices)
    if batch_dims < 0:
        batch_dims += rank_of(places, "gather")
    return gather_op(tensor, places, axis=batch_dims if axis is None else whole(axis), batch_dims=int(batch_dims),
        name=name)


def take(a: TensorLike, indices: TensorLike, axis: int | None = None) -> Any:
    """NumPy's `take`: negative indices count from the end; without `axis`, from the flattened tensor.

    The shape of the indices replaces `axis`; the dtype stays. Raises `IndexOutOfRangeError` for an index outside,
    `InvalidTypeError` for indices that are no integers.
    """
    tensor = convert_to_tensor(a)
    if axis is None:
        return get_item(reshape(tensor, (-1,)), convert_to_tensor(indices))
    before = (np.s_[:],) * axis if axis >= 0 else (Ellipsis,)
    after = (np.s_[:],) * (-axis - 1) if axis < 0 else ()
    return get_item(tensor, (*before, convert_to_tensor(indices), *after))


# gather_nd


def infer_points(x: Shape, indices: Type, batch_dims: int = 0) -> tuple[Shape, int | None]:
    """The shape of `x` at index vectors (the last axis of `indices`), and the length of those vectors."""
    require_kind(indices, "iu", "the indices")
    at_least(indices.shape, 1 + batch_dims, "the indices")
    if indices.shape is None or indices.shape[-1] is None or x is None:
        return None, None if indices.shape is None else indices.shape[-1]
    depth = indices.shape[-1]
    require(depth + batch_dims <= len(x), f"index vectors of length {depth} are too long for shape {text(x)}")
    return indices.shape[:-1] + x[batch_dims + depth :], depth


def point_key(x: Any, indices: Any) -> tuple[Any, ...]:
    """The key that picks the elements at index vectors; raises `IndexOutOfRangeError` when one lies outside."""
    depth = indices.shape[-1]
    limits = np.array(x.shape[:depth], np.int64)
    outside = ((indices < 0) | (indices >= limits)).any(axis=-1)
    if outside.any():
        raise IndexOutOfRangeError(f"index {indices[outside][0].tolist()} does not lie in shape {text(x.shape)}")
    return tuple(indices[..., i] for i in range(depth))


def _gather_nd(x: Any, indices: Any, batch_dims: int = 0) -> Any:
    if batch_dims == 0:
        if indices.shape[-1] == 0:
            return np.broadcast_to(x, indices.shape[:-1] + x.shape)
        return x[point_key(x, indices)]
    flat = x.reshape((-1, *x.shape[batch_dims:])) if x.size else x
    places = indices.reshape((-1, *indices.shape[batch_dims:]))
    rows = np.arange(len(places)).reshape((-1,) + (1,) * (places.ndim - 1))
    rows = np.broadcast_to(rows, (*places.shape[:-1], 1))
    picked = _gather_nd(flat, np.concatenate([rows, places], axis=-1))
    return picked.reshape(indices.shape[:-1] + x.shape[batch_dims + indices.shape[-1] :])


def _gather_nd_gradient(g: Tensor, out: Tensor, x: Tensor, indices: Tensor, batch_dims: int = 0) -> tuple[Any, None]:
    if batch_dims:
        dims = concat([shape(indices)[:-1], [1]], 0)
        batch = [broadcast_to(place, dims) for place in coordinates(indices, batch_dims)]
        indices = concat([*batch, indices], -1)
    return OPS["tensor_scatter_nd_add"](zeros_like(x), indices, g), None


gather_nd_op = op(
    "gather_nd", infer=lambda x, indices, batch_dims=0: Type(x.dtype, infer_points(x.shape, indices, batch_dims)[0]),
    numpy=_gather_nd, gradient=_gather_nd_gradient,
    samples=lambda: [
        s.sample(_X, [[0, 1], [1, 2]]), s.sample(_X, [[[1]], [[0]]]), s.sample(_X, [0, 1, 2]),
        s.sample(_X, [[1], [0]], batch_dims=1),
        s.sample(_X, np.zeros((0, 2), np.int32)), s.sample(["a", "b"], [[1]]),
        s.sample(_X, np.zeros((2, 3, 1), np.int64), batch_dims=2),
    ],
    doc="The elements or slices at index vectors, the last axis of the indices.",
    raises=places,
    attributes=kinds("batch_dims"),
)  # fmt: skip


def gather_nd(params: TensorLike, indices: TensorLike, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """The elements (or slices) of `params` at the index vectors in the last axis of `indices`.

    The shape is `indices.shape[:-1]` and what the vectors leave of that of `params`. Raises `IndexOutOfRangeError` for
    a vector outside, also with negative numbers, `InvalidArgumentError` for one too long or not of integers.
    """
    return gather_nd_op(params, indices, batch_dims=int(batch_dims), name=name)


# take_along_axis, boolean_mask, slice


def _infer_along(x: Type, indices: Type, axis: int) -> Type:
    require_kind(indices, "iu", "the indices")
    if x.shape is None or indices.shape is None:
        return Type(x.dtype, None)
    require(len(x.shape) == len(indices.shape), f"the ranks of {text(x.shape)} and {text(indices.shape)} differ")
    place = axis_of(axis, len(x.shape))

    others = broadcast((*x.shape[:place], 1, *x.shape[place + 1 :]),
        (*indices.shape[:place], 1, *indices.shape[place + 1 :]))
    assert others is not None
    return Type(x.dtype, (*others[:place], indices.shape[place], *others[place + 1 :]))


def _along(x: Array, indices: Array, axis: int) -> Any:
    try:
        return np.take_along_axis(x, indices.astype(np.int64, copy=False), axis)
    except IndexError as error:
        raise IndexOutOfRangeError(str(error)) from None


def _along_gradient(g: Tensor, out: Tensor, x: Tensor, indices: Tensor, axis: int) -> tuple[Any, None]:
    return put_along(x, indices, g, axis), None


take_along_axis_op = op(
    "take_along_axis", infer=_infer_along, numpy=_along, gradient=_along_gradient,
    samples=lambda: [s.sample(_X, np.zeros((2, 1, 4), np.int32), axis=1), s.sample(_X[0], [[0], [-1], [2]], axis=1),
                     s.sample([3, 1], [1, 0, 1], axis=0),
                     s.sample(_X[:0], np.zeros((0, 3, 2), np.int64), axis=-1)],
    raises=places,
    doc="The elements along an axis at indices of the same rank; negative ones count from the end.",
    attributes=kinds("axis"),
)  # fmt: skip


def take_along_axis(arr: TensorLike, indices: TensorLike, axis: int) -> Any:
    """The elements of `arr` along `axis` at `indices`, which has the same rank; negative ones count from the end.

    The other axes broadcast; the dtype stays. Raises `IndexOutOfRangeError` for an index outside,
    `InvalidArgumentError` for another rank.
    """
    return take_along_axis_op(arr, indices, axis=whole(axis))


def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: int | None = None, name: str = "boolean_mask") -> Tensor:
    """The slices of `tensor` where `mask`, whose shape is that of the axes from `axis` (0) on, is true.

    The axes of the mask become one; the dtype stays. Raises `InvalidArgumentError` for a mask that is a scalar or not
    bool.
    """
    chosen = convert_to_tensor(mask)
    require_kind(chosen, "b", "the mask")
    at_least(chosen.static_shape, 1, "the mask")
    return get_item(tensor, (*(np.s_[:],) * int(axis or 0), chosen), name)


def _infer_slice(x: Type, begin: Type, *dynamic: Type, size: Shape) -> Type:
    exactly(begin.shape, 1, "begin")
    require_kind(begin, "iu", "begin")
    if size is None:
        return Type(x.dtype, None if x.shape is None else (None,) * len(x.shape))
    if x.shape is not None:
        require(len(size) == len(x.shape), f"size {size} must have one number for each axis of {text(x.shape)}")
        for n, want in zip(x.shape, size, strict=True):
            fits = n is None or want is None or want <= n
            require(fits, f"can't take {want} of a dimension of {n}")
    return Type(x.dtype, tuple(None if n in (-1, None) else n for n in size))


def region(x: Any, begin: Any, size: Any) -> tuple[Any, ...]:
    """The key of a region; raises `IndexOutOfRangeError` unless it lies in `x` as a whole. -1 is all that remains."""
    starts = begin.tolist()
    sizes = [n - start if length == -1 else length for n, start, length in zip(x.shape, starts, size, strict=True)]
    for n, start, length in zip(x.shape, starts, sizes, strict=True):
        if start < 0 or length < 0 or start + length > n:
            region = f"the region from {starts} of size {sizes}"
            raise IndexOutOfRangeError(f"{region} does not lie in shape {text(x.shape)}")
    return tuple(np.s_[start : start + length] for start, length in zip(starts, sizes, strict=True))


def _slice_gradient(g: Tensor, out: Tensor, x: Tensor, begin: Tensor, *dynamic: Tensor, size: Shape) -> tuple[Any, ...]:
    return FUNCTIONS["dynamic_update_slice"](zeros_like(x), g, begin), None, *(None for _ in dynamic)


slice_op = op(
    "dynamic_slice", infer=_infer_slice, gradient=_slice_gradient,
    numpy=lambda x, begin, *dynamic, size: x[region(x, begin, dynamic[0].tolist() if dynamic else size)],
    samples=lambda: [s.sample(_X, [0, 1, 1], size=(1, 2, -1)), s.sample([1, 2, 3], [3], size=(0,)),
                     s.sample(_X, [1, 0, 0], [1, -1, 2], size=(None, None, 2)),
                     s.sample(np.float64(3), np.zeros(0, np.int32), size=()), s.sample([1, 2], [0], [1], size=None)],
    raises=(IndexOutOfRangeError,),
    doc="The region from `begin` of a size; a size of -1 is all that remains. It must lie inside.",
    attributes=kinds("size"),
)  # fmt: skip


@FUNCTIONS.give
def slice(input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None) -> Tensor:
    """The region of `input_` from `begin` (a vector) of `size` (ints, tensors or a vector; -1: all that remains).

    The dtype stays. Raises `IndexOutOfRangeError` when the region does not lie inside, `InvalidArgumentError` when
    `begin` or `size` has not one number for each axis.
    """
    hint, inputs = as_dims(size, least=-1)
    start = np.zeros(0, np.int32) if isinstance(begin, list | tuple) and not begin else begin
    return slice_op(input_, start, *inputs, size=hint, name=name)
