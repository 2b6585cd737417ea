"""Which objects are at the ends of the paths from an object: questions to what `aliases` knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .aliases import CHOSEN, SHARED, Edge, Guard, Node, here, is_met_again, node_of
from .forms import original


def may_be_same(one: Any, other: Any) -> bool:
    """Whether two objects that are not one in Python while tracing may be one when the graph runs."""
    node = node_of(one)
    return node is not None and any(each.obj is original(other) for each, _ in _reached(node, here(), [], set()))


def _reached(node: Node, guard: Guard, path: list[Node], done: set[int]) -> Iterator[tuple[Node, Guard]]:
    for edge in node.edges:
        other, both = edge.other(node), guard.and_(edge.guard)
        if other in path or id(other) in done or not both.is_possible or edge.kind is not CHOSEN:
            continue
        if is_met_again(edge, path, node):  # asked last, as it looks at the whole path
            continue
        done.add(id(other))
        yield other, both
        yield from _reached(other, both, [*path, node], done)


class End(NamedTuple):
    """An object that another one may be, share elements with, have as an element, or be an element of."""

    obj: Any
    kind: str
    is_container: bool
    """Whether it is the list, of an object that was put into one or taken from it."""
    stale: tuple[bool, bool]
    """Whether the one that was asked for is out of date, and whether this is."""


def ends(obj: Any, is_end: Callable[[Any], bool]) -> Iterator[End]:
    """What is known of an object and those of which `is_end` holds, through others of which it doesn't."""
    node = node_of(obj)
    pending: list[tuple[Node, Guard, str, tuple[bool, bool], list[Node]]] = []
    if node is not None:
        pending.append((node, here(), CHOSEN, (False, False), []))
    while pending:
        current, guard, kind, stale, path = pending.pop()
        for edge in current.edges:
            other, side, both = edge.other(current), edge.side(current), guard.and_(edge.guard)
            if other in path or not both.is_possible or is_met_again(edge, path, current):
                continue
            found = _composed(kind, edge, side)
            if found is None:
                continue
            flags = stale[0] or bool(edge.stale[side]), stale[1] or bool(edge.stale[1 - side])
            if is_end(other.obj):
                yield End(other.obj, found.removeprefix("has "), not found.startswith("has "), flags)
            else:
                pending.append((other, both, found, flags, [*path, current]))


def _composed(kind: str, edge: Edge, side: int) -> str | None:
    """What the far end of a path is to its start: "has put" where it was put into it."""
    if edge.kind is CHOSEN:
        return kind
    if edge.kind is SHARED:
        return SHARED if kind in (CHOSEN, SHARED) else None
    if side == 0:
        return edge.kind if kind is CHOSEN else None
    return f"has {edge.kind}" if kind in (CHOSEN, SHARED) else None
