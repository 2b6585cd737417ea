"""Staged `while` and `for`: what a turn and the condition of each kind of loop are."""

from __future__ import annotations

import itertools
from ast import literal_eval
from collections.abc import Callable, Iterator
from operator import length_hint
from typing import Any

from autograph.errors import MutationError, StagingError
from autograph.runtime.functions import repetitions

from ... import control_flow
from ...dispatch import Options, Thunk
from ...exceptions import StagedRaise
from ..heap import heap, iterators
from ..heap.state import stack
from ..outside.foreseen import may_act
from ..values.iterables import StagedRange, Turn, iterable
from . import conditions
from .cond import if_stmt
from .errors import require, stage_raise, where
from .left_generators import refuse_open
from .loop_options import maximum_iterations
from .loops import Impure, Loop

UNROLL_LIMIT = 5000
"""Turns of a Python iterator, each under a condition, after which staging gives up."""
ENDLESS_LIMIT = 500
"""The same of one that doesn't tell how many items it has: there may be no end."""

_CONTAINERS: tuple[Any, ...] = ([], (), {}, {}.values(), {}.items(), set(), range(0), "", b"")
_PLAIN = {type(reversed([])), *(type(iter(each)) for each in _CONTAINERS)}
"""Python's iterators that run no code of the user's to find an item."""


def while_stmt(
    go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options, broke: object = False
) -> Any:
    """Stages ``while``. ``go`` is the test of the first turn; ``broke`` says whether the loop has been left before."""
    limit = maximum_iterations(options)
    count = {} if limit is None else {"turn": 0}

    def turn(control: dict[str, Any]) -> dict[str, Any]:
        stop = body()
        return {**control, **_counted(control), "broke": _signal(stop)}

    def condition(control: dict[str, Any]) -> Any:
        more = _within(control, limit)
        if control["broke"] is False and more is True:
            return conditions.truth(test())
        running = conditions.all_of([conditions.not_(control["broke"]), more])
        return if_stmt(running, lambda: conditions.truth(test()), lambda: False, names, (test,))

    try:
        control = {"broke": broke, **count}
        return Loop(turn, condition, control, (body, test), names, options, may_act(test)).stage()["broke"]
    except Impure:
        return _while_with_effects(go, test, body, names, options, broke)


def _while_with_effects(
    go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options, broke: object
) -> Any:
    """A loop whose test changes something: it is evaluated at the end of each turn, as often as in Python."""
    limit = maximum_iterations(options)
    count = {} if limit is None else {"turn": 0}
    if go is None:
        go = if_stmt(broke, lambda: False, lambda: conditions.truth(test()), names, (body, test))

    def turn(control: dict[str, Any]) -> dict[str, Any]:
        stop = _signal(body())
        again = if_stmt(stop, lambda: False, lambda: conditions.truth(test()), names, (body, test))
        return {**control, **_counted(control), "broke": stop, "go": again}

    def condition(control: dict[str, Any]) -> Any:
        return conditions.all_of([control["go"], _within(control, limit)])

    control = {"broke": broke, "go": conditions.truth(go), **count}
    return Loop(turn, condition, control, (body, test), names, options).stage()["broke"]


def while_rest(stop: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
    """Stages what is left of a ``while`` loop after a turn that gave a staged stop signal."""
    with repetitions.repeated():
        return while_stmt(None, test, body, names, options, broke=_signal(stop))


def for_stmt(
    values: object, body: Callable[[Any], Any], names: tuple[str, ...], options: Options, broke: object = False
) -> Any:
    """Stages ``for`` over a staged value."""
    items = iterable(values)
    items.begin()
    limit = maximum_iterations(options)
    count = {} if limit is None else {"turn": 0}

    def turn(control: dict[str, Any]) -> dict[str, Any]:
        after, stop = items.advance(control["state"], Turn(lambda item, _: _signal(body(item)), (body,), names), False)
        return {**control, **_counted(control), "state": after, "broke": stop}

    def condition(control: dict[str, Any]) -> Any:
        running = [conditions.not_(control["broke"]), _within(control, limit)]
        if items.peeks:
            return conditions.and_(conditions.all_of(running), lambda: items.has_next(control["state"]))
        return conditions.all_of([*running, items.has_next(control["state"])])

    control = {"state": items.start(), "broke": broke, **count}
    try:
        broke = Loop(turn, condition, control, (body,), names, options).stage()["broke"]
        items.end()
        return broke
    except Impure:
        raise MutationError(
            "a list that is one of several, as a staged condition decides, is run over while its body changes one of "
            "them",
            **where(),
            construct="for",
            remedy="run over a copy of it: list(values)",
        ) from None


def _signal(stop: object) -> Any:
    if stop is None or stop is False or stop is True:
        return stop is True
    return conditions.truth(stop)


def _counted(control: dict[str, Any]) -> dict[str, Any]:
    return {"turn": control["turn"] + 1} if "turn" in control else {}


def _within(control: dict[str, Any], limit: object) -> Any:
    return control["turn"] < limit if "turn" in control else True


def for_rest(
    stop: object, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...], options: Options
) -> Any:
    """Stages what is left of a Python loop after a turn that gave a staged stop signal.

    A range goes on as a staged loop; for other iterables each turn that is left stands under a condition.
    """
    stop = _signal(stop)
    rest = _rest_of_range(iterator)
    if rest is not None:
        if rest.stop is not None and not len(range(rest.first, rest.stop, rest.step)):
            return stop
        with repetitions.repeated():
            return for_stmt(rest, body, names, options, broke=stop)
    ended: list[Any] = []
    limit = UNROLL_LIMIT if length_hint(iterator, 0) else ENDLESS_LIMIT
    for _ in range(limit):
        refuse_open(iterator)
        stop, finished = _next_turn(stop, iterator, body, names, ended)
        heap.check_iterator(iterator)
        if finished or conditions.static_truth(stop):
            for each in ended:
                iterators.spend(each)
            return stop
    raise StagingError(
        f"a Python iterator with a staged `break` has more than {limit} items",
        **where(),
        remedy="loop over a tensor, or over a range",
    )


def _rest_of_range(iterator: Iterator[Any]) -> StagedRange | None:
    kind = type(iterator).__name__
    if isinstance(iterator, itertools.count):
        # Its text is `count(first)` or `count(first, step)`; there is no other access to the two.
        first, *step = literal_eval(f"({repr(iterator)[6:-1]},)")
        return StagedRange(first, None, *step)
    if kind not in ("range_iterator", "longrange_iterator"):
        return None
    reduced: Any = iterator.__reduce__()
    _, arguments, *position = reduced
    rest = arguments[0][position[0] or 0 :] if position else arguments[0]
    return StagedRange(rest.start, rest.stop, rest.step)


_NOTHING = object()


def _next_turn(
    stop: object, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...], ended: list[Any]
) -> tuple[Any, bool]:
    """One more turn under the condition that the loop has not been left; whether there was no further item.

    As the turns are traced in their order, code in them may move iterators, if none uses these after the loop.
    """
    lazy = not all(map(_runs_nothing, iterators.read_by(iterator)))
    item = _NOTHING if lazy else next(iterator, _NOTHING)
    if not lazy and item is _NOTHING:
        return stop, True
    finished, around = False, stack()[-1]

    def moves(other: object) -> None:
        refuse_open(other)
        ended.append(other)

    def turn() -> Any:
        nonlocal finished
        journal = stack()[-1]
        if journal is not around:
            journal.ends = moves
        # What is computed to find an item is part of the turn.
        current = next(iterator, _NOTHING) if lazy else item
        finished = current is _NOTHING
        return False if finished else _signal(body(current))

    turn_stop = if_stmt(stop, lambda: True, turn, names, (body,))
    return turn_stop, finished  # what was done to find no further item has been done


def _runs_nothing(iterator: iterators.Known) -> bool:
    return iterator.kind in _PLAIN or (iterator.kind in (enumerate, zip) and iterators.is_made(iterator))


def while_in_python(go: bool | None, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
    """A loop whose test is a tensor with a known value; ``go`` is that of the first test, None when not made yet."""

    def first_test() -> Any:
        nonlocal go
        known, go = go, None
        return test() if known is None else known

    return control_flow.while_stmt(first_test, body, names, options)


def for_in_python(values: Any, body: Callable[[Any], Any], names: tuple[str, ...], options: Options) -> Any:
    """A loop outside of any trace over a value with a known length, or over what is left of an iterator."""
    return control_flow.for_stmt(iter(values), body, names, options)


def assert_(test: object, message: Thunk | None) -> None:
    """Stages ``assert test, message()``; the message is made only when the test fails."""
    known = conditions.static_truth(test)
    if known:
        return
    if message is None and known is None:
        require(conditions.truth(test), AssertionError())
        return

    def fail() -> None:
        exception = AssertionError() if message is None else AssertionError(message())
        stage_raise(exception)
        raise StagedRaise(exception)

    if known is None:
        if_stmt(test, lambda: None, fail, (), (message,) if message is not None else None)
    else:
        fail()
