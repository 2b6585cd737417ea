"""Sorting and searching Python lists by the comparisons of users' classes, which are converted.

As long as no comparison is staged, Python's own algorithms run. Objects that hold staged values become elements of a
staged list, which is sorted by insertion when the graph runs; like Python's, that is stable.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.reduce.reduce import argmax
from autograph.runtime.tensors.convert import convert_to_tensor

from ... import arithmetic
from ...builtin_calls import truth
from ...calls import call
from ...data_model.special_methods import is_user_class
from .. import asked
from ..control import conditions
from ..control.cond import if_stmt
from ..control.errors import require, where
from ..heap import heap, rebinding
from ..heap.locations import attributes_of, has_attributes
from ..values.lists import ListState, StagedList
from ..values.specs import as_number
from .comparisons import equal, order_of, sort_columns
from .staged_values import is_staged
from .text import format_value, join_strings

_MOST = 10_000  # objects that are looked at
_CONTAINERS = (list, tuple, set, frozenset)


def has_objects(values: object) -> bool:
    """Whether some of the items, or of the items of those, are objects of users' classes."""
    if isinstance(values, dict):
        values = values.values()
    elif not isinstance(values, _CONTAINERS):
        return False
    return any(is_user_class(type(each)) or has_objects(each) for each in values)


def holds_staged(*values: object) -> bool:
    """Whether a value is staged, or holds a staged one: as an item, or an attribute of an object of a user's class."""
    pending = list(values)
    seen: set[int] = set()
    while pending and len(seen) < _MOST:
        each = pending.pop()
        if is_staged(each):
            return True
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, dict):
            pending.extend(each.values())
        elif isinstance(each, _CONTAINERS):
            pending.extend(each)
        if is_user_class(type(each)) and has_attributes(each):
            pending.extend(attributes_of(each).values())
    return False


class _Key:
    """An object in the place of which Python's algorithms compare this: by its converted methods."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __lt__(self, other: _Key) -> bool:
        return _known(arithmetic.lt(self.value, other.value), self.value)


def _known(result: object, value: object) -> bool:
    result = truth(result)
    if is_staged(result):
        raise StagedValueError(
            f"a comparison of objects of `{type(value).__qualname__}` depends on a graph tensor that they don't hold",
            **where(),
            construct="comparison",
            remedy="give the objects the tensors that decide as attributes, or sort by a key that is a number",
        )
    return bool(result)


def sorted_in_python(values: Iterable[Any], key: object, reverse: Any) -> Any:
    """``sorted`` of values of which none is staged; objects that hold staged values are sorted in the graph."""
    values = list(values)
    keys = values if key is None else [call(key)(each) for each in values]
    if holds_staged(keys):
        return _sorted_by_keys(values, keys, key, reverse)
    if has_objects(keys):
        keys = [_Key(each) for each in keys]
    return [values[index] for index in sorted(range(len(values)), key=keys.__getitem__, reverse=reverse)]


def _sorted_by_keys(values: list[Any], keys: list[Any], key: object, reverse: object) -> Any:
    columns = None if has_objects(keys) else sort_columns(StagedList(ListState.of(keys)), "sorted()")
    if columns is None:
        return sorted_by_comparing(values, key, reverse)
    return taken(StagedList.holding(values), order_of(columns, reverse), len(values))


def taken(values: StagedList, order: Any, count: int) -> list[Any]:
    """A Python list of so many elements of a staged one, whose places `order` tells."""
    return [asked.ELEMENT_AT.function(values, order[index]) for index in range(count)]


@asked.SORTED_BY_COMPARING.give
def sorted_by_comparing(values: Any, key: Any, reverse: object) -> Any:
    """``sorted`` by comparisons that are staged: a list as long as `values`, or a staged one."""
    if conditions.static_truth(reverse) is None:
        return if_stmt(
            reverse,
            lambda: sorted_by_comparing(values, key, True),
            lambda: sorted_by_comparing(values, key, False),
            (),
        )
    made = StagedList(ListState.of([]))
    # As in Python, equal elements keep their order also when the greatest comes first.
    asked.INSERT_SORTED.function(made, values[::-1] if reverse else values, key)
    made = made[::-1] if reverse else made
    return taken(made, range(len(values)), len(values)) if isinstance(values, (list, tuple)) else made


def list_method(owner: list[Any], name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """``sort``, ``index``, ``count`` or ``remove`` of a Python list, by the converted methods of its items."""
    if name == "sort":
        return _sort(owner, *arguments, **keywords)
    item, *bounds = arguments
    start, stop, _ = slice(*[*bounds, None, None][:2]).indices(len(owner))
    found = [True if each is item else conditions.truth(equal(each, item)) for each in owner[start:stop]]
    if name == "count":
        return _count(found)
    place = _first(found, item, name)
    if name == "index":
        return place + start
    if isinstance(place, int):
        del owner[place]
    else:
        rebinding.form_of(owner, "list").pop(place)
    return None


def _sort(owner: list[Any], *, key: object = None, reverse: object = False) -> None:
    if holds_staged(owner, reverse):
        rebinding.form_of(owner, "list").sort(key=key, reverse=reverse)
    else:
        before = list(owner)
        values = sorted_in_python(before, key, reverse)
        heap.check_iterator(owner)
        if not heap.are_same(before, owner):
            raise ValueError("list modified during sort")
        owner[:] = values


def _count(found: list[Any]) -> Any:
    known = [each for each in found if isinstance(each, bool)]
    total = sum(known)
    if len(known) == len(found):
        return total
    staged = [OPS["cast"](each, dtype=dtypes.int32) for each in found if not isinstance(each, bool)]
    return as_number(functools.reduce(OPS["add"], staged, total), int)


def _first(found: list[Any], item: object, name: str) -> Any:
    """The place of the first match: a Python int where it is known; an error when there is none."""
    certain = next((index for index, each in enumerate(found) if each is True), len(found))
    found = found[: certain + 1]
    text: Any = "list.remove(x): x not in list"
    if name == "index":
        text = join_strings([format_value(item, "r", ""), " is not in list"])
    if all(isinstance(each, bool) for each in found):
        if not found or not found[-1]:
            raise ValueError(text)
        return len(found) - 1
    flags = convert_to_tensor(found)
    require(OPS["any"](flags), ValueError(text))
    return as_number(argmax(OPS["cast"](flags, dtype=dtypes.int32), axis=0, output_type=dtypes.int32), int)
