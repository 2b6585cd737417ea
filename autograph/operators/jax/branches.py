"""Staged `if`, conditional expressions, `and`, `or` and `not`: `lax.cond`, and operations on bools where these do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
from jax import lax
from jax.extend.core import Jaxpr

from autograph.errors import BranchMismatchError, StagedRecursionError

from ..dispatch import Thunk
from ..staging.heap import state
from ..staging.heap.locations import Location, where
from ..variables import UNDEFINED
from .bodies import Key, Outcome, trace_body
from .merging import Chosen, Made, Merge, Plan, Same, TypeOf, arrays_of, as_type, rebuilt, types_in, zeros
from .structure import is_leaf, parts_of
from .tracing import check_is_one, seal

_WAYS = ("where the condition is true", "where it is false")


def concrete(value: Any) -> bool | None:
    """The truth of an array that is known while tracing, else None."""
    if not isinstance(value, jax.core.Tracer):
        return bool(value)
    check_is_one(value)
    try:
        return bool(value)
    except jax.errors.TracerBoolConversionError:
        return None


def truth(value: Any) -> Any:
    """What a value is as a condition: a scalar bool array."""
    if not isinstance(value, jax.Array):
        return jax.numpy.asarray(bool(value))
    check_is_one(value)
    scalar = value.reshape(()) if value.shape else value
    return scalar if scalar.dtype == bool else scalar != 0


def if_stmt(
    test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...], bodies: tuple[Callable[..., Any], ...] = ()
) -> Any:
    """Stages ``if``; sets the variables, and returns what the branches return.

    ``bodies`` are the functions that hold the user's variables, if these are not the branches themselves.
    """
    known = concrete(test)
    if known is not None:
        return body() if known else orelse()
    try:
        one, other = trace_body(body, bodies or (body,), names), trace_body(orelse, bodies or (orelse,), names)
    except RecursionError as error:
        if isinstance(error, StagedRecursionError):
            raise
        raise StagedRecursionError(
            "a function calls itself, as a condition decides that only the run knows: JAX traces both branches, and so "
            "without end",
            **where(),
            construct="recursion",
            remedy="write it as a loop, or pass a depth that Python counts down",
        ) from None
    return _merged(truth(test), one, other)


def _merged(test: jax.Array, one: Outcome, other: Outcome) -> Any:
    merge = Merge("if", _WAYS, lambda obj: one.is_new(obj) or other.is_new(obj))
    plans: dict[Key, Plan] = {}
    places = _places(one, other)
    for key, place in places.items():
        plans[key] = _variable(merge, place, one, other)
    result = merge.join(Same(one.result), other.result, other.type_of, one.type_of, "what the branches return")

    values = [(plans[key], *(each.value_of(place) for each in (one, other))) for key, place in places.items()]
    pairs = [pair for each in (*values, (result, one.result, other.result)) for pair in _pairs(*each)]
    arrays = iter(_chosen(test, one, other, pairs))
    made: dict[int, Any] = {}
    for key, place in places.items():
        place.set(rebuilt(plans[key], arrays, made))
    returned = rebuilt(result, arrays, made)
    _note(merge, made)
    return returned


def _chosen(test: jax.Array, one: Outcome, other: Outcome, pairs: list[tuple[Any, Any, Any]]) -> list[Any]:
    """The arrays that stand for pairs of those of the two branches."""
    wanted = [pair for pair in pairs if not _is_decision(pair)]

    def branch(outcome: Outcome, leaves: list[Any]) -> list[Any]:
        found = outcome.run()
        return [
            zeros(aval) if leaf is UNDEFINED else as_type(found(leaf), aval)
            for leaf, (*_, aval) in zip(leaves, wanted, strict=True)
        ]

    effects = one.jaxpr.effects or other.jaxpr.effects
    found = iter(
        lax.cond(
            test, lambda: branch(one, [pair[0] for pair in wanted]), lambda: branch(other, [pair[1] for pair in wanted])
        )
        if wanted or effects
        else ()
    )
    return [(test if pair[0] else lax.bitwise_not(test)) if _is_decision(pair) else next(found) for pair in pairs]


def _is_decision(pair: tuple[Any, Any, Any]) -> bool:
    """Whether something is True on one way, and False on the other: it is the condition, or its contrary."""
    return type(pair[0]) is bool and type(pair[1]) is bool


def _note(merge: Merge, made: dict[int, Any]) -> None:
    """Notes what the objects are that stand for those of the branches."""
    merge.seal()
    for each in made.values():
        state.created(each)
        if merge.older:
            seal(each, type(each).__name__)


def _places(one: Outcome, other: Outcome) -> dict[Key, Location]:
    return {key: place for each in (one, other) for key, (place, _) in each.changes.items()}


def _pairs(plan: Plan, one: object, other: object) -> Iterator[tuple[Any, Any, Any]]:
    """The parts of two values that stand where a plan has arrays that the run chooses, and their types."""
    sides = [
        [UNDEFINED for _ in types_in(plan)] if value is UNDEFINED else [leaf for leaf, _ in arrays_of(plan, value)]
        for value in (one, other)
    ]
    return zip(*sides, types_in(plan), strict=True)


def is_generated(place: Location) -> bool:
    """Whether the conversion has made a variable, for what is looked at only where a flag says that it is there."""
    return place.name.startswith("retval_")


def _variable(merge: Merge, place: Location, one: Outcome, other: Outcome) -> Plan:
    first, second = one.value_of(place), other.value_of(place)
    label = f"`{place.label}`"
    if first is UNDEFINED or second is UNDEFINED:
        if first is second:
            return Same(UNDEFINED)
        if not is_generated(place):
            raise BranchMismatchError(
                f"{label} has a value {_WAYS[second is not UNDEFINED]} only, and is needed afterwards",
                **where(),
                construct="if",
                remedy="give it a value before the `if`, or in both branches",
            )
        return _there(first, one) if second is UNDEFINED else _there(second, other)
    return merge.join(Same(first), second, other.type_of, one.type_of, label)


def _there(value: object, outcome: Outcome) -> Plan:
    """The plan for what one branch alone gives, and is looked at where that is known: older values need no choice."""
    if is_leaf(value):
        return Same(value) if outcome.is_older(value) else Chosen(outcome.type_of(value))
    found = parts_of(value)
    return Same(value) if found is None else Made(found, [_there(each, outcome) for each in found.parts], value)


def all_chosen(value: object, type_of: TypeOf) -> Plan:
    """The plan for a value that is there on one way, and looked at on that way alone: all its arrays are chosen."""
    if is_leaf(value):
        return Chosen(type_of(value))
    found = parts_of(value)
    if found is None:
        return Same(value)
    return Made(found, [all_chosen(each, type_of) for each in found.parts], value)


def not_(value: object) -> Any:
    """Stages ``not``."""
    known = concrete(value)
    return (not known) if known is not None else lax.bitwise_not(truth(value))


def and_(left: object, right: Thunk) -> Any:
    """Stages ``and``."""
    known = concrete(left)
    if known is not None:
        return right() if known else left
    other = trace_body(right, (right,), ())
    if _is_bool(left) and _is_bool(other.result) and not other.changes and is_cheap(other):
        return lax.bitwise_and(left, jax.numpy.asarray(other.run()(other.result)))
    return _merged(truth(left), other, trace_body(lambda: left, (), ()))


def or_(left: object, right: Thunk) -> Any:
    """Stages ``or``."""
    known = concrete(left)
    if known is not None:
        return left if known else right()
    other = trace_body(right, (right,), ())
    if _is_bool(left) and _is_bool(other.result) and not other.changes and is_cheap(other):
        return lax.bitwise_or(left, jax.numpy.asarray(other.run()(other.result)))
    return _merged(truth(left), trace_body(lambda: left, (), ()), other)


def _is_bool(value: object) -> bool:
    return type(value) is bool or (isinstance(value, jax.Array) and value.dtype == bool and value.shape == ())


_COSTLY = frozenset(("while", "scan", "cond"))


def is_cheap(outcome: Outcome) -> bool:
    """Whether a body may run where Python doesn't run it: it does nothing but compute, and soon ends."""
    jaxpr = outcome.jaxpr.jaxpr
    return not jaxpr.effects and not _holds(jaxpr)


def _holds(jaxpr: Jaxpr) -> bool:
    for equation in jaxpr.eqns:
        if equation.primitive.name in _COSTLY:
            return True
        inner = equation.params.get("jaxpr")
        if inner is not None and _holds(getattr(inner, "jaxpr", inner)):
            return True
    return False
