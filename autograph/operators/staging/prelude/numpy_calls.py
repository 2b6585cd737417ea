"""NumPy functions that take a sequence of arrays, given a tensor or a staged list in place of the sequence.

Functions that copy an array give something of its own also for a tensor that has the dtype already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.elementwise import elementwise
from autograph.runtime.ops.shape import shape as shape_ops
from autograph.runtime.tensors import tensor as tensors
from autograph.runtime.tensors.convert import as_tensor, convert_to_tensor
from autograph.runtime.tensors.in_place import own

from ..outside.makers import making_array
from ..values.lists import StagedList
from ..values.maybe import Maybe
from ..values.specs import as_number
from .text import holds_staged

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike


def _stack(rows: Any, axis: int = 0, **_: object) -> Any:
    return rows if axis == 0 else shape_ops.moveaxis(rows, 0, axis)


def _concatenate(rows: Any, axis: int | None = 0, **_: object) -> Any:
    shape = rows.static_shape
    if shape is not None and len(shape) == 1:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    if axis is None:
        return OPS["reshape"](rows, shape=(-1,))
    rank = len(shape) - 1
    axis %= rank
    moved = shape_ops.moveaxis(rows, 0, axis)
    sizes = shape_ops.shape(rows)
    parts = [sizes[1 + i : 2 + i] if i != axis else sizes[:1] * sizes[1 + i : 2 + i] for i in range(rank)]
    return shape_ops.reshape(moved, OPS["concat"](*parts, axis=0) if rank > 1 else parts[0])


def _array(values: Any, dtype: DTypeLike | None = None, **_: object) -> Any:
    made = values if dtype is None else elementwise.cast(values, tensors.from_numpy(np.dtype(dtype)))
    return as_number(own(made, values), np.ndarray)


def _as_array(values: Any, dtype: DTypeLike | None = None, **_: object) -> Any:
    made = values if dtype is None else elementwise.cast(values, tensors.from_numpy(np.dtype(dtype)))
    return as_number(made, np.ndarray)


_FUNCTIONS: dict[int, Callable[..., Any]] = {
    id(np.stack): _stack,
    id(np.concatenate): _concatenate,
    id(np.vstack): lambda rows, **_: rows if _rank(rows) == 2 else _concatenate(rows, 0),
    id(np.hstack): lambda rows, **_: rows if _rank(rows) == 1 else _concatenate(rows, 0 if _rank(rows) == 2 else 1),
    id(np.array): _array,
    id(np.asarray): _as_array,
}


_COPYING = frozenset((id(as_tensor), id(convert_to_tensor), id(elementwise.cast)))


def _rank(rows: Any) -> int | None:
    return None if rows.static_shape is None else len(rows.static_shape)


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in place of a function that takes a sequence of arrays or copies one; None for all others."""
    if id(function) in _COPYING:
        return functools.partial(_copied, function)
    found = _FUNCTIONS.get(id(function))
    if found is None:
        return None

    def call_on(values: Any, *arguments: Any, **keywords: object) -> Any:
        made = function is np.array or function is np.asarray
        if isinstance(values, (tensors.SymbolicTensor, StagedList, Maybe)) or (made and holds_staged(values)):
            return found(convert_to_tensor(values), *arguments, **keywords)
        # What `np.asarray` gives of an object may be what that had before.
        is_new = function is not np.asarray or isinstance(values, (list, tuple, int, float, complex))
        return (making_array(function) if is_new else function)(values, *arguments, **keywords)

    return call_on


def _copied(function: Callable[..., Any], *arguments: object, **keywords: object) -> Any:
    made = function(*arguments, **keywords)
    given = next(iter((*arguments, *keywords.values())))
    return own(made, given) if isinstance(given, tensors.SymbolicTensor) else made
