"""Stores in staged bodies that leave a place as it is while the function is traced: a run may find another value there.

What a body changes shows when it is done; that it has stored what the place held already does not. So each store in a
staged body into a place that is older than the trace is noted here, and at the end of the trace those that nothing has
changed count as changed, too: they become inputs of the graph, which is traced once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...dispatch import Thunk
from ..heap.locations import Location, locations
from ..heap.state import Journal, stack

Key = tuple[Any, ...]


class Stored:
    """The places into which the staged bodies of a trace have stored; ``older``: objects that are older than it."""

    def __init__(self, older: Iterable[object]) -> None:
        self._older = {id(each): each for each in older}
        self._outer: set[Key] = set()
        """The variables of which functions have said that they may write them, and are older than the trace."""
        self.places: dict[Key, Location] = {}

    def note(self, journal: Journal, owner: object, place: Callable[[], Location]) -> None:
        is_older = id(owner) in self._older or journal.is_early(owner)
        if is_older and not journal.is_created(owner):
            self._add(place())

    def note_outer(self, journal: Journal, load: Thunk) -> None:
        places = locations((load,), load.__code__.co_names)
        self._outer.update(each.key for each in places if not journal.is_created(each.owner))

    def note_variables(self, body: Journal) -> None:
        for location in body.needed() if self._outer else ():
            if location.key in self._outer:
                self._add(location)

    def _add(self, place: Location) -> None:
        self.places.setdefault(place.key, place)


def note(owner: object, place: Callable[[], Location]) -> None:
    """Notes a store into a place of an object, if that is in a staged body and the object certainly older."""
    journals = stack()
    if journals and not journals[-1].outermost:
        whole = _whole()
        if whole is not None:
            whole.stored.note(whole, owner, place)


def outer_variables(load: Thunk) -> None:
    """Notes that the function at hand may write these variables, which are older than it."""
    for journal in stack():
        if journal.stored is not None:
            journal.stored.note_outer(journal, load)


def variables(body: Journal) -> None:
    """Notes the outer variables that a staged body may write, of which the journal is to be open."""
    whole = _whole()
    if whole is not None:
        whole.stored.note_variables(body)


def _whole() -> Journal | None:
    """The journal of the innermost function that is traced."""
    found = next((each for each in reversed(stack()) if each.outermost), None)
    return None if found is None or found.stored is None else found
