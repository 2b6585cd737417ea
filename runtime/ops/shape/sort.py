"""Order: sort, argsort, top_k, unique, searchsorted, sequence_mask.

A NaN counts as larger than every number, as in NumPy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, as_dtype, bool_, int32, int64
from ...base.shapes import is_compatible
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast
from ..elementwise.math import greater
from ..infer import at_least, axis_of, exactly, require, require_kind, text, whole
from ..kernels import samples as s
from ..reduce.reduce import count_nonzero
from .create import range as range_
from .create import zeros_like
from .gather import gather, put_along, take_along_axis
from .index import add_at_op
from .known import known_array
from .shape import expand_dims, size

__all__ = [
    "argsort", "in_top_k", "invert_permutation", "searchsorted", "sequence_mask", "sort", "top_k", "unique",
    "unique_with_counts",
]  # fmt: skip


class TopK(NamedTuple):
    """The largest elements and where they were."""

    values: Any
    indices: Any


class Unique(NamedTuple):
    """The distinct elements, and for each input element which of them it is."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """As `Unique`, and how often each occurs."""

    y: Any
    idx: Any
    count: Any


def _infer_sort(x: Type, axis: int = -1, descending: bool = False, **_: object) -> Type:
    require_kind(x, "biufS")
    at_least(x.shape, 1)
    if x.shape is not None:
        axis_of(axis, len(x.shape))
    return x


def _sort(x: Array, axis: int = -1, descending: bool = False) -> Any:
    result = np.sort(x, axis)
    return np.flip(result, axis) if descending else result


def _argsort(x: Array, axis: int = -1, descending: bool = False, dtype: DType = int32) -> Any:
    if not descending:
        return np.argsort(x, axis, kind="stable").astype(dtype.numpy, copy=False)
    order = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    return (x.shape[axis] - 1 - order).astype(dtype.numpy, copy=False)


def _samples() -> list[Any]:
    return [
        s.sample([3.0, 1.0, 2.0]), s.sample([[3, 1], [1, 2]], axis=0), s.sample([1, 3, 1, 3], descending=True),
        s.sample(np.zeros((0, 2))),
        s.sample(s.SPECIAL), s.sample(["b", "a"]), s.sample([[1.0, 1.0], [0.0, 2.0]], axis=-1, descending=True),
        s.sample([True, False]),
    ]  # fmt: skip


def _sort_gradient(g: Tensor, out: Tensor, x: Tensor, axis: int = -1, descending: bool = False) -> tuple[Any]:
    order = argsort_op(x, axis=axis, descending=descending)
    return (take_along_axis(g, argsort_op(order, axis=axis), axis),)


sort_op = op("sort", infer=_infer_sort, numpy=_sort, samples=_samples, gradient=_sort_gradient,
             doc="The elements in order along an axis.", total=totality.fixed,
             attributes=kinds("axis descending"))  # fmt: skip
argsort_op = op("argsort", gradient=NOT_DIFFERENTIABLE, infer=lambda x, axis=-1, descending=False,
    dtype=int32: Type(dtype, _infer_sort(x, axis).shape), numpy=_argsort,
                samples=lambda: [*_samples(), s.sample([2, 1], dtype=int64)],
                doc="The indices that put an axis in order; equal elements keep theirs.",
                attributes=kinds("axis descending dtype"))  # fmt: skip


def _descending(direction: str) -> bool:
    require(direction in ("ASCENDING", "DESCENDING"), f"direction is ASCENDING or DESCENDING, not {direction!r}")
    return direction == "DESCENDING"


def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """`values` in order along `axis`, ASCENDING or DESCENDING; `InvalidArgumentError` for no such axis or direction."""
    return sort_op(values, axis=whole(axis), descending=_descending(direction), name=name)


def argsort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices (int32, in the shape of `values`) that put `values` in order along `axis`; equals keep their order.

    Raises `InvalidArgumentError` for an axis that does not exist and another direction.
    """
    return argsort_op(values, axis=whole(axis), descending=_descending(direction), name=name)


def _infer_top_k(x: Type, k: int, dtype: DType = int32) -> tuple[Type, Type]:
    require_kind(x, "biuf")
    at_least(x.shape, 1)
    if x.shape is None:
        return Type(x.dtype, None), Type(dtype, None)
    require(x.shape[-1] is None or 0 <= k <= x.shape[-1],
        f"there are no {k} elements along the last axis of {text(x.shape)}")
    return Type(x.dtype, (*x.shape[:-1], k)), Type(dtype, (*x.shape[:-1], k))


def _first(x: Any, k: int) -> Any:
    """The indices of the k largest elements of the last axis: the start of the order, most of which nobody wants."""
    count = x.shape[-1]
    if count < 1000 or k > count // 10 or k == 0:
        return _argsort(x, -1, True, int64)[..., :k]
    order = np.empty((*x.shape[:-1], k), np.int64)
    for place in np.ndindex(x.shape[:-1]):
        row = x[place]
        least = np.partition(row, count - k)[count - k]
        candidates = np.flatnonzero(~(row < least))  # NaN, which comes first, is among them
        order[place] = candidates[_argsort(row[candidates], -1, True, int64)[:k]]
    return order


def _top_k(x: Any, k: int, dtype: DType = int32) -> tuple[Any, Any]:
    require(0 <= k <= x.shape[-1], f"there are no {k} elements along the last axis of {text(x.shape)}")
    order = _first(x, k)
    return np.take_along_axis(x, order, -1), order.astype(dtype.numpy)


def _top_k_gradient(g: Tensor, out: Tensor, x: Tensor, k: int, dtype: DType = int32) -> tuple[Any]:
    return (put_along(x, out[1], g[0], -1),)


top_k_op = op(
    "top_k", infer=_infer_top_k, numpy=_top_k, gradient=_top_k_gradient,
    samples=lambda: [s.sample([1.0, 3.0, 2.0, 3.0], k=2), s.sample([[1, 2], [4, 3]], k=1),
                     s.sample(np.zeros((0, 3)), k=3), s.sample([1.0], k=0),
                     s.sample(np.array([0, 255], np.uint8), k=2)],
    doc="The k largest elements of the last axis, largest first, and their indices; of equals the first comes first.",
    native=True, tensorflow_name="TopKV2", attributes=kinds("k dtype"),
)  # fmt: skip


def top_k(
    input: TensorLike, k: int = 1, sorted: bool = True, index_type: object = int32, name: str | None = None
) -> TopK:
    """The `k` (a Python int) largest elements of the last axis, largest first, and their indices.

    `[..., n]` gives `[..., k]` of the same dtype and of `index_type`. Of equal elements the one with the lower index
    comes first. Raises `InvalidArgumentError` when there are fewer, and for a scalar.
    """
    return TopK(*top_k_op(input, k=int(k), dtype=as_dtype(index_type), name=name))


def in_top_k(targets: TensorLike, predictions: TensorLike, k: int, name: str | None = None) -> Tensor:
    """Whether the prediction at each target class is among the `k` largest of its row.

    Integers `[n]` and numbers `[n, classes]` give booleans `[n]`. Raises `IndexOutOfRangeError` for a class without a
    prediction, `InvalidArgumentError` for targets that are not integers.
    """
    scores = gather(predictions, expand_dims(targets, -1), batch_dims=1)
    return count_nonzero(greater(predictions, scores), axis=-1) < k


# unique


def _infer_unique(x: Type, dtype: DType = int32) -> tuple[Type, ...]:
    exactly(x.shape, 1)
    n = None if x.shape is None else x.shape[0]
    return Type(x.dtype, (0,) if n == 0 else (None,)), Type(dtype, (n,)), Type(dtype, (0,) if n == 0 else (None,))


def _unique(x: Array, dtype: DType = int32) -> tuple[Any, ...]:
    _, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return x[first[order]], places[inverse.reshape(-1)].astype(dtype.numpy), counts[order].astype(dtype.numpy)


def _unique_gradient(g: Tensor, out: Tensor, x: Tensor) -> Any:
    """To the first of each kind, as that is the element which was taken."""
    order = argsort_op(out[1], dtype=int32)
    first = gather(order, searchsorted(gather(out[1], order), range_(size(out[0], out_type=out[1].dtype))))
    return add_at_op(zeros_like(x), g, first, key=(("input", 0),))


unique_op = op(
    "unique", infer=_infer_unique, numpy=_unique,
    gradient=lambda g, out, x, dtype=int32: (_unique_gradient(g[0], out, x),),
    samples=lambda: [s.sample([3, 1, 3, 2]), s.sample(np.zeros(0), dtype=int64), s.sample(["b", "a", "b"]),
                     s.sample([1.5, 1.5])],
    doc="The distinct elements in order of first appearance, which of them each element is, and how often each occurs.",
    attributes=kinds("dtype"),
)  # fmt: skip


def unique(x: TensorLike, out_idx: object = int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in the order of their first appearance, and each element's place there.

    `y` has the dtype of `x`, `idx` the size of `x` and dtype `out_idx`. Other ranks raise `InvalidArgumentError` in
    traces.
    """
    y, idx, _ = unique_op(x, dtype=as_dtype(out_idx), name=name)
    return Unique(y, idx)


def unique_with_counts(x: TensorLike, out_idx: object = int32, name: str | None = None) -> UniqueWithCounts:
    """As `unique`, and how often each element occurs, as many as `y`, of dtype `out_idx`."""
    return UniqueWithCounts(*unique_op(x, dtype=as_dtype(out_idx), name=name))


# searchsorted, sequence_mask


def _infer_search(sequence: Type, values: Type, side: str = "left", dtype: DType = int32) -> Type:
    at_least(sequence.shape, 1, "the sorted sequence")
    if sequence.shape is not None and len(sequence.shape) > 1 and values.shape is not None:
        require(is_compatible(sequence.shape[:-1], values.shape[:-1]), "the batch dimensions differ")
    return Type(dtype, values.shape)


def _search(sequence: Any, values: Array, side: Any = "left", dtype: DType = int32) -> Any:
    if sequence.ndim == 1:
        return np.asarray(np.searchsorted(sequence, values, side)).astype(dtype.numpy)
    result = np.empty(values.shape, dtype.numpy)
    for place in np.ndindex(sequence.shape[:-1]):
        result[place] = np.searchsorted(sequence[place], values[place], side)
    return result


searchsorted_op = op(
    "searchsorted", gradient=NOT_DIFFERENTIABLE, infer=_infer_search, numpy=_search, lenient=True, promote=0,
    samples=lambda: [s.sample([1, 3, 5], [0, 3, 9]), s.sample([1.0, 3.0], 2.0, side="right"),
                     s.sample([[1, 2], [3, 4]], [[1], [9]], dtype=int64),
                     s.sample(np.zeros(0), np.ones(2)), s.sample([1, 3], [2.5])],
    doc="Where to insert values into a sorted sequence (the last axis) to keep it sorted.",
    attributes=kinds("side dtype"),
)  # fmt: skip


def searchsorted(
    sorted_sequence: TensorLike, values: TensorLike, side: str = "left", out_type: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Where to insert `values` into `sorted_sequence` (its last axis) so that it stays sorted; `side` is for equals.

    The shape is that of `values`, the dtype `out_type`. Raises `InvalidArgumentError` for a scalar sequence and another
    `side`, `InvalidTypeError` for strings among numbers.
    """
    require(side in ("left", "right"), f"side is left or right, not {side!r}")
    return searchsorted_op(sorted_sequence, values, side=side, dtype=as_dtype(out_type), name=name)


def _infer_mask(lengths: Type, *longest: Type, maxlen: int | None = None) -> Type:
    require_kind(lengths, "iu", "the lengths")
    for each in longest:
        require_kind(each, "iu", "maxlen")
        exactly(each.shape, 0, "maxlen")
    return Type(bool_, None if lengths.shape is None else (*lengths.shape, maxlen))


def _mask(lengths: Array, *longest: Any, maxlen: int | None = None) -> Any:
    n = int(longest[0]) if longest else maxlen
    if n is None:
        n = max(int(lengths.max()), 0) if lengths.size else 0
    return np.arange(n) < np.expand_dims(lengths, -1)


sequence_mask_op = op(
    "sequence_mask", gradient=NOT_DIFFERENTIABLE, infer=_infer_mask, numpy=_mask,
    samples=lambda: [s.sample([1, 3, 0]), s.sample([1, 3], maxlen=2), s.sample(2, 4), s.sample([[1], [2]], maxlen=0),
                     s.sample(np.zeros(0, np.int64))],
    doc="True in the first places of each row, as many as its length says. A second input, if any, is the row's size.",
    attributes=kinds("maxlen"),
)  # fmt: skip


def sequence_mask(lengths: TensorLike, maxlen: Any = None, dtype: DTypeLike = bool_, name: str | None = None) -> Tensor:
    """For each length a row whose first places are true; rows have `maxlen` places, or as the largest length.

    Lengths `[...]` give `[..., maxlen]` of `dtype`. In traces lengths that are not integers raise
    `InvalidArgumentError`.
    """
    known: int | None = maxlen
    inputs: tuple[Any, ...] = ()
    if maxlen is not None and not isinstance(maxlen, int):
        maxlen = convert_to_tensor(maxlen)
        array = known_array(maxlen)
        fits = array is not None and array.shape == () and array.dtype.kind in "iu" and array >= 0
        known = int(array) if array is not None and fits else None
        inputs = (maxlen,) if known is None else ()
    return cast(sequence_mask_op(lengths, *inputs, maxlen=known, name=name), dtype)


def _invert(x: Array) -> Any:
    result = np.full(x.shape, -1, x.dtype)
    valid = x.size == 0 or (x.min() >= 0 and x.max() < x.size)
    if valid:
        result[x] = np.arange(x.size, dtype=x.dtype)
    if not valid or (result < 0).any():
        raise InvalidArgumentError("invert_permutation needs each of the numbers from 0 on just once")
    return result


def _infer_invert(x: Type) -> Type:
    require_kind(x, "iu")
    exactly(x.shape, 1)
    return x


invert_op = op("invert_permutation", gradient=NOT_DIFFERENTIABLE, infer=_infer_invert, numpy=_invert,
    samples=lambda: [s.sample([2, 0, 1]), s.sample(np.zeros(0, np.int64))],
               raises=(InvalidArgumentError,), doc="The permutation that undoes a permutation.")  # fmt: skip


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes `x`, a vector of the numbers from 0 on in any order; the dtype stays.

    Raises `InvalidArgumentError` for any other numbers or rank.
    """
    return invert_op(convert_to_tensor(x), name=name)
