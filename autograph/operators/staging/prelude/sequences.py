"""`len`, and built-in functions that go through a whole iterable: `list`, `sum`, `any`, `min`, `sorted`, `reduce` …"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from typing import Any

from autograph.runtime.base.dtypes import string, widest
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.lists.lists import from_tensor_op
from autograph.runtime.ops.shape.shape import ensure_shape
from autograph.runtime.ops.text.text import apply_text
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from ...calls import call
from ...control_flow import for_stmt
from ...data_model.special_methods import is_user_class
from .. import asked
from ..control import conditions
from ..control.cond import if_stmt
from ..control.errors import require, type_error
from ..heap.iterators import is_iterator
from ..heap.iterators import use as use_iterator
from ..values.dicts import StagedDict
from ..values.iterables import StagedIterable, StagedRange, iterable, length_of
from ..values.lists import ListState, StagedList
from ..values.sets import StagedSet, as_set
from ..values.specs import Leaf, ListOf, as_number
from ..values.tuples import StagedTuple
from .comparisons import is_scalar, order_of, ordered, sort_columns
from .composed_iterables import Map
from .staged_values import has_staged, is_staged, unwrapped
from .text import is_text
from .user_order import has_objects, sorted_by_comparing, sorted_in_python, taken

_NOTHING = object()


def len_(value: Any) -> Any:
    """``len``: a Python int where the length is known while tracing."""
    value = unwrapped(value)
    if isinstance(value, Tensor):
        return apply_text("__len__", value) if is_text(value) else length_of(value)
    return value.length() if is_staged(value) or isinstance(value, StagedDict) else len(value)


def length_hint_(value: Any, default: int = 0) -> Any:
    """``operator.length_hint``."""
    is_staged = isinstance(value, (StagedList, StagedDict, StagedRange))
    return len_(value) if is_staged else operator.length_hint(value, default)


def _listed(values: Any, use: str) -> Any:
    """The items of what Python iterates over as a list, as they may be staged; anything else as it is."""
    values = unwrapped(values)
    if is_iterator(values) and not is_staged(values):
        use_iterator(values, use)
        return list(values)
    return list(values) if isinstance(values, (KeysView, ValuesView, ItemsView)) else values


@asked.LISTED.give
def list_(*arguments: object) -> Any:
    """``list``."""
    if not is_staged(*arguments):
        return list(*arguments)
    made = StagedList(ListState.of([]))
    values = unwrapped(arguments[0])
    if isinstance(values, StagedList):
        return values.listed()
    if isinstance(values, Tensor) and values.static_shape and values.static_shape[0] is not None:
        return [values[index] for index in range(values.static_shape[0])]
    made.extend(values)
    return made


def tuple_(*arguments: object) -> Any:
    """``tuple``."""
    made = list_(*arguments)
    return StagedTuple(made.state.as_kind(tuple)) if isinstance(made, StagedList) else tuple(made)


def set_(*arguments: object) -> Any:
    """``set``, and what becomes of a set comprehension."""
    if not arguments or not (has_staged(arguments[0]) or isinstance(unwrapped(arguments[0]), StagedIterable)):
        return set(*arguments)
    values = unwrapped(arguments[0])
    return as_set(values).copy() if isinstance(values, StagedSet) else as_set(values)


def _in_any_order(values: object) -> Any:
    """The elements of a staged set as a tensor: for what does not depend on their order."""
    return convert_to_tensor(values) if isinstance(values, StagedSet) else values


def sum_(values: Any, /, start: Any = 0) -> Any:
    """``sum``."""
    values = _in_any_order(unwrapped(values))
    if isinstance(values, Tensor):
        _require_rank(values, "sum()")
        total = OPS["sum"](values, axis=0)
        # Python adds item to item, in their dtype.
        return (OPS["cast"](total, dtype=values.dtype) if values.dtype.is_integer else total) + start
    if not is_staged(values):
        return sum(values, start)
    return _fold(lambda total, value: total + value, values, start)


def _require_rank(values: Tensor, what: str) -> None:
    if values.static_shape == ():
        raise type_error(f"{what} needs an iterable, not a scalar tensor")


def _vector(values: Tensor) -> Tensor:
    """A tensor of unknown rank as one of numbers, or it is an error when the graph runs."""
    return values if values.static_shape is not None else ensure_shape(values, (None,))


def _fold(function: Callable[[Any, Any], Any], values: Any, start: object) -> Any:
    result = start

    def loop_body(value: object) -> None:
        nonlocal result
        result = value if result is _NOTHING else function(result, value)

    for_stmt(values, loop_body, ("result",))
    return result


def any_(values: object) -> Any:
    """``any``."""
    return _search(values, "any", conditions.any_of)


@asked.LIST_ORDER.give
def list_order(values: StagedList, key: Any, reverse: object) -> Any:
    """The places of the elements of a staged list in the order of `list.sort`; None: only comparisons tell."""
    keys = values if key is None else list_(Map(key, [iterable(values)]))
    columns = sort_columns(keys, "sort()")
    return None if columns is None else order_of(columns, reverse)


@asked.ALL.give
def all_(values: object) -> Any:
    """``all``."""
    return _search(values, "all", conditions.all_of)


def _search(values: Any, name: str, combined: Callable[[list[Any]], Any]) -> Any:
    values = _in_any_order(unwrapped(values))
    if isinstance(values, (StagedList, StagedIterable)):
        values = convert_to_tensor(list_(values))
    if isinstance(values, Tensor):
        _require_rank(values, f"{name}()")
        if values.static_shape is not None and len(values.static_shape) > 1:
            raise ValueError("the truth value of an array with more than one element is ambiguous")
        return OPS[name](_vector(values))
    found = []
    for value in values:
        truth = conditions.truth(value) if is_staged(value) or is_user_class(type(value)) else bool(value)
        if truth is (name == "any"):
            return truth
        found.append(truth)
    return combined(found)


def min_(*arguments: object, key: object = None, default: object = _NOTHING) -> Any:
    """``min``."""
    return _extreme("min", "minimum", operator.lt, arguments, key, default)


def max_(*arguments: object, key: object = None, default: object = _NOTHING) -> Any:
    """``max``."""
    return _extreme("max", "maximum", operator.gt, arguments, key, default)


def _extreme(
    name: str, pairwise: str, better: Callable[[Any, Any], Any], arguments: tuple[Any, ...], key: object,
    default: object,
) -> Any:  # fmt: skip
    values = _listed(arguments[0], f"{name}()") if len(arguments) == 1 else arguments
    arguments = (values,) if len(arguments) == 1 else arguments
    if isinstance(values, StagedIterable):
        values = list_(values)
    is_staged_list = isinstance(values, StagedList) and is_scalar(values.state.spec.element)
    python = _python_type(values) if key is None else None
    if is_staged_list:
        values = convert_to_tensor(values)
    parts = values if isinstance(values, (list, tuple)) else [values]
    if key is None and any(is_text_tensor(each) for each in parts):
        return apply_text(name, values) if default is _NOTHING else apply_text(name, values, default)
    if is_staged_list and default is not _NOTHING and key is None:
        found = length_of(values) > 0
        return if_stmt(found, lambda: as_number(_extreme_item(name, values), python), lambda: default, ())
    keywords = {} if default is _NOTHING else {"default": default}
    if key is None and not has_staged(values) and not has_objects(values):
        return getattr(builtins, name)(*arguments, **keywords)
    if key is None and isinstance(values, Tensor) and (values.static_shape is None or len(values.static_shape) < 2):
        _require_rank(values, f"{name}()")
        values = _vector(values)
        if default is _NOTHING:
            length = length_of(values)
            if length == 0 if isinstance(length, int) else True:
                require(length != 0, ValueError(f"{name}() iterable argument is empty"))
            return as_number(_extreme_item(name, values), python)
    if key is None and isinstance(values, (list, tuple)) and has_staged(values) and all(map(_is_scalar, values)):
        of_two: Callable[[Any, Any], Any] = OPS[pairwise]
        if any(map(_may_be_nan, values)):
            of_two = lambda best, value: OPS["where"](better(value, best), value, best)  # noqa: E731
        return as_number(functools.reduce(of_two, values), python)
    return _extreme_by_key(name, better, values, call(key) if key is not None else lambda value: value, default)


def _extreme_item(name: str, values: Any) -> Any:
    """As comparing one by one: Python passes over each NaN but the first item."""
    if _may_be_nan(values):
        values = OPS["where"](OPS["isnan"](values), values[0], values)
    return OPS[name](values, axis=0)


def _may_be_nan(value: object) -> bool:
    return value.dtype.is_floating if isinstance(value, Tensor) else isinstance(value, float)


def _python_type(values: object) -> type | None:
    """The type that an extreme of some values has when all are Python numbers."""
    if isinstance(values, StagedList):
        element = values.state.spec.element
        return element.python if isinstance(element, Leaf) else None
    if not isinstance(values, (list, tuple)):
        return None
    found: type | None = None
    for each in values:
        kind = each.python if isinstance(each, SymbolicTensor) else type(each)
        if kind not in (bool, int, float):
            return None
        found = widest(found, kind)
    return found


def is_text_tensor(value: object) -> bool:
    """Whether a value is a tensor of strings."""
    return isinstance(value, SymbolicTensor) and value.dtype is string


def _is_scalar(value: object) -> bool:
    return isinstance(value, (bool, int, float)) or (isinstance(value, Tensor) and value.static_shape == ())


def _count(values: object) -> Any:
    return values.length() if isinstance(values, StagedList) else length_of(values)


def _extreme_by_key(name: str, better: Callable[[Any, Any], Any], values: Any, key: Any, default: Any) -> Any:
    best = best_key = _NOTHING

    def take(value: object, value_key: object) -> None:
        nonlocal best, best_key
        best, best_key = value, value_key

    def loop_body(value: object) -> None:
        value_key = key(value)
        if best is _NOTHING:
            take(value, value_key)
            return
        test = ordered(value_key, best_key, better)

        def if_body() -> None:
            nonlocal best, best_key
            best, best_key = value, value_key

        def else_body() -> None:
            pass

        if is_staged(test):
            if_stmt(test, if_body, else_body, ("best", "best_key"))
        elif test:
            if_body()

    if isinstance(values, Tensor) and values.static_shape and values.static_shape[0] == 0:
        values = ()
    items = values
    if isinstance(values, Tensor) and values.static_shape and values.static_shape[0]:
        take(values[0], key(values[0]))
        items = values[1:]
    elif is_staged(values):
        if default is not _NOTHING:
            return if_stmt(
                _count(values) > 0,
                lambda: _extreme_by_key(name, better, values, key, _NOTHING),
                lambda: default,
                (),
            )
        require(_count(values) > 0, ValueError(f"{name}() iterable argument is empty"))
        take(values[0], key(values[0]))
        items = values[1:]
    for_stmt(items, loop_body, ("best", "best_key"))
    if best is not _NOTHING:
        return best
    if default is _NOTHING:
        raise ValueError(f"{name}() iterable argument is empty")
    return default


def sorted_(values: Any, /, *, key: Any = None, reverse: object = False) -> Any:
    """``sorted``: stable, as in Python."""
    if isinstance(values, (list, tuple)) and key is not None and not callable(key):
        return sorted(values[:1], key=key)  # Python raises, if there is a value
    values = _listed(values, "sorted()")
    if not has_staged(values) and not is_staged(reverse):
        return sorted_in_python(values, key, reverse)
    if isinstance(values, Tensor):
        _require_rank(values, "sorted()")
    staged = list_(values) if isinstance(values, StagedIterable) else values
    if isinstance(values, (list, tuple)):
        staged = StagedList.holding(values)
    keys = staged if key is None else list_(Map(key, [iterable(staged)]))
    columns = sort_columns(keys, "sorted()")
    if columns is None:
        return sorted_by_comparing(values, key, reverse)
    order = order_of(columns, reverse)
    if isinstance(values, (list, tuple)):
        return taken(staged, order, len(values))
    if isinstance(staged, StagedList):
        return StagedList(staged.state.as_kind(list)).taken(order)
    rows = OPS["gather"](staged, order, axis=0)
    return StagedList(ListState(ListOf(Leaf(rows.dtype, ())), (from_tensor_op(rows),)))


def reduce_(function: Callable[..., Any], values: Any, *initial: Any) -> Any:
    """``functools.reduce``."""
    function = call(function)
    if not is_staged(values):
        return functools.reduce(function, values, *initial)
    if initial:
        return _fold(function, values, initial[0])
    values = convert_to_tensor(list_(values))
    require(length_of(values) > 0, TypeError("reduce() of empty iterable with no initial value"))
    return _fold(function, values[1:], values[0])


def fit(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Raises what Python raises where the number of arguments does not fit, or one of those that are not staged."""
    try:
        function(*(1 if is_staged(each) else each for each in arguments))
    except (TypeError, ValueError) as error:
        raise error.with_traceback(None) from None
