"""A Python list or dict becomes a staged one: every name of it gets the new one, and the old one is not used again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograph.errors import MutationError

from .. import identities
from ..locations import Contents, Location, Mutable, StateOf
from ..state import INSIDE, copies, mark_copy, references, replaced, stack
from .aliases import is_held, rebind
from .dicts import StagedDict
from .errors import where
from .lists import ListState, StagedList

Bodies = tuple[Callable[..., Any], ...]


def set_merged(places: Iterable[tuple[Location, Any]], bodies: Bodies) -> None:
    """Sets places to their merged values; lists and dicts that become staged ones last, as the others may hold them."""
    replaced_ones = []
    for location, value in places:
        if isinstance(value, StagedDict):
            value.name = value.name or location.label
        if isinstance(location, Contents) and isinstance(value, (StagedList, StagedDict)):
            replaced_ones.append((location, value))
        else:
            location.set(value)
    for location, value in replaced_ones:
        _replace(location.owner, value, location.label, bodies)


def stage(values: list[Any] | dict[Any, Any], label: str, bodies: Bodies) -> StateOf:
    """Replaces a Python list or dict by a staged one that holds the same; returns the place of what that holds."""
    staged = StagedDict.of(values, label) if isinstance(values, dict) else StagedList(ListState.of(values), label)
    _replace(values, staged, label, bodies)
    if isinstance(staged, StagedList):
        lists = [part for part in values if isinstance(part, (list, Mutable))]
        for number, part in enumerate(lists):
            if is_held(part) or any(part is other for other in lists[:number]):
                staged.shared = True
                mark_copy(part, label, INSIDE)
    return StateOf(staged, label)


def _replace(values: Any, staged: StagedList | StagedDict, label: str, bodies: Bodies) -> None:
    staged.name = label
    identities.note_source(staged, values)
    mark = copies().get(id(values))
    if mark is not None and mark[0] is values:
        mark_copy(staged, mark[1], mark[2])
    for journal in stack():
        journal.replaced(values, staged)
    rebind(values, staged, label, references(values, bodies))
    replaced()[id(values)] = values, label


def check_not_replaced(values: Any) -> None:
    """Refuses a list or dict that has become a staged one under another name.

    Raises:
        MutationError: staged code has changed it under another name.
    """
    known = replaced().get(id(values))
    if known is not None and known[0] is values:
        raise MutationError(
            f"this {type(values).__name__} has been changed by staged code under the name `{known[1]}`, which can't "
            "reach it here",
            **where(),
            construct=known[1],
            remedy="use it under one name, or return it from the function that changes it",
        )


def count_references(held: dict[int, int], places: Iterable[Location]) -> None:
    """Adds the references that tables of this thread keep to the owners of places, to counts by identity."""
    for key in {id(location.owner) for location in places}:
        held[key] = held.get(key, 0) + (key in replaced()) + identities.references(key)
