"""Staged loops: `lax.while_loop`; `scan` and `fori_loop`, which have reverse-mode gradients, where turns are counted.

The variables that a turn changes are found by tracing it until their types no longer change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import jax
import numpy as np
from jax import lax

from autograph.errors import BranchMismatchError, InvalidTypeError, MutationError, StagedTypeError

from ..dispatch import Options, Thunk
from ..staging.heap import state
from ..staging.heap.locations import Location, where
from ..variables import UNDEFINED
from .bodies import Key, Outcome, trace_body, type_of
from .branches import all_chosen, concrete, if_stmt, is_cheap, is_generated, not_, truth
from .merging import Merge, Plan, Same, arrays_of, as_type, rebuilt, same_plan, types_in, zeros
from .structure import changeable_in
from .tracing import seal

Signal: TypeAlias = bool | jax.Array
"""Whether a loop has been left by `break`: known while tracing, or an array."""
State: TypeAlias = Any
"""What a loop of JAX's hands on from turn to turn."""

_WAYS = ("before the loop", "after a turn")
_MOST = 50
MOST_UNROLLED = 100
"""The most items of an array of which each may get a turn of its own, where the body changes more than values."""


def maximum_iterations(options: Options) -> int | None:
    """What `set_loop_options` says of the most turns.

    Raises:
        InvalidTypeError: it is no whole number of Python's.
    """
    limit = None if options is None else options().get("maximum_iterations")
    if limit is None or (isinstance(limit, (int, np.integer)) and not isinstance(limit, bool)):
        return None if limit is None else int(limit)
    raise InvalidTypeError(
        f"maximum_iterations is a whole number that is known while JAX traces, not {limit!r}", **where()
    )


class Turn(NamedTuple):
    """What the user's code gives in a turn: the signal to stop, and whether there is another turn, if that is known."""

    stop: Signal
    go: object = None


class Loop:
    """One loop: ``turn`` runs the body, given the arrays of ``types``; ``construct`` names it in errors."""

    def __init__(
        self, construct: str, turn: Callable[..., Turn], bodies: tuple[Any, ...], names: tuple[str, ...],
        types: tuple[Any, ...] = (), turns: bool = False,
    ) -> None:  # fmt: skip
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
        return Merge(self._construct, _WAYS)

    def _settled(self) -> Outcome:
        for _ in range(_MOST):
            outcome = self.trace(self._turn, self._extra)
            before = dict(self._plans)
            self._widen(outcome)
            if before.keys() == self._plans.keys() and all(same_plan(before[key], self._plans[key]) for key in before):
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

        return trace_body(with_variables, self._bodies, self._names, (*extra, *self.types()))

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
            self._places[key].set(rebuilt(plan, arrays, made))
        for each in made.values():
            journal.note(each, early=True)

    def _widen(self, outcome: Outcome) -> None:
        self._merge = merge = self._new_merge()
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
        return all_chosen(value, outcome.type_of)

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
        pairs = (pair for key, plan in self._plans.items() for pair in arrays_of(plan, self._initial[key]))
        outputs = [as_type(zeros(each), each) for plan in self._outputs.values() for each in types_in(plan)]
        return [*(as_type(value, aval) for value, aval in pairs), *outputs]

    def after(self, extra: tuple[Any, ...], arrays: list[Any]) -> tuple[Turn, list[Any]]:
        """What a turn gives, and the state after it, given that before it."""
        found = self.turn.run((*extra, *arrays[: len(self.types())]))
        plans = (*self._plans.items(), *self._outputs.items())
        pairs = (p for key, plan in plans for p in arrays_of(plan, self.turn.value_of(self._places[key])))
        return Turn(*map(found, self.turn.result)), [as_type(found(value), aval) for value, aval in pairs]

    def may_stop(self, stop: object) -> bool:
        """Whether a `break` may leave the loop, or has (``stop``)."""
        return self.turn.result.stop is not False or stop is not False

    def start(self, stop: object) -> tuple[Any, list[Any]]:
        """Whether the loop is stopped, as an array, and the state before it."""
        return jax.numpy.asarray(stop), self.initial()

    def unless_stopped(self, carry: State, item: object) -> Any:
        """A turn that does nothing where the loop has been left."""

        def turn() -> Any:
            signals, after = self.after((item,), carry[1])
            return jax.numpy.asarray(signals.stop), after

        return lax.cond(carry[0], lambda: carry, turn)

    def finish(self, arrays: list[Any], stopped: Signal = False) -> Any:
        """Sets the variables to what the loop leaves; returns ``stopped``."""
        made: dict[int, Any] = {}
        rest = iter(arrays)
        for key, plan in (*self._plans.items(), *self._outputs.items()):
            self._places[key].set(rebuilt(plan, rest, made))
        self._merge.seal()
        for key, plan in self._plans.items():
            if not isinstance(plan, Same):
                for each in changeable_in(self._initial[key]):
                    seal(each, f"`{self._places[key].label}`")
        for each in made.values():
            state.created(each)
            seal(each, type(each).__name__)
        return stopped


def signal(stop: object) -> Any:
    """What a body returns to stop the loop: False where it never does, else True or a bool array."""
    if stop is None or stop is False or stop is True:
        return stop is True
    known = concrete(stop) if isinstance(stop, jax.Array) else bool(stop)
    return known if known is not None else truth(stop)


def while_stmt(
    go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options, stop: object = False
) -> Any:
    """Runs a loop in Python while its test is known, and stages the rest; whether it was left by ``break``.

    ``go`` is the test of the first turn; None, if ``stop`` may have stopped the loop before that.
    """
    while go is not None:
        known = concrete(go) if isinstance(go, jax.Array) else bool(go)
        if known is None:
            break
        if not known:
            return False
        stop = signal(body())
        if stop is True:
            return True
        go = test() if stop is False else None
    return _while(go, test, body, names, maximum_iterations(options), stop)


def _while(go: object, test: Thunk, body: Thunk, names: tuple[str, ...], limit: int | None, stop: Signal) -> Any:
    loop = Loop("while", lambda: Turn(signal(body())), (body, test), names)
    again = loop.trace(lambda: truth(test()))
    if loop.changes(again):
        return _while_with_effects(go, test, body, names, limit, stop)
    stops = loop.may_stop(stop)

    def condition(carry: State) -> Any:
        stopped, arrays = carry if stops else (None, carry)
        inputs = arrays[: len(loop.types())]
        if not stops:
            return again.run(inputs)(again.result)
        if is_cheap(again):
            return lax.bitwise_and(lax.bitwise_not(stopped), again.run(inputs)(again.result))
        return lax.cond(stopped, lambda: jax.numpy.asarray(False), lambda: again.run(inputs)(again.result))

    def turn(carry: State) -> Any:
        signals, after = loop.after((), carry[1] if stops else carry)
        return (jax.numpy.asarray(signals.stop), after) if stops else after

    left = _repeated(condition, turn, loop.start(stop) if stops else loop.initial(), limit)
    stopped, arrays = left if stops else (False, left)
    return loop.finish(arrays, stopped)


def _repeated(condition: Callable[[Any], Any], turn: Callable[[Any], Any], start: State, limit: int | None) -> Any:
    """A loop; with ``limit`` one of so many turns, which has reverse-mode gradients, and does nothing in the last."""
    if limit is None:
        return lax.while_loop(condition, turn, start)
    return lax.fori_loop(0, limit, lambda _, carry: lax.cond(condition(carry), turn, lambda same: same, carry), start)


def _while_with_effects(
    go: object, test: Thunk, body: Thunk, names: tuple[str, ...], limit: int | None, stop: Signal
) -> Any:
    """A loop whose test changes variables: it is evaluated at the end of each turn, as often as in Python."""
    if go is None:
        go = if_stmt(not_(stop), lambda: truth(test()), lambda: jax.numpy.asarray(False), names, (body, test))

    def run() -> Turn:
        stopped = signal(body())
        if stopped is True or stopped is False:
            return Turn(stopped, False if stopped else truth(test()))
        return Turn(
            stopped, if_stmt(stopped, lambda: jax.numpy.asarray(False), lambda: truth(test()), names, (body, test))
        )

    loop = Loop("while", run, (body, test), names)

    def turn(carry: State) -> Any:
        signals, after = loop.after((), carry[2])
        return jax.numpy.asarray(signals.go), jax.numpy.asarray(signals.stop), after

    start = truth(go), jax.numpy.asarray(stop), loop.initial()
    _, stopped, arrays = _repeated(lambda carry: carry[0], turn, start, limit)
    return loop.finish(arrays, stopped if loop.may_stop(stop) else False)


class Numbers:
    """A range of which only the run knows the bounds."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Any, stop: Any, step: int = 1) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    def length(self) -> Any:
        """How many items there are: an array."""
        if self.step == 1:
            return self.stop if _is_zero(self.start) else self.stop - self.start  # a loop makes no turn for less than 0
        return -((self.start - self.stop) // self.step)


def _is_zero(value: object) -> bool:
    return type(value) is int and value == 0


class Items(NamedTuple):
    """The items of a range, by their position."""

    start: object
    step: int

    def at(self, position: jax.Array) -> Any:
        """The item at a position."""
        item = position if self.step == 1 else position * self.step
        return item if _is_zero(self.start) else self.start + item


def for_stmt(
    values: Any, body: Callable[[Any], Any], names: tuple[str, ...], options: Options, stop: object = False
) -> Any:
    """Stages ``for`` over an array or a range; whether it was left by ``break``."""
    limit = maximum_iterations(options)
    if isinstance(values, (Numbers, range)):
        return _for_numbers(values, body, names, limit, stop)
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
        loop = Loop("for", lambda item: Turn(signal(body(item))), (body,), names, (_item(values),), stop is False)
    except (BranchMismatchError, MutationError):
        if values.shape[0] > MOST_UNROLLED:
            raise
        return _unrolled(values, body, names, stop)
    if not loop.may_stop(stop):
        arrays, _ = lax.scan(lambda carry, item: (loop.after((item,), carry)[1], None), loop.initial(), values)
        return loop.finish(arrays)
    (stopped, arrays), _ = lax.scan(
        lambda carry, item: (loop.unless_stopped(carry, item), None), loop.start(stop), values
    )
    return loop.finish(arrays, stopped)


def _signal_of(body: Callable[[Any], Any], item: object) -> Any:
    return signal(body(item))


def _unrolled(values: Any, body: Callable[[Any], Any], names: tuple[str, ...], stop: Signal) -> Any:
    """A loop of which the turns can't be one: each is traced for itself, as JAX does where Python runs the loop."""
    for position in range(values.shape[0]):
        item = values[position]
        if stop is not False:
            stop = if_stmt(stop, lambda: True, partial(_signal_of, body, item), names, (body,))
        else:
            stop = signal(body(item))
        if stop is True:
            return True
    return stop


def _item(values: Any) -> Any:
    found = jax.typeof(values)
    return jax.ShapeDtypeStruct(found.shape[1:], found.dtype, weak_type=bool(getattr(found, "weak_type", False)))


def _for_numbers(
    values: Numbers | range, body: Callable[[Any], Any], names: tuple[str, ...], limit: int | None, stop: Signal
) -> Any:
    start, step = values.start, values.step
    length: Any = len(values) if isinstance(values, range) else values.length()
    is_known = isinstance(length, int)
    if limit is not None and is_known:
        length = min(length, limit)
    if is_known and not length:
        return stop
    index = jax.ShapeDtypeStruct((), jax.numpy.result_type(int if is_known else length), weak_type=True)
    items = Items(start, step)
    loop = Loop(
        "for", lambda at: Turn(signal(body(items.at(at)))), (body,), names, (index,), is_known and stop is False
    )
    if is_known:
        return _counted(loop, length, stop)
    if limit is not None:
        return _masked(loop, length, limit, stop)
    if not loop.may_stop(stop):
        return loop.finish(lax.fori_loop(0, length, lambda at, carry: loop.after((at,), carry)[1], loop.initial()))

    def turn(carry: State) -> Any:
        signals, after = loop.after((carry[0],), carry[2])
        return carry[0] + 1, jax.numpy.asarray(signals.stop), after

    def condition(carry: State) -> Any:
        return lax.bitwise_and(carry[0] < length, lax.bitwise_not(carry[1]))

    _, stopped, arrays = lax.while_loop(condition, turn, (jax.numpy.zeros((), length.dtype), *loop.start(stop)))
    return loop.finish(arrays, stopped)


def _counted(loop: Loop, length: int, stop: Signal) -> Any:
    if not loop.may_stop(stop):
        return loop.finish(lax.fori_loop(0, length, lambda at, carry: loop.after((at,), carry)[1], loop.initial()))
    stopped, arrays = lax.fori_loop(0, length, lambda at, carry: loop.unless_stopped(carry, at), loop.start(stop))
    return loop.finish(arrays, stopped)


def _masked(loop: Loop, length: jax.Array, limit: int, stop: Signal) -> Any:
    """A loop of which `set_loop_options` gives the most turns, as one of so many: it has reverse-mode gradients."""

    def turn(at: Any, carry: State) -> Any:
        return lax.cond(at < length, lambda: loop.unless_stopped(carry, at), lambda: carry)

    stopped, arrays = lax.fori_loop(0, limit, turn, loop.start(stop))
    return loop.finish(arrays, stopped if loop.may_stop(stop) else False)
