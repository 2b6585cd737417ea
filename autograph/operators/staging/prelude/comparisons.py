"""Equality, order and sorting of values of several parts: tuples and lists of staged values, and staged lists."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.reduce.reduce import argmax
from autograph.runtime.ops.shape.shape import reverse as flip
from autograph.runtime.ops.shape.sort import argsort
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor

from ... import arithmetic
from ...data_model.special_methods import method
from .. import asked
from ..control import conditions
from ..control.cond import if_stmt
from ..control.errors import where
from ..heap import heap
from ..heap.forms import held_by
from ..values.iterables import iterable, length_of
from ..values.lists import ListState, StagedList
from ..values.specs import Leaf, Spec, Tree, has_parts
from .composed_iterables import Map

Order = Callable[[Any, Any], Any]
_CONTAINERS = (list, tuple, dict)
_METHODS = ("__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__")
_OPERATORS: dict[Order, Order] = {
    getattr(operator, each): getattr(arithmetic, each) for each in ("lt", "le", "gt", "ge")
}


def compare(order: Order, left: object, right: object) -> Any:
    """``left < right`` (or another comparison, also ``==`` and ``!=``) of two containers."""
    left, right = heap.staged(left), heap.staged(right)
    if order is operator.eq or order is operator.ne:
        same = equal(left, right)
        return same if order is operator.eq else conditions.not_(same)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and _are_alike(left, right):
        return ordered(left, right, order)
    return order(left, right)


def equal(left: object, right: object) -> Any:
    """``left == right`` as one bool: for tensors, whether all elements are equal."""
    if _is_asked(left) or _is_asked(right):
        return conditions.truth(arithmetic.eq(left, right))
    left, right = held_by(heap.staged(left)), held_by(heap.staged(right))
    if isinstance(left, StagedList) or isinstance(right, StagedList):
        return bool(result) if isinstance(result := left == right, (bool, np.bool_)) else result
    if isinstance(left, _CONTAINERS) and isinstance(right, _CONTAINERS):
        if not _are_alike(left, right) or len(left) != len(right):
            return False
        parts, others = list(left), list(right)
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            parts, others = list(left.values()), [right[key] for key in left]
        return conditions.all_of([one is other or equal(one, other) for one, other in zip(parts, others, strict=True)])
    if _is_text(left) != _is_text(right):
        return False
    result = arithmetic.eq(left, right)
    if isinstance(result, Tensor):
        return result if result.static_shape == () else OPS["all"](result)
    return bool(result)


def _is_asked(value: object) -> bool:
    """Whether a container is compared by methods of a user's class."""
    return isinstance(value, _CONTAINERS) and any(method(type(value), name) for name in _METHODS)


def _are_alike(left: object, right: object) -> bool:
    """Whether two containers are of the same kind; containers of different kinds are never equal."""
    return any(isinstance(left, kind) and isinstance(right, kind) for kind in _CONTAINERS)


def _is_text(value: object) -> bool:
    return value.dtype is dtypes.string if isinstance(value, Tensor) else isinstance(value, (str, bytes))


@asked.MATCHES.give
def matches(values: object, item: object) -> Any:
    """Which elements of a staged iterable are equal to a value: a vector of bools."""
    if isinstance(values, StagedList) and not is_scalar(values.state.spec.element):
        values = iterable(values)
    elif isinstance(values, StagedList) and not isinstance(item, StagedList) and not has_parts(item):
        return convert_to_tensor(values) == item
    return convert_to_tensor(asked.LISTED.function(Map(lambda each: equal(each, item), [iterable(values)])))


def is_scalar(spec: Spec | None) -> bool:
    """Whether elements of a specification are numbers or strings (or not known yet)."""
    return spec is None or (isinstance(spec, Leaf) and spec.shape == ())


@asked.EQUAL_LISTS.give
def same_lists(one: StagedList, other: StagedList) -> Any:
    """Whether two staged lists are equal."""

    def elements() -> Any:
        return asked.ALL.function(Map(equal, [iterable(one), iterable(other)]))

    return conditions.and_(one.length() == other.length(), elements)


@asked.ORDERED.give
def ordered(left: object, right: object, order: Order) -> Any:
    """``left < right`` (or another order): tuples and lists by their first parts that differ, else by their length."""
    if _is_asked(left) or _is_asked(right):
        return _OPERATORS.get(order, order)(left, right)
    left, right = held_by(heap.staged(left)), held_by(heap.staged(right))
    if isinstance(left, StagedList) or isinstance(right, StagedList):
        return _ordered_lists(_staged(left), _staged(right), order)
    if not (isinstance(left, (tuple, list)) and isinstance(right, (tuple, list))):
        return _OPERATORS.get(order, order)(left, right)
    undecided = []
    for one, other in zip(left, right, strict=False):
        same = one is other or equal(one, other)
        if same is True:
            continue
        first = ordered(one, other, order)
        if same is False:
            result = first
            break
        undecided.append((same, first))
    else:
        result = order(len(left), len(right))
    for same, first in reversed(undecided):
        result = OPS["where"](same, result, first)
    return result


def _staged(values: Any) -> StagedList:
    return values if isinstance(values, StagedList) else StagedList(ListState.of(list(values)))


def _ordered_lists(left: StagedList, right: StagedList, order: Order) -> Any:
    if left.state.spec.element is None or right.state.spec.element is None:
        return order(left.length(), right.length())
    pairs = Map(lambda one, other: conditions.not_(equal(one, other)), [iterable(left), iterable(right)])
    differ = convert_to_tensor(asked.LISTED.function(pairs))

    def by_element() -> Any:
        place = argmax(OPS["cast"](differ, dtype=dtypes.int32), axis=0, output_type=dtypes.int32)
        return ordered(left.at(place), right.at(place), order)

    return if_stmt(OPS["any"](differ), by_element, lambda: order(left.length(), right.length()), ())


def sort_columns(values: object, use: str) -> list[Any] | None:
    """The vectors by which the elements of a staged list or tensor are sorted, the most significant first.

    None when the elements are neither numbers nor tuples of numbers, so that they have to be compared.

    Raises:
        StagedValueError: the elements are tensors that have axes.
    """
    if isinstance(values, StagedList) and values.state.spec.element is not None:
        element, state = values.state.spec.element, values.state
        if all(map(is_scalar, _leaves(element))) and element.types():
            return [
                OPS["list_stack"](handle, dtype=kind.dtype, shape=())
                for handle, kind in zip(state.handles, element.types(), strict=True)
            ]
        if not isinstance(element, Leaf):
            return None
    elif not isinstance(values, StagedList) or values.state.spec.element is None:
        tensor = convert_to_tensor(values)
        if tensor.static_shape is not None and len(tensor.static_shape) == 1:
            return [tensor]
    raise StagedValueError(
        f"{use} of a staged value takes numbers, or tuples of numbers, not {values!r}",
        **where(),
        remedy="sort by a key that is a number, or a tuple of numbers",
    )


def _leaves(spec: Spec) -> list[Spec]:
    if isinstance(spec, Tree) and issubclass(spec.kind, tuple):
        return [leaf for child in spec.children for leaf in _leaves(child)]
    return [spec]


def order_of(columns: list[Any], reverse: object) -> Any:
    """The indices that sort by some vectors, with equal ones in their order."""
    if conditions.static_truth(reverse) is None:
        return if_stmt(reverse, lambda: order_of(columns, True), lambda: order_of(columns, False), ())
    if not reverse:
        return _ascending(columns)
    # As in Python, equal elements keep their order also when the greatest comes first.
    backwards = flip(_ascending([flip(each, [0]) for each in columns]), [0])
    return length_of(columns[0]) - 1 - backwards


def _ascending(columns: list[Any]) -> Any:
    order = argsort(columns[-1], stable=True)
    for column in reversed(columns[:-1]):
        taken = OPS["gather"](column, order, axis=0)
        order = OPS["gather"](order, argsort(taken, stable=True), axis=0)
    return order
