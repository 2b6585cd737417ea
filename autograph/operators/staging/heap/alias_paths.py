"""Which objects are at the ends of the paths from an object: questions to what `aliases` knows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import choices
from .decisions import Decision, and_, or_, within
from .edges import (
    CHOSEN,
    RELEASED,
    SHARED,
    TAKEN,
    Edge,
    Ways,
    edges_of,
    here,
    identity,
    is_any_stale,
    note_question,
    steps,
)


def may_be_same(one: object, other: object) -> Decision | None:
    """Where two objects that are not one in Python while tracing are one when the graph runs; None: it can't tell."""
    note_question()
    one, other = identity(one), identity(other)
    if _may_be_copy(one) or _may_be_copy(other):
        return None
    if any(is_unsure for each, is_unsure in _reached(one) if each is other):
        return None
    return within(choices.same(one, other), here())


def _may_be_copy(obj: object) -> bool:
    """Whether an object was taken from a list that a graph holds, which tells no longer which object it was."""
    return any(
        edge.kind in (TAKEN, RELEASED) and edge.nodes[0].obj is each
        for each in (obj, *[other for other, _ in _reached(obj)])
        for edge in edges_of(each)
    )


def _reached(obj: object) -> Iterator[tuple[Any, bool]]:
    """What an object may be, and whether that can't be told."""
    pending: list[tuple[Any, Decision, list[tuple[Any, Edge | None]], bool]] = [(obj, here(), [], False)]
    done: dict[tuple[int, bool], Decision] = {}
    while pending:
        current, when, path, is_unsure = pending.pop()
        for other, both, edge in steps(current, when, path):
            unsure = is_unsure or edge is not None
            known = done.get((id(other), unsure), False)
            reached = or_(known, both)
            if reached is not known and (edge is None or edge.kind is CHOSEN):
                done[id(other), unsure] = reached
                yield other, unsure
                pending.append((other, both, [*path, (current, edge)], unsure))


_OBJECT, _IN, _ANY, _WAS = range(4)
"""What is at the end of a path: what the object may be; a list that holds it; any of whose elements it may be; or has
been, and is no more."""
_AFTER = {TAKEN: _ANY, RELEASED: _WAS}


def possible(obj: object, is_any_of: bool = False) -> set[int]:
    """By identity what an object may be, and the lists of which it may be any element; itself among them.

    ``is_any_of``: an element of a list is meant, which only the run tells.
    """
    return {id(each) for each, state in _leads_to(obj, is_any_of) if state != _IN}


def may_be_in(obj: object, values: object, is_any_of: bool = False) -> bool:
    """Whether an object, or any of the elements of one, may be an element of a list that a graph holds."""
    note_question()
    values = identity(values)
    return any(each is values and state != _OBJECT for each, state in _leads_to(obj, is_any_of))


def _leads_to(obj: object, is_any_of: bool) -> Iterator[tuple[Any, int]]:
    pending = [(identity(obj), _ANY if is_any_of else _OBJECT)]
    seen = {(id(pending[0][0]), pending[0][1])}
    known = here()
    while pending:
        current, state = pending.pop()
        if state != _WAS:
            yield current, state
        for other, _, edge in steps(current, known, []):
            after: int | None = state
            if edge is not None and edge.kind is SHARED:
                after = {_OBJECT: None, _WAS: _ANY}.get(state, state)
            elif edge is not None and edge.kind is not CHOSEN:
                if edge.nodes[0].obj is current:
                    after = _AFTER.get(edge.kind, _IN) if state == _OBJECT else None
                else:
                    after = _OBJECT if state in (_ANY, _WAS) else None
            if after is not None and (id(other), after) not in seen:
                seen.add((id(other), after))
                pending.append((other, after))


class End(NamedTuple):
    """An object that another one may be, share elements with, have as an element, or be an element of."""

    obj: Any
    kind: str
    is_container: bool
    """Whether it is the list, of an object that was put into one or taken from it."""
    stale: tuple[bool, bool]
    """Whether the one that was asked for is out of date, and whether this is."""


def ends(obj: object, is_end: Callable[[Any], bool], known: Decision = True) -> Iterator[End]:
    """What is known, where a decision holds, of an object and those of which `is_end` holds, through others of which it
    doesn't.

    Besides, everything else by which it is out of date.
    """
    obj = identity(obj)
    ways = Ways()
    pending = deque([_Path(obj, and_(here(), known), CHOSEN, (False, False), [], False)])
    while pending:
        path = pending.popleft()
        for other, both, edge in steps(path.obj, path.when, path.steps):
            found, flags = path.kind, path.stale
            if edge is None:
                flags = flags[0] or not choices.is_current(path.obj, other), flags[1]
            else:
                side = 0 if edge.nodes[0].obj is path.obj else 1
                composed = _composed(found, edge, side)
                if composed is None:
                    continue
                found = composed
                flags = tuple(  # type: ignore[assignment]
                    each or and_(path.when, edge.stale[number]) is not False
                    for each, number in zip(flags, (side, 1 - side), strict=True)
                )
            is_first = is_end(other) and not path.is_behind
            if is_first or (flags[0] and not path.stale[0]):
                yield End(other, found.removeprefix("has "), not found.startswith("has "), flags)
            is_behind = is_first or path.is_behind
            if not flags[0] and is_behind and not is_any_stale(other):
                continue
            way = [*path.steps, (path.obj, edge)]
            key = id(other), edge is None, found, flags, is_behind
            if not (flags[0] and is_behind) and ways.is_new(key, way, both):
                pending.append(_Path(other, both, found, flags, way, is_behind))


class _Path(NamedTuple):
    """A way from an object to another one, and what that is to it."""

    obj: Any
    when: Decision
    kind: str
    stale: tuple[bool, bool]
    steps: list[tuple[Any, Edge | None]]
    is_behind: bool
    """Whether it leads through an end."""


def _composed(kind: str, edge: Edge, side: int) -> str | None:
    """What the far end of a path is to its start: "has put" where it was put into it."""
    if edge.kind is CHOSEN:
        return kind
    if edge.kind is SHARED:
        return SHARED if kind in (CHOSEN, SHARED) else None
    if side == 0:
        return edge.kind if kind is CHOSEN else None
    return f"has {edge.kind}" if kind in (CHOSEN, SHARED) else None
