"""Staged `if`, conditional expressions, `and`, `or`, `not`: a conditional, and operations on bools where these do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph.errors import BranchMismatchError, StagedRecursionError

from ..dispatch import Thunk
from ..staging.heap import state
from ..staging.heap.locations import Location, where
from ..variables import UNDEFINED
from .bodies import Key, Outcome, trace_body
from .library import Array, Library
from .merging import Chosen, Made, Merge, Plan, Same, TypeOf, arrays_of, rebuilt, types_in
from .structure import parts_of
from .tracing import seal

_WAYS = ("where the condition is true", "where it is false")


def if_stmt(
    library: Library, test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...],
    bodies: tuple[Callable[..., Any], ...] = (),
) -> Any:  # fmt: skip
    """Stages ``if``; sets the variables, and returns what the branches return.

    ``bodies`` are the functions that hold the user's variables, if these are not the branches themselves.
    """
    known = library.concrete(test)
    if known is not None:
        return body() if known else orelse()
    try:
        one = trace_body(library, body, bodies or (body,), names)
        other = trace_body(library, orelse, bodies or (orelse,), names)
    except RecursionError as error:
        if isinstance(error, StagedRecursionError):
            raise
        raise StagedRecursionError(
            f"a function calls itself, as a condition decides that only the run knows: {library.name} traces both "
            "branches, and so without end",
            **where(),
            construct="recursion",
            remedy="write it as a loop, or pass a depth that Python counts down",
        ) from None
    return _merged(library, library.truth(test), one, other)


def _merged(library: Library, test: Array, one: Outcome, other: Outcome) -> Any:
    merge = Merge(library, "if", _WAYS, lambda obj: one.is_new(obj) or other.is_new(obj))
    plans: dict[Key, Plan] = {}
    places = _places(one, other)
    for key, place in places.items():
        plans[key] = _variable(library, merge, place, one, other)
    result = merge.join(Same(one.result), other.result, other.type_of, one.type_of, "what the branches return")

    values = [(plans[key], *(each.value_of(place) for each in (one, other))) for key, place in places.items()]
    pairs = [pair for each in (*values, (result, one.result, other.result)) for pair in _pairs(library, *each)]
    arrays = iter(_chosen(library, test, one, other, pairs))
    made: dict[int, Any] = {}
    for key, place in places.items():
        place.set(rebuilt(library, plans[key], arrays, made))
    returned = rebuilt(library, result, arrays, made)
    _note(library, merge, made)
    return returned


def _chosen(
    library: Library, test: Array, one: Outcome, other: Outcome, pairs: list[tuple[Any, Any, Any]]
) -> list[Any]:
    """The arrays that stand for pairs of those of the two branches."""
    wanted = [pair for pair in pairs if not _is_decision(pair)]

    def branch(outcome: Outcome, leaves: list[Any]) -> list[Any]:
        found = outcome.run()
        return [
            library.zeros(kind) if leaf is UNDEFINED else library.as_type(found(leaf), kind)
            for leaf, (*_, kind) in zip(leaves, wanted, strict=True)
        ]

    effects = one.traced.has_effects() or other.traced.has_effects()
    found = iter(
        library.cond(
            test, lambda: branch(one, [pair[0] for pair in wanted]), lambda: branch(other, [pair[1] for pair in wanted])
        )
        if wanted or effects
        else ()
    )
    return [library.decision(test, pair[0]) if _is_decision(pair) else next(found) for pair in pairs]


def _is_decision(pair: tuple[Any, Any, Any]) -> bool:
    """Whether something is True on one way, and False on the other: it is the condition, or its contrary."""
    return type(pair[0]) is bool and type(pair[1]) is bool


def _note(library: Library, merge: Merge, made: dict[int, Any]) -> None:
    """Notes what the objects are that stand for those of the branches."""
    merge.seal()
    for each in made.values():
        state.created(each)
        if merge.older:
            seal(library, each, type(each).__name__)


def _places(one: Outcome, other: Outcome) -> dict[Key, Location]:
    return {key: place for each in (one, other) for key, (place, _) in each.changes.items()}


def _pairs(library: Library, plan: Plan, one: object, other: object) -> Iterator[tuple[Any, Any, Any]]:
    """The parts of two values that stand where a plan has arrays that the run chooses, and their types."""
    sides = [
        [UNDEFINED for _ in types_in(plan)] if way is UNDEFINED else [leaf for leaf, _ in arrays_of(library, plan, way)]
        for way in (one, other)
    ]
    return zip(*sides, types_in(plan), strict=True)


def is_generated(place: Location) -> bool:
    """Whether the conversion has made a variable, for what is looked at only where a flag says that it is there."""
    return place.name.startswith("retval_")


def _variable(library: Library, merge: Merge, place: Location, one: Outcome, other: Outcome) -> Plan:
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
        return _there(library, first, one) if second is UNDEFINED else _there(library, second, other)
    return merge.join(Same(first), second, other.type_of, one.type_of, label)


def _there(library: Library, value: object, outcome: Outcome) -> Plan:
    """The plan for what one branch alone gives, and is looked at where that is known: older values need no choice."""
    if library.is_leaf(value):
        return Same(value) if outcome.is_older(value) else Chosen(outcome.type_of(value))
    found = parts_of(library, value)
    if found is None:
        return Same(value)
    return Made(found, [_there(library, each, outcome) for each in found.parts], value)


def all_chosen(library: Library, value: object, type_of: TypeOf) -> Plan:
    """The plan for a value that is there on one way, and looked at on that way alone: all its arrays are chosen."""
    if library.is_leaf(value):
        return Chosen(type_of(value))
    found = parts_of(library, value)
    if found is None:
        return Same(value)
    return Made(found, [all_chosen(library, each, type_of) for each in found.parts], value)


def not_(library: Library, value: object) -> Any:
    """Stages ``not``."""
    known = library.concrete(value)
    return (not known) if known is not None else library.negated(library.truth(value))


def and_(library: Library, left: object, right: Thunk) -> Any:
    """Stages ``and``."""
    known = library.concrete(left)
    if known is not None:
        return right() if known else left
    other = trace_body(library, right, (right,), ())
    if _are_bools(library, left, other):
        return library.both(left, other.run()(other.result))
    return _merged(library, library.truth(left), other, trace_body(library, lambda: left, (), ()))


def or_(library: Library, left: object, right: Thunk) -> Any:
    """Stages ``or``."""
    known = library.concrete(left)
    if known is not None:
        return left if known else right()
    other = trace_body(library, right, (right,), ())
    if _are_bools(library, left, other):
        return library.either(left, other.run()(other.result))
    return _merged(library, library.truth(left), trace_body(library, lambda: left, (), ()), other)


def _are_bools(library: Library, left: object, other: Outcome) -> bool:
    """Whether both are bools, and the second may be computed where Python doesn't."""
    if other.changes or not (library.is_leaf(left) and library.is_leaf(other.result)):
        return False
    types = library.type_of(left), other.type_of(other.result)
    return all(map(library.is_bool, types)) and other.traced.is_cheap()


def contains(library: Library, item: object, container: Any) -> Any:
    """Stages ``item in container`` of a list or tuple."""
    found: Any = False
    for each in container:
        found = True if each is item else _found(library, found, each == item)
    return found


def _found(library: Library, found: object, same: object) -> Any:
    return or_(library, same, lambda: found) if library.is_array(same) else found or bool(same)
