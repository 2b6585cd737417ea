"""Items of Python dicts under a key that only the run knows: the keys are compared with it one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.reduce.reduce import argmax
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from ...data_model.raw_attributes import raw_attribute
from ..control.cond import if_stmt
from ..control.errors import require, where
from ..heap.identities import check_key
from .lists import ListState, StagedList
from .maybe import Maybe
from .specs import SCALARS


def is_staged_key(key: object) -> bool:
    """Whether a key is a number or string that only the run knows."""
    return isinstance(key, SymbolicTensor) and key.static_shape == ()


def look_up(table: dict[Any, Any], key: object) -> Any:
    """``table[key]``; a KeyError of the run when there is no such key."""
    values, found = _entries(table, key)
    require(OPS["any"](found) if values else False, KeyError(key))
    return _chosen(values, found) if values else None


def get(table: dict[Any, Any], key: object, default: object = None) -> Any:
    """``table.get(key, default)``."""
    values, found = _entries(table, key)
    if not values:
        return default
    return if_stmt(OPS["any"](found), lambda: _chosen(values, found), lambda: default, ())


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in place of ``table.get`` while a graph is built; None for other functions."""
    table = raw_attribute(function, "__self__")
    if not isinstance(table, dict) or raw_attribute(function, "__name__") != "get" or type(table).get is not dict.get:
        return None

    def get_item(key: object, *default: object) -> Any:
        key = key.ag__checked("is used as a key") if isinstance(key, Maybe) else key
        check_key(table, key)
        return get(table, key, *default) if is_staged_key(key) else function(key, *default)

    return get_item


def _entries(table: dict[Any, Any], key: Any) -> tuple[list[Any], Any]:
    """The values of the keys that may be equal to `key`, and which of them are."""
    kinds: tuple[type, ...] = (str, bytes) if key.dtype is dtypes.string else (bool, int, float)
    keys = [each for each in table if isinstance(each, kinds)]
    if not keys:
        return [], None
    values = [table[each] for each in keys]
    if any(map(_may_change, values)):
        raise StagedValueError(
            "a staged key chooses among lists, dicts or objects that a dict holds: a graph would hold copies of them",
            **where(),
            construct="d[k]",
            remedy="choose with `if k == …`, or keep numbers, strings or tuples in the dict",
        )
    return values, OPS["equal"](convert_to_tensor(keys), key)


def _chosen(values: list[Any], found: object) -> Any:
    place = argmax(OPS["cast"](found, dtype=dtypes.int32), axis=0, output_type=dtypes.int32)
    return StagedList(ListState.of(values)).at(place)


def _may_change(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_may_change, value))
    return not (value is None or isinstance(value, (Tensor, *SCALARS)) or callable(value))
