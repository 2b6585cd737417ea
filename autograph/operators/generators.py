"""Generator expressions: lazy on plain values; where a built-in consumes one at once, staged as a loop.

A generator expression arrives as its first iterable and a function ``item(x, result)`` for one turn of its first
``for``. It appends what the turn yields to the list ``result`` and returns it: no value or one, or what `inner` makes
of a further ``for``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.functions.recursion import Signal

from .arithmetic import made
from .calls import call
from .control_flow import for_stmt, if_exp, if_stmt
from .data_model.raw_attributes import raw_attribute
from .dispatch import active, backend_of, staging
from .exceptions import StagedRaise, refuse_in_try
from .iteration import iterated
from .logical import not_
from .staging.heap.heap import check_iterator, has_form
from .staging.heap.iterators import note_made, used_turns
from .stores import get_item
from .unrolling import turns

Item = Callable[[Any, Any], Any]
Values = Generator[Any, None, None]

_CONSUMERS = frozenset((sum, min, max, list, tuple, set, frozenset, dict, sorted))


_lazy_results: set[int] = set()
"""The identities of the lists of turns in which a further ``for`` waits until the values are asked for."""


def _begun(iterable: Any) -> Iterator[Any]:
    iterator: Iterator[Any] = note_made(iter(iterable), (iterable,))
    return iterator


class _Inner:
    """A further ``for`` of a generator expression, not yet begun."""

    __slots__ = ("item", "iterable")

    def __init__(self, iterable: Any, item: Item) -> None:
        iterable = iterated(iterable)
        self.iterable = iterable if backend_of(iterable) is not None else _begun(iterable)
        self.item = item


def inner(result: Any, iterable: object, item: Item) -> Any:
    """A further ``for`` of a generator expression, in one turn of the one before; returns the result."""
    if id(result) not in _lazy_results:
        return _collected(result, iterable, item)
    result.append(_Inner(iterable, item))
    return result


def generator(iterable: object, item: Item) -> Values:
    """The generator of ``(… for x in iterable …)``.

    Raises:
        StagedValueError: the iterable, or whether a value is yielded at all, is staged.
    """
    iterable = iterated(iterable)
    if backend_of(iterable) is not None:
        raise _refusal("that is kept runs over a staged value, whose items only the run knows")
    return _named(_lazily(_begun(iterable), item))


def consume(function: object, iterable: object, item: Item, *arguments: object, **keywords: object) -> Any:
    """``function(generator, …)``: what is called at once may have the generator expression as a staged loop."""
    if backend_of(iterable) is None and not staging():
        return call(function)(_named(_lazily(_begun(iterable), item)), *arguments, **keywords)
    iterable = iterated(iterable)
    if function is any or function is all:
        return _search(function, iterable, item)
    if function is next:
        return _next(iterable, item, *arguments, **keywords)
    if not _is_consumer(function):
        return call(function)(generator(iterable, item), *arguments, **keywords)
    if backend_of(iterable) is not None:
        return call(function)(_collected(made([]), iterable, item), *arguments, **keywords)
    try:
        return call(function)(_named(_remembering(_begun(iterable), item, made([]))), *arguments, **keywords)
    except _StagedCount as found:
        return call(function)(found.finished(), *arguments, **keywords)


def _is_consumer(function: object) -> bool:
    """Whether a function goes through its argument and does nothing else before."""
    owner = raw_attribute(function, "__self__")
    if type(owner) is str:
        return bool(function == owner.join)
    try:
        return function in _CONSUMERS
    except TypeError:
        return False


def _named(values: Values) -> Values:
    values.__name__ = values.__qualname__ = "<genexpr>"  # type: ignore[attr-defined]
    return note_made(values)


def _turn(item: Item, each: object, values: list[Any]) -> Any:
    """One turn, in which a further ``for`` waits."""
    _lazy_results.add(id(values))
    try:
        return item(each, values)
    finally:
        _lazy_results.discard(id(values))


def _values_of(item: Item, each: object) -> list[Any] | None:
    """What one turn yields; None where only the run tells that. No generator holds the list meanwhile."""
    values: list[Any] = made([])
    result = _turn(item, each, values)
    return values if result is values and not has_form(values) else None


def _lazily(iterator: Iterator[Any], item: Item) -> Values:
    for each in turns(used_turns(iterator)):
        values = _values_of(item, each)
        check_iterator(iterator)
        if values is None:
            raise _refusal("that is kept yields a value only under a staged condition")
        for value in values:
            if type(value) is not _Inner:
                yield value
            elif backend_of(value.iterable) is None:
                yield from _lazily(value.iterable, value.item)
            else:
                raise _refusal("that is kept runs over a staged value, whose items only the run knows")


def _refusal(what: str) -> StagedValueError:
    return StagedValueError(
        f"a generator expression {what}",
        construct="generator expression",
        remedy="write a list comprehension, or hand the generator expression to `sum`, `any`, `list` … directly",
    )


class _StagedCount(Signal):
    """It has turned out that the number of values is staged: how far the generator has come."""

    def __init__(self, result: Any, iterator: Iterator[Any], item: Item) -> None:
        self.result = result
        self.iterator = iterator
        self.item = item

    def finished(self) -> Any:
        """All values, those yielded so far and the rest."""
        return _collected(self.result, self.iterator, self.item)


def _remembering(iterator: Iterator[Any], item: Item, values: list[Any]) -> Values:
    """Yields lazily, and keeps what it has yielded, so that `_StagedCount` can hand it on."""
    for each in turns(used_turns(iterator)):
        known = len(values)
        result = _turn(item, each, values)
        check_iterator(iterator)
        if result is not values or has_form(values):
            raise _StagedCount(result, iterator, item)
        if len(values) == known:
            continue
        if type(values[-1]) is not _Inner:
            yield values[-1]
            continue
        further = values.pop()
        try:
            if backend_of(further.iterable) is not None:
                raise _StagedCount(values, further.iterable, further.item)
            yield from _remembering(further.iterable, further.item, values)
        except _StagedCount as found:
            raise _StagedCount(found.finished(), iterator, item) from None


def _collected(result: object, iterable: Any, item: Item) -> Any:
    """Appends all values of a generator expression to a list: a loop that may be staged."""

    def loop_body(iterate: object) -> None:
        nonlocal result
        result = item(iterate, result)

    for_stmt(iterable, loop_body, ("result",))
    return result


def _waits(values: object) -> bool:
    """Whether what a turn has given is a further ``for``."""
    return type(values) is list and not has_form(values) and bool(values) and type(values[0]) is _Inner


def _next(iterable: object, item: Item, *default: object) -> Any:
    """``next``: a loop that stops at the first value."""
    found = _first(iterable, item)
    is_found = call(len)(found) > 0
    if is_found is True:
        return get_item(found, 0)
    if default:
        return if_exp(is_found, lambda: get_item(found, 0), lambda: default[0])
    if_stmt(is_found, lambda: None, _stop)
    return get_item(found, 0)


def _stop() -> None:
    exception, backend = StopIteration(), active()
    if backend is None or not backend.in_body():
        raise exception
    refuse_in_try(exception)
    backend.raise_(exception)
    raise StagedRaise(exception)


def _first(iterable: Any, item: Item) -> Any:
    """A list of the first value, if there is one."""
    found: Any = made([])

    def loop_body(iterate: object) -> Any:
        nonlocal found
        found = _turn(item, iterate, made([]))
        if _waits(found):
            found = _first(found[0].iterable, found[0].item)
        return call(len)(found) > 0

    for_stmt(iterable, loop_body, ("found",))
    return found


def _search(function: Callable[[Any], Any], iterable: Any, item: Item) -> Any:
    """``any`` and ``all``: a loop that stops at the first value that decides."""
    result: Any = function is all

    def loop_body(iterate: object) -> Any:
        nonlocal result
        values = _turn(item, iterate, made([]))
        further = values[0] if _waits(values) else None
        result = call(function)(values) if further is None else _search(function, further.iterable, further.item)
        return not_(result) if function is all else result

    for_stmt(iterable, loop_body, ("result",))
    return result
