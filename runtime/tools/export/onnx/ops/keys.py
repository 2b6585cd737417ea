"""Keys of items as operators: slices, indices, arrays of indices and masks, as NumPy orders what they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .....base.dtypes import bool_, int64
from ..lowering import Lowering, NotExported
from ..values import Value
from .dims import dim_of, expanded, reshaped, transposed, with_axes

__all__ = ["Key", "broadcast_dims", "item"]

Key = tuple[tuple[Any, ...], ...]
_LAST = int(np.iinfo(np.int64).max)


class _Slice(NamedTuple):
    """A slice of an axis; its ends are vectors of one number."""

    axis: int
    start: Value
    stop: Value
    step: int


class _Index(NamedTuple):
    """An index of an axis, or an array of them."""

    axis: int
    place: Value


class _Parts(NamedTuple):
    """A key, taken apart.

    ``result`` is what the dimensions of the result are made of, in order: an axis, None for a new one, ``"at"`` for
    those of arrays of indices.
    """

    slices: list[_Slice]
    indices: list[_Index]
    result: list[Any]
    has_arrays: bool


def item(x: Value, key: Key, inputs: Sequence[Value]) -> Value:
    """``x[key]``."""
    parts = _taken_apart(x, key, inputs)
    for each in parts.slices:
        x = _sliced(x, each)
    if not parts.indices:
        return _with_new_axes(x, parts.result)
    if not parts.has_arrays:
        return _with_new_axes(_at_numbers(x, parts.indices), parts.result)
    if len(parts.indices) == 1:
        return _with_new_axes(_at_one(x, *parts.indices[0]), parts.result, len(_shape(parts.indices[0].place)))
    return _at_arrays(x, parts)


def _shape(x: Value) -> tuple[int | None, ...]:
    assert x.shape is not None
    return x.shape


# Taking apart


def _taken_apart(x: Value, key: Key, inputs: Sequence[Value]) -> _Parts:
    used = sum(_axes_used(part, inputs) for part in key)
    if ("ellipsis",) not in key:
        key = (*key, ("ellipsis",))
    arrays = [inputs[p[1]] for p in key if p[0] == "input" and (inputs[p[1]].rank or inputs[p[1]].dtype is bool_)]
    parts = _Parts([], [], [], bool(arrays))
    apart, last, axis = False, False, 0
    for part in key:
        advanced = parts.has_arrays and part[0] in ("index", "input")
        if advanced and "at" in parts.result:
            apart = apart or not last
        elif advanced:
            parts.result.append("at")
        last = advanced
        axis = _take(x, part, inputs, parts, axis, x.rank - used)
    if apart:
        parts.result.remove("at")
        parts.result.insert(0, "at")
    return parts


def _take(x: Value, part: tuple[Any, ...], inputs: Sequence[Value], parts: _Parts, axis: int, skipped: int) -> int:
    """Takes a part of a key; gives the next axis."""
    here, kind = x.here, part[0]
    if kind == "newaxis":
        parts.result.append(None)
        return axis
    if kind == "ellipsis":
        parts.result.extend(range(axis, axis + skipped))
        return axis + skipped
    if kind == "slice":
        parts.result.append(axis)
        if part[1:] not in ((None, None, None), (None, None, 1)):
            parts.slices.append(_slice_of(here, axis, part, inputs))
        return axis + 1
    if kind == "index":
        parts.indices.append(_Index(axis, here.constant(part[1], int64)))
        return axis + 1
    index = inputs[part[1]]
    if index.dtype is not bool_:
        parts.indices.append(_Index(axis, index.cast(int64)))
        return axis + 1
    for i, place in enumerate(_places(x, index, axis)):
        parts.indices.append(_Index(axis + i, place))
    return axis + index.rank


def _axes_used(part: tuple[Any, ...], inputs: Sequence[Value]) -> int:
    if part[0] == "input":
        index = inputs[part[1]]
        return index.rank if index.dtype is bool_ else 1
    return int(part[0] in ("index", "slice"))


def _slice_of(here: Lowering, axis: int, part: tuple[Any, ...], inputs: Sequence[Value]) -> _Slice:
    start, stop, step = part[1:]
    if isinstance(step, tuple):
        raise NotExported("the step of a slice is a tensor", "use a number")
    step = 1 if step is None else step

    def end(value: Any, default: int) -> Value:
        if isinstance(value, tuple):
            return reshaped(inputs[value[1]].cast(int64), here.integers(1), (1,))
        return here.integers(default if value is None else value)

    return _Slice(axis, end(start, 0 if step > 0 else _LAST), end(stop, _LAST if step > 0 else -_LAST), step)


def _places(x: Value, mask: Value, axis: int) -> list[Value]:
    """The indices of what is true in a mask, for each axis."""
    here = x.here
    if mask.rank == 0:
        raise NotExported("a single bool is the index")
    for i in range(mask.rank):
        given, wanted = dim_of(mask, i), dim_of(x, axis + i)
        if given.known is None or wanted.known is None:
            mask = here.fails_where(~given.equals(wanted), mask)
    found = here.add("NonZero", mask, shape=(mask.rank, None))
    return [here.add("Gather", found, here.constant(i, int64), axis=0, shape=(None,)) for i in range(mask.rank)]


# Putting together


def _sliced(x: Value, part: _Slice) -> Value:
    here, shape = x.here, list(_shape(x))
    known = part.start.known, part.stop.known
    n = shape[part.axis]
    shape[part.axis] = None
    if n is not None and known[0] is not None and known[1] is not None:
        shape[part.axis] = len(range(*slice(int(known[0][0]), int(known[1][0]), part.step).indices(n)))
    return here.add("Slice", x, part.start, part.stop, here.integers(part.axis), here.integers(part.step),
                    shape=tuple(shape))  # fmt: skip


def _with_new_axes(x: Value, result: Sequence[Any], array: int = 1) -> Value:
    """With dimensions of one where the key has new ones; ``array`` dimensions are those of the only array."""
    new, place = [], 0
    for part in result:
        if part is None:
            new.append(place)
        place += array if part == "at" else 1
    return with_axes(x, *new) if new else x


def _at_one(x: Value, axis: int, index: Value) -> Value:
    shape = _shape(x)
    return x.here.add("Gather", x, index, axis=axis, shape=(*shape[:axis], *_shape(index), *shape[axis + 1 :]))


def _at_numbers(x: Value, indices: Sequence[_Index]) -> Value:
    for axis, place in sorted(indices, key=lambda each: -each.axis):
        x = _at_one(x, axis, place)
    return x


def broadcast_dims(here: Lowering, values: Sequence[Value]) -> Value:
    """The dimensions to which values broadcast."""
    static = [value.shape for value in values]
    if all(shape is not None and None not in shape for shape in static):
        return here.integers(*np.broadcast_shapes(*static))  # type: ignore[arg-type]
    total = values[0]
    for value in values[1:]:
        total = total + value
    return here.add("Shape", total)


def _at_arrays(x: Value, parts: _Parts) -> Value:
    """The axes with indices come first, then the elements at vectors of indices are picked."""
    here, axes = x.here, [each.axis for each in parts.indices]
    others = [i for i in range(x.rank) if i not in axes]
    rank = max(len(_shape(each.place)) for each in parts.indices)
    dims = broadcast_dims(here, [each.place for each in parts.indices])
    columns = [with_axes(expanded(each.place, dims), rank) for each in parts.indices]
    for column in columns:
        column.shape = (None,) * rank + (1,)
    points = here.add("Concat", *columns, axis=rank, shape=(None,) * rank + (len(axes),))
    picked = here.add("GatherND", transposed(x, [*axes, *others]), points, shape=(None,) * (rank + len(others)))
    order: list[int] = []
    for part in parts.result:
        if part == "at":
            order += range(rank)
        elif part is not None:
            order.append(rank + others.index(part))
    return _with_new_axes(transposed(picked, order), parts.result, rank)
