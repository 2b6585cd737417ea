"""Functions of the standard library on staged lists: `heapq`, `bisect`; what can't be staged is refused by name.

The algorithms are those that the library documents, so that a heap has the same order of elements as in Python.
"""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from autograph.errors import MutationError, StagedValueError
from autograph.runtime.ops.host.host import numpy_function, py_function

from ...calls import call
from .. import asked
from ..control.errors import where
from ..heap import rebinding
from ..heap.forms import held_by, is_of_own_class
from ..heap.forms import original as original_of
from ..heap.heap import contents, giving, has_form, open_forms
from ..heap.locations import name_of
from ..heap.reach import reachable
from ..outside.calls import watch_call
from .comparisons import ordered
from .sequences import max_, sorted_
from .staged_values import has_staged, is_staged
from .user_order import has_objects


def _in_stages(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its control flow staged."""

    @functools.wraps(function)
    def run(*arguments: object, **keywords: object) -> Any:
        from autograph.pipeline import converted

        return converted(cast(FunctionType, function), True)(*arguments, **keywords)

    return run


def _less(left: object, right: object) -> Any:
    return ordered(left, right, operator.lt)


@_in_stages
def _sift_down(heap: Any, start: Any, place: Any) -> None:
    item = heap[place]
    while place > start and _less(item, heap[(place - 1) // 2]):
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


@_in_stages
def _sift_up(heap: Any, place: Any) -> None:
    end, start, item = len(heap), place, heap[place]
    child = 2 * place + 1
    while child < end:
        if child + 1 < end and not _less(heap[child], heap[child + 1]):
            child = child + 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _sift_down(heap, start, place)


@_in_stages
def heappush(heap: Any, item: object) -> None:
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


@_in_stages
def heappop(heap: Any) -> Any:
    last = heap.pop()
    result = last
    if len(heap) > 0:
        result = heap[0]
        heap[0] = last
        _sift_up(heap, 0)
    return result


@_in_stages
def heapify(heap: Any) -> None:
    for place in reversed(range(len(heap) // 2)):
        _sift_up(heap, place)


@_in_stages
def heapreplace(heap: Any, item: object) -> Any:
    result = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return result


@_in_stages
def heappushpop(heap: Any, item: object) -> Any:
    result = item
    if len(heap) > 0 and _less(heap[0], item):
        result = heap[0]
        heap[0] = item
        _sift_up(heap, 0)
    return result


def nsmallest(n: object, iterable: object, key: object = None) -> Any:
    return sorted_(iterable, key=key)[: max_(n, 0)]


def nlargest(n: object, iterable: object, key: object = None) -> Any:
    return sorted_(iterable, key=key, reverse=True)[: max_(n, 0)]


@_in_stages
def bisect_left(a: Any, x: Any, lo: object = 0, hi: Any = None, *, key: Any = None) -> Any:
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if _less(a[middle] if key is None else key(a[middle]), x):
            lo = middle + 1
        else:
            hi = middle
    return lo


@_in_stages
def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if _less(x, a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


@_in_stages
def insort_left(a: Any, x: object, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@_in_stages
def insort_right(a: Any, x: object, lo: object = 0, hi: object = None, *, key: Any = None) -> None:
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


@asked.INSERT_SORTED.give
@_in_stages
def insert_sorted(made: object, values: Any, key: object) -> None:
    """Inserts values into an empty staged list, sorted by comparisons; it is stable."""
    for value in values:
        insort_right(made, value, key=key)


_WRITTEN = {
    heapq: (heappush, heappop, heapify, heapreplace, heappushpop, nsmallest, nlargest),
    bisect: (bisect_left, bisect_right, insort_left, insort_right),
}
_FUNCTIONS: dict[int, tuple[Any, Callable[..., Any]]] = {
    id(getattr(module, function.__name__)): (getattr(module, function.__name__), function)
    for module, functions in _WRITTEN.items()
    for function in functions
}
_INSTEAD: dict[Any, str] = {
    frozenset: "a list, or tf.unique",
    collections.deque: "a list: append, pop and pop(0)",
    collections.Counter: "tf.unique_with_counts, or tf.math.bincount",
    itertools.chain: "one loop after another, or `+` of lists",
    itertools.product: "two loops",
    itertools.islice: "x[a:b]",
    itertools.accumulate: "a loop, or tf.cumsum",
    itertools.takewhile: "a loop with `break`",
    itertools.dropwhile: "a loop with `if`",
    itertools.pairwise: "zip(x[:-1], x[1:])",
    itertools.combinations: "two loops over indices",
    itertools.permutations: "loops over indices",
    itertools.groupby: "a loop with `if`",
    itertools.filterfalse: "a loop with `if`",
    itertools.starmap: "a loop",
    itertools.zip_longest: "a loop over the range of the greater length",
    itertools.cycle: "x[i % len(x)]",
    itertools.compress: "a loop with `if`, or tf.boolean_mask",
}


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in place of a library function while a graph is built; None: the function itself."""
    known = _FUNCTIONS.get(id(function))
    if known is not None:
        return _staged(*known)
    if function is py_function or function is numpy_function:
        return _of_runs(giving(function))
    instead = _INSTEAD.get(function) if isinstance(function, type) else None
    if instead is None:
        return None

    def check(*arguments: object, **keywords: object) -> Any:
        if any(map(is_staged, arguments)):
            raise StagedValueError(
                f"{function.__name__}() of a staged value needs to know its elements while tracing",
                **where(),
                construct=function.__name__,
                remedy=f"use {instead}",
            )
        if function in _DECIDING:
            arguments = tuple([deciding(each, function) if callable(each) else each for each in arguments])
        return _watched(function)(*arguments, **keywords)

    return check


_DECIDING = frozenset((itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.groupby))
"""What asks a function which items it is to give."""


def deciding(test: Any, function: type) -> Callable[..., Any]:
    """A test that an iterator of Python calls, which has to know the answer while tracing."""
    form = call(test)

    def decide(*arguments: object) -> Any:
        answer = form(*arguments)
        if is_staged(answer):
            raise StagedValueError(
                f"{function.__name__}() needs to know while tracing which items it gives; what its function gives is "
                "known only when the graph runs",
                **where(),
                construct=function.__name__,
                remedy=f"use {_INSTEAD.get(function, 'a loop with `if`')}",
            )
        return answer

    return decide


def _of_runs(call: Callable[..., Any]) -> Callable[..., Any]:
    """What stages the call of a function in each run of the graph, which sees Python's objects and no staged forms."""

    @functools.wraps(call)
    def run(*arguments: Any, **keywords: Any) -> Any:
        function = arguments[0] if arguments else keywords.get("func")
        changed = next(filter(has_form, reachable([function])), None) if open_forms else None
        if changed is not None:
            kind = type(changed).__name__
            raise MutationError(
                f"the function that {call.__name__} calls in each run has {'an' if kind[0] in 'aio' else 'a'} {kind}"
                f"{f', `{name}`,' if (name := name_of(changed)) else ''} that staged code has changed; it would not "
                "see the change",
                **where(),
                construct=call.__name__,
                remedy=f"give it the values as arguments: tf.{call.__name__}(f, [x], dtype)",
            )
        return call(*arguments, **keywords)

    return run


def _watched(function: object) -> Callable[..., Any]:
    return watch_call(function)


def _past_methods(values: Any) -> Any:
    """A list, of whose class no methods are to be called.

    Raises:
        StagedValueError: they would be.
    """
    return contents(rebinding.form_of(values, "list").source) if is_of_own_class(values) else values


def _staged(original: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: object, **keywords: object) -> Any:
        by_comparing = any(map(has_staged, arguments)) or has_objects([held_by(each) for each in arguments])
        if by_comparing and original.__module__ == "_heapq":  # which looks past the methods of a class
            arguments = (_past_methods(original_of(arguments[0])), *arguments[1:])
        form = function if by_comparing else _watched(original)
        return form(*arguments, **keywords)

    return run
