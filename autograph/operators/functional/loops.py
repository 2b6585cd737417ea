"""Staged loops, and those whose turns are counted, which have reverse-mode gradients.

The variables that a turn changes are found by tracing it until their types no longer change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from autograph.errors import BranchMismatchError, InvalidTypeError, MutationError, StagedTypeError

from ..dispatch import Options, Thunk
from ..staging.heap import state
from ..staging.heap.locations import Location, where
from ..variables import UNDEFINED
from .bodies import Key, Outcome, trace_body
from .branches import all_chosen, if_stmt, is_generated, not_
from .library import Array, Library
from .merging import Merge, Plan, Same, arrays_of, rebuilt, same_plan, types_in
from .ranges import Items, Numbers
from .structure import changeable_in
from .tracing import seal

Signal: TypeAlias = bool | Any
"""Whether a loop has been left by `break`: known while tracing, or an array."""
State: TypeAlias = Any
"""What a loop of the library hands on from turn to turn."""

_WAYS = ("before the loop", "after a turn")
_MOST = 50
MOST_UNROLLED = 100
"""The most items of an array of which each may get a turn of its own, where the body changes more than values."""


def maximum_iterations(library: Library, options: Options) -> int | None:
    """What `set_loop_options` says of the most turns.

    Raises:
        InvalidTypeError: it is no whole number of Python's.
    """
    limit = None if options is None else options().get("maximum_iterations")
    if limit is None or (isinstance(limit, (int, np.integer)) and not isinstance(limit, bool)):
        return None if limit is None else int(limit)
    raise InvalidTypeError(
        f"maximum_iterations is a whole number that is known while {library.name} traces, not {limit!r}", **where()
    )


class Turn(NamedTuple):
    """What the user's code gives in a turn: the signal to stop, and whether there is another turn, if that is known."""

    stop: Signal
    go: object = None


class Loop:
    """One loop: ``turn`` runs the body, given the arrays of ``types``; ``construct`` names it in errors."""

    def __init__(
        self, library: Library, construct: str, turn: Callable[..., Turn], bodies: tuple[Any, ...],
        names: tuple[str, ...], types: tuple[Any, ...] = (), turns: bool = False,
    ) -> None:  # fmt: skip
        self._library = library
        self._construct = construct
        self._turn = turn
        self._bodies = bodies
        self._names = names
        self._extra = types
        self._makes_turns = turns
        self._plans: dict[Key, Plan] = {}
        self._outputs: dict[Key, Plan] = {}
        """Variables without a value before the loop: a turn gives them one, and never reads that of the turn before."""
        self._places: dict[Key, Location] = {}
        self._before: dict[Key, Any] = {}
        self._merge = self._new_merge()
        self.turn = self._settled()
        self._initial = {key: self._places[key].get() for key in self._plans}

    def _new_merge(self) -> Merge:
        return Merge(self._library, self._construct, _WAYS)

    def _settled(self) -> Outcome:
        for _ in range(_MOST):
            outcome = self.trace(self._turn, self._extra)
            before = dict(self._plans)
            self._widen(outcome)
            pairs = [(each, self._plans.get(key)) for key, each in before.items()]
            if before.keys() == self._plans.keys() and all(same_plan(self._library, *pair) for pair in pairs):
                return outcome
        raise StagedTypeError(
            "the types of this loop's variables are others after each turn", **where(), construct=self._construct
        )

    def trace(self, run: Callable[..., Any], extra: tuple[Any, ...] = ()) -> Outcome:
        """Traces the body or the test, with variables of the types that are known."""

        def with_variables(*inputs: Any) -> Any:
            rest = iter(inputs[len(extra) :])
            self._put(rest, state.stack()[-1])
            self._before = {key: self._places[key].get() for key in self._plans}
            return run(*inputs[: len(extra)])

        return trace_body(self._library, with_variables, self._bodies, self._names, (*extra, *self.types()))

    def changes(self, outcome: Outcome) -> bool:
        """Whether what has been traced last has given a variable another value than it had before."""
        return any(value is not self._before.get(key, UNDEFINED) for key, (_, value) in outcome.changes.items())

    def types(self) -> list[Any]:
        """The types of the arrays that a turn gets from the one before."""
        return [each for plan in self._plans.values() for each in types_in(plan)]

    def _put(self, arrays: Iterator[Any], journal: state.Journal) -> None:
        made: dict[int, Any] = {}
        for key, plan in self._plans.items():
            journal.note_place(self._places[key])
            self._places[key].set(rebuilt(self._library, plan, arrays, made))
        for each in made.values():
            journal.note(each, early=True)

    def _widen(self, outcome: Outcome) -> None:
        self._merge = merge = self._new_merge()
        type_of = self._library.type_of
        for key, place in self._places.items():
            if key in self._plans:
                value = outcome.value_of(place)
                self._plans[key] = merge.join(self._plans[key], value, outcome.type_of, type_of, f"`{place.label}`")
        for key, (place, value) in outcome.changes.items():
            if key in self._plans:
                continue
            self._places[key] = place
            old = place.get()
            if old is UNDEFINED:
                self._outputs[key] = self._output(place, value, outcome)
            elif value is UNDEFINED:
                raise self._undefined(place, "after a turn, which deletes it")
            else:
                self._plans[key] = merge.join(Same(old), value, outcome.type_of, type_of, f"`{place.label}`")

    def _output(self, place: Location, value: object, outcome: Outcome) -> Plan:
        if not (self._makes_turns or is_generated(place)):
            raise self._undefined(place, "before the loop, which may make no turn, and is needed afterwards")
        return all_chosen(self._library, value, outcome.type_of)

    def _undefined(self, place: Location, when: str) -> BranchMismatchError:
        return BranchMismatchError(
            f"`{place.label}` has no value {when}",
            **where(),
            construct=self._construct,
            remedy="give it a value of the same shape and dtype before the loop",
        )

    # The arrays of the state, in the order of `types`, and then those of the outputs.

    def initial(self) -> list[Any]:
        """The state before the loop."""
        library = self._library
        pairs = (pair for key, plan in self._plans.items() for pair in arrays_of(library, plan, self._initial[key]))
        unset = (each for plan in self._outputs.values() for each in types_in(plan))
        outputs = [library.as_type(library.zeros(each), each) for each in unset]
        return [*(library.as_type(value, kind) for value, kind in pairs), *outputs]

    def after(self, extra: tuple[Any, ...], arrays: list[Any]) -> tuple[Turn, list[Any]]:
        """What a turn gives, and the state after it, given that before it."""
        found = self.turn.run((*extra, *arrays[: len(self.types())]))
        values = (
            (plan, self.turn.value_of(self._places[key]))
            for key, plan in (*self._plans.items(), *self._outputs.items())
        )
        pairs = (pair for each in values for pair in arrays_of(self._library, *each))
        return Turn(*map(found, self.turn.result)), [self._library.as_type(found(value), kind) for value, kind in pairs]

    def may_stop(self, stop: object) -> bool:
        """Whether a `break` may leave the loop, or has (``stop``)."""
        return self.turn.result.stop is not False or stop is not False

    def start(self, stop: object) -> tuple[Any, list[Any]]:
        """Whether the loop is stopped, as an array, and the state before it."""
        return self._library.as_array(stop), self.initial()

    def unless_stopped(self, carry: State, item: object) -> Any:
        """A turn that does nothing where the loop has been left."""

        def turn() -> Any:
            signals, after = self.after((item,), carry[1])
            return self._library.as_array(signals.stop), after

        return self._library.cond(carry[0], lambda: carry, turn)

    def finish(self, arrays: list[Any], stopped: Signal = False) -> Any:
        """Sets the variables to what the loop leaves; returns ``stopped``."""
        made: dict[int, Any] = {}
        rest = iter(arrays)
        for key, plan in (*self._plans.items(), *self._outputs.items()):
            self._places[key].set(rebuilt(self._library, plan, rest, made))
        self._merge.seal()
        for key, plan in self._plans.items():
            if not isinstance(plan, Same):
                for each in changeable_in(self._library, self._initial[key]):
                    seal(self._library, each, f"`{self._places[key].label}`")
        for each in made.values():
            state.created(each)
            seal(self._library, each, type(each).__name__)
        return stopped


def signal(library: Library, stop: object) -> Any:
    """What a body returns to stop the loop: False where it never does, else True or a bool array."""
    if stop is None or stop is False or stop is True:
        return stop is True
    known = library.concrete(stop) if library.is_array(stop) else bool(stop)
    return known if known is not None else library.truth(stop)


def while_stmt(
    library: Library, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options,
    stop: object = False,
) -> Any:  # fmt: skip
    """Runs a loop in Python while its test is known, and stages the rest; whether it was left by ``break``.

    ``go`` is the test of the first turn; None, if ``stop`` may have stopped the loop before that.
    """
    while go is not None:
        known = library.concrete(go) if library.is_array(go) else bool(go)
        if known is None:
            break
        if not known:
            return False
        stop = signal(library, body())
        if stop is True:
            return True
        go = test() if stop is False else None
    return _while(library, go, test, body, names, maximum_iterations(library, options), stop)


def _while(
    library: Library, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], limit: int | None, stop: Signal
) -> Any:
    loop = Loop(library, "while", lambda: Turn(signal(library, body())), (body, test), names)
    again = loop.trace(lambda: library.truth(test()))
    if loop.changes(again):
        return _while_with_effects(library, go, test, body, names, limit, stop)
    stops = loop.may_stop(stop)

    def condition(carry: State) -> Any:
        stopped, arrays = carry if stops else (None, carry)
        inputs = arrays[: len(loop.types())]
        if not stops:
            return again.run(inputs)(again.result)
        if again.traced.is_cheap():
            return library.both(library.negated(stopped), again.run(inputs)(again.result))
        return library.cond(stopped, lambda: library.as_array(False), lambda: again.run(inputs)(again.result))

    def turn(carry: State) -> Any:
        signals, after = loop.after((), carry[1] if stops else carry)
        return (library.as_array(signals.stop), after) if stops else after

    left = _repeated(library, condition, turn, loop.start(stop) if stops else loop.initial(), limit)
    stopped, arrays = left if stops else (False, left)
    return loop.finish(arrays, stopped)


def _repeated(
    library: Library, condition: Callable[[Any], Any], turn: Callable[[Any], Any], start: State, limit: int | None
) -> Any:
    """A loop; with ``limit`` one of so many turns, which has reverse-mode gradients, and does nothing in the last."""
    if limit is None:
        return library.while_loop(condition, turn, start)

    def step(_: Array, carry: State) -> Any:
        return library.cond(condition(carry), lambda: turn(carry), lambda: carry)

    return library.counted_loop(limit, step, start)


def _while_with_effects(
    library: Library, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], limit: int | None, stop: Signal
) -> Any:
    """A loop whose test changes variables: it is evaluated at the end of each turn, as often as in Python."""


    def true() -> Any:
        return library.truth(test())

    def false() -> Any:
        return library.as_array(False)

    if go is None:
        go = if_stmt(library, not_(library, stop), true, false, names, (body, test))

    def run() -> Turn:
        stopped = signal(library, body())
        if stopped is True or stopped is False:
            return Turn(stopped, False if stopped else true())
        return Turn(stopped, if_stmt(library, stopped, false, true, names, (body, test)))

    loop = Loop(library, "while", run, (body, test), names)

    def turn(carry: State) -> Any:
        signals, after = loop.after((), carry[2])
        return library.as_array(signals.go), library.as_array(signals.stop), after

    start = library.truth(go), library.as_array(stop), loop.initial()
    _, stopped, arrays = _repeated(library, lambda carry: carry[0], turn, start, limit)
    return loop.finish(arrays, stopped if loop.may_stop(stop) else False)


def for_stmt(
    library: Library, values: Array, body: Callable[[Any], Any], names: tuple[str, ...], options: Options,
    stop: object = False,
) -> Any:  # fmt: skip
    """Stages ``for`` over an array or a range; whether it was left by ``break``."""
    limit = maximum_iterations(library, options)
    if isinstance(values, (Numbers, range)):
        return _for_numbers(library, values, body, names, limit, stop)
    if not values.shape:
        raise StagedTypeError(
            "a loop over a scalar",
            **where(),
            construct="for",
            remedy="loop over range(n), or over an array with an axis",
        )
    values = values if limit is None else values[:limit]
    if not values.shape[0]:
        return stop
    try:
        types = (library.item_type(values),)
        loop = Loop(library, "for", lambda x: Turn(signal(library, body(x))), (body,), names, types, stop is False)
    except (BranchMismatchError, MutationError):
        if values.shape[0] > MOST_UNROLLED:
            raise
        return _unrolled(library, values, body, names, stop)
    if not loop.may_stop(stop):
        return loop.finish(library.loop_over(values, lambda carry, item: loop.after((item,), carry)[1], loop.initial()))
    stopped, arrays = library.loop_over(values, loop.unless_stopped, loop.start(stop))
    return loop.finish(arrays, stopped)


def _signal_of(library: Library, body: Callable[[Any], Any], item: object) -> Any:
    return signal(library, body(item))


def _unrolled(library: Library, values: Array, body: Callable[[Any], Any], names: tuple[str, ...], stop: Signal) -> Any:
    """A loop of which the turns can't be one: each is traced for itself, as where Python runs the loop."""
    for position in range(values.shape[0]):
        item = values[position]
        if stop is not False:
            stop = if_stmt(library, stop, lambda: True, partial(_signal_of, library, body, item), names, (body,))
        else:
            stop = signal(library, body(item))
        if stop is True:
            return True
    return stop


def _for_numbers(
    library: Library, values: Numbers | range, body: Callable[[Any], Any], names: tuple[str, ...], limit: int | None,
    stop: Signal,
) -> Any:  # fmt: skip
    start, step = values.start, values.step
    length: Array = len(values) if isinstance(values, range) else values.length()
    is_known = isinstance(length, int)
    if limit is not None and is_known:
        length = min(length, limit)
    if is_known and not length:
        return stop
    index = library.index_type(length)
    items = Items(start, step)
    turns = is_known and stop is False
    loop = Loop(library, "for", lambda at: Turn(signal(library, body(items.at(at)))), (body,), names, (index,), turns)
    if is_known:
        return _counted(library, loop, length, stop)
    if limit is not None:
        return _masked(library, loop, length, limit, stop)
    if not loop.may_stop(stop):
        return loop.finish(library.counted_loop(length, lambda at, carry: loop.after((at,), carry)[1], loop.initial()))

    def turn(carry: State) -> Any:
        signals, after = loop.after((carry[0],), carry[2])
        return carry[0] + 1, library.as_array(signals.stop), after

    def condition(carry: State) -> Any:
        return library.both(carry[0] < length, library.negated(carry[1]))

    first = library.first_turn(length)
    _, stopped, arrays = library.while_loop(condition, turn, (first, *loop.start(stop)))
    return loop.finish(arrays, stopped)


def _counted(library: Library, loop: Loop, length: int, stop: Signal) -> Any:
    if not loop.may_stop(stop):
        return loop.finish(library.counted_loop(length, lambda at, carry: loop.after((at,), carry)[1], loop.initial()))
    stopped, arrays = library.counted_loop(length, lambda at, carry: loop.unless_stopped(carry, at), loop.start(stop))
    return loop.finish(arrays, stopped)


def _masked(library: Library, loop: Loop, length: Array, limit: int, stop: Signal) -> Any:
    """A loop of which `set_loop_options` gives the most turns, as one of so many: it has reverse-mode gradients."""

    def turn(at: Array, carry: State) -> Any:
        return library.cond(at < length, lambda: loop.unless_stopped(carry, at), lambda: carry)

    stopped, arrays = library.counted_loop(limit, turn, loop.start(stop))
    return loop.finish(arrays, stopped if loop.may_stop(stop) else False)
